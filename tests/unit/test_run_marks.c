// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "runner/run_marks.h"

#define QUIET { .running = 0, .throttled = 0, .max_khz = -1, .kmsg = -1 }

/* The names of the marks that the evidence gives, as "a b". */
static void assert_marks(struct run *run, const struct evidence *evidence, const char *expected)
{
	auto_json json_t *line = json_object();
	auto_buf struct buf names = BUF_INIT;
	json_t *mark;
	size_t i;

	buf_clear(&names);
	run_marks_add(run, evidence, 4);
	run_finish(run, line);
	json_array_foreach(json_object_get(line, "marks"), i, mark)
		buf_addf(&names, "%s%s", i ? " " : "", json_get_text(mark, "name", ""));
	assert_string_equal(names.s, expected);
	assert_string_equal(json_get_text(line, "status", ""), "ok");
	run_free(run);
}

static void quiet_run_has_no_mark(void **state)
{
	struct evidence quiet = QUIET, unknown = { -1, -1, -1, 0, "", -1, -1 };

	(void)state;
	assert_marks(run_new(), &quiet, "");
	assert_marks(run_new(), &unknown, "");
}

static void load_counts_by_the_cpus(void **state)
{
	struct evidence evidence = QUIET;

	(void)state;
	evidence.running = 1;
	assert_marks(run_new(), &evidence, "");
	evidence.running = 2;
	assert_marks(run_new(), &evidence, "load_before");
}

static void heat_and_warnings_are_marked(void **state)
{
	struct evidence evidence = QUIET;

	(void)state;
	evidence.throttled = 3;
	evidence.warnings = 1;
	assert_marks(run_new(), &evidence, "throttling kernel_warnings");
}

static void a_slower_clock_than_before_is_marked(void **state)
{
	struct evidence evidence = QUIET;

	(void)state;
	evidence.max_khz = 3000000;
	assert_marks(run_new(), &evidence, "");
	evidence.max_khz = 2750000;
	assert_marks(run_new(), &evidence, "");
	evidence.max_khz = 2400000;
	assert_marks(run_new(), &evidence, "frequency");
}

static void many_involuntary_switches_are_marked(void **state)
{
	static const struct metric_spec switches = { "involuntary_switches", "", BETTER_LOWER,
						     false, "" };
	static const struct metric_spec cpu = { "cpu", "s", BETTER_LOWER, true, "" };
	struct evidence evidence = QUIET;
	struct run *run = run_new();

	(void)state;
	run_metric(run, &switches, 150);
	run_metric(run, &cpu, 1);
	assert_marks(run, &evidence, "");
	run = run_new();
	run_metric(run, &switches, 250);
	run_metric(run, &cpu, 1);
	assert_marks(run, &evidence, "involuntary_switches");
}

static void warnings_are_those_of_the_kernel(void **state)
{
	const char *message;
	size_t len;

	(void)state;
	message = evidence_kernel_warning("4,1234,5678,-;BUG: soft lockup\n SUBSYSTEM=x\n", &len);
	assert_non_null(message);
	assert_int_equal(len, strlen("BUG: soft lockup"));
	assert_memory_equal(message, "BUG: soft lockup", len);
	assert_null(evidence_kernel_warning("6,1,2,-;EXT4-fs mounted\n", &len));
	assert_null(evidence_kernel_warning("12,1,2,-;a program says so\n", &len));
	assert_null(evidence_kernel_warning("4,1,2,-", &len));
	assert_null(evidence_kernel_warning("", &len));
}

static void looking_leaves_no_descriptor(void **state)
{
	int before = open("/dev/null", O_RDONLY), after;
	struct evidence evidence;

	(void)state;
	close(before);
	evidence_begin(&evidence);
	evidence_worked(&evidence);
	evidence_end(&evidence);
	after = open("/dev/null", O_RDONLY);
	close(after);
	assert_int_equal(before, after);
	assert_true(evidence.running >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quiet_run_has_no_mark),
		cmocka_unit_test(load_counts_by_the_cpus),
		cmocka_unit_test(heat_and_warnings_are_marked),
		cmocka_unit_test(a_slower_clock_than_before_is_marked),
		cmocka_unit_test(many_involuntary_switches_are_marked),
		cmocka_unit_test(warnings_are_those_of_the_kernel),
		cmocka_unit_test(looking_leaves_no_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
