// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
/* The experiment as the command line gives it, and what every experiment is checked for. */
#include <errno.h>

#include "base/xalloc.h"
#include "tests/unit/experiment_line.h"

static void assert_refused(const char *line, const char *message)
{
	auto_experiment struct experiment experiment;
	struct err err;

	assert_int_equal(experiment_line(&experiment, line, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	if (!strstr(err.text, message))
		print_error("%s: %s\n", line, err.text);
	assert_non_null(strstr(err.text, message));
}

static const char *key_of(const struct keys *keys, const char *name)
{
	const char *value = keys_get(keys, name);

	return value ? value : "(not given)";
}

static void test_a_workload_alone(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of(&e, "storm");
	assert_int_equal(e.nworkloads, 1);
	assert_string_equal(e.workloads[0].name, "storm");
	assert_int_equal(e.workloads[0].keys.n, 0);
	assert_int_equal(e.nconfigs, 1);
	assert_string_equal(e.configs[0].name, "none");
	assert_string_equal(e.configs[0].tracer->name, "none");
	assert_int_equal(e.rounds, 10);
	assert_int_equal(e.warmup, 1);
	assert_int_equal(e.max_retries, 5);
	assert_true(e.seed_given);
}

static void test_keys_of_the_workload(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of(&e, "storm fs=ext4 mkfs_options='-O ^has_journal,extent' fill=0");
	assert_string_equal(key_of(&e.workloads[0].keys, "fs"), "ext4");
	assert_string_equal(key_of(&e.workloads[0].keys, "mkfs_options"),
			    "-O ^has_journal,extent"); /* here a comma is no separator */
	assert_string_equal(key_of(&e.workloads[0].keys, "fill"), "0");
}

static void test_a_tracer_is_a_configuration(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of(&e, "storm -t none -t blktrace,act_mask=issue+complete,buffer=1M");
	assert_int_equal(e.nconfigs, 2);
	assert_string_equal(e.configs[0].name, "none");
	assert_string_equal(e.configs[1].name, "blktrace");
	assert_string_equal(e.configs[1].tracer->name, "blktrace");
	assert_int_equal(e.configs[1].tracer_keys.n, 2);
	assert_string_equal(key_of(&e.configs[1].tracer_keys, "act_mask"), "issue+complete");
	assert_string_equal(key_of(&e.configs[1].tracer_keys, "buffer"), "1M");
	assert_int_equal(e.configs[1].workload_keys.n, 0);
}

static void test_name_behind_t_names_the_configuration(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of(&e, "storm -t blktrace -t blktrace,name=issue,act_mask=issue");
	assert_string_equal(e.configs[0].name, "blktrace");
	assert_string_equal(e.configs[1].name, "issue");
	assert_int_equal(e.configs[1].tracer_keys.n, 1);
	assert_string_equal(key_of(&e.configs[1].tracer_keys, "act_mask"), "issue");
}

static void test_keys_behind_c_go_where_they_belong(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of(&e, "storm -c a -c b,tracer=blktrace,tracer.buffer=1M,"
			  "env.Y=10,env.X=y,fs=ext4");
	assert_string_equal(e.configs[0].name, "a");
	assert_string_equal(e.configs[0].tracer->name, "none");
	assert_string_equal(e.configs[1].tracer->name, "blktrace");
	assert_string_equal(key_of(&e.configs[1].tracer_keys, "buffer"), "1M");
	assert_int_equal(e.configs[1].settings.n, 2);
	assert_string_equal(key_of(&e.configs[1].settings, "env.Y"), "10");
	assert_string_equal(key_of(&e.configs[1].settings, "env.X"), "y");
	assert_int_equal(e.configs[1].workload_keys.n, 1);
	assert_string_equal(key_of(&e.configs[1].workload_keys, "fs"), "ext4");
}

static void test_settings_are_known_by_their_family(void **state)
{
	static const char *const keys[] = { "sysctl.vm.swappiness", "queue.scheduler", "env.X" };
	struct experiment e;
	struct config *config;
	struct err err;

	(void)state;
	experiment_init(&e);
	config = experiment_add_config(&e, "a");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		assert_int_equal(config_set(config, keys[i], "10", &err), 0);
		assert_string_equal(key_of(&config->settings, keys[i]), "10");
	}
	assert_int_equal(config_set(config, "sysctl", "10", &err), 0); /* no family without a dot */
	assert_int_equal(config->settings.n, 3);
	assert_int_equal(config->workload_keys.n, 1);
	experiment_release(&e);
}

static void test_t_is_short_for_c(void **state)
{
	auto_experiment struct experiment t, c;
	auto_free char *a = NULL, *b = NULL;

	(void)state;
	experiment_of(&t, "storm -t blktrace,buffer=1M");
	experiment_of(&c, "storm -c blktrace,tracer=blktrace,tracer.buffer=1M");
	t.seed = c.seed = 1;
	a = experiment_json(&t);
	b = experiment_json(&c);
	assert_string_equal(a, b);
}

static void test_backslash_comma_is_a_comma(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of(&e, "storm -c 'a,mount_options=noatime\\,data=journal,fs=ext3' "
			  "-c 'odd\\,name,env.X=1\\,2\\,3'");
	assert_string_equal(key_of(&e.configs[0].workload_keys, "mount_options"),
			    "noatime,data=journal");
	assert_string_equal(key_of(&e.configs[0].workload_keys, "fs"), "ext3");
	assert_string_equal(e.configs[1].name, "odd,name");
	assert_string_equal(key_of(&e.configs[1].settings, "env.X"), "1,2,3");
}

static void test_a_value_may_hold_equals_signs(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of(&e, "command 'argv=dd if=/dev/zero of=/dev/null count=1' -c a,env.X=p=q");
	assert_string_equal(key_of(&e.workloads[0].keys, "argv"),
			    "dd if=/dev/zero of=/dev/null count=1");
	assert_string_equal(key_of(&e.configs[0].settings, "env.X"), "p=q");
}

static void test_a_program_behind_two_dashes_is_argv(void **state)
{
	auto_experiment struct experiment e;
	auto_words struct words argv = WORDS_INIT;
	struct err err;

	(void)state;
	experiment_of(&e, "command output=null -- sh -c 'echo \"a b\"; exit 0' ''");
	assert_int_equal(words_split_shell(key_of(&e.workloads[0].keys, "argv"), &argv, &err), 0);
	assert_int_equal(argv.n, 4);
	assert_string_equal(argv.v[2], "echo \"a b\"; exit 0");
	assert_string_equal(argv.v[3], "");
	assert_string_equal(key_of(&e.workloads[0].keys, "output"), "null");
}

static void test_argv_behind_c_replaces_the_program(void **state)
{
	auto_keys struct keys point = KEYS_INIT, first = KEYS_INIT, second = KEYS_INIT;
	auto_experiment struct experiment e, without;

	(void)state;
	experiment_of(&e, "command -c a -c 'b,argv=sleep 0' -- true");
	experiment_cell_keys(&e, 0, &point, 0, &first);
	experiment_cell_keys(&e, 0, &point, 1, &second);
	assert_string_equal(key_of(&first, "argv"), "true");
	assert_string_equal(key_of(&second, "argv"), "sleep 0");
	experiment_of(&without, "command -c a,argv=true -c 'b,argv=sleep 0'");
	assert_null(keys_get(&without.workloads[0].keys, "argv"));
}

static void test_wrong_programs(void **state)
{
	(void)state;
	assert_refused("command true", "'true' is no KEY=VALUE; a program stands behind --");
	assert_refused("command --", "no program stands behind --");
	assert_refused("storm -- true", "storm takes no program behind --");
	assert_refused("command argv=", "argv= is empty");
	assert_refused("command -c 'a,argv= '", "argv= is empty");
}

static void test_a_setting_of_devices_where_there_are_none(void **state)
{
	struct experiment e;

	(void)state;
	if (geteuid() != 0) {
		print_message("it needs root\n");
		skip();
	} /* root is asked for first */
	assert_refused("command -c a,queue.scheduler=none -- true",
		       "queue.scheduler is set on block devices, and command has none");
	experiment_of(&e, "storm -c a,queue.scheduler=none");
	experiment_release(&e);
}

static void test_an_empty_sysctl_is_found_before_it_is_written(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("it needs root\n");
		skip();
	}
	assert_refused("command -c a,sysctl.vm.swappiness= -- true",
		       "the value must be one line that is not empty");
}

