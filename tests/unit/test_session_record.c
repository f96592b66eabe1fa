// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/xalloc.h"
#include "machine/environment.h"
#include "runner/session_record.h"
#include "runner/version.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/experiment_line.h"

static void test_ids_are_names_of_files(void **state)
{
	auto_free char *id = session_new_id();
	size_t len = strlen(id);

	(void)state;
	assert_true(len > 22);
	for (size_t i = 0; i < 8; i++)
		assert_true(isdigit((unsigned char)id[i]));
	assert_int_equal(id[8], 'T');
	assert_int_equal(id[15], '-');
	assert_int_equal(id[len - 7], '-');
	assert_int_equal(strspn(id + len - 6, "0123456789abcdef"), 6);
	assert_null(strpbrk(id, "/ \t\n"));
}

/* Sets read sessions in the order of their names, and the first label is the base. */
static void test_sessions_of_one_second_sort_as_they_started(void **state)
{
	const struct timespec little = { .tv_nsec = 1000000 };
	auto_free char *before = session_new_id();

	(void)state;
	for (int i = 0; i < 50; i++) {
		char *id;

		nanosleep(&little, NULL);
		id = session_new_id();
		assert_true(strcmp(before, id) < 0);
		free(before);
		before = id;
	}
}

/* A request with its plan, made from the words of `brunt run`. */
struct fixture {
	struct experiment experiment;
	struct session_request request;
	struct plan plan;
	struct cells cells;
};

static void make_fixture(struct fixture *f, const char *line, const char *label)
{
	experiment_of(&f->experiment, line);
	f->request = (struct session_request){ .experiment = &f->experiment,
					       .label = label,
					       .rounds = 3 };
	plan_make(&f->plan, &f->experiment, 3, 1, 5);
	cells_init(&f->cells, &f->experiment, &f->plan);
}

static void release_fixture(struct fixture *f)
{
	cells_release(&f->cells);
	plan_release(&f->plan);
	experiment_release(&f->experiment);
}

/* The session's object as it would be in its file. */
static json_t *stored_session(const char *line, const char *label)
{
	struct fixture f;
	json_t *session;

	make_fixture(&f, line, label);
	session = session_to_json(&f.request, "id-1", &f.plan, &f.cells, json_object(), NAN);
	release_fixture(&f);
	return session;
}

static void test_the_file_of_a_session(void **state)
{
	auto_json json_t *session = NULL;
	auto_free char *expected = NULL;
	auto_buf struct buf text = BUF_INIT;
	struct fixture f;

	(void)state;
	make_fixture(&f, "storm --sweep fs=ext3,ext4 -t none -t blktrace", "6.1 + patch");
	session = session_to_json(&f.request, "id-1", &f.plan, &f.cells,
				  json_pack("{s:i}", "cpu.count", 2), 0.25);
	assert_string_equal(json_get_text(session, "schema", ""), SET_SCHEMA);
	assert_string_equal(json_get_text(session, "version", ""), BRUNT_VERSION);
	assert_string_equal(json_get_text(session, "id", ""), "id-1");
	assert_string_equal(json_get_text(session, "status", ""), "running");
	assert_string_equal(json_get_text(session, "label", ""), "6.1 + patch");
	assert_string_equal(json_get_text(session, "host", ""), environment_host());
	assert_string_equal(json_get_text(session, "boot_id", ""), environment_boot_id());
	assert_true(json_is_null(json_object_get(session, "resumes")));
	assert_int_equal(json_get_int(session, "pid", 0), getpid());
	assert_int_equal(json_get_int(session, "rounds", 0), 3);
	assert_true(json_get_int(session, "seed", -1) == f.experiment.seed);
	assert_double(json_get_number(session, "idle_kthread_rate"), 0.25, 0);
	assert_int_equal(json_get_int(json_object_get(session, "environment"), "cpu.count", 0), 2);
	assert_int_equal(json_array_size(json_object_get(session, "plan")), f.plan.nsteps);
	assert_int_equal(json_array_size(json_object_get(session, "workloads")),
			 f.cells.ninstances);
	expected = experiment_json(&f.experiment);
	json_write(&text, json_object_get(session, "experiment"), 0);
	assert_string_equal(text.s, expected);
	release_fixture(&f);
}

