// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/parsed_figures.h"

static void assert_unknown(const struct parsed *parsed, size_t record, const char *metric)
{
	assert_nan(parsed_need(parsed, record, metric)->value);
	assert_non_null(parsed_need(parsed, record, metric)->note);
}

static void repeated_runs_are_means_with_the_standard_error(void **state)
{
	struct parsed parsed = parsed_file("perf-stat", "perf-stat/repeated.txt");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_string_equal(parsed.records[0].config, "make -j4 modules");
	assert_mean(&parsed, 0, "task-clock", 41.25075, 5, PARSED_SE_PCT, .25);
	assert_mean(&parsed, 0, "context-switches", 12345, 5, PARSED_SE_PCT, 1.5);
	assert_mean(&parsed, 0, "cycles", 123456789012., 5, PARSED_SE_PCT, .1);
	assert_mean(&parsed, 0, "real", 10.8213, 5, PARSED_SE, .0271);
	assert_double(parsed_need(&parsed, 0, "real")->half_step, 5e-5, 1e-12);
	assert_double(parsed_need(&parsed, 0, "real")->spread_half_step, 5e-5, 1e-12);
	assert_unknown(&parsed, 0, "stalled-cycles-frontend");
	assert_unknown(&parsed, 0, "node-loads");
	assert_note(&parsed, 3, "counted part of the time");
	parsed_release(&parsed);
}

static void a_single_run_has_values(void **state)
{
	struct parsed parsed = parsed_file("perf-stat", "perf-stat/repeated.txt");

	(void)state;
	assert_run(&parsed, 1, "task-clock", "s", 41.10025);
	assert_run(&parsed, 1, "context-switches", "", 12300);
	assert_double(parsed_need(&parsed, 1, "context-switches")->half_step, 0, 0);
	assert_run(&parsed, 1, "real", "s", 10.8154321);
	assert_run(&parsed, 1, "user", "s", 33.25);
	assert_run(&parsed, 1, "sys", "s", 7.125);
	assert_true(parsed_need(&parsed, 1, "sys")->headline);
	assert_int_equal(parsed_need(&parsed, 1, "sys")->better, PARSED_LOWER);
	parsed_release(&parsed);
}

static void a_table_gives_the_runs_and_its_mean_is_not_counted_beside(void **state)
{
	static const double times[] = { .5125, .4975, .5, .5 };
	struct parsed parsed = parsed_file("perf-stat", "perf-stat/table.txt");

	(void)state;
	assert_int_equal(parsed.n, 5);
	assert_mean(&parsed, 0, "instructions:u", 1000250, 4, PARSED_SE_PCT, .02);
	for (size_t i = 0; i < 4; i++) {
		assert_run(&parsed, i + 1, "real", "s", times[i]);
		assert_int_equal(parsed.records[i + 1].n, 1);
		assert_string_equal(parsed.records[i + 1].config, "./walk");
	}
	assert_int_equal(parsed.nnotes, 0);
	parsed_release(&parsed);
}

static void a_table_that_lost_rows_is_said(void **state)
{
	struct parsed parsed =
		parsed_text("perf-stat", "  # Table of individual measurements:\n"
					 "  0.512500000 (+0.010000000) ####\n"
					 "  0.497500000 (-0.005000000) ##\n"
					 "  # Final result:\n"
					 "  0.502500000 +- 0.003 seconds time elapsed\n");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_note(&parsed, 5, "some may be missing");
	parsed_release(&parsed);
}

static void names_stand_beside_and_above_the_times_of_a_mail(void **state)
{
	struct parsed parsed = parsed_file("perf-stat", "perf-stat/in-a-mail.txt");

	(void)state;
	assert_int_equal(parsed.n, 5);
	assert_string_equal(parsed.records[0].config, "umount /mnt");
	assert_mean(&parsed, 0, "real", .03125, 10, PARSED_SE, .000875);
	assert_string_equal(parsed.records[1].label, "x86");
	assert_string_equal(parsed.records[1].config, "MUTEX (mainline)");
	assert_string_equal(parsed.records[2].config, "MUTEX (patched)");
	assert_mean(&parsed, 2, "real", 20.75, 10, PARSED_SE, .125);
	assert_string_equal(parsed.records[3].label, "arm64");
	assert_null(parsed.records[3].config);
	assert_point(&parsed, 3, "result", "1");
	assert_point(&parsed, 4, "result", "2");
	parsed_release(&parsed);
}

