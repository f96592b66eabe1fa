// SPDX-License-Identifier: GPL-3.0-or-later
/* The tests that assume no distribution, as they stand beside t in comparisons and reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "results/report.h"
#include "tests/unit/analysis_tests.h"
#include "tests/unit/published.h"

/* The report of the set in text; belongs to the caller. */
static char *text_of(const struct made_set *made)
{
	const struct report_options options = { .width = 120 };
	struct buf out = BUF_INIT;
	struct made_analysis m;
	struct err err = { 0 };

	made_analyse(made, &defaults, &m);
	assert_int_equal(report_find("text")->write(&m.analysis, &options, &out, &err), 0);
	made_analysis_release(&m);
	return buf_steal(&out);
}

/* Kernel builds of 2005: Mann-Whitney's exact p and the Hodges-Lehmann shift. */
static void runs_have_mann_whitney_and_the_shift(void **state)
{
	static const char *const metrics[3] = { "real", "user", "sys" };
	static const double p[3] = { .0649350649, .1796536797, .0043290043 };
	static const double shift[3] = { -1.485, .580, -1.140 };
	struct made_set *made = *state;
	struct made_analysis m;

	made_session(made, "2026-01-01T00:00:01Z", "[]", "");
	for (size_t side = 0; side < 2; side++) {
		made->label = side ? "new" : "old";
		made->session = side ? "s2" : "s1";
		made_session(made, side ? "2026-01-02" : "2026-01-01", "[]", "");
		for (size_t i = 0; i < 6; i++)
			made_times(made, "none", (unsigned int)i + 1, lsm[0][side][i],
				   lsm[1][side][i], lsm[2][side][i]);
	}
	made_analyse(made, &defaults, &m);
	for (size_t i = 0; i < 3; i++) {
		const struct analysis_comparison *c = comparison(&m, "label", "new", metrics[i]);

		assert_double(c->rank.p, p[i], 1e-8);
		assert_double(c->rank.shift, shift[i], 1e-9);
		assert_double(c->rank.p_min, 2. / 924, 1e-9);
		assert_true(c->rank.ci95_units[0] < shift[i] && shift[i] < c->rank.ci95_units[1]);
		assert_true(isnan(c->rank.change_pct));
		assert_false(c->rank.disagrees);
	}
	made_analysis_release(&m);
}

static void rounds_have_signed_rank_and_the_change(void **state)
{
	static const double none[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;
	double trace[8];
	char *report;

	for (size_t i = 0; i < 8; i++)
		trace[i] = none[i] * (1.1 + .001 * (double)i);
	rounds(made, none, trace, 8);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_double(c->rank.p, 2. / 256, 1e-12);
	assert_double(c->rank.p_min, 2. / 256, 1e-12);
	assert_double(c->rank.change_pct, 10.35, .01);
	assert_true(c->rank.ci95_pct[0] >= 10 && c->rank.ci95_pct[1] <= 10.7001);
	assert_true(isnan(c->rank.shift));
	made_analysis_release(&m);
	report = text_of(made);
	assert_non_null(strstr(report, "\nsigned-rank, beside t: real +10.3"));
	free(report);
}

/* R's sleep data have values below 0: no logs, so the shift of the differences. */
static void rounds_without_ratios_have_the_shift(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	rounds(made, sleep_extra[0], sleep_extra[1], 10);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_true(isnan(c->rank.change_pct));
	assert_double(c->rank.shift, 1.3, .0501);
	assert_true(c->rank.p < .01);
	made_analysis_release(&m);
}

static void too_few_for_a_rank_test_is_said(void **state)
{
	static const double none[5] = { 1, 1.1, 1.05, 1.02, 1.08 };
	static const double trace[5] = { 2, 2.1, 2.05, 2.03, 2.07 };
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;
	char *report;

	rounds(made, none, trace, 5);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_double(c->rank.p_min, 2. / 32, 1e-12);
	assert_false(c->rank.disagrees);
	assert_int_equal(c->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
	report = text_of(made);
	assert_non_null(strstr(report, "no p below .05 can come from so few rounds"));
	free(report);
}

/* All changes but small ones go up: ranks see it, and no single run decides. */
static void a_disagreement_that_hangs_on_no_run_is_said(void **state)
{
	static const double changes[12] = { .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 9, 8.9 };
	double none[12], trace[12];
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	for (size_t i = 0; i < 12; i++) {
		none[i] = 10 + .01 * (double)i;
		trace[i] = none[i] + changes[i];
	}
	rounds(made, none, trace, 12);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_true(c->p > .05 && c->rank.p < .001);
	assert_true(c->rank.disagrees);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(c->reason, "the rank test disagrees");
	made_analysis_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(runs_have_mann_whitney_and_the_shift),
		MADE_TEST(rounds_have_signed_rank_and_the_change),
		MADE_TEST(rounds_without_ratios_have_the_shift),
		MADE_TEST(too_few_for_a_rank_test_is_said),
		MADE_TEST(a_disagreement_that_hangs_on_no_run_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