static void test_a_program_given_in_two_places_is_refused(void **state)
{
	(void)state;
	assert_refused("command argv=true -- false", "argv= and a program behind --");
}

static void test_two_configurations_with_one_name_are_refused_with_a_hint(void **state)
{
	(void)state;
	assert_refused("storm -t blktrace -t blktrace,act_mask=issue",
		       "two configurations are called 'blktrace'; name=OTHER");
	assert_refused("storm -c a -c a", "two configurations are called 'a'");
	assert_refused("storm -t none -c none", "another NAME behind -c");
}

static void test_names_of_configurations(void **state)
{
	auto_free char *name = xcalloc(1, 80), *line = NULL;
	auto_experiment struct experiment e;

	(void)state;
	assert_refused("storm -c ''", "1 to 64 bytes");
	assert_refused("storm -t none,name=", "1 to 64 bytes");
	memset(name, 'n', 64);
	line = xasprintf("storm -c %s", name);
	experiment_of(&e, line);
	assert_string_equal(e.configs[0].name, name);
	free(line);
	line = xasprintf("storm -c %sn", name);
	assert_refused(line, "1 to 64 bytes");
	assert_refused("storm -c fs=ext4", "give the configuration's name first");
}

static void test_unknown_names_get_a_suggestion(void **state)
{
	(void)state;
	assert_refused("strom", "there is no workload 'strom'; did you mean 'storm'?");
	assert_refused("xyzzy", "there is no workload 'xyzzy'; see brunt list workloads");
	assert_refused("", "which workload?");
	assert_refused("storm -t blktrac",
		       "there is no tracer 'blktrac'; did you mean 'blktrace'?");
	assert_refused("storm -t xyzzy", "there is no tracer 'xyzzy'; see brunt list tracers");
	assert_refused("storm -c a,tracer=blktrac", "did you mean 'blktrace'?");
	assert_refused("storm fill_=1", "storm has no key 'fill_'; did you mean 'fill'?");
	assert_refused("storm -c a,fil=1", "storm has no key 'fil'; did you mean 'fill'?");
	assert_refused("storm -t blktrace,bufer=1M", "did you mean 'buffer'?");
	assert_refused("storm -c a,tracer=blktrace,tracer.bufer=1M",
		       "tracer blktrace has no key 'bufer'; did you mean 'buffer'?");
	assert_refused("storm -t none,buffer=1M", "tracer none has no key 'buffer'");
	assert_refused("storm --sweep fss=ext3,ext4", "storm has no key 'fss'; did you mean 'fs'?");
}

