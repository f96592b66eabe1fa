// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/parsed_figures.h"

static void assert_config(const struct parsed *parsed, size_t record, const char *expected)
{
	assert_true(record < parsed->n);
	assert_non_null(parsed->records[record].config);
	assert_string_equal(parsed->records[record].config, expected);
}

/* ---- JSON ---- */

static void each_time_is_a_run_in_its_order(void **state)
{
	static const double times[] = { 1.75, 1.5, 1.25 };
	struct parsed parsed = parsed_file("hyperfine", "hyperfine/two-commands.json");

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_config(&parsed, i, "./scan \"a b\" | sort");
		assert_run(&parsed, i, "real", "s", times[i]);
		assert_int_equal(parsed.records[i].n, 1);
	}
	assert_true(parsed.in_order);
	assert_mean(&parsed, 3, "user", 1.125, 3, PARSED_NO_SPREAD, 0);
	assert_mean(&parsed, 3, "sys", .375, 3, PARSED_NO_SPREAD, 0);
	assert_null(parsed_metric(&parsed, 3, "real"));
	parsed_release(&parsed);
}

static void an_exit_status_makes_a_run_failed(void **state)
{
	struct parsed parsed = parsed_file("hyperfine", "hyperfine/two-commands.json");

	(void)state;
	assert_config(&parsed, 4, "./scan -j {jobs} [jobs=4]");
	assert_false(parsed.records[4].failed);
	assert_failed(&parsed, 5, "exit status 2");
	assert_config(&parsed, 6, "./scan \"a b\" | sort (2)");
	assert_note(&parsed, 23, "runs failed");
	parsed_release(&parsed);
}

static void the_only_run_has_its_user_and_system_time(void **state)
{
	struct parsed parsed = parsed_file("hyperfine", "hyperfine/two-commands.json");

	(void)state;
	assert_int_equal(parsed.n, 7);
	assert_run(&parsed, 6, "real", "s", 1.625);
	assert_run(&parsed, 6, "user", "s", 1);
	assert_run(&parsed, 6, "sys", "s", .5);
	parsed_release(&parsed);
}

static void a_signal_and_a_missing_deviation_are_unknown_not_zero(void **state)
{
	struct parsed parsed =
		parsed_text("hyperfine", "{\"results\":[{\"command\":\"a\",\"times\":[1.5],"
					 "\"exit_codes\":[null]},"
					 "{\"command\":\"b\",\"mean\":2.5,\"stddev\":null}]}");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_failed(&parsed, 0, "signal");
	assert_mean(&parsed, 1, "real", 2.5, 0, PARSED_NO_SPREAD, 0);
	parsed_release(&parsed);
}

static void a_mean_that_is_not_of_the_times_is_said(void **state)
{
	struct parsed parsed =
		parsed_text("hyperfine", "{\"results\":[{\"command\":\"a\",\"mean\":1.7,"
					 "\"times\":[1.5,1.6]}]}");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_note(&parsed, 1, "not that of the times");
	parsed_release(&parsed);
}

static void json_inside_a_quotation_is_said(void **state)
{
	struct parsed parsed = parsed_text("hyperfine", "> { \"results\": [{ \"command\": \"a\",\n"
							"> \"times\": [1.5],\n"
							"> \"exit_codes\": [0] }] }\n");

	(void)state;
	assert_int_equal(parsed.n, 0);
	assert_note(&parsed, 3, "no whole document");
	parsed_release(&parsed);
}

/* ---- CSV ---- */

static void csv_has_means_and_parameters(void **state)
{
	struct parsed parsed = parsed_file("hyperfine", "hyperfine/parameters.csv");

	(void)state;
	assert_int_equal(parsed.n, 3);
	assert_config(&parsed, 0, "./pack \"x, y\" -s 1 [size=1, mode=fast]");
	assert_config(&parsed, 1, "./pack -s 2 [size=2, mode=slow]");
	assert_mean(&parsed, 0, "real", 2.5, 0, PARSED_SD, .125);
	assert_mean(&parsed, 0, "user", 2.25, 0, PARSED_NO_SPREAD, 0);
	assert_mean(&parsed, 1, "sys", .25, 0, PARSED_NO_SPREAD, 0);
	assert_mean(&parsed, 2, "real", 7.5, 0, PARSED_NO_SPREAD, 0);
	assert_note(&parsed, 5, "does not fit the names");
	parsed_release(&parsed);
}