static void appended_outputs_are_runs(void **state)
{
	struct parsed parsed = parsed_file("perf-stat", "perf-stat/appended.csv");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_run(&parsed, 0, "task-clock", "s", 1.2505);
	assert_run(&parsed, 1, "task-clock", "s", 1.26025);
	assert_run(&parsed, 0, "context-switches", "", 17);
	assert_run(&parsed, 1, "instructions:u", "", 12345999);
	assert_unknown(&parsed, 0, "cycles:u");
	assert_unknown(&parsed, 1, "cycles:u");
	assert_note(&parsed, 3, "1 of these events");
	parsed_release(&parsed);
}

static void lines_without_a_head_between_them_are_runs_too(void **state)
{
	struct parsed parsed = parsed_text("perf-stat", "5|msec|task-clock|5000000|100.00||\n"
							"7||faults|5000000|100.00||\n"
							"7||faults|5000000|100.00||\n"
							"6|msec|task-clock|6000000|100.00||\n"
							"8||faults|6000000|100.00||\n");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_run(&parsed, 0, "task-clock", "s", .005);
	assert_run(&parsed, 1, "faults", "", 8);
	assert_note(&parsed, 3, "counted before");
	parsed_release(&parsed);
}

static void a_comma_locale_and_any_separator(void **state)
{
	static const char tabs[] = "0.75\tmsec\ttask-clock\t750123\t100.00\t0.31\tCPUs utilized\n"
				   "48\t\tpage-faults\t750123\t100.00\t64.1\tK/sec\n";
	static const char wide[] = "0.75::msec::task-clock::750123::100.00::0.31::CPUs utilized\n"
				   "48::::page-faults::750123::100.00::64.1::K/sec\n";
	struct parsed parsed = parsed_file("perf-stat", "perf-stat/comma-locale.txt");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_mean(&parsed, 0, "task-clock", .00075, 0, PARSED_SE_PCT, 1.25);
	assert_mean(&parsed, 0, "page-faults", 48, 0, PARSED_SE_PCT, .5);
	parsed_release(&parsed);
	for (size_t i = 0; i < 2; i++) {
		parsed = parsed_text("perf-stat", i ? tabs : wide);
		assert_int_equal(parsed.n, 1);
		assert_run(&parsed, 0, "task-clock", "s", .00075);
		assert_run(&parsed, 0, "page-faults", "", 48);
		parsed_release(&parsed);
	}
}

static void commas_for_decimals_and_fields_are_not_guessed_at(void **state)
{
	struct parsed parsed =
		parsed_text("perf-stat", "0,75,msec,task-clock,750123,100,00,0,31,CPUs utilized\n");

	(void)state;
	assert_int_equal(parsed.n, 0);
	assert_note(&parsed, 1, "cannot be read in one way");
	parsed_release(&parsed);
}

static void variance_in_json_is_the_standard_error_in_per_cent(void **state)
{
	struct parsed parsed = parsed_file("perf-stat", "perf-stat/events.jsonl");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_mean(&parsed, 0, "task-clock", .81225, 0, PARSED_SE_PCT, .75);
	assert_mean(&parsed, 0, "instructions:u", 1000200, 0, PARSED_SE_PCT, .02);
	assert_unknown(&parsed, 0, "cycles:u");
	assert_int_equal(parsed.records[0].n, 3);
	parsed_release(&parsed);
}

static void the_event_duration_time_is_the_elapsed_time(void **state)
{
	struct parsed parsed =
		parsed_text("perf-stat", "{\"counter-value\" : \"1500000000.000000\", "
					 "\"unit\" : \"ns\", \"event\" : "
					 "\"duration_time\"}\n");

	(void)state;
	assert_run(&parsed, 0, "real", "s", 1.5);
	parsed_release(&parsed);
	parsed = parsed_text("perf-stat", " Performance counter stats for 'x':\n\n"
					  "  1,500,000,000 ns   duration_time  # 1.0 G/sec\n\n"
					  "  1.500000000 seconds time elapsed\n"
					  "  0.250000000 seconds user\n");
	assert_int_equal(parsed.n, 1);
	assert_run(&parsed, 0, "real", "s", 1.5);
	assert_run(&parsed, 0, "user", "s", .25);
	parsed_release(&parsed);
}