static void test_wrong_words(void **state)
{
	(void)state;
	assert_refused("storm fs", "'fs' is no KEY=VALUE");
	assert_refused("storm =x", "'=x' is no KEY=VALUE");
	assert_refused("storm -c a,fs", "'fs' is no KEY=VALUE");
	assert_refused("storm -t blktrace,", "'' is no KEY=VALUE");
	assert_refused("storm --sweep fs", "'fs' is no KEY=VALUE");
	assert_refused("storm fs=zfs", "fs=zfs: give one of ext2|ext3|ext4");
	assert_refused("storm -c a,fs=zfs", "configuration a: storm: fs=zfs");
	assert_refused("storm -t blktrace,buffer=1", "buffer=1 is out of range");
	assert_refused("storm -c a,env.1X=y", "configuration a: env.1X");
}

static void test_keys_given_twice_are_refused(void **state)
{
	(void)state;
	assert_refused("storm fs=ext3 fs=ext4",
		       "fs is given twice; several values: --sweep fs=V,V");
	assert_refused("storm -c a,fs=ext3,fs=ext4", "fs is given twice");
	assert_refused("storm -t blktrace,buffer=1M,buffer=2M", "buffer is given twice");
	assert_refused("storm -t blktrace,name=a,name=b", "name is given twice");
}

static void test_sweeps(void **state)
{
	auto_experiment struct experiment e;

	(void)state;
	experiment_of(&e, "storm --sweep fs=ext3,ext4 --sweep fill=0,1M,16M");
	assert_int_equal(e.workloads[0].nsweeps, 2);
	assert_string_equal(e.workloads[0].sweeps[0].key, "fs");
	assert_int_equal(e.workloads[0].sweeps[0].values.n, 2);
	assert_string_equal(e.workloads[0].sweeps[1].key, "fill");
	assert_int_equal(e.workloads[0].sweeps[1].values.n, 3);
	assert_string_equal(e.workloads[0].sweeps[1].values.v[2], "16M");
}

static void test_wrong_sweeps(void **state)
{
	(void)state;
	assert_refused("storm --sweep fs=ext3,zfs", "--sweep: fs=zfs: give one of");
	assert_refused("storm --sweep fs=ext3,ext4,ext3", "--sweep fs: ext3 stands there twice");
	assert_refused("storm --sweep fs=ext3 --sweep fs=ext4", "fs is swept twice");
	assert_refused("storm fs=ext3 --sweep fs=ext3,ext4", "fs is given as a key and swept");
	assert_refused("storm --sweep fs=ext3,ext4 -c a,fs=ext4",
		       "swept and set by configuration a");
}

static void test_lists_cannot_be_swept(void **state)
{
	(void)state;
	assert_refused("command --sweep argv=true,false", "argv cannot be swept");
	assert_refused("storm --sweep mount_options=noatime,relatime",
		       "mount_options cannot be swept");
}