static void test_the_identity_of_a_run(void **state)
{
	auto_json json_t *line = NULL;
	struct fixture f;

	(void)state;
	make_fixture(&f, "storm --sweep fs=ext3,ext4 -t none -t blktrace", "L");
	for (size_t i = 0; i < f.plan.nsteps; i++) {
		const struct plan_step *step = &f.plan.steps[i];

		json_decref(line);
		line = session_run_identity(&f.request, "id-1", &f.plan, step);
		assert_string_equal(json_get_text(line, "session", ""), "id-1");
		assert_string_equal(json_get_text(line, "label", ""), "L");
		assert_string_equal(json_get_text(line, "workload", ""), "storm");
		assert_string_equal(json_get_text(line, "config", ""),
				    step->config ? "blktrace" : "none");
		assert_string_equal(json_get_text(json_object_get(line, "point"), "fs", ""),
				    step->point ? "ext4" : "ext3");
		assert_string_equal(json_get_text(line, "role", ""),
				    step->warmup ? "warmup" : "measured");
		assert_int_equal(json_get_int(line, "round", 0), step->round);
		assert_int_equal(json_get_int(line, "position", 0), step->position);
		assert_string_equal(json_get_text(line, "host", ""), environment_host());
		assert_string_equal(json_get_text(line, "boot_id", ""), environment_boot_id());
		assert_true(json_get_int(line, "start_boottime_ns", -1) > 0);
	}
	release_fixture(&f);
}

/* Adds the words of a second session to a set that holds the first. */
static int check_set(json_t *stored, const char *line, const char *label, struct err *err)
{
	static char path[] = "SET";
	struct set_data data = { .path = path, .sessions = json_object() };
	struct fixture f;
	int rc;

	*err = (struct err){ 0 };
	json_object_set_new(data.sessions, "id-1", stored);
	make_fixture(&f, line, label);
	rc = session_check_set(&data, &f.request, err);
	release_fixture(&f);
	json_decref(data.sessions);
	return rc;
}

static void test_sessions_of_the_same_kind_go_together(void **state)
{
	static const char *const first = "storm fs=ext3 -t none -t blktrace,act_mask=issue";
	struct err err;

	(void)state;
	assert_int_equal(check_set(stored_session(first, "L"), first, "L", &err), 0);
	/* Another label may be anything, and so may a configuration that is new. */
	assert_int_equal(check_set(stored_session(first, "L"), "storm fs=ext4", "M", &err), 0);
	assert_int_equal(
		check_set(stored_session(first, "L"), "storm fs=ext3 -c new,fill=0", "L", &err), 0);
}

