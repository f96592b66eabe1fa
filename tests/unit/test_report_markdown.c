// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "results/reports/markdown_escape.h"
#include "tests/unit/report_tests.h"

static const struct report_options plain = { .width = 72, .version = "0.0" };
static const struct report_options runs = { .width = 72, .runs = true, .version = "0.0" };

static void a_storm_is_a_table(void **state)
{
	struct made_set *made = *state;
	char *report;

	made->label = "6.18.44";
	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, storm_session);
	storm_rounds(made, 1, 0);
	report = report_in(made, "markdown", &runs);
	assert_golden(report, "storm.md");
	free(report);
}

static void two_labels_make_a_grid(void **state)
{
	char *report;

	two_labels(*state);
	report = report_in(*state, "markdown", &plain);
	assert_golden(report, "two_labels.md");
	free(report);
}

static void names_stand_in_code(void **state)
{
	static const struct {
		const char *name, *code, *prose;
	} cases[] = {
		{ "none", "`none`", "none" },
		{ "2.6.23-rc6 + mm1", "`2.6.23-rc6 + mm1`", "`2.6.23-rc6 + mm1`" },
		{ "too few: 2, need 3", "`too few: 2, need 3`", "`too few: 2, need 3`" },
		{ "split sampled at 4 ms", "`split sampled at 4 ms`", "split sampled at 4 ms" },
		{ "<b>", "`<b>`", "`<b>`" },
		{ "a|b", "<code>a&#124;b</code>", "<code>a&#124;b</code>" },
		{ "`x`", "<code>&#96;x&#96;</code>", "<code>&#96;x&#96;</code>" },
		{ "\\", "<code>&#92;</code>", "<code>&#92;</code>" },
		{ "<b>`", "<code>&#60;b&#62;&#96;</code>", "<code>&#60;b&#62;&#96;</code>" },
		{ " x", "<code>&#32;x</code>", " x" },
		{ "\n", "<code>&#92;x0a</code>", "<code>&#92;x0a</code>" },
		{ "@who #1", "`@who #1`", "`@who #1`" },
		{ "www.host", "`www.host`", "`www.host`" },
		{ "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_buf struct buf code = BUF_INIT, prose = BUF_INIT;

		markdown_escape(&code, cases[i].name);
		assert_string_equal(code.s, cases[i].code);
		markdown_prose(&prose, cases[i].name);
		assert_string_equal(prose.s, cases[i].prose);
	}
}

static void no_runs_are_no_crash(void **state)
{
	char *report = report_in(*state, "markdown", &runs);

	assert_non_null(strstr(report, "No finished runs"));
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_storm_is_a_table),
		MADE_TEST(two_labels_make_a_grid),
		cmocka_unit_test(names_stand_in_code),
		MADE_TEST(no_runs_are_no_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