static void parts_of_a_run_are_no_runs(void **state)
{
	static const char *const parts[] = {
		"CPU0,5,,cycles,1000,100.00,,\nCPU1,6,,cycles,1000,100.00,,\n",
		"S0-D0-C0,2,5,,cycles,1000,100.00,,\n",
		"{\"interval\" : 1.0, \"counter-value\" : \"5\", \"unit\" : \"\", \"event\" : "
		"\"cycles\"}\n",
		"{\"cpu\" : \"0\", \"counter-value\" : \"5\", \"unit\" : \"\", \"event\" : "
		"\"cycles\"}\n",
	};
	struct parsed parsed = parsed_bytes("perf-stat", "", 0);

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(parts); i++) {
		const char *tests = getenv("BRUNT_TESTS");
		auto_free char *path =
			xasprintf("%s/fixtures/perf-stat/intervals.csv", tests ? tests : "tests");
		auto_buf struct buf text = BUF_INIT;

		if (i < ARRAY_SIZE(parts))
			buf_add(&text, parts[i]);
		else
			assert_int_equal(files_read_at(AT_FDCWD, path, 4096, &text), 0);
		parsed = parsed_text("perf-stat", text.s);
		assert_int_equal(parsed.n, 0);
		assert_int_equal(parsed.nnotes, 1);
		assert_note(&parsed, 1, "a part of one run");
		parsed_release(&parsed);
	}
}

static void a_command_that_was_killed_failed(void **state)
{
	struct parsed parsed = parsed_text("perf-stat", "sh: Killed\n\n"
							" Performance counter stats for 'sh x':\n\n"
							"     5,250.50 msec task-clock\n\n"
							"  6.500000000 seconds time elapsed\n\n"
							" Performance counter stats for 'sh y':\n\n"
							"  7.500000000 seconds time elapsed\n");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_failed(&parsed, 0, "Killed");
	assert_false(parsed.records[1].failed);
	assert_string_equal(parsed.records[1].config, "sh y");
	parsed_release(&parsed);
}