/* ---- Markdown ---- */

static void csv_of_old_versions_has_no_median(void **state)
{
	struct parsed parsed = parsed_text(
		"hyperfine", "command,mean,stddev,user,system,min,max,parameter_n\n"
			     "sleep,0.5,0.25,0.125,0.0625,0.25,0.75,4\n");

	(void)state;
	assert_mean(&parsed, 0, "real", .5, 0, PARSED_SD, .25);
	assert_mean(&parsed, 0, "user", .125, 0, PARSED_NO_SPREAD, 0);
	assert_mean(&parsed, 0, "sys", .0625, 0, PARSED_NO_SPREAD, 0);
	assert_config(&parsed, 0, "sleep [n=4]");
	parsed_release(&parsed);
}

static void decimal_commas_are_not_cut_off(void **state)
{
	struct parsed parsed = parsed_text(
		"hyperfine", "Benchmark 1: x\n"
			     "  Time (mean \xc2\xb1 \xcf\x83):   305,2 ms \xc2\xb1  1,5 ms    "
			     "[User: 1,5 ms, System: 2,5 ms]\n"
			     "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n"
			     "|:---|---:|---:|---:|---:|\n"
			     "| `x` | 305,2 \xc2\xb1 1,5 | 301,0 | 309,5 | 1.00 |\n");

	(void)state;
	assert_int_equal(parsed.n, 0);
	assert_note(&parsed, 2, "not known");
	assert_note(&parsed, 5, "without a mean");
	parsed_release(&parsed);
}

static void markdown_has_its_unit_in_the_head(void **state)
{
	struct parsed parsed = parsed_file("hyperfine", "hyperfine/tables.md");

	(void)state;
	assert_int_equal(parsed.n, 5);
	assert_config(&parsed, 0, "old | head");
	assert_mean(&parsed, 0, "real", .0245, 0, PARSED_SD, .0005);
	assert_double(parsed_need(&parsed, 0, "real")->half_step, 5e-5, 1e-12);
	assert_mean(&parsed, 1, "real", .0121, 0, PARSED_SD, .0003);
	assert_config(&parsed, 2, "once");
	assert_mean(&parsed, 2, "real", .0363, 0, PARSED_NO_SPREAD, 0);
	assert_config(&parsed, 3, "a");
	assert_mean(&parsed, 3, "real", 1.5, 0, PARSED_SD, .01);
	parsed_release(&parsed);
}

static void a_deviation_that_was_rounded_to_zero_has_its_step(void **state)
{
	struct parsed parsed = parsed_file("hyperfine", "hyperfine/tables.md");

	(void)state;
	assert_mean(&parsed, 4, "real", 1, 0, PARSED_SD, 0);
	assert_double(parsed_need(&parsed, 4, "real")->spread_half_step, .0005, 1e-12);
	parsed_release(&parsed);
}

static void a_row_of_another_table_is_left_out(void **state)
{
	struct parsed parsed = parsed_file("hyperfine", "hyperfine/tables.md");
	static const char odd[] = "| Command | Mean [s] | Min [s] | Max [s] | Relative |\n"
				  "|:---|---:|---:|---:|---:|\n"
				  "| `a` | 1.500 | 1 | 2 | 3.0 |\n"
				  "| `b` | 1.000 | 1 | 1 | 5.0 |\n";

	(void)state;
	assert_note(&parsed, 7, "of another table");
	parsed_release(&parsed);
	/* which of the two is the odd one nobody can tell */
	parsed = parsed_text("hyperfine", odd);
	assert_int_equal(parsed.n, 0);
	assert_note(&parsed, 3, "of another table");
	assert_note(&parsed, 4, "of another table");
	parsed_release(&parsed);
}

