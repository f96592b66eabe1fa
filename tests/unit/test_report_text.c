// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "results/reports/figures.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/report_tests.h"

static char *report_of(const struct made_set *made, const struct analysis_options *options,
		       unsigned int width)
{
	const struct report_options report_options = { .width = width };
	struct buf out = BUF_INIT;
	struct made_analysis m;
	struct err err = { 0 };

	made_analyse(made, options, &m);
	assert_int_equal(report_find("text")->write(&m.analysis, &report_options, &out, &err), 0);
	made_analysis_release(&m);
	return buf_steal(&out);
}

static void a_storm_reads_as_designed(void **state)
{
	struct made_set *made = *state;
	char *report;

	made->label = "6.18.44";
	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, storm_session);
	storm_rounds(made, 1, 0);
	report = report_of(made, &defaults, 72);
	assert_fits(report, 72);
	assert_golden(report, "storm.txt");
	free(report);
}

/* Rows are labels and columns configurations, as in the 2007 post. */
static void two_labels_make_a_grid(void **state)
{
	struct made_set *made = *state;
	char *report;

	two_labels(made);
	report = report_of(made, &defaults, 72);
	assert_fits(report, 72);
	assert_golden(report, "two_labels.txt");
	free(report);
}

static void one_configuration_gives_a_table_of_moments(void **state)
{
	struct made_set *made = *state;
	char *report;

	made->workload = "command";
	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", ",\"rounds\":5");
	for (unsigned int i = 0; i < 5; i++)
		add_line(made, i + 1, i + 1, "none", 1, "measured", storm_none[i].real,
			 storm_none[i].user, storm_none[i].sys, ",\"status\":\"ok\"");
	report = report_of(made, &defaults, 72);
	assert_fits(report, 72);
	assert_golden(report, "single.txt");
	free(report);
}

static void what_went_wrong_is_told_with_run_numbers(void **state)
{
	struct made_set *made = *state;
	char *report;

	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, ",\"rounds\":3");
	for (unsigned int i = 0; i < 3; i++) {
		add_line(made, 2 * i + 1, i + 1, "none", 1, "measured", storm_none[i].real, 4, 3,
			 ",\"status\":\"ok\"");
		add_line(made, 2 * i + 2, i + 1, "blktrace", 2, "measured",
			 storm_traced[i].real, 4, 3,
			 i == 1 ? ",\"status\":\"invalid\",\"reason\":\"7 of 119310 events lost on "
				  "loop3 \\u001b[31m\"" :
				  ",\"status\":\"ok\"");
	}
	made_append(made, "{\"event\":\"start\",\"run\":7,\"config\":\"none\"}\n{\"event\":\"en");
	report = report_of(made, &defaults, 72);
	assert_fits(report, 72);
	assert_golden(report, "trouble.txt");
	free(report);
}

static void no_runs_are_no_crash(void **state)
{
	char *report = report_of(*state, &defaults, 72);

	assert_non_null(strstr(report, "No finished runs"));
	assert_fits(report, 72);
	free(report);
}

static void names_cannot_break_the_terminal(void **state)
{
	static const char *const names[] = {
		"\\u001b]0;title\\u0007\\u001b[2J", "gr\\u00f6\\u00dfe", "\\u202egnirts",
		"a name that is much longer than any column of a table may be, and goes on and on",
		"\\u0085\\u009b31m\\u007f",
		"\\u6f22\\u5b57\\u6f22\\u5b57\\u6f22\\u5b57\\u6f22\\u5b57",
		"", "100%s%n",
	};
	struct made_set *made = *state;
	struct made_set copy = *made;
	char *report;

	for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
		copy.label = copy.workload = copy.session = names[n];
		copy.point = "{\"a\\u0001\":\"b\\nc\"}";
		for (unsigned int i = 0; i < 4; i++)
			for (unsigned int k = 0; k < ARRAY_SIZE(names); k++)
				add_line(&copy, (unsigned int)n * 100 + i * 10 + k + 1, i + 1,
					 names[k], k + 1, "measured", storm_none[i].real + .1 * k,
					 storm_none[i].user, storm_none[i].sys,
					 ",\"status\":\"ok\",\"marks\":[{\"name\":\"m\\u0000\","
					 "\"text\":\"t\"}]");
	}
	/* NUL is no JSON text that is accepted: those lines are skipped */
	report = report_of(made, &defaults, 72);
	assert_non_null(strstr(report, "No finished runs"));
	free(report);
	for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
		copy.label = copy.workload = copy.session = names[n];
		for (unsigned int i = 0; i < 4; i++)
			for (unsigned int k = 0; k < ARRAY_SIZE(names); k++)
				add_line(&copy, (unsigned int)n * 100 + i * 10 + k + 1, i + 1,
					 names[k], k + 1, "measured", storm_none[i].real + .1 * k,
					 storm_none[i].user, storm_none[i].sys,
					 ",\"status\":\"ok\",\"marks\":[{\"name\":\"\\u001bm\","
					 "\"text\":\"\\u202e\"}]");
	}
	for (unsigned int width = 60; width <= 120; width += 12) {
		report = report_of(made, &defaults, width);
		assert_fits(report, width);
		assert_non_null(strstr(report, "\\x1b]0;title\\x07"));
		assert_non_null(strstr(report, "gr\xc3\xb6\xc3\x9f" "e"));
		assert_non_null(strstr(report, "100%s%n"));
		assert_null(strstr(report, "\xe2\x80\xae"));
		free(report);
	}
}