static void test_other_parameters_under_the_same_label_are_refused(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(
		check_set(stored_session("storm fs=ext3", "L"), "storm fs=ext4", "L", &err),
		-EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_string_equal(
		err.text, "SET holds label L, configuration none with other parameters (fs=ext3 "
			  "there, ext4 here); give another label (-l), another configuration name "
			  "or another set (-o)");
	assert_int_equal(check_set(stored_session("storm -t blktrace", "L"),
				   "storm -t blktrace,buffer=1M", "L", &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "(buffer not given there, 1M here)"));
}

static void test_a_session_without_an_experiment_is_passed_over(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(check_set(json_pack("{s:s}", "label", "L"), "storm", "L", &err), 0);
	assert_int_equal(
		check_set(json_pack("{s:s,s:n}", "label", "L", "experiment"), "storm", "L", &err),
		0);
}

static void test_a_session_that_cannot_be_read_back_is_an_error(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(check_set(json_pack("{s:s,s:s,s:{s:[{s:s}]}}", "id", "id-1", "label", "L",
					     "experiment", "workloads", "workload", "future"),
				   "storm", "L", &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "id-1:1:"));
	assert_non_null(strstr(err.text, "future"));
}

static void test_backends_are_not_mixed(void **state)
{
	static char path[] = "SET";
	auto_json json_t *sessions =
		json_pack("{s:{s:[{s:s,s:s},{s:s,s:n}]}}", "id-1", "configs", "name", "blktrace",
			  "backend", "tracefs", "name", "none", "backend");
	const struct set_data data = { .path = path, .sessions = sessions };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(session_check_backend(&data, "blktrace", "tracefs", &err), 0);
	assert_int_equal(session_check_backend(&data, "other", "ioctl", &err), 0);
	assert_int_equal(session_check_backend(&data, "none", NULL, &err), 0);
	assert_int_equal(session_check_backend(&data, "blktrace", "ioctl", &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_non_null(strstr(err.text, "by backend tracefs in SET, and would be by ioctl now"));
	assert_int_equal(session_check_backend(&data, "blktrace", NULL, &err), -EINVAL);
}

static void test_calibrations_are_found_by_workload_and_point(void **state)
{
	auto_json json_t *sessions = json_pack(
		"{s:{},s:{s:[{s:s,s:{s:s},s:{s:s}},{s:s,s:{s:s},s:{s:s}}]}}", "id-0", "id-1",
		"calibrated", "workload", "storm", "point", "fs", "ext3", "keys", "repeat", "12",
		"workload", "storm", "point", "fs", "ext4", "keys", "repeat", "7");
	auto_json json_t *ext4 = json_pack("{s:s}", "fs", "ext4"), *empty = json_object();
	const struct set_data data = { .sessions = sessions };
	auto_keys struct keys chosen = KEYS_INIT;

	(void)state;
	assert_false(session_find_calibration(&data, "storm", empty, &chosen));
	assert_false(session_find_calibration(&data, "other", ext4, &chosen));
	assert_int_equal(chosen.n, 0);
	assert_true(session_find_calibration(&data, "storm", ext4, &chosen));
	assert_int_equal(chosen.n, 1);
	assert_string_equal(keys_get(&chosen, "repeat"), "7");
}

static void test_a_session_runs_while_its_process_lives(void **state)
{
	auto_json json_t *session = stored_session("storm", "L");
	int64_t ticks = json_get_int(session, "pid_start_ticks", -1);

	(void)state;
	assert_true(session_is_running(session));
	json_object_set_new(session, "pid_start_ticks", json_integer(ticks + 1));
	assert_false(session_is_running(session)); /* the pid was given out again */
	json_object_set_new(session, "pid_start_ticks", json_integer(ticks));
	json_object_set_new(session, "status", json_string("complete"));
	assert_false(session_is_running(session));
	json_object_set_new(session, "status", json_string("running"));
	json_object_set_new(session, "boot_id", json_string("another boot"));
	assert_false(session_is_running(session));
	json_object_set_new(session, "boot_id", json_string(environment_boot_id()));
	json_object_set_new(session, "host", json_string("another host"));
	assert_false(session_is_running(session));
	json_object_set_new(session, "host", json_string(environment_host()));
	assert_true(session_is_running(session));
	json_object_del(session, "pid");
	assert_false(session_is_running(session));
}

static void test_a_session_of_a_dead_process_does_not_run(void **state)
{
	auto_json json_t *session = stored_session("storm", "L");
	uint64_t ticks = 0;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		for (;;)
			pause();
	assert_int_equal(process_start_ticks(pid, &ticks), 0);
	json_object_set_new(session, "pid", json_integer(pid));
	json_object_set_new(session, "pid_start_ticks", json_integer((json_int_t)ticks));
	assert_true(session_is_running(session));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(session_is_running(session));
}

static void test_complete_rounds_are_counted(void **state)
{
#define RUN(r, s, m, session_, point_)                                               \
	{                                                                            \
		.round = (r), .status = (s), .measured = (m), .session = (session_), \
		.workload = "storm", .point = (point_)                               \
	}
	struct set_run runs[] = {
		RUN(1, RUN_OK, false, "a", ""),	      RUN(1, RUN_OK, false, "a", ""), /* warm-up */
		RUN(1, RUN_OK, true, "a", ""),	      RUN(1, RUN_OK, true, "a", ""),
		RUN(2, RUN_OK, true, "a", ""),	      RUN(2, RUN_FAILED, true, "a", ""),
		RUN(3, RUN_INVALID, true, "a", ""),   RUN(3, RUN_OK, true, "a", ""),
		RUN(4, RUN_OK, true, "a", ""), /* the other one is missing */
		RUN(100, RUN_OK, true, "a", ""),      RUN(100, RUN_OK, true, "a", ""),
		RUN(1, RUN_OK, true, "b", ""),	      RUN(1, RUN_OK, true, "b", ""),
		RUN(1, RUN_OK, true, "a", "fs=ext4"), RUN(1, RUN_OK, true, "a", "fs=ext4"),
		RUN(2, RUN_OK, true, "a", "fs=ext4"), RUN(2, RUN_OK, true, "a", "fs=ext4"),
		RUN(3, RUN_OK, true, "a", "fs=ext4"), RUN(3, RUN_OK, true, "a", "fs=ext4"),
	};
#undef RUN
	const struct set_data data = { .runs = runs, .nruns = ARRAY_SIZE(runs) };

	(void)state;
	assert_int_equal(session_complete_rounds(&data, "a", "storm", "", 2), 2);
	assert_int_equal(session_complete_rounds(&data, "b", "storm", "", 2), 1);
	assert_int_equal(session_complete_rounds(&data, "a", "storm", "fs=ext4", 2), 3);
	assert_int_equal(session_complete_rounds(&data, "a", "command", "", 2), 0);
	assert_int_equal(session_complete_rounds(&data, "c", "storm", "", 2), 0);
	assert_int_equal(session_complete_rounds(&data, "a", "storm", "", 1), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_are_names_of_files),
		cmocka_unit_test(test_sessions_of_one_second_sort_as_they_started),
		cmocka_unit_test(test_the_file_of_a_session),
		cmocka_unit_test(test_the_identity_of_a_run),
		cmocka_unit_test(test_sessions_of_the_same_kind_go_together),
		cmocka_unit_test(test_other_parameters_under_the_same_label_are_refused),
		cmocka_unit_test(test_a_session_without_an_experiment_is_passed_over),
		cmocka_unit_test(test_a_session_that_cannot_be_read_back_is_an_error),
		cmocka_unit_test(test_backends_are_not_mixed),
		cmocka_unit_test(test_calibrations_are_found_by_workload_and_point),
		cmocka_unit_test(test_a_session_runs_while_its_process_lives),
		cmocka_unit_test(test_a_session_of_a_dead_process_does_not_run),
		cmocka_unit_test(test_complete_rounds_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
