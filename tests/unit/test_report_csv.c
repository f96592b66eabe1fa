// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/report_tests.h"

static const struct report_options plain = { .width = 72 };

/* Warm-ups, and runs of rounds that broke, are in no other report either. */
static void a_row_is_a_value_that_counts(void **state)
{
	struct made_set *made = *state;
	char *report;

	made->label = "6.1, \\\"patched\\\"";
	made->point = "{\"jobs\":4,\"fs\":\"ext3\"}";
	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, ",\"rounds\":2");
	add_line(made, 1, 1, "none", 1, "warmup", 9, 9, 9, ",\"status\":\"ok\"");
	add_line(made, 2, 1, "none", 1, "measured", 5.11, 4.08, 2.9, ",\"status\":\"ok\"");
	add_line(made, 3, 1, "blktrace", 2, "measured", -5.62, 4.16, 3.29, ",\"status\":\"ok\"");
	add_line(made, 4, 2, "blktrace", 1, "measured", 5.5, 4.1, 3.3, ",\"status\":\"ok\"");
	add_line(made, 5, 2, "none", 2, "measured", 5, 4, 3,
		 ",\"status\":\"failed\",\"reason\":\"mkfs\"");
	report = report_in(made, "csv", &plain);
	assert_golden(report, "values.csv");
	free(report);
}

static void text_is_no_formula_and_numbers_stay(void **state)
{
	static const struct {
		const char *label, *cell;
	} cases[] = {
		{ "=1+1", ",'=1+1," },	  { "+x", ",'+x," },
		{ "-x", ",'-x," },	  { "@x", ",'@x," },
		{ "  =1", ",'  =1," },	  { "a=b", ",a=b," },
		{ "a,b", ",\"a,b\"," },	  { "\\\"", ",\"\"\"\"," },
		{ "a\\nb", ",a\\x0ab," }, { "\\ufe63x", ",\xef\xb9\xa3x," },
		{ "\\uff1d1", ",'\xef\xbc\x9d" "1," },
	};
	struct made_set *made = *state;
	char *report;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		made->label = cases[i].label;
		add_line(made, (unsigned int)i + 1, 1, "none", 1, "measured", -1.5, 4, 3,
			 ",\"status\":\"ok\"");
	}
	report = report_in(made, "csv", &plain);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!strstr(report, cases[i].cell))
			fail_msg("%s is not in\n%s", cases[i].cell, report);
	assert_non_null(strstr(report, ",real,s,lower,-1.5,"));
	free(report);
}

static struct buf spilled;
static size_t spills;

static void spill(struct buf *out)
{
	buf_addn(&spilled, out->s, out->len);
	buf_clear(out);
	spills++;
}

static void a_long_report_is_handed_over_in_parts(void **state)
{
	const struct report_options in_parts = { .width = 72, .spill = spill };
	struct made_set *made = *state;
	char *whole, *rest;

	for (unsigned int i = 1; i <= 6000; i++)
		add_line(made, i, i, "none", 1, "measured", 5 + i, 4, 3, ",\"status\":\"ok\"");
	whole = report_in(made, "csv", &plain);
	rest = report_in(made, "csv", &in_parts);
	assert_true(spills > 0);
	buf_add(&spilled, rest);
	assert_true(!strcmp(spilled.s, whole));
	buf_release(&spilled);
	free(whole);
	free(rest);
}

static void a_set_without_runs_has_the_names_of_the_columns(void **state)
{
	char *report = report_in(*state, "csv", &plain);

	assert_ptr_equal(strchr(report, '\n') + 1, report + strlen(report));
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_row_is_a_value_that_counts),
		MADE_TEST(text_is_no_formula_and_numbers_stay),
		MADE_TEST(a_long_report_is_handed_over_in_parts),
		MADE_TEST(a_set_without_runs_has_the_names_of_the_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
