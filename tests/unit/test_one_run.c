// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
/*
 * A workload and a tracer that write down which of their hooks is called, and fail where they are
 * told to.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "runner/one_run.h"

/* Harmless: how old dirty pages are when they are written, in 1/100 s. */
#define SYSCTL "/proc/sys/vm/dirty_expire_centisecs"

static struct buf log_text;
static const char *fail_at; /* the hook that returns fail_with */
static int fail_with;
static const char *wanted_value; /* hooks that see this in SYSCTL are logged with a '*' */
static struct target published, seen;
static char workload_state, tracer_state;

static int hook(const char *name, const void *state, const void *expected, struct err *err)
{
	char value[32] = "";

	assert_ptr_equal(state, expected);
	if (log_text.len)
		buf_addc(&log_text, ' ');
	buf_add(&log_text, name);
	if (wanted_value && files_read_line_at(AT_FDCWD, SYSCTL, value, sizeof(value)) == 0 &&
	    !strcmp(value, wanted_value))
		buf_addc(&log_text, '*');
	if (!fail_at || strcmp(fail_at, name) != 0)
		return 0;
	return err_set(err, -fail_with, "%s broke", name);
}

static int fake_prepare(void *state, struct run_context *context, struct target *target,
			struct err *err)
{
	(void)context;
	*target = published;
	return hook("prepare", state, &workload_state, err);
}

static int fake_execute(void *state, struct run_context *context, struct err *err)
{
	(void)context;
	return hook("execute", state, &workload_state, err);
}

static int fake_settle(void *state, struct run_context *context, struct err *err)
{
	(void)context;
	return hook("settle", state, &workload_state, err);
}

static int fake_verify(void *state, struct run_context *context, struct err *err)
{
	(void)context;
	return hook("verify", state, &workload_state, err);
}

static void fake_cleanup(void *state, struct run_context *context)
{
	(void)context;
	hook("cleanup", state, &workload_state, NULL);
}

static int fake_attach(void *state, const struct target *target, struct run_context *context,
		       struct err *err)
{
	(void)context;
	seen = *target;
	return hook("attach", state, &tracer_state, err);
}

static int fake_start(void *state, struct err *err)
{
	return hook("start", state, &tracer_state, err);
}

static int fake_stop(void *state, struct err *err)
{
	return hook("stop", state, &tracer_state, err);
}

static int fake_collect(void *state, struct run_context *context, struct err *err)
{
	(void)context;
	return hook("collect", state, &tracer_state, err);
}

static void fake_detach(void *state, struct run_context *context)
{
	(void)context;
	hook("detach", state, &tracer_state, NULL);
}

static const struct workload fake_workload = {
	.name = "fake",
	.prepare = fake_prepare,
	.execute = fake_execute,
	.settle = fake_settle,
	.verify = fake_verify,
	.cleanup = fake_cleanup,
};

static const struct tracer fake_tracer = {
	.name = "fake",
	.attach = fake_attach,
	.start = fake_start,
	.stop = fake_stop,
	.collect = fake_collect,
	.detach = fake_detach,
};

static struct run *run;
static struct undo *undo;
static struct keys settings;

static int set_up(void **state)
{
	struct err err = { 0 };

	(void)state;
	if (undo_open("test-one-run", &undo, &err)) {
		print_error("%s\n", err.text);
		return -1;
	}
	run = run_new();
	return 0;
}

/* The journal's file stays where something was not undone. */
static int tear_down(void **state)
{
	auto_free char *folder = undo_folder(), *path = files_join(folder, "test-one-run.journal");

	(void)state;
	undo_close(undo);
	run_free(run);
	keys_release(&settings);
	buf_release(&log_text);
	fail_at = wanted_value = NULL;
	published = seen = (struct target){ 0 };
	return files_exists(path) ? -1 : 0;
}

