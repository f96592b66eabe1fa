// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "results/reports/lmbench_cell.h"
#include "tests/unit/report_tests.h"

static const struct report_options means = { .width = 72 }, runs = { .width = 72, .runs = true };

/* What the tables of posts hold, and the two faults that are not repeated. */
static void numbers_are_cut_as_lmbench_cuts_them(void **state)
{
	static const struct {
		double value;
		int width;
		const char *text;
	} cases[] = {
		{ .25, 4, "0.25" },	 { 31.6, 4, "31.6" },	  { 726.04, 4, "726." },
		{ 199.04, 4, "199." },	 { 1565.4, 4, "1565" },	  { 4520, 4, "4520" },
		{ 6.12, 5, "6.120" },	 { 15.2, 5, " 15.2" },	  { 106.04, 4, "106." },
		{ 7.15, 6, "7.1500" },	 { 2.04, 6, "2.0400" },	  { 7.78, 7, "7.78000" },
		{ 11.8, 6, "  11.8" },	 { 8368.04, 7, " 8368.0" }, { 2281.42, 6, "2281.4" },
		{ 1408.4, 5, "1408." },	 { .727, 7, "0.72700" },  { 347.4, 11, "      347.4" },
		{ 17234, 4, "17.K" },	 { 17234, 6, " 17.2K" },  { 9999.96, 4, "10.K" },
		{ 1234567, 4, "1.2M" },	 { 123456, 4, "123K" },	  { 2.5e7, 4, "25.M" },
		{ 9.996, 4, "10.0" },	 { 9.994, 4, "9.99" },	  { 0, 4, "0.00" },
		{ .0005, 4, "5e-4" },	 { NAN, 4, "    " },	  { -1, 5, "     " },
		{ 99999.97, 4, "100K" }, { 999999, 4, "1.0M" },	  { 1e30, 4, "1e+24M" },
	};
	char text[LMBENCH_CELL_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		lmbench_cell(text, cases[i].value, cases[i].width);
		if (strcmp(text, cases[i].text) != 0)
			fail_msg("%.10g in %d columns is '%s', not '%s'", cases[i].value,
				 cases[i].width, text, cases[i].text);
	}
}

#define TIME(name, value) "\"" name "\":{\"value\":" value ",\"unit\":\"s\",\"better\":\"lower\"}"

static void add_micro(struct made_set *made)
{
	static const char *const plain[] = {
		"{" TIME("null_call", "0.25e-6") "," TIME("null_io", "0.52e-6") ","
		TIME("stat", "31.6e-6") "," TIME("fork", "726.04e-6") "," TIME("sh", "4520e-6") ","
		TIME("select", "2.658e-6") ",\"pipe.bw\":{\"value\":1911.9e6,\"unit\":\"B/s\","
		"\"better\":\"higher\"}," TIME("l1.lat", "1.467e-9") ","
		TIME("rand.lat", "347.4e-9") "}",
		"{" TIME("null_call", "0.25e-6") "," TIME("null_io", "0.52e-6") ","
		TIME("stat", "31.8e-6") "," TIME("fork", "725.04e-6") "," TIME("sh", "4585e-6") "}",
	}, *const traced[] = {
		"{" TIME("null_call", "0.28e-6") "," TIME("stat", "31.3e-6") ","
		TIME("ctx.2p.0k", "2.04e-6") "," TIME("pipe.lat", "15e-6") "}",
		"{" TIME("null_call", "0.28e-6") "," TIME("stat", "31.5e-6") ","
		TIME("ctx.2p.0k", "2.05e-6") "," TIME("pipe.lat", "15.2e-6") "}",
	};

	made->workload = "micro";
	made->label = "2.6.21-rc5-mm3";
	made->host = "ezr.goop.org";
	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"},{\"name\":\"ftrace\"}]",
		     ",\"rounds\":2,\"environment\":{\"cpu.mhz\":1000.2}");
	for (unsigned int i = 0; i < 2; i++) {
		made_run(made, "none", i + 1, "measured", "ok", plain[i]);
		made_run(made, "ftrace", i + 1, "measured", "ok", traced[i]);
	}
}

static void a_row_is_the_mean_of_a_configuration(void **state)
{
	char *report;

	add_micro(*state);
	report = report_in(*state, "lmbench", &means);
	assert_golden(report, "means.lmbench");
	free(report);
}

static void a_row_is_a_run_where_runs_are_wanted(void **state)
{
	char *report;

	add_micro(*state);
	report = report_in(*state, "lmbench", &runs);
	assert_golden(report, "runs.lmbench");
	free(report);
}

static void sets_without_such_metrics_are_told_so(void **state)
{
	struct made_set *made = *state;
	struct buf out = BUF_INIT;
	struct made_analysis m;
	struct err err = { 0 };

	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, storm_session);
	storm_rounds(made, 1, 0);
	made_analyse(made, &defaults, &m);
	assert_true(report_find("lmbench")->write(&m.analysis, &means, &out, &err) < 0);
	assert_non_null(strstr(err.text, "null_call"));
	made_analysis_release(&m);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_cut_as_lmbench_cuts_them),
		MADE_TEST(a_row_is_the_mean_of_a_configuration),
		MADE_TEST(a_row_is_a_run_where_runs_are_wanted),
		MADE_TEST(sets_without_such_metrics_are_told_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