static void large_and_small_figures_fit(void **state)
{
	static const double scales[] = { 1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e12, 1e150, 1e300 };
	struct made_set *made = *state;
	char *point, *report;

	for (size_t s = 0; s < ARRAY_SIZE(scales); s++) {
		point = xasprintf("{\"scale\":%zu}", s);
		made->point = point;
		for (unsigned int i = 0; i < 4; i++) {
			made_times(made, "none", i + 1, storm_none[i].real * scales[s],
				   storm_none[i].user * scales[s], 0);
			made_times(made, "trace", i + 1, storm_traced[i].real * scales[s] * 1e4,
				   storm_traced[i].user * scales[s], 0);
		}
		made->point = "{}";
		free(point);
	}
	report = report_of(made, &defaults, 72);
	assert_fits(report, 72);
	free(report);
}

static void the_same_set_gives_the_same_bytes(void **state)
{
	struct made_set *made = *state;
	char *first, *second;

	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, storm_session);
	storm_rounds(made, 1, 0);
	first = report_of(made, &defaults, 72);
	second = report_of(made, &defaults, 72);
	assert_string_equal(first, second);
	free(first);
	free(second);
}

/* ---- the parts ---- */

static void a_spread_never_reads_as_nothing(void **state)
{
	static const struct {
		double mean, sd;
		const char *mean_text, *sd_text;
	} cases[] = {
		{ 5.7299, .4512, "5.73", "0.45" },
		{ 14.679982, .341, "14.68", "0.34" },
		{ 3.0149, .0961, "3.015", "0.096" },
		{ 805.4, 123.6, "805", "124" },
		{ 1.0, .000012, "1.000000", "0.000012" },
		{ 2.5, 1e-12, "2.500000000", "1.0e-12" },
		{ 2.5, 0, "2.500", "0" },
		{ 2.5, NAN, "2.500", "-" },
		{ NAN, NAN, "-", "-" },
		{ -.001, .1, "0.00", "0.10" },
		{ 2.76, 1.5, "2.8", "1.5" },
	};
	char text[FIGURE_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int decimals = figure_decimals(cases[i].sd, cases[i].mean);

		figure_number(text, cases[i].mean, decimals);
		assert_string_equal(text, cases[i].mean_text);
		figure_sd(text, cases[i].sd, decimals);
		assert_string_equal(text, cases[i].sd_text);
	}
}

static void p_and_counts_are_short(void **state)
{
	static const struct {
		double p;
		const char *text;
	} cases[] = {
		{ .00037, "p .0004" }, { .00001, "p <.0001" }, { .2134, "p .21" },
		{ .0547, "p .055" },   { 1, "p 1" },	      { .996, "p 1" },
		{ NAN, "p -" },	       { .0997, "p .10" },
	};
	char text[FIGURE_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		figure_p(text, cases[i].p);
		assert_string_equal(text, cases[i].text);
	}
	figure_count(text, 97);
	assert_string_equal(text, "97");
	figure_count(text, 1234);
	assert_string_equal(text, "1300");
	assert_string_equal(figure_scale("s", 2e-6).unit, "us");
	assert_string_equal(figure_scale("s", 20).unit, "s");
	assert_string_equal(figure_scale("B", 6e6).unit, "MB");
	assert_string_equal(figure_scale("1/s", 6e6).unit, "1/s");
}

static void paragraphs_are_wrapped_and_long_words_split(void **state)
{
	auto_buf struct buf out = BUF_INIT;

	(void)state;
	layout_wrap(&out, 10, 0, 2, "one two three 12.3" HARD_BLANK "% fourteenletters x");
	assert_string_equal(out.s, "one two\n  three\n  12.3 %\n  fourteen\n  letters\n  x\n");
}

static void tables_split_into_blocks(void **state)
{
	static const struct layout_column columns[] = {
		{ .head = "" },
		{ .title = "first", .head = "mean", .right = true, .gap = 2 },
		{ .head = "sd", .right = true, .gap = 1, .glued = true },
		{ .title = "second one", .head = "mean", .right = true, .gap = 2 },
		{ .head = "sd", .right = true, .gap = 1, .glued = true, .before = "(",
		  .after = ")" },
	};
	auto_buf struct buf out = BUF_INIT;
	struct layout *layout = layout_new(columns, 5, true);

	(void)state;
	layout_row(layout, (const char *const[]){ "real", "1", "22", "3", "4" });
	layout_row(layout, (const char *const[]){ "x", "-", "-", "10.5", NULL });
	layout_write(layout, 18, &out);
	assert_string_equal(out.s, "      first\n"
				   "      mean sd\n"
				   "----  ---- --\n"
				   "real     1 22\n"
				   "x        -  -\n"
				   "\n"
				   "      second one\n"
				   "      mean    sd\n"
				   "----  ---- -----\n"
				   "real     3 (  4)\n"
				   "x     10.5\n");
}

static void the_table_of_reports_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; reports[i]; i++) {
		assert_non_null(reports[i]->write);
		assert_non_null(reports[i]->summary);
		assert_ptr_equal(report_find(reports[i]->name), reports[i]);
	}
	assert_non_null(report_find("text"));
	assert_null(report_find("tex"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_storm_reads_as_designed),
		MADE_TEST(two_labels_make_a_grid),
		MADE_TEST(one_configuration_gives_a_table_of_moments),
		MADE_TEST(what_went_wrong_is_told_with_run_numbers),
		MADE_TEST(no_runs_are_no_crash),
		MADE_TEST(names_cannot_break_the_terminal),
		MADE_TEST(large_and_small_figures_fit),
		MADE_TEST(the_same_set_gives_the_same_bytes),
		cmocka_unit_test(a_spread_never_reads_as_nothing),
		cmocka_unit_test(p_and_counts_are_short),
		cmocka_unit_test(paragraphs_are_wrapped_and_long_words_split),
		cmocka_unit_test(tables_split_into_blocks),
		cmocka_unit_test(the_table_of_reports_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