static int do_run(const struct workload *workload, const struct tracer *tracer)
{
	const struct words environment = WORDS_INIT;
	struct run_context context = { .run = run, .folder_fd = -1, .environment = &environment };
	const struct run_parts parts = { .workload = workload,
					 .workload_state = &workload_state,
					 .tracer = tracer,
					 .tracer_state = &tracer_state,
					 .settings = &settings,
					 .undo = undo };
	struct err err = { 0 };
	int rc;

	buf_clear(&log_text);
	rc = one_run(&parts, &context, &err);
	if (rc)
		assert_true(*err.text);
	return rc;
}

/* One run that fails at this hook, in a run of its own. */
static int failing_run(const char *at, int with)
{
	run_free(run);
	run = run_new();
	fail_at = at;
	fail_with = with;
	return do_run(&fake_workload, &fake_tracer);
}

#define EVERYTHING "prepare attach start execute stop settle collect verify detach cleanup"

static void test_the_order_of_a_run(void **state)
{
	(void)state;
	assert_int_equal(do_run(&fake_workload, &fake_tracer), 0);
	assert_string_equal(log_text.s, EVERYTHING);
	assert_int_equal(run_status(run), RUN_OK);
	assert_null(run_reason(run));
}

static void test_the_tracer_sees_what_the_workload_published(void **state)
{
	static const struct target_device device = { .name = "loop3" };

	(void)state;
	published = (struct target){ .devices = &device, .ndevices = 1, .pgid = 4242 };
	assert_int_equal(do_run(&fake_workload, &fake_tracer), 0);
	assert_ptr_equal(seen.devices, &device);
	assert_int_equal(seen.ndevices, 1);
	assert_int_equal(seen.pgid, 4242);
}

static void test_hooks_that_are_not_there_are_left_out(void **state)
{
	struct workload workload = fake_workload;
	const struct tracer tracer = { .name = "bare" };

	(void)state;
	workload.settle = NULL;
	assert_int_equal(do_run(&workload, &tracer), 0);
	assert_string_equal(log_text.s, "prepare execute verify cleanup");
	assert_int_equal(run_status(run), RUN_OK);
}

