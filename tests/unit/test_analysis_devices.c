// SPDX-License-Identifier: GPL-3.0-or-later
/* Devices that stand out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/xalloc.h"
#include "tests/unit/analysis_tests.h"

/* A run of the configuration none with these times; member: "work_s" or "real_s" */
static void add_run(struct made_set *made, unsigned int round, const char *member,
		    const double *times, size_t n)
{
	auto_buf struct buf line = BUF_INIT;

	buf_addf(&line,
		 "{\"event\":\"end\",\"run\":%u,\"round\":%u,\"position\":1,\"session\":\"s1\","
		 "\"host\":\"h\",\"label\":\"l\",\"config\":\"none\",\"workload\":\"w\","
		 "\"status\":\"ok\",\"metrics\":{\"real\":{\"value\":1,\"unit\":\"s\","
		 "\"better\":\"lower\"}},\"devices\":[",
		 round, round);
	for (size_t i = 0; i < n; i++)
		buf_addf(&line, "%s{\"name\":\"sd%c\",\"%s\":%.9g}", i ? "," : "", (char)('a' + i),
			 member, times[i]);
	buf_add(&line, "]}\n");
	made_append(made, line.s);
}

static void expect(struct made_set *made, size_t n, const char *name, double factor)
{
	struct made_analysis m;

	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.ndevices, n);
	if (n) {
		assert_string_equal(m.analysis.devices[0].name, name);
		assert_double(m.analysis.devices[0].factor, factor, 1e-9);
	}
	made_analysis_release(&m);
}

static void a_slow_device_is_named_whatever_the_run_took(void **state)
{
	struct made_set *made = *state;

	/* median 1, 2 and 10: ratios of sdd 3, 3, 3 */
	add_run(made, 1, "work_s", (double[]){ 1, .99, 1, 3, 1.01 }, 5);
	add_run(made, 2, "work_s", (double[]){ 2, 1.98, 2, 6, 2.02 }, 5);
	add_run(made, 3, "work_s", (double[]){ 10, 9.9, 10, 30, 10.1 }, 5);
	expect(made, 1, "sdd", 3);
}

static void a_fast_one_is_named_too_and_equal_times_divide_by_nothing(void **state)
{
	struct made_set *made = *state;

	for (unsigned int round = 1; round <= 3; round++)
		add_run(made, round, "real_s", (double[]){ 4, 1, 4, 4 }, 4);
	expect(made, 1, "sdb", .25);
}

static void one_slow_run_of_a_device_is_no_slow_device(void **state)
{
	struct made_set *made = *state;

	add_run(made, 1, "work_s", (double[]){ 1, 1, 9, 1 }, 4);
	add_run(made, 2, "work_s", (double[]){ 1, 1, 1, 1 }, 4);
	add_run(made, 3, "work_s", (double[]){ 1, 1, 1, 1 }, 4);
	expect(made, 0, NULL, 0);
}

static void small_differences_and_wide_ones_of_all_name_nobody(void **state)
{
	struct made_set *made = *state;

	for (unsigned int round = 1; round <= 3; round++)
		add_run(made, round, "work_s", (double[]){ 1, 1, 1.09, 1, 1 }, 5);
	expect(made, 0, NULL, 0);
}

static void where_all_differ_nobody_stands_out(void **state)
{
	struct made_set *made = *state;

	for (unsigned int round = 1; round <= 3; round++)
		add_run(made, round, "work_s", (double[]){ 1, 2, 3, 4, 5 }, 5);
	expect(made, 0, NULL, 0);
}

static void few_devices_or_runs_say_nothing(void **state)
{
	struct made_set *made = *state;

	add_run(made, 1, "work_s", (double[]){ 1, 1, 1, 9 }, 4);
	add_run(made, 2, "work_s", (double[]){ 1, 1, 1, 9 }, 4);
	expect(made, 0, NULL, 0);
	add_run(made, 3, "work_s", (double[]){ 1, 1, 9 }, 3);
	expect(made, 0, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_slow_device_is_named_whatever_the_run_took),
		MADE_TEST(a_fast_one_is_named_too_and_equal_times_divide_by_nothing),
		MADE_TEST(one_slow_run_of_a_device_is_no_slow_device),
		MADE_TEST(small_differences_and_wide_ones_of_all_name_nobody),
		MADE_TEST(where_all_differ_nobody_stands_out),
		MADE_TEST(few_devices_or_runs_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