static void numbers_of_locales(void **state)
{
	static const struct {
		const char *line, *metric;
		double value; /* NAN: can be read in two ways */
	} cases[] = {
		{ "1.234.567      cycles", "cycles", 1234567 },
		{ "1 234\n", "cycles", NAN },
		{ "1\xe2\x80\xaf"
		  "234      cycles",
		  "cycles", 1234 },
		{ "1'234'567      cycles", "cycles", 1234567 },
		{ "1.234,56 msec  task-clock", "task-clock", 1.23456 },
		{ "1,234.56 msec  task-clock", "task-clock", 1.23456 },
		{ "1234,567890    task-clock", "task-clock", 1.23456789 },
		{ "12,34 cycles", "cycles", NAN },
		{ "1,234 msec task-clock", "task-clock", NAN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *text =
			xasprintf(" Performance counter stats for 'x':\n\n  %s\n", cases[i].line);
		struct parsed parsed = parsed_text("perf-stat", text);

		assert_int_equal(parsed.n, !isnan(cases[i].value));
		if (parsed.n)
			assert_double(parsed_need(&parsed, 0, cases[i].metric)->value,
				      cases[i].value, 1e-12);
		parsed_release(&parsed);
	}
}

static void elapsed_time_of_old_versions_has_its_error_in_per_cent(void **state)
{
	struct parsed parsed = parsed_text(
		"perf-stat", " Performance counter stats for 'x' (5 runs):\n\n"
			     "  1234.567890 task-clock   #    0.998 CPUs utilized ( +-  0.12% )\n\n"
			     "  1.250000000 seconds time elapsed                   ( +-  0.11% )\n");

	(void)state;
	assert_mean(&parsed, 0, "real", 1.25, 5, PARSED_SE_PCT, .11);
	parsed_release(&parsed);
}

static void metrics_that_perf_computes_do_not_end_its_counts(void **state)
{
	struct parsed parsed = parsed_text(
		"perf-stat", " Performance counter stats for 'x':\n\n"
			     "    3,000,000,000      cycles          #    2.430 GHz\n"
			     "                       TopdownL1       #     15.2 %  tma_backend_bound\n"
			     "                                       #     39.0 %  tma_retiring\n\n"
			     "       1.250000000 seconds time elapsed\n");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_run(&parsed, 0, "cycles", "", 3e9);
	assert_run(&parsed, 0, "real", "s", 1.25);
	assert_string_equal(parsed.records[0].config, "x");
	assert_string_equal(parsed.records[0].label, "");
	parsed_release(&parsed);
}

/* The time stamp is no count, and the count is no unit. */
static void intervals_as_text_are_no_runs(void **state)
{
	struct parsed parsed = parsed_text(
		"perf-stat", "#           time             counts unit events\n"
			     "     1.000123456             12,345      cycles    #  2.993 GHz\n"
			     "     2.000234567      <not counted>      cycles    #  2.991 GHz\n");

	(void)state;
	assert_int_equal(parsed.n, 0);
	assert_note(&parsed, 2, "intervals");
	parsed_release(&parsed);
}

static void seconds_of_cpu_with_something_behind_are_no_event(void **state)
{
	struct parsed parsed = parsed_text("perf-stat", " Performance counter stats for 'x':\n\n"
							"  1.5 seconds user;\n");

	(void)state;
	assert_int_equal(parsed.n, 0);
	parsed_release(&parsed);
}

static void sentences_with_numbers_are_no_events(void **state)
{
	struct parsed parsed = parsed_text("perf-stat", "12 monkeys\n3 runs # as we said\n"
							"5,000 rows\n1,2,,x\n1;2;3\n");

	(void)state;
	assert_int_equal(parsed.n, 0);
	assert_int_equal(parsed.nnotes, 0);
	parsed_release(&parsed);
}

static void halves_of_wrapped_lines_are_no_events_and_no_single_runs(void **state)
{
	struct parsed parsed = parsed_text(
		"perf-stat", " Performance counter stats for './a.out --with' (5 ru\nns):\n\n"
			     "     1,234,567      cycles                    # 3.0\n"
			     "    2.993 GHz                      ( +-  0.10% )\n"
			     "    0.99 CPUs utilized             ( +-  0.10% )\n");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_int_equal(parsed.records[0].n, 1);
	assert_mean(&parsed, 0, "cycles", 1234567, 0, PARSED_NO_SPREAD, 0);
	parsed_release(&parsed);
}

static void counts_of_single_cpus_are_said_to_be_left_out(void **state)
{
	struct parsed parsed = parsed_text(
		"perf-stat", " Performance counter stats for 'system wide':\n\n"
			     "CPU0     194.58 msec cpu-clock      #    0.974 CPUs utilized\n"
			     "CPU1    <not supported>      cycles\n\n"
			     "       0.250000000 seconds time elapsed\n");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_int_equal(parsed.records[0].n, 1);
	assert_run(&parsed, 0, "real", "s", .25);
	assert_int_equal(parsed.nnotes, 1);
	assert_note(&parsed, 3, "single CPUs");
	parsed_release(&parsed);
}

static void a_change_in_per_cent_is_no_row_of_the_table(void **state)
{
	struct parsed parsed = parsed_text("perf-stat", "18 (+3%)\n9.25 (+0.5)\n");

	(void)state;
	assert_int_equal(parsed.n, 0);
	parsed_release(&parsed);
}

/* "20 runs" was an event of the command above it. */
static void counts_below_the_time_are_no_events(void **state)
{
	static const char text[] = " Performance counter stats for 'make':\n\n"
				   "     1,234,567      cycles\n\n"
				   "       1.250000000 seconds time elapsed\n\n"
				   "       0.500000000 seconds user\n\n20 runs\n100 patches\n";
	struct parsed parsed = parsed_text("perf-stat", text);

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_int_equal(parsed.records[0].n, 3);
	assert_run(&parsed, 0, "user", "s", .5);
	parsed_release(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeated_runs_are_means_with_the_standard_error),
		cmocka_unit_test(a_single_run_has_values),
		cmocka_unit_test(a_table_gives_the_runs_and_its_mean_is_not_counted_beside),
		cmocka_unit_test(a_table_that_lost_rows_is_said),
		cmocka_unit_test(names_stand_beside_and_above_the_times_of_a_mail),
		cmocka_unit_test(appended_outputs_are_runs),
		cmocka_unit_test(lines_without_a_head_between_them_are_runs_too),
		cmocka_unit_test(a_comma_locale_and_any_separator),
		cmocka_unit_test(commas_for_decimals_and_fields_are_not_guessed_at),
		cmocka_unit_test(variance_in_json_is_the_standard_error_in_per_cent),
		cmocka_unit_test(the_event_duration_time_is_the_elapsed_time),
		cmocka_unit_test(parts_of_a_run_are_no_runs),
		cmocka_unit_test(a_command_that_was_killed_failed),
		cmocka_unit_test(numbers_of_locales),
		cmocka_unit_test(elapsed_time_of_old_versions_has_its_error_in_per_cent),
		cmocka_unit_test(metrics_that_perf_computes_do_not_end_its_counts),
		cmocka_unit_test(intervals_as_text_are_no_runs),
		cmocka_unit_test(seconds_of_cpu_with_something_behind_are_no_event),
		cmocka_unit_test(sentences_with_numbers_are_no_events),
		cmocka_unit_test(counts_below_the_time_are_no_events),
		cmocka_unit_test(counts_of_single_cpus_are_said_to_be_left_out),
		cmocka_unit_test(halves_of_wrapped_lines_are_no_events_and_no_single_runs),
		cmocka_unit_test(a_change_in_per_cent_is_no_row_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