static void test_what_was_begun_is_taken_back_whichever_hook_fails(void **state)
{
	static const struct {
		const char *at, *calls, *reason;
	} cases[] = {
		{ "prepare", "prepare cleanup", "prepare: prepare broke" },
		{ "attach", "prepare attach detach cleanup", "attach of the tracer: attach broke" },
		{ "start", "prepare attach start stop collect detach cleanup",
		  "start of the tracer: start broke" },
		{ "execute", "prepare attach start execute stop collect detach cleanup",
		  "execute: execute broke" },
		{ "stop", EVERYTHING, "stop of the tracer: stop broke" },
		{ "settle", "prepare attach start execute stop settle collect detach cleanup",
		  "settle: settle broke" },
		{ "collect", EVERYTHING, "collect: collect broke" },
		{ "verify", EVERYTHING, "verify: verify broke" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(failing_run(cases[i].at, -EIO), 0);
		assert_string_equal(log_text.s, cases[i].calls);
		assert_int_equal(run_status(run), RUN_FAILED);
		assert_string_equal(run_reason(run), cases[i].reason);
	}
}

static void test_eintr_without_an_interrupt_is_a_failure_like_others(void **state)
{
	(void)state;
	assert_int_equal(interrupt_count(), 0);
	assert_int_equal(failing_run("execute", -EINTR), 0);
	assert_int_equal(run_status(run), RUN_FAILED);
	assert_string_equal(run_reason(run), "execute: execute broke");
}

static int execute_that_failed(void *state, struct run_context *context, struct err *err)
{
	run_fail(context->run, "loop3: mkfs: exit status 1");
	return fake_execute(state, context, err);
}

static int collect_with_losses(void *state, struct run_context *context, struct err *err)
{
	run_invalid(context->run, "3 events lost");
	return fake_collect(state, context, err);
}

static void test_work_that_says_itself_that_it_failed(void **state)
{
	struct workload workload = fake_workload;
	struct tracer tracer = fake_tracer;

	(void)state;
	workload.execute = execute_that_failed;
	tracer.collect = collect_with_losses;
	fail_at = "verify";
	fail_with = -EIO;
	assert_int_equal(do_run(&workload, &tracer), 0);
	assert_string_equal(log_text.s, EVERYTHING);
	assert_int_equal(run_status(run), RUN_FAILED);
	assert_string_equal(run_reason(run), "loop3: mkfs: exit status 1");
}

static void test_a_failure_outweighs_losses(void **state)
{
	struct tracer tracer = fake_tracer;

	(void)state;
	tracer.collect = collect_with_losses;
	assert_int_equal(do_run(&fake_workload, &tracer), 0);
	assert_int_equal(run_status(run), RUN_INVALID);
	assert_string_equal(run_reason(run), "3 events lost");
	run_free(run);
	run = run_new();
	fail_at = "verify";
	fail_with = -EIO;
	assert_int_equal(do_run(&fake_workload, &tracer), 0);
	assert_int_equal(run_status(run), RUN_FAILED);
	assert_string_equal(run_reason(run), "verify: verify broke");
}

static void test_what_a_run_records(void **state)
{
	auto_json json_t *line = json_object(), *failed_line = json_object();
	const json_t *system;

	(void)state;
	assert_int_equal(do_run(&fake_workload, &fake_tracer), 0);
	run_finish(run, line);
	assert_true(json_get_number(json_object_get(line, "tracer"), "attach_s") >= 0);
	system = json_object_get(line, "system");
	assert_true(json_get_number(system, "busy_s") >= 0);
	assert_true(json_get_number(system, "span_s") > 0);
	assert_non_null(json_object_get(system, "kthread_s"));
	/* Nothing is known of a tracer that did not get that far. */
	assert_int_equal(failing_run("attach", -EIO), 0);
	run_finish(run, failed_line);
	assert_null(json_object_get(failed_line, "tracer"));
	assert_null(json_object_get(failed_line, "system"));
	assert_string_equal(json_get_text(failed_line, "status", ""), "failed");
}

static void test_settings_of_the_environment_change_nothing_here(void **state)
{
	(void)state;
	keys_set(&settings, "env.BRUNT_TEST", "1");
	assert_int_equal(do_run(&fake_workload, &fake_tracer), 0);
	assert_string_equal(log_text.s, EVERYTHING);
	assert_int_equal(run_status(run), RUN_OK);
	assert_null(getenv("BRUNT_TEST"));
}

static char *read_sysctl(void)
{
	char value[32];

	assert_int_equal(files_read_line_at(AT_FDCWD, SYSCTL, value, sizeof(value)), 0);
	return xstrdup(value);
}

/* The value that the machine has, plus some; to be freed. */
static char *other_value(const char *value, int more)
{
	return xasprintf("%d", atoi(value) + more);
}

/* What SYSCTL reads, where it can be written. */
static char *need_sysctl(void)
{
	if (geteuid() != 0 || access(SYSCTL, W_OK) < 0) {
		print_message(SYSCTL " cannot be written\n");
		skip();
	}
	return read_sysctl();
}

static void test_settings_hold_from_attach_to_detach(void **state)
{
	auto_free char *old = NULL, *value = NULL, *now = NULL;

	(void)state;
	old = need_sysctl();
	value = other_value(old, 1);
	keys_set(&settings, "sysctl.vm.dirty_expire_centisecs", value);
	wanted_value = value;
	assert_int_equal(do_run(&fake_workload, &fake_tracer), 0);
	assert_string_equal(log_text.s, "prepare attach* start* execute* stop* settle* collect* "
					"verify* detach* cleanup");
	assert_int_equal(run_status(run), RUN_OK);
	now = read_sysctl();
	assert_string_equal(now, old);
}

static void test_settings_are_restored_whichever_hook_fails(void **state)
{
	static const char *const hooks[] = { "prepare", "attach", "start",   "execute",
					     "stop",	"settle", "collect", "verify" };
	auto_free char *old = NULL, *value = NULL;

	(void)state;
	old = need_sysctl();
	value = other_value(old, 1);
	keys_set(&settings, "sysctl.vm.dirty_expire_centisecs", value);
	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++) {
		auto_free char *now = NULL;

		assert_int_equal(failing_run(hooks[i], -EIO), 0);
		now = read_sysctl();
		assert_string_equal(now, old);
	}
}

