// SPDX-License-Identifier: GPL-3.0-or-later
/* Reports of two sets that are compared: whose figures are which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/report_tests.h"

static const struct report_options with_runs = { .width = 72, .runs = true, .version = "0.0" };

/* The report of first against second, sets of these names; belongs to the caller. */
static char *report_of_two(const struct made_set made[2], const char *format)
{
	const struct analysis_side sides[2] = { { .set = 0 }, { .set = 1 } };
	struct analysis_options options = ANALYSIS_OPTIONS_INIT;
	static const char *const names[2] = { "first", "second" };
	struct set_data data[2];
	struct buf out = BUF_INIT;
	struct analysis analysis;
	struct err err = { 0 };

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(set_read(made[i].path, &data[i], &err), 0);
		free(data[i].path);
		data[i].path = xstrdup(names[i]);
	}
	options.base = &sides[0];
	options.fresh = &sides[1];
	assert_int_equal(analysis_make(data, 2, &options, &analysis, &err), 0);
	assert_int_equal(report_find(format)->write(&analysis, &with_runs, &out, &err), 0);
	analysis_release(&analysis);
	set_data_release(&data[0]);
	set_data_release(&data[1]);
	return buf_steal(&out);
}

/* Both with these configurations; their labels are given. */
static void make_two(struct made_set made[2], const char *labels[2], const char *const *configs,
		     size_t n)
{
	for (size_t i = 0; i < 2; i++) {
		made_set_init(&made[i]);
		made[i].label = labels[i];
		made_session(&made[i], "2026-01-01T00:00:01Z", "[]", "");
		for (size_t c = 0; c < n; c++)
			for (unsigned int round = 1; round <= 3; round++)
				made_value(&made[i], configs[c], round, "real",
					   1 + i + .1 * round + 4 * c);
	}
}

static void release_two(struct made_set made[2])
{
	made_set_release(&made[0]);
	made_set_release(&made[1]);
}

static void columns_name_the_set_where_the_label_does_not_tell(void **state)
{
	static const char *const configs[] = { "a", "b" };
	struct made_set made[2];
	char *report;

	(void)state;
	make_two(made, (const char *[]){ "6.1", "6.1" }, configs, 1);
	report = report_of_two(made, "text");
	assert_fits(report, 72);
	assert_non_null(strstr(report, "each run   first  second\n"
				       "1 real s  1.1000  2.1000\n"
				       "2 real s  1.2000  2.2000\n"));
	free(report);
	release_two(made);
	make_two(made, (const char *[]){ "6.1", "6.1" }, configs, 2);
	report = report_of_two(made, "text");
	assert_fits(report, 72);
	assert_non_null(strstr(report, "          first   first   second  second\n"
				       "each run       a       b       a       b\n"
				       "1 real s  1.1000  5.1000  2.1000  6.1000\n"));
	/* a grid of labels and configurations would show the first set alone */
	assert_null(strstr(report, "STDDEV"));
	free(report);
	report = report_of_two(made, "markdown");
	assert_non_null(strstr(report, "| | | `first`, `a` | `first`, `b` | `second`, `a` |"));
	free(report);
	report = report_of_two(made, "mail");
	assert_non_null(strstr(report, "a, first -> second"));
	assert_null(strstr(report, "STDDEV"));
	free(report);
	release_two(made);
}

static void columns_name_labels_where_these_tell(void **state)
{
	static const char *const configs[] = { "a" };
	struct made_set made[2];
	char *report;

	(void)state;
	make_two(made, (const char *[]){ "6.1", "6.2" }, configs, 1);
	report = report_of_two(made, "text");
	assert_non_null(strstr(report, "each run     6.1     6.2\n"));
	free(report);
	release_two(made);
}

static void figures_in_another_unit_stand_in_no_column_of_the_first(void **state)
{
	struct made_set *made = *state;
	char *report;

	for (unsigned int round = 1; round <= 3; round++) {
		made_run(made, "a", round, "measured", "ok",
			 "{\"real\":{\"value\":2,\"unit\":\"s\",\"better\":\"lower\"},"
			 "\"user\":{\"value\":2,\"unit\":\"s\",\"better\":\"lower\"}}");
		made_run(made, "b", round, "measured", "ok",
			 "{\"real\":{\"value\":7777,\"unit\":\"ms\",\"better\":\"lower\"},"
			 "\"user\":{\"value\":2,\"unit\":\"s\",\"better\":\"higher\"}}");
	}
	report = report_in(made, "text", &with_runs);
	assert_non_null(strstr(report, "\nreal was not compared: s in a, ms in b\n"));
	assert_non_null(strstr(report, "\nuser was not compared: lower is better in a, higher is "
				       "better in b\n"));
	assert_null(strstr(report, "7777.0"));
	assert_non_null(strstr(report, "nothing can be compared: no pair has a metric in common."));
	free(report);
}

static void a_headline_metric_of_one_side_alone_is_named(void **state)
{
	struct made_set *made = *state;
	char *report;

	for (unsigned int round = 1; round <= 3; round++) {
		made_times(made, "a", round, 3 + round, 2, 1);
		made_value(made, "b", round, "real", 3 + round);
	}
	report = report_in(made, "mail", &with_runs);
	assert_non_null(strstr(report, "\nuser was not compared: no run of b has it\n"));
	assert_non_null(strstr(report, "\ncpu was not compared: no run of b has it\n"));
	assert_null(strstr(report, "real was not compared"));
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_name_the_set_where_the_label_does_not_tell),
		cmocka_unit_test(columns_name_labels_where_these_tell),
		MADE_TEST(figures_in_another_unit_stand_in_no_column_of_the_first),
		MADE_TEST(a_headline_metric_of_one_side_alone_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
