// SPDX-License-Identifier: GPL-3.0-or-later
/* kernbench and kcbench. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/parsed_figures.h"

static void each_load_is_a_point_with_its_number_of_runs(void **state)
{
	struct parsed parsed = parsed_file("kernbench", "kernbench/three-loads.txt");

	(void)state;
	assert_int_equal(parsed.n, 3);
	for (size_t i = 0; i < parsed.n; i++)
		assert_string_equal(parsed.records[i].label, "With the old allocator");
	assert_point(&parsed, 0, "jobs", "4");
	assert_point(&parsed, 1, "jobs", "32");
	assert_point(&parsed, 2, "jobs", "unlimited");
	assert_mean(&parsed, 0, "real", 210.5, 4, PARSED_SD, .625);
	assert_mean(&parsed, 0, "user", 701.25, 4, PARSED_SD, .75);
	assert_mean(&parsed, 0, "sys", 60.125, 4, PARSED_SD, .25);
	assert_mean(&parsed, 0, "sleeps", 18031.2, 4, PARSED_SD, 120.25);
	assert_double(parsed_need(&parsed, 0, "sleeps")->half_step, .05, 1e-12);
	assert_double(parsed_need(&parsed, 0, "real")->half_step, .05, 1e-12);
	assert_double(parsed_need(&parsed, 0, "real")->spread_half_step, .0005, 1e-12);
	assert_mean(&parsed, 1, "real", 121.75, 4, PARSED_SD, .5);
	assert_mean(&parsed, 2, "real", 122.25, 4, PARSED_SD, .375);
	parsed_release(&parsed);
}

static void user_time_over_several_loads_is_not_compared(void **state)
{
	struct parsed parsed = parsed_file("kernbench", "kernbench/three-loads.txt");

	(void)state;
	for (size_t i = 1; i < 3; i++) {
		assert_null(parsed_metric(&parsed, i, "user"));
		assert_null(parsed_metric(&parsed, i, "sys"));
		assert_false(parsed_need(&parsed, i, "user.mixed")->headline);
		assert_non_null(parsed_need(&parsed, i, "user.mixed")->note);
	}
	assert_mean(&parsed, 1, "user.mixed", 780.5, 0, PARSED_NO_SPREAD, 0);
	assert_mean(&parsed, 2, "sys.mixed", 70.25, 0, PARSED_NO_SPREAD, 0);
	assert_note(&parsed, parsed.records[1].line, "mix the runs of all loads");
	assert_note(&parsed, parsed.records[2].line, "mix the runs of all loads");
	parsed_release(&parsed);
}

static void two_kernels_side_by_side(void **state)
{
	struct parsed parsed = parsed_file("kernbench", "kernbench/two-kernels.txt");

	(void)state;
	assert_int_equal(parsed.n, 4);
	for (size_t i = 0; i < parsed.n; i++) {
		assert_string_equal(parsed.records[i].label, i % 2 ? "6.1-patched" : "6.1");
		assert_point(&parsed, i, "jobs", i < 2 ? "2" : "4");
	}
	assert_mean(&parsed, 0, "real", 300.125, 0, PARSED_SD, 1.25);
	assert_mean(&parsed, 1, "real", 303.5, 0, PARSED_SD, .875);
	assert_mean(&parsed, 0, "sys", 38.25, 0, PARSED_SD, .5);
	assert_mean(&parsed, 1, "sys", 39.75, 0, PARSED_SD, .625);
	assert_mean(&parsed, 3, "real", 172.625, 0, PARSED_SD, 1.5);
	assert_mean(&parsed, 2, "user.mixed", 580.25, 0, PARSED_NO_SPREAD, 0);
	assert_null(parsed_metric(&parsed, 2, "sleeps.mixed"));
	assert_note(&parsed, 16, "cut off");
	parsed_release(&parsed);
}

static void single_runs_of_one_kernel_are_no_repetitions(void **state)
{
	struct parsed parsed = parsed_file("kernbench", "kernbench/appended.log");

	(void)state;
	assert_int_equal(parsed.n, 3);
	assert_run(&parsed, 0, "real", "s", 812.25);
	assert_run(&parsed, 1, "real", "s", 411.5);
	assert_run(&parsed, 2, "user", "s", 9100);
	assert_string_equal(parsed.records[0].label, "6.1.15-test+");
	assert_string_equal(parsed.records[2].label, "6.3.0-rc4");
	assert_point(&parsed, 0, "result", "1");
	assert_point(&parsed, 1, "result", "2");
	assert_point(&parsed, 2, "result", NULL);
	assert_note(&parsed, 5, "does not tell apart");
	parsed_release(&parsed);
}

static void quoted_printable_ends_of_lines_are_no_part_of_a_row(void **state)
{
	struct parsed parsed =
		parsed_text("kernbench", "Average Half load -j 8=0A=\n"
					 "   Run (std deviation)=0A=\n"
					 "   old   new=0A=\n"
					 "Elapsed Time 10.5 (0.5) 11.5 (0.25) 9.5%=0A=\n");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_string_equal(parsed.records[1].label, "new");
	assert_mean(&parsed, 1, "real", 11.5, 0, PARSED_SD, .25);
	assert_int_equal(parsed.nnotes, 0);
	parsed_release(&parsed);
}

static void columns_without_names_are_left_out(void **state)
{
	struct parsed parsed = parsed_text("kernbench", "Average Half load -j 8\n"
							"   old   new   newest of all\n"
							"Elapsed Time 10.5 (0.5) 11.5 (0.25)\n"
							"User Time 20.5 (0.5) 21.5 (0.25)\n");

	(void)state;
	assert_int_equal(parsed.n, 0);
	assert_note(&parsed, 3, "names cannot be told");
	parsed_release(&parsed);
}

static void a_mean_without_a_deviation_is_no_run(void **state)
{
	struct parsed parsed = parsed_text("kernbench", "Performing 3 runs of\nmake -j 4\n"
							"Average Optimal -j 4 Load Run:\n"
							"Elapsed Time 102.5\n");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_mean(&parsed, 0, "real", 102.5, 3, PARSED_NO_SPREAD, 0);
	parsed_release(&parsed);
}

/* ---- kcbench ---- */