/* One value under both spellings of its name: only the reverse order leads back. */
static void test_settings_are_restored_in_reverse_order(void **state)
{
	auto_free char *old = NULL, *first = NULL, *second = NULL, *now = NULL;

	(void)state;
	old = need_sysctl();
	first = other_value(old, 1);
	second = other_value(old, 2);
	keys_set(&settings, "sysctl.vm.dirty_expire_centisecs", first);
	keys_set(&settings, "sysctl.vm/dirty_expire_centisecs", second);
	wanted_value = second;
	assert_int_equal(do_run(&fake_workload, &fake_tracer), 0);
	assert_non_null(strstr(log_text.s, "execute* "));
	now = read_sysctl();
	assert_string_equal(now, old);
}

static void test_a_setting_that_cannot_be_applied_fails_the_run(void **state)
{
	auto_free char *old = NULL, *value = NULL, *now = NULL;

	(void)state;
	old = need_sysctl();
	value = other_value(old, 1);
	keys_set(&settings, "sysctl.vm.dirty_expire_centisecs", value);
	keys_set(&settings, "sysctl.vm.brunt_no_such_value", "1");
	assert_int_equal(do_run(&fake_workload, &fake_tracer), 0);
	assert_string_equal(log_text.s, "prepare cleanup");
	assert_int_equal(run_status(run), RUN_FAILED);
	assert_int_equal(strncmp(run_reason(run), "settings: sysctl.vm.brunt_no_such_value: ", 41),
			 0);
	now = read_sysctl();
	assert_string_equal(now, old);
}

static void test_a_failed_setting_is_named_once(void **state)
{
	const char *name;

	(void)state;
	keys_set(&settings, "sysctl.vm.brunt_no_such_value", "1");
	assert_int_equal(do_run(&fake_workload, &fake_tracer), 0);
	name = strstr(run_reason(run), "sysctl.vm.brunt_no_such_value");
	assert_non_null(name);
	assert_null(strstr(name + 1, "sysctl.vm.brunt_no_such_value"));
}

/* Must be the last test: an interrupt stays. */
static void test_an_interrupt_is_passed_on(void **state)
{
	static const struct {
		const char *at, *calls;
	} cases[] = {
		{ "prepare", "prepare cleanup" },
		{ "attach", "prepare attach detach cleanup" },
		{ "start", "prepare attach start stop detach cleanup" },
		{ "execute", "prepare attach start execute stop detach cleanup" },
		{ "stop", "prepare attach start execute stop settle verify detach cleanup" },
		{ "settle", "prepare attach start execute stop settle detach cleanup" },
		{ "collect", EVERYTHING },
		{ "verify", EVERYTHING },
	};

	(void)state;
	assert_int_equal(interrupt_init(), 0);
	raise(SIGINT);
	assert_int_equal(interrupt_count(), 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(failing_run(cases[i].at, -EINTR), -EINTR);
		assert_string_equal(log_text.s, cases[i].calls);
		assert_int_equal(run_status(run), RUN_FAILED);
		assert_string_equal(run_reason(run), "interrupted");
	}
	assert_int_equal(failing_run("execute", -EIO), 0);
	assert_string_equal(run_reason(run), "execute: execute broke");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_order_of_a_run),
		TEST(test_the_tracer_sees_what_the_workload_published),
		TEST(test_hooks_that_are_not_there_are_left_out),
		TEST(test_what_was_begun_is_taken_back_whichever_hook_fails),
		TEST(test_eintr_without_an_interrupt_is_a_failure_like_others),
		TEST(test_work_that_says_itself_that_it_failed),
		TEST(test_a_failure_outweighs_losses),
		TEST(test_what_a_run_records),
		TEST(test_settings_of_the_environment_change_nothing_here),
		TEST(test_settings_hold_from_attach_to_detach),
		TEST(test_settings_are_restored_whichever_hook_fails),
		TEST(test_settings_are_restored_in_reverse_order),
		TEST(test_a_setting_that_cannot_be_applied_fails_the_run),
		TEST(test_a_failed_setting_is_named_once),
		TEST(test_an_interrupt_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