/* ---- what it prints ---- */

static void printed_means_know_their_runs(void **state)
{
	struct parsed parsed = parsed_file("hyperfine", "hyperfine/printed.txt");

	(void)state;
	assert_int_equal(parsed.n, 3);
	assert_config(&parsed, 0, "./walk /usr");
	assert_mean(&parsed, 0, "real", .3052, 10, PARSED_SD, .0041);
	assert_mean(&parsed, 0, "user", .0987, 10, PARSED_NO_SPREAD, 0);
	assert_mean(&parsed, 0, "sys", .2034, 10, PARSED_NO_SPREAD, 0);
	assert_config(&parsed, 2, "true");
	assert_run(&parsed, 2, "real", "s", 512.5e-6);
	assert_run(&parsed, 2, "sys", "s", 150.5e-6);
	parsed_release(&parsed);
}

static void ignored_exit_statuses_make_a_mean_failed(void **state)
{
	struct parsed parsed = parsed_file("hyperfine", "hyperfine/printed.txt");

	(void)state;
	assert_failed(&parsed, 1, "exit statuses");
	assert_int_equal(parsed.records[1].n, 0);
	parsed_release(&parsed);
}

static void printed_twice_is_no_repetition(void **state)
{
	static const char twice[] =
		"Benchmark #1: x\n  Time (mean \xc2\xb1 \xcf\x83):  1.5 s \xc2\xb1  0.1 s    "
		"[User: 1.0 s, System: 0.2 s]\n"
		"Benchmark #1: x\n  Time (mean \xc2\xb1 \xcf\x83):  1.6 s \xc2\xb1  0.2 s    "
		"[User: 1.0 s, System: 0.2 s]\n";
	struct parsed parsed = parsed_text("hyperfine", twice);

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_point(&parsed, 0, "result", "1");
	assert_point(&parsed, 1, "result", "2");
	assert_mean(&parsed, 1, "real", 1.6, 0, PARSED_SD, .2);
	parsed_release(&parsed);
}

/* Without it nobody can tell whether a row's unit is that of the head. */
static void a_row_that_lost_its_relative_is_left_out(void **state)
{
	struct parsed parsed = parsed_text(
		"hyperfine", "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n"
			     "|:---|---:|---:|---:|---:|\n"
			     "| `a` | 1.5 \xc2\xb1 0.5 | 1.0 | 2.0 | 1.00 |\n"
			     "| `b` | 1.9 \xc2\xb1 0.2 | 1.0 |\n 2.0 | 1.27 |\n");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_note(&parsed, 4, "Relative");
	parsed_release(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_that_lost_its_relative_is_left_out),
		cmocka_unit_test(each_time_is_a_run_in_its_order),
		cmocka_unit_test(an_exit_status_makes_a_run_failed),
		cmocka_unit_test(the_only_run_has_its_user_and_system_time),
		cmocka_unit_test(a_signal_and_a_missing_deviation_are_unknown_not_zero),
		cmocka_unit_test(a_mean_that_is_not_of_the_times_is_said),
		cmocka_unit_test(json_inside_a_quotation_is_said),
		cmocka_unit_test(csv_has_means_and_parameters),
		cmocka_unit_test(csv_of_old_versions_has_no_median),
		cmocka_unit_test(decimal_commas_are_not_cut_off),
		cmocka_unit_test(markdown_has_its_unit_in_the_head),
		cmocka_unit_test(a_deviation_that_was_rounded_to_zero_has_its_step),
		cmocka_unit_test(a_row_of_another_table_is_left_out),
		cmocka_unit_test(printed_means_know_their_runs),
		cmocka_unit_test(ignored_exit_statuses_make_a_mean_failed),
		cmocka_unit_test(printed_twice_is_no_repetition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
