// SPDX-License-Identifier: GPL-3.0-or-later
/* --aa, --primary and --until: what an experiment says of its rounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "base/xalloc.h"
#include "tests/unit/experiment_line.h"

/* Through all that `brunt run` reads before it touches anything. */
static int arguments_line(struct run_arguments *arguments, const char *line, struct err *err)
{
	static const struct option_spec specs[] = { RUN_EXPERIMENT_OPTIONS, { NULL } };
	auto_words struct words words = WORDS_INIT;
	struct options options = { 0 };
	int rc;

	*err = (struct err){ 0 };
	assert_int_equal(words_split_shell(line, &words, err), 0);
	rc = options_parse("run", specs, (int)words.n, words.v, &options, err);
	if (!rc)
		rc = run_arguments_read(arguments, &options, err);
	options_release(&options);
	return rc;
}

static void arguments_of(struct run_arguments *arguments, const char *line)
{
	struct err err;

	if (arguments_line(arguments, line, &err))
		fail_msg("%s: %s", line, err.text);
}

static void assert_refused(const char *line, const char *words)
{
	struct run_arguments arguments;
	struct err err;

	assert_int_not_equal(arguments_line(&arguments, line, &err), 0);
	assert_int_equal(err.status, EXIT_USAGE);
	if (!strstr(err.text, words))
		fail_msg("%s: %s", line, err.text);
}

/* Read back from its JSON it is the same, byte for byte. */
static void assert_comes_back(const struct experiment *experiment)
{
	auto_free char *text = experiment_json(experiment), *again = NULL;
	auto_experiment struct experiment back;
	struct err err;

	if (experiment_text(&back, text, &err))
		fail_msg("%s: %s", text, err.text);
	again = experiment_json(&back);
	assert_string_equal(text, again);
	assert_true(experiment_same_primary(experiment, &back));
}

static void aa_adds_the_baseline_again(void **state)
{
	struct run_arguments arguments;
	const struct experiment *e = &arguments.experiment;

	(void)state;
	arguments_of(&arguments, "storm --aa -t blktrace,name=b,keep=yes -c x,env.A=1,fs=ext4");
	assert_int_equal(e->nconfigs, 3);
	assert_string_equal(e->configs[2].name, "b#2");
	assert_string_equal(e->configs[2].aa_of, "b");
	assert_ptr_equal(e->configs[2].tracer, e->configs[0].tracer);
	assert_true(keys_equal(&e->configs[2].tracer_keys, &e->configs[0].tracer_keys));
	assert_null(e->configs[0].aa_of);
	assert_comes_back(e);
	run_arguments_release(&arguments);

	arguments_of(&arguments, "command --aa -- true");
	assert_int_equal(e->nconfigs, 2);
	assert_string_equal(e->configs[1].name, "none#2");
	assert_comes_back(e);
	run_arguments_release(&arguments);
}

static void a_file_says_it_too(void **state)
{
	auto_experiment struct experiment experiment;
	struct err err;

	(void)state;
	assert_int_equal(experiment_text(&experiment,
					 "experiment: {aa: true, primary: [sys, cpu], until: 2.5, "
					 "max: 40}\n"
					 "workloads: [{workload: storm}]\n"
					 "configs: [{name: a}, {name: b, fs: ext4}]\n",
					 &err), 0);
	assert_int_equal(experiment.nconfigs, 3);
	assert_string_equal(experiment.configs[2].name, "a#2");
	assert_true(experiment.until_pct == 2.5);
	assert_int_equal(experiment.until_max, 40);
	assert_int_equal(experiment.primary.n, 2);
	assert_comes_back(&experiment);
}

static void a_second_baseline_is_none_of_the_users(void **state)
{
	static const char *const texts[] = {
		"configs: [{name: a}, {name: 'a#2', aa_of: a, fs: ext4}]",
		"configs: [{name: a}, {name: b}, {name: 'b#2', aa_of: b}]",
		"configs: [{name: a}, {name: c, aa_of: a}]",
		"configs: [{name: 'a#2', aa_of: a}]",
	};

	(void)state;
	assert_refused("storm -c a -c a#2", "a#2");
	assert_refused("storm --aa -c a#2", "#2");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		auto_free char *text = xasprintf("workloads: [{workload: storm}]\n%s\n", texts[i]);
		auto_experiment struct experiment experiment;
		struct err err;

		assert_int_not_equal(experiment_text(&experiment, text, &err), 0);
		assert_int_equal(err.status, EXIT_USAGE);
		assert_non_null(strstr(err.text, "aa_of"));
	}
}

static void primary_names_metrics_that_there_are(void **state)
{
	struct run_arguments arguments;

	(void)state;
	arguments_of(&arguments, "storm --primary sys,mkfs.real -c a -c b");
	assert_int_equal(arguments.experiment.primary.n, 2);
	assert_comes_back(&arguments.experiment);
	run_arguments_release(&arguments);
	assert_refused("storm --primary reel", "did you mean 'real'?");
	assert_refused("storm --primary sys,sys", "twice");
	assert_refused("command --primary voluntary_switches -- true", "neither more nor less");
	assert_refused("storm --primary ''", "no metric ''");
}

static void until_has_bounds(void **state)
{
	struct run_arguments arguments;

	(void)state;
	arguments_of(&arguments, "storm -c a -c b --until 2 --max 40");
	assert_int_equal(arguments.rounds, 40);
	assert_int_equal(arguments.experiment.rounds, 10);
	assert_true(arguments.until_pct == 2);
	assert_comes_back(&arguments.experiment);
	run_arguments_release(&arguments);
	assert_refused("storm -c a -c b --until 2", "--max");
	assert_refused("storm -c a -c b --max 40", "--until");
	assert_refused("storm -c a -c b --until 0 --max 40", "above 0");
	assert_refused("storm -c a -c b --until 2 --max 9", "10");
	assert_refused("storm -c a -c b --until 2 --max 20 -n 6", "10");
	assert_refused("storm -c a -c b --until 2 --max 20 -n 30", "30");
	assert_refused("storm -c a --until 2 --max 20", "second configuration");
	assert_refused("storm -c a --aa --until 2 --max 20", "second configuration");
}

static void primary_of(struct experiment *experiment, const char *metrics)
{
	auto_free char *text = xasprintf("experiment: {primary: [%s]}\n"
					 "workloads: [{workload: storm}]\n", metrics);
	struct err err;

	assert_int_equal(experiment_text(experiment, text, &err), 0);
}

static void the_order_of_primary_metrics_says_nothing(void **state)
{
	auto_experiment struct experiment both, swapped, one, none;

	(void)state;
	primary_of(&both, "sys, cpu");
	primary_of(&swapped, "cpu, sys");
	primary_of(&one, "cpu");
	experiment_of(&none, "storm");
	assert_true(experiment_same_primary(&both, &swapped));
	assert_false(experiment_same_primary(&both, &one));
	assert_false(experiment_same_primary(&one, &both));
	assert_false(experiment_same_primary(&none, &one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aa_adds_the_baseline_again),
		cmocka_unit_test(a_file_says_it_too),
		cmocka_unit_test(a_second_baseline_is_none_of_the_users),
		cmocka_unit_test(primary_names_metrics_that_there_are),
		cmocka_unit_test(until_has_bounds),
		cmocka_unit_test(the_order_of_primary_metrics_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
