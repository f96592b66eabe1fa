// SPDX-License-Identifier: GPL-3.0-or-later
/* No runs, one, two, none that differ, nothing above 0, a side missing: in every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <math.h>

#include "tests/unit/report_tests.h"

enum { MOST = 6 };

/* NAN: the round has no run of that side. */
static const struct edge {
	const char *name, *answer;
	double none[MOST], trace[MOST];
	size_t n;
} edges[] = {
	{ "no runs", "No finished runs", { 0 }, { 0 }, 0 },
	{ "one", "no verdict: too few: 1, need 3", { 1 }, { 2 }, 1 },
	{ "two", "no verdict: too few: 2, need 3", { 1, 1.1 }, { 2, 2.1 }, 2 },
	{ "all equal", "leaves real the same within 1 %", { 2, 2, 2 }, { 2, 2, 2 }, 3 },
	{ "sd 0", "costs real +50.0 % [+50.0, +50.0]", { 2, 2, 2, 2 }, { 3, 3, 3, 3 }, 4 },
	{ "sd 0 in base", "costs real +50.0 % [+35", { 2, 2, 2, 2 }, { 2.9, 3.1, 2.8, 3.2 }, 4 },
	{ "base 0", "costs real +2.00 s [+1.87, +2.13]", { 0, 0, 0, 0 }, { 2, 2.1, 1.9, 2 }, 4 },
	{ "both 0", "no change shown: 0.0", { 0, 0, 0 }, { 0, 0, 0 }, 3 },
	{ "below 0", "improves real -2.0", { -2, -2.1, -1.9 }, { -4, -4.1, -3.9 }, 3 },
	{ "across 0", "no change shown: -75 ms [-5887, +5737]", { -1, 2, -2, 1 }, { 1, -2, 1.9, -1.2 }, 4 },
	{ "base not told from 0", "no change shown: ", { .1, 9, .1, 9 }, { 9, .2, 9, .1 }, 4 },
	{ "one side never run", "trace: no verdict: it was planned and has no runs",
	  { 1, 1.1, 1.2, 1.1 }, { NAN, NAN, NAN, NAN }, 4 },
	{ "one side missing", "no pair has runs that count", { 1, 1.1, 1.2 }, { NAN, NAN, NAN }, 3 },
	{ "unequal", "costs real +97.0 % [+83.4, +110.2]", { 1, 1.1, 1.2, 9, 9 }, { 2, 2.1, 2.4, NAN, NAN }, 5 },
	{ "next to 0", "no change shown", { 1e-300, 2e-300, 1e-300 },
	  { 2e-300, 1e-300, 3e-300 }, 3 },
	{ "too large", "no verdict: no test is possible: the values are too large",
	  { 1e301, 2e301, 3e301 }, { 2e301, 3e301, 1e301 }, 3 },
};

static void add_edge(struct made_set *made, const struct edge *edge)
{
	made_session(made, "2026-01-01T00:00:01Z",
		     "[{\"name\":\"none\"},{\"name\":\"trace\"}]", "");
	for (unsigned int i = 0; i < edge->n; i++) {
		bool missing = isnan(edge->trace[i]);

		made_value(made, "none", i + 1, "real", edge->none[i]);
		if (!missing)
			made_value(made, "trace", i + 1, "real", edge->trace[i]);
		else if (edge->n == 3)
			made_run(made, "trace", i + 1, "measured", "failed: no luck", "{}");
	}
}

/* A word of its own, as printf writes what is not a number. */
static void assert_no_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at += len)
		if ((at == text || !isalpha((unsigned char)at[-1])) &&
		    !isalpha((unsigned char)at[len]))
			fail_msg("%.60s", at > text + 20 ? at - 20 : text);
}

static void assert_no_void(const char *report)
{
	static const char *const voids[] = { "[-,", "- %", "-%", "(null)", "+- " };

	for (size_t i = 0; i < ARRAY_SIZE(voids); i++)
		if (strstr(report, voids[i]))
			fail_msg("%s in %s", voids[i], report);
	assert_no_word(report, "nan");
	assert_no_word(report, "inf");
}

static void write_all(const struct made_set *made, const struct edge *edge)
{
	static const struct report_options options = { .width = 72, .runs = true };
	struct set_data data;
	struct analysis analysis;
	struct err err = { 0 };

	assert_int_equal(set_read(made->path, &data, &err), 0);
	assert_int_equal(analysis_make(&data, 1, &defaults, &analysis, &err), 0);
	for (const struct report *const *r = reports; *r; r++) {
		auto_buf struct buf out = BUF_INIT;

		err = (struct err){ 0 };
		if ((*r)->write(&analysis, &options, &out, &err)) {
			/* no row of lmbench's tables; no gnuplot */
			if (strcmp((*r)->name, "lmbench") != 0 && err.status != EXIT_MISSING)
				fail_msg("%s as %s: %s", edge->name, (*r)->name, err.text);
			continue;
		}
		if (strcmp((*r)->name, "json") != 0 && strcmp((*r)->name, "csv") != 0 &&
		    strcmp((*r)->name, "html") != 0)
			assert_no_void(out.s);
		assert_no_word(out.s, "nan");
	}
	analysis_release(&analysis);
	set_data_release(&data);
}

static void assert_answer(const struct made_set *made, const struct edge *edge)
{
	static const struct report_options options = { .width = 200 };
	auto_free char *report = report_in(made, "text", &options);

	if (!strstr(report, edge->answer))
		fail_msg("%s: %s", edge->name, report);
}

static void every_format_takes_every_edge(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		struct made_set made;

		made_set_init(&made);
		add_edge(&made, &edges[i]);
		write_all(&made, &edges[i]);
		assert_answer(&made, &edges[i]);
		made_set_release(&made);
	}
}

/* Also of a figure that has no verdict: a count that was 0. */
static void a_row_without_a_percentage_is_in_units(void **state)
{
	static const struct report_options options = { .width = 100 };
	static const char *const formats[] = { "text", "mail", "markdown" };
	struct made_set *made = *state;

	for (unsigned int i = 1; i <= 4; i++) {
		made_value(made, "none", i, "errors", 0);
		made_value(made, "trace", i, "errors", 2 + .1 * (i % 2));
	}
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		auto_free char *report = report_in(made, formats[i], &options);

		if (!strstr(report, "+2.05") || !strstr(report, "[+1.958"))
			fail_msg("%s", report);
	}
}

/* The verdict is by the values as they were printed; what their last digit hides is told. */
static void a_change_of_one_last_digit_is_said_to_be_one(void **state)
{
	static const struct report_options options = { .width = 100 };
	struct made_set *made = *state;
	auto_free char *report = NULL;

	for (unsigned int i = 1; i <= 6; i++) {
		made_run(made, "none", i, "measured", "ok",
			 "{\"real\":{\"value\":1.0,\"unit\":\"s\",\"better\":\"lower\","
			 "\"half_step\":0.05}}");
		made_run(made, "trace", i, "measured", "ok",
			 "{\"real\":{\"value\":1.1,\"unit\":\"s\",\"better\":\"lower\","
			 "\"half_step\":0.05}}");
	}
	report = report_in(made, "text", &options);
	if (!strstr(report, "real  worse") || !strstr(report, "with rounding [-") ||
	    !strstr(report, "0 is not excluded"))
		fail_msg("%s", report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_takes_every_edge),
		MADE_TEST(a_row_without_a_percentage_is_in_units),
		MADE_TEST(a_change_of_one_last_digit_is_said_to_be_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