static void kcbench_gives_each_build(void **state)
{
	struct parsed parsed = parsed_file("kcbench", "kernbench/kcbench.log");

	(void)state;
	assert_int_equal(parsed.n, 4);
	assert_run(&parsed, 0, "real", "s", 402.25);
	assert_run(&parsed, 0, "major_faults", "", 31);
	assert_run(&parsed, 0, "cpu_percent", "%", 381);
	assert_run(&parsed, 1, "real", "s", 404.5);
	assert_null(parsed_metric(&parsed, 1, "major_faults"));
	for (size_t i = 0; i < parsed.n; i++) {
		assert_string_equal(parsed.records[i].label, "6.1.0-30-amd64");
		assert_point(&parsed, i, "jobs", i < 2 ? "4" : "6");
		assert_point(&parsed, i, "source", "6.6.0");
	}
	parsed_release(&parsed);
}

static void details_of_a_build_go_to_it(void **state)
{
	struct parsed parsed = parsed_file("kcbench", "kernbench/kcbench.log");

	(void)state;
	assert_run(&parsed, 2, "real", "s", 410.75);
	assert_run(&parsed, 2, "sys", "s", 101.5);
	assert_run(&parsed, 2, "user", "s", 1490.25);
	assert_run(&parsed, 2, "major_faults", "", 102);
	assert_int_equal(parsed.records[2].n, 5);
	parsed_release(&parsed);
}

static void a_build_without_a_time_has_failed(void **state)
{
	struct parsed parsed = parsed_file("kcbench", "kernbench/kcbench.log");

	(void)state;
	assert_failed(&parsed, 3, "Compilation failed");
	assert_int_equal(parsed.records[3].n, 0);
	parsed_release(&parsed);
}

static void half_of_a_row_is_none(void **state)
{
	struct parsed parsed = parsed_text(
		"kernbench", "Average Half load -j 8 Run (std deviation):\n"
			     "                 BASE                   SPF\n"
			     "Elapsed Time     1448.65 (5.72312)      1455.84 (4.84951)\n"
			     "User    Time     10135.4 (30.3699)      1014\n8.8 (31.1252)\n");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_int_equal(parsed.records[0].n, 1);
	assert_int_equal(parsed.records[1].n, 1);
	assert_note(&parsed, 4, "cut");
	parsed_release(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_a_row_is_none),
		cmocka_unit_test(each_load_is_a_point_with_its_number_of_runs),
		cmocka_unit_test(user_time_over_several_loads_is_not_compared),
		cmocka_unit_test(two_kernels_side_by_side),
		cmocka_unit_test(single_runs_of_one_kernel_are_no_repetitions),
		cmocka_unit_test(quoted_printable_ends_of_lines_are_no_part_of_a_row),
		cmocka_unit_test(columns_without_names_are_left_out),
		cmocka_unit_test(a_mean_without_a_deviation_is_no_run),
		cmocka_unit_test(kcbench_gives_each_build),
		cmocka_unit_test(details_of_a_build_go_to_it),
		cmocka_unit_test(a_build_without_a_time_has_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
