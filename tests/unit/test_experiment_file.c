// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
/* The experiment as a file, and the way to JSON and back. */
#include <errno.h>

#include "base/xalloc.h"
#include "tests/unit/experiment_line.h"

static void assert_refused(const char *text, const char *message)
{
	auto_experiment struct experiment experiment;
	struct err err;

	assert_int_equal(experiment_text(&experiment, text, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	if (strncmp(err.text, message, strlen(message)) != 0)
		print_error("%s\n", err.text);
	assert_int_equal(strncmp(err.text, message, strlen(message)), 0);
}

static void assert_equal(const struct experiment *a, const struct experiment *b)
{
	auto_free char *x = experiment_json(a), *y = experiment_json(b);

	assert_string_equal(x, y);
}

static void experiment_of_text(struct experiment *experiment, const char *text)
{
	struct err err;

	if (experiment_text(experiment, text, &err))
		fail_msg("%s", err.text);
}

static void test_a_file_is_the_same_as_the_words(void **state)
{
	auto_experiment struct experiment file, line;

	(void)state;
	experiment_of_text(&file, "experiment:\n"
				  "  rounds: 7\n"
				  "  warmup: 0\n"
				  "  seed: 4294967295\n"
				  "  max_retries: 3\n"
				  "workloads:\n"
				  "- workload: storm\n"
				  "  devices: loop:4:256M\n"
				  "  fs: [ext3, ext4]\n"
				  "  mount_options: [noatime, data=journal]\n"
				  "configs:\n"
				  "- name: none\n"
				  "- tracer: blktrace\n"
				  "  tracer.act_mask: [issue, complete]\n"
				  "- {name: other, env.Y: 10, env.X: 'a,b', fill: 0}\n");
	experiment_of(&line, "storm devices=loop:4:256M mount_options=noatime+data=journal "
			     "--sweep fs=ext3,ext4 -c none -t blktrace,act_mask=issue+complete "
			     "-c 'other,env.Y=10,env.X=a\\,b,fill=0'");
	assert_int_equal(file.rounds, 7);
	assert_int_equal(file.warmup, 0);
	assert_true(file.seed == 4294967295);
	assert_int_equal(file.max_retries, 3);
	line.rounds = 7;
	line.warmup = 0;
	line.seed = 4294967295;
	line.max_retries = 3;
	assert_equal(&file, &line);
}

static void test_a_list_is_a_sweep_but_one_value_for_argv(void **state)
{
	auto_experiment struct experiment e;
	auto_words struct words argv = WORDS_INIT;
	struct err err;

	(void)state;
	experiment_of_text(&e, "workloads:\n"
			       "- workload: command\n"
			       "  argv: [sh, -c, \"echo 'a b'\", '']\n"
			       "  output: [keep, 'null']\n"
			       "configs:\n"
			       "- name: a\n"
			       "- name: b\n"
			       "  argv: [sleep, '0']\n");
	assert_int_equal(e.workloads[0].nsweeps, 1);
	assert_string_equal(e.workloads[0].sweeps[0].key, "output");
	assert_int_equal(e.workloads[0].sweeps[0].values.n, 2);
	assert_int_equal(words_split_shell(keys_get(&e.workloads[0].keys, "argv"), &argv, &err), 0);
	assert_int_equal(argv.n, 4);
	assert_string_equal(argv.v[2], "echo 'a b'");
	assert_string_equal(argv.v[3], "");
	assert_string_equal(keys_get(&e.configs[1].workload_keys, "argv"), "sleep 0");
}

static void test_json_is_a_file_too(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of_text(&e, "{\"experiment\":{\"rounds\":3},\"workloads\":[{\"workload\":"
			       "\"storm\",\"name\":\"small\",\"fs\":[\"ext4\"]}],\"configs\":"
			       "[{\"name\":\"a\",\"tracer\":\"none\"}]}");
	assert_int_equal(e.rounds, 3);
	assert_string_equal(e.workloads[0].name, "small");
	assert_int_equal(e.workloads[0].nsweeps, 1);
	assert_string_equal(e.configs[0].name, "a");
}

static void test_several_workloads(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of_text(&e, "workloads:\n"
			       "- {workload: storm, name: old, fs: ext3}\n"
			       "- {workload: storm, fs: ext4}\n"
			       "- {workload: command, argv: 'true'}\n");
	assert_int_equal(e.nworkloads, 3);
	assert_string_equal(e.workloads[0].name, "old");
	assert_string_equal(e.workloads[1].name, "storm");
	assert_string_equal(e.workloads[2].name, "command");
	assert_refused("workloads:\n- workload: storm\n- workload: storm\n",
		       "two workloads are called 'storm'; give one a name");
	assert_refused("workloads:\n- workload: storm\n- workload: command\nconfigs:\n"
		       "- tracer: blktrace\n",
		       "blktrace traces block devices, and command has none");
}

static void test_errors_stand_where_the_key_stands(void **state)
{
	(void)state;
	assert_refused("workloads:\n- workload: storm\n  fsx: ext4\n",
		       "f:3:8: storm has no key 'fsx'; did you mean 'fs'?");
	assert_refused("workloads:\n- workload: storm\n  fs: zfs\n",
		       "f:3:7: fs=zfs: give one of ext2|ext3|ext4");
	assert_refused("workloads:\n- workload: storm\n  fs: ext3\n  fs: ext4\n",
		       "f:4:3: this key stands here twice");
	assert_refused("workloads:\n- workload: strom\n",
		       "f:2:13: there is no workload 'strom'; did you mean 'storm'?");
	assert_refused("workloads:\n- workload: storm\n  fsx: [ext3]\n",
		       "f:3:8: storm has no key 'fsx'; did you mean 'fs'?");
	assert_refused("workloads:\n- workload: storm\nconfigs:\n- tracer: blktrac\n",
		       "f:4:11: there is no tracer 'blktrac'; did you mean 'blktrace'?");
	assert_refused("experiment:\n  round: 3\nworkloads:\n- workload: storm\n",
		       "f:2:10: no key 'round' here; did you mean 'rounds'?");
	assert_refused("workload:\n- workload: storm\n",
		       "f:1:1: an experiment is a map with 'workloads:'");
	assert_refused("workloads:\n- workload: storm\nconfig: []\n",
		       "f:3:9: no key 'config' here");
}

static void test_wrong_values_in_a_swept_list_have_a_place(void **state)
{
	(void)state;
	assert_refused("workloads:\n- workload: storm\n  fs:\n  - ext3\n  - zfs\n",
		       "f:5:5: fs=zfs: give one of");
}

static void test_unknown_keys_of_configurations_have_a_place(void **state)
{
	(void)state;
	assert_refused("workloads:\n- workload: storm\nconfigs:\n- name: a\n  fsx: ext4\n",
		       "f:5:8: storm has no key 'fsx'; did you mean 'fs'?");
	assert_refused("workloads:\n- workload: storm\nconfigs:\n- tracer: blktrace\n"
		       "  tracer.bufer: 1M\n",
		       "f:5:17: tracer blktrace has no key 'bufer'; did you mean 'buffer'?");
	/* The tracer counts wherever it stands in the map. */
	assert_refused("workloads:\n- workload: storm\nconfigs:\n- name: a\n  tracer.buffer: x\n"
		       "  tracer: blktrace\n",
		       "f:5:18: buffer=x is no size");
}

static void test_shapes_that_are_no_experiment(void **state)
{
	(void)state;
	assert_refused("[]\n", "f:1:1: an experiment is a map");
	assert_refused("workloads: storm\n", "f:1:12: a list is expected here");
	assert_refused("workloads: []\n", "which workload?");
	assert_refused("workloads: [storm]\n", "f:1:13: a workload is a map");
	assert_refused("workloads: [{fs: ext4}]\n", "f:1:13: a workload is a map");
	assert_refused("workloads:\n- workload: storm\n  fs: {a: b}\n", "f:3:7: a value or a list");
	assert_refused("workloads:\n- workload: storm\n  fs: []\n", "f:3:7: an empty list");
	assert_refused("workloads:\n- workload: storm\n  fs: [[ext4]]\n", "f:3:8: a plain value");
	assert_refused("workloads:\n- workload: storm\n  name: [a]\n", "f:3:9: a name is expected");
	assert_refused("workloads:\n- workload: storm\nconfigs: [a]\n",
		       "f:3:11: a configuration is a map");
	assert_refused("workloads:\n- workload: storm\nconfigs: [{fs: ext4}]\n",
		       "f:3:11: a configuration is a map with 'name: NAME'");
	assert_refused("workloads:\n- workload: storm\nconfigs: [{name: a, fs: [ext3, ext4]}]\n",
		       "f:3:25: one value is expected here (only workloads sweep)");
	assert_refused("workloads:\n- workload: storm\nconfigs: [{name: a, env.X: [1, 2]}]\n",
		       "f:3:28: one value is expected here");
	assert_refused("workloads:\n- workload: storm\nconfigs: [{name: a, tracer: [none]}]\n",
		       "f:3:29: one value is expected here");
	assert_refused("experiment: 3\nworkloads:\n- workload: storm\n",
		       "f:1:13: a map is expected");
}

static void test_numbers_have_bounds(void **state)
{
	static const char *const wrong[] = { "rounds: 0",	 "rounds: 1000001", "rounds: -1",
					     "rounds: many",	 "rounds: [1]",	    "warmup: 1001",
					     "seed: 4294967296", "max_retries: x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		auto_free char *text =
			xasprintf("experiment: {%s}\nworkloads:\n- workload: storm\n", wrong[i]);
		auto_free char *message =
			xasprintf("f:1:%zu: %.*s: give a whole number", 16 + strcspn(wrong[i], ":"),
				  (int)strcspn(wrong[i], ":"), wrong[i]);

		assert_refused(text, message);
	}
}

/* From words to JSON and back: nothing changes. */
static void assert_round_trip(const char *line)
{
	auto_experiment struct experiment first, second;
	auto_free char *text = NULL;

	experiment_of(&first, line);
	text = experiment_json(&first);
	experiment_of_text(&second, text);
	assert_equal(&first, &second);
	assert_int_equal(first.nworkloads, second.nworkloads);
	assert_true(keys_equal(&first.workloads[0].keys, &second.workloads[0].keys));
	assert_int_equal(first.workloads[0].nsweeps, second.workloads[0].nsweeps);
	assert_int_equal(first.nconfigs, second.nconfigs);
	for (size_t i = 0; i < first.nconfigs; i++) {
		const struct config *a = &first.configs[i], *b = &second.configs[i];

		assert_string_equal(a->name, b->name);
		assert_ptr_equal(a->tracer, b->tracer);
		assert_true(keys_equal(&a->tracer_keys, &b->tracer_keys));
		assert_true(keys_equal(&a->settings, &b->settings));
		assert_true(keys_equal(&a->workload_keys, &b->workload_keys));
	}
	assert_true(first.seed == second.seed);
	assert_int_equal(first.rounds, second.rounds);
	assert_int_equal(first.max_retries, second.max_retries);
}

static void test_experiments_survive_the_way_through_json(void **state)
{
	(void)state;
	assert_round_trip("storm");
	assert_round_trip("storm fs=ext4 mkfs_options='-O ^has_journal' --sweep fill=0,1M,16M");
	assert_round_trip("storm mount_options=noatime,data=journal --sweep fs=ext3");
	assert_round_trip("storm -t none -t blktrace -t blktrace,name=i,act_mask=issue+complete");
	assert_round_trip("storm -c a -c b,tracer=blktrace,tracer.buffer=1M,fs=ext4,"
			  "env.Y=10,env.X=");
	assert_round_trip("command -- sh -c 'echo \"a  b\" | tr \\\\n x; : # {[&*!|>%@`' ''");
	assert_round_trip("command -c a,argv=true -c 'b,argv=sleep 0'");
}

static void test_odd_text_survives_the_way_through_json(void **state)
{
	(void)state;
	assert_round_trip("command -- printf '\t\n two\n\n  lines\r\x01\x1b\x7f'");
	assert_round_trip(
		"command -- echo 'gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xa7 \xe2\x80\xa8 \xc2\x85 "
		"\xef\xbb\xbf'");
	assert_round_trip("storm -c 'a: b' -c '- c' -c '# d' -c '~' -c yes -c 1.50 -c '\"' -c ' '");
	assert_round_trip("storm -c a,env.X=null -c b,env.X=0x10 -c c,env.X=-1e3 -c 'd,env.X= '");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_is_the_same_as_the_words),
		cmocka_unit_test(test_a_list_is_a_sweep_but_one_value_for_argv),
		cmocka_unit_test(test_json_is_a_file_too),
		cmocka_unit_test(test_several_workloads),
		cmocka_unit_test(test_errors_stand_where_the_key_stands),
		cmocka_unit_test(test_wrong_values_in_a_swept_list_have_a_place),
		cmocka_unit_test(test_unknown_keys_of_configurations_have_a_place),
		cmocka_unit_test(test_shapes_that_are_no_experiment),
		cmocka_unit_test(test_numbers_have_bounds),
		cmocka_unit_test(test_experiments_survive_the_way_through_json),
		cmocka_unit_test(test_odd_text_survives_the_way_through_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