static void test_a_tracer_of_devices_needs_a_workload_that_has_some(void **state)
{
	(void)state;
	assert_refused("command -t none -t blktrace -- true",
		       "blktrace traces block devices, and command has none");
}

static void test_text_that_is_no_utf8_is_refused(void **state)
{
	(void)state;
	assert_refused("command -- cat /tmp/gr\xfc\xdf", "argv: its value is no UTF-8");
	assert_refused("storm -c gr\xfc\xdf", "a configuration's name: its value is no UTF-8");
	assert_refused("storm -c a,env.X=\xff", "env.X: its value is no UTF-8");
}

static void test_a_set_without_a_name_is_not_the_root_folder(void **state)
{
	static const struct option_spec specs[] = { RUN_EXPERIMENT_OPTIONS, { NULL } };
	static char word[] = "storm", output[] = "--output=";
	char *argv[] = { word, output };
	struct run_arguments arguments;
	struct options options;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(options_parse("run", specs, 2, argv, &options, &err), 0);
	assert_int_equal(run_arguments_read(&arguments, &options, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	options_release(&options);
}

static bool same(const char *a, const char *b, const char *config, char **difference)
{
	auto_experiment struct experiment x, y;

	*difference = NULL;
	experiment_of(&x, a);
	experiment_of(&y, b);
	return experiment_same_config(&x, &y, config, difference);
}

static void assert_differs(const char *a, const char *b, const char *config, const char *words)
{
	auto_free char *difference = NULL;

	assert_false(same(a, b, config, &difference));
	assert_string_equal(difference, words);
}

static void test_what_differs_between_two_experiments(void **state)
{
	char *difference;

	(void)state;
	assert_true(same("storm -c a", "storm -c a -c b", "a", &difference));
	assert_true(same("storm -c a", "storm -c b,fs=ext4", "b", &difference));
	assert_true(
		same("storm -c a,fs=ext4,fill=0", "storm -c a,fill=0,fs=ext4", "a", &difference));
	assert_differs("storm fs=ext3", "storm fs=ext4", "none", "fs=ext3 there, ext4 here");
	assert_differs("storm", "storm fs=ext4", "none", "fs not given there, ext4 here");
	assert_differs("storm fs=ext3", "storm", "none", "fs=ext3 there, not given here");
	assert_differs("storm -c a", "storm -c a,tracer=blktrace", "a",
		       "tracer=none there, blktrace here");
	assert_differs("storm -t blktrace", "storm -t blktrace,buffer=1M", "blktrace",
		       "buffer not given there, 1M here");
	assert_differs("storm -c a,env.X=1", "storm -c a,env.X=2", "a", "env.X=1 there, 2 here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_workload_alone),
		cmocka_unit_test(test_keys_of_the_workload),
		cmocka_unit_test(test_a_tracer_is_a_configuration),
		cmocka_unit_test(test_name_behind_t_names_the_configuration),
		cmocka_unit_test(test_keys_behind_c_go_where_they_belong),
		cmocka_unit_test(test_settings_are_known_by_their_family),
		cmocka_unit_test(test_t_is_short_for_c),
		cmocka_unit_test(test_backslash_comma_is_a_comma),
		cmocka_unit_test(test_a_value_may_hold_equals_signs),
		cmocka_unit_test(test_a_program_behind_two_dashes_is_argv),
		cmocka_unit_test(test_argv_behind_c_replaces_the_program),
		cmocka_unit_test(test_wrong_programs),
		cmocka_unit_test(test_a_setting_of_devices_where_there_are_none),
		cmocka_unit_test(test_an_empty_sysctl_is_found_before_it_is_written),
		cmocka_unit_test(test_a_program_given_in_two_places_is_refused),
		cmocka_unit_test(test_two_configurations_with_one_name_are_refused_with_a_hint),
		cmocka_unit_test(test_names_of_configurations),
		cmocka_unit_test(test_unknown_names_get_a_suggestion),
		cmocka_unit_test(test_wrong_words),
		cmocka_unit_test(test_keys_given_twice_are_refused),
		cmocka_unit_test(test_sweeps),
		cmocka_unit_test(test_wrong_sweeps),
		cmocka_unit_test(test_lists_cannot_be_swept),
		cmocka_unit_test(test_a_tracer_of_devices_needs_a_workload_that_has_some),
		cmocka_unit_test(test_text_that_is_no_utf8_is_refused),
		cmocka_unit_test(test_a_set_without_a_name_is_not_the_root_folder),
		cmocka_unit_test(test_what_differs_between_two_experiments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
