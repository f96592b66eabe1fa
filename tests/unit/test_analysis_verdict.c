// SPDX-License-Identifier: GPL-3.0-or-later
/* Verdicts, families, and the words behind them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/analysis_tests.h"

static void fewer_than_three_rounds_are_too_few(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	rounds(made, (double[]){ 1, 1.001 }, (double[]){ 2, 2.001 }, 2);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(c->reason, "too few: 2, need 3");
	assert_int_equal(c->family_size, 0);
	made_analysis_release(&m);
}

static void equal_values_are_judged_by_the_clock(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	rounds(made, (double[]){ 2, 2, 2 }, (double[]){ 2, 2, 2 }, 3);
	made->point = "{\"x\":\"1\"}"; /* all new values are one value */
	rounds(made, (double[]){ 2, 2.1, 1.9 }, (double[]){ 3, 3, 3 }, 3);
	made->point = "{\"x\":\"2\"}"; /* both sides constant and different */
	rounds(made, (double[]){ 2, 2, 2 }, (double[]){ 3, 3, 3 }, 3);
	made->point = "{\"x\":\"3\"}"; /* always half a second more */
	rounds(made, (double[]){ 2, 3, 4 }, (double[]){ 2.5, 3.5, 4.5 }, 3);
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.ncomparisons, 4);
	c = m.analysis.comparisons;
	assert_double(c[0].base->sd, 0, 0);
	assert_double(c[0].p, 1, 1e-12);
	assert_int_equal(c[0].verdict, VERDICT_EQUIVALENT);
	assert_int_equal(c[1].verdict, VERDICT_WORSE);
	assert_int_equal(c[2].verdict, VERDICT_WORSE);
	assert_double(c[2].change_pct, 50, 1e-12);
	assert_true(c[2].ci95_pct[0] < 50 && c[2].ci95_pct[1] > 50);
	assert_int_equal(c[3].verdict, VERDICT_WORSE);
	made_analysis_release(&m);
}

static void lost_runs_make_a_comparison_invalid(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_comparison *c;
	unsigned int round;

	for (round = 1; round <= 18; round++) {
		made_value(made, "none", round, "real", 1 + .01 * round);
		made_value(made, "trace", round, "real", 2 + .01 * round);
	}
	made_value(made, "none", round, "real", 1);
	run_status_of(made, "trace", round++, "invalid: 3 events lost", 2);
	made_analyse(made, &defaults, &m);
	assert_int_equal(comparison(&m, "config", "trace", "real")->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
	/* what the user stopped was lost for no cause on its side */
	made_value(made, "none", round, "real", 1);
	run_status_of(made, "trace", round++, "failed: interrupted", 2);
	made_analyse(made, &defaults, &m);
	assert_int_equal(comparison(&m, "config", "trace", "real")->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
	/* 2 of 20: not above a tenth, but two more than the other side */
	made_value(made, "none", round, "real", 1);
	run_status_of(made, "trace", round++, "invalid: 3 events lost", 2);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_int_equal(c->verdict, VERDICT_INVALID);
	assert_string_equal(c->reason, "2 of 20 runs of trace failed or were invalid");
	made_analysis_release(&m);
}

static void one_of_nine_lost_is_more_than_a_tenth(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	for (unsigned int round = 1; round <= 8; round++) {
		made_value(made, "none", round, "real", 1 + .01 * round);
		made_value(made, "trace", round, "real", 2 + .01 * round);
	}
	run_status_of(made, "none", 9, "failed: mkfs", 1);
	made_value(made, "trace", 9, "real", 2);
	made_analyse(made, &defaults, &m);
	assert_string_equal(comparison(&m, "config", "trace", "real")->reason,
			    "1 of 9 runs of none failed or were invalid");
	made_analysis_release(&m);
}

static void higher_can_be_better(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_comparison *c;

	for (unsigned int i = 1; i <= 4; i++)
		for (int side = 0; side < 2; side++) {
			char *metrics = xasprintf(
				"{\"iops\":{\"value\":%u,\"unit\":\"1/s\",\"better\":\"higher\","
				"\"headline\":true},\"count\":{\"value\":%u,\"unit\":\"\","
				"\"better\":\"none\",\"headline\":true}}",
				1000 + i + 500 * (unsigned int)side, i + 10 * (unsigned int)side);

			made_run(made, side ? "trace" : "none", i, "measured", "ok", metrics);
			free(metrics);
		}
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "iops");
	assert_int_equal(c->verdict, VERDICT_BETTER);
	assert_int_equal(c->family_size, 1);
	assert_true(c->at_worst_pct <= c->at_best_pct);
	c = comparison(&m, "config", "trace", "count");
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_non_null(c->reason);
	assert_int_equal(c->family_size, 0);
	made_analysis_release(&m);
}

static void a_split_by_few_ticks_has_no_verdict(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_comparison *c;

	for (unsigned int i = 1; i <= 4; i++) {
		made_times(made, "none", i, 5 + .01 * i, 4 + .01 * i, .7 + .001 * i);
		made_times(made, "trace", i, 6 + .02 * i, 4.5 + .02 * i, .9 + .002 * i);
	}
	/* no session: a tick of 4 ms, so that .8 s are 200 of them */
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "sys");
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_string_equal(c->reason, "split sampled at 4 ms");
	assert_false(isnan(c->ci95_pct[0]));
	assert_int_equal(c->family_size, 0);
	assert_int_equal(comparison(&m, "config", "trace", "user")->verdict, VERDICT_WORSE);
	assert_int_equal(comparison(&m, "config", "trace", "real")->family_size, 3);
	made_analysis_release(&m);
	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS,
		     ",\"environment\":{\"kernel.hz\":1000,"
		     "\"kernel.hz_tick_accounting\":\"tick\"}");
	made_analyse(made, &defaults, &m);
	assert_int_equal(comparison(&m, "config", "trace", "sys")->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS,
		     ",\"environment\":{\"kernel.hz\":100,\"kernel.hz_tick_accounting\":null}");
	made_analyse(made, &defaults, &m);
	assert_string_equal(comparison(&m, "config", "trace", "sys")->reason,
			    "split sampled at 10 ms");
	made_analysis_release(&m);
	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS,
		     ",\"environment\":{\"kernel.hz\":100,"
		     "\"kernel.hz_tick_accounting\":\"virt-gen\"}");
	made_analyse(made, &defaults, &m);
	assert_int_equal(comparison(&m, "config", "trace", "sys")->verdict, VERDICT_WORSE);
	assert_int_equal(comparison(&m, "config", "trace", "real")->family_size, 4);
	made_analysis_release(&m);
}

/* One real difference at p about .03, and points without any. */
static void points_of_a_workload_are_one_family(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_comparison *c;

	made->point = "{\"n\":\"1\"}";
	rounds(made, (double[]){ 10, 10, 10, 10 }, (double[]){ 11, 13, 12, 11 }, 4);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_true(c->p > .05 / 3 && c->p < .05);
	assert_int_equal(c->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
	made->point = "{\"n\":\"2\"}";
	rounds(made, (double[]){ 10, 11, 12, 10 }, (double[]){ 11, 10, 12, 10.1 }, 4);
	made->point = "{\"n\":\"3\"}";
	rounds(made, (double[]){ 10, 11, 12, 10 }, (double[]){ 11, 10, 12, 10.1 }, 4);
	made_analyse(made, &defaults, &m);
	c = &m.analysis.comparisons[0];
	assert_int_equal(c->family_size, 3);
	assert_double(c->p_holm, 3 * c->p, 1e-12);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(c->reason, "not after correction for 3");
	assert_int_equal(m.analysis.nfamilies, 1);
	assert_int_equal(m.analysis.families[0].size, 3);
	made_analysis_release(&m);
	made->workload = "io";
	rounds(made, (double[]){ 10, 11, 12, 10 }, (double[]){ 11, 10, 12, 10.1 }, 4);
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.comparisons[0].family_size, 3);
	assert_int_equal(m.analysis.nfamilies, 2);
	made_analysis_release(&m);
}

static void other_metrics_have_intervals_and_no_verdict(void **state)
{
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	const struct analysis_comparison *c;
	struct made_analysis m;

	for (unsigned int i = 1; i <= 4; i++) {
		made_value(made, "none", i, "mkfs.real", 1 + .01 * i);
		made_value(made, "trace", i, "mkfs.real", 2 + .02 * i);
	}
	made_analyse(made, &options, &m);
	c = comparison(&m, "config", "trace", "mkfs.real");
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_null(c->reason);
	assert_false(isnan(c->ci95_pct[1]));
	assert_nan(c->p_holm);
	made_analysis_release(&m);
	options.all_metrics = true;
	made_analyse(made, &options, &m);
	c = comparison(&m, "config", "trace", "mkfs.real");
	assert_int_equal(c->verdict, VERDICT_WORSE);
	assert_int_equal(c->family_size, 1);
	made_analysis_release(&m);
}

static void one_metric_alone_keeps_its_correction(void **state)
{
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	struct made_analysis m;
	double p_holm;

	for (unsigned int i = 1; i <= 5; i++) {
		made_times(made, "none", i, 5 + .02 * i, 4 - .03 * i, 3 + .01 * (i % 3));
		made_times(made, "trace", i, 5.1 + .03 * (i % 3), 4.1, 3.02 + .01 * (i % 2));
	}
	made_analyse(made, &options, &m);
	p_holm = comparison(&m, "config", "trace", "sys")->p_holm;
	made_analysis_release(&m);
	options.metric = "sys";
	made_analyse(made, &options, &m);
	assert_int_equal(m.analysis.ncomparisons, 1);
	assert_int_equal(m.analysis.ngroups, 2);
	assert_int_equal(m.analysis.sections[0].ncomparisons, 1);
	assert_int_equal(m.analysis.cells[1]->first_group, 1);
	assert_string_equal(m.analysis.comparisons[0].fresh->metric, "sys");
	assert_string_equal(m.analysis.comparisons[0].fresh->cell->config, "trace");
	assert_double(m.analysis.comparisons[0].p_holm, p_holm, 0);
	assert_int_equal(m.analysis.comparisons[0].family_size, 4);
	made_analysis_release(&m);
}

static void a_result_that_hangs_on_one_run_says_so(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;
	unsigned int number = 0;

	/* eleven clear rounds, and one so far off that t no longer excludes 0 */
	for (unsigned int i = 1; i <= 12; i++) {
		made_value(made, "none", i, "real", 10 + .01 * i);
		number = made_value(made, "trace", i, "real", i == 12 ? 5 : 10.3 + .011 * i);
	}
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_true(c->p > .05);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(c->reason);
	assert_int_equal(strncmp(c->reason, "depends on run ", 15), 0);
	assert_int_equal(strtoul(c->reason + 15, NULL, 10), number);
	made_analysis_release(&m);
}

static void drift_larger_than_the_change_is_invalid(void **state)
{
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	struct made_analysis m;

	options.one_boot = true;
	for (unsigned int i = 1; i <= 20; i++)
		made_value(made, "none", i, "real", 10 + .2 * i);
	made->label = "6.2";
	made->session = "s2";
	made->boot = "boot2";
	for (unsigned int i = 1; i <= 20; i++)
		made_value(made, "none", i, "real", 12.5 + .01 * (i % 3));
	made_analyse(made, &options, &m);
	assert_int_equal(comparison(&m, "label", "6.2", "real")->verdict, VERDICT_INVALID);
	assert_string_equal(comparison(&m, "label", "6.2", "real")->reason,
			    "drift larger than the change");
	made_analysis_release(&m);
}

static void without_a_ratio_the_interval_is_in_units(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	rounds(made, (double[]){ -1, 0, 1 }, (double[]){ 4, 5, 6.3 }, 3);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_nan(c->change_pct);
	assert_nan(c->ci95_pct[0]);
	assert_nan(c->at_worst_pct);
	assert_false(isnan(c->ci95_units[0]));
	assert_int_equal(c->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
}

static void printed_values_have_the_floor_of_their_rounding(void **state)
{
	static const double base[] = { 1.03, 1.03, 1.02 }, fresh[] = { 1.05, 1.05, 1.05 };
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	const struct analysis_comparison *c;
	struct made_analysis m;

	options.one_boot = true;
	for (int side = 0; side < 2; side++) {
		made->label = side ? "new" : "old";
		made->session = made->label;
		for (unsigned int i = 0; i < 3; i++) {
			char *metrics = xasprintf("{\"sig_inst\":{\"value\":%g,\"unit\":\"us\","
						  "\"better\":\"lower\",\"headline\":true,"
						  "\"half_step\":0.005}}",
						  side ? fresh[i] : base[i]);

			made_run(made, "none", i + 1, "measured", "ok", metrics);
			free(metrics);
		}
	}
	made_analyse(made, &options, &m);
	c = comparison(&m, "label", "new", "sig_inst");
	assert_digits(c->change_pct, 2.3, 1);
	assert_digits(c->ci95_pct[0], 1.1, 1);
	assert_digits(c->ci95_pct[1], 3.5, 1);
	assert_true(c->ci95_rounding_pct[0] < c->ci95_pct[0]);
	assert_true(c->ci95_rounding_pct[1] > c->ci95_pct[1]);
	made_analysis_release(&m);
}

static void verdicts_have_names(void **state)
{
	(void)state;
	assert_string_equal(verdict_name(VERDICT_WORSE), "worse");
	assert_string_equal(verdict_name(VERDICT_BETTER), "better");
	assert_string_equal(verdict_name(VERDICT_EQUIVALENT), "equivalent");
	assert_string_equal(verdict_name(VERDICT_INCONCLUSIVE), "inconclusive");
	assert_string_equal(verdict_name(VERDICT_INVALID), "invalid");
	assert_string_equal(verdict_name(VERDICT_NONE), "none");
}

/* Below the margin, 0 excluded by its own interval, and ten points whose p are corrected. */
static void a_difference_inside_the_margin_is_one_after_correction_only(void **state)
{
	static const double none[] = { 10, 10.02, 9.98, 10.01, 9.99 };
	static const double more[] = { 10.03, 10.06, 9.99, 10.03, 10.03 };
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	rounds(made, none, more, 5);
	made_analyse(made, &defaults, &m);
	c = m.analysis.comparisons;
	assert_true(c->p < .05);
	assert_int_equal(c->verdict, VERDICT_EQUIVALENT);
	assert_string_equal(c->reason, "differs, inside the margin of 1 %");
	made_analysis_release(&m);
	for (unsigned int i = 0; i < 9; i++) {
		char point[16];

		snprintf(point, sizeof(point), "{\"x\":\"%u\"}", i);
		made->point = point;
		rounds(made, none, none, 5);
	}
	made_analyse(made, &defaults, &m);
	c = m.analysis.comparisons;
	assert_int_equal(c->family_size, 10);
	assert_true(c->p < .05 && c->p_holm >= .05);
	assert_int_equal(c->verdict, VERDICT_EQUIVALENT);
	assert_string_equal(c->reason,
			    "within 1 %; differs, but not after correction for 10");
	made_analysis_release(&m);
}

/* What rows of a family can show is at p below .05 over its size. */
static void what_can_be_shown_is_corrected_as_the_verdict_is(void **state)
{
	static const double none[] = { 10, 11, 9, 10.5, 9.5 }, more[] = { 11, 10, 10, 11, 9 };
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;
	double at_05, at_01;

	rounds(made, none, more, 5);
	made_analyse(made, &defaults, &m);
	c = m.analysis.comparisons;
	assert_int_equal(c->family_size, 1);
	assert_nan(c->mde_holm_pct);
	assert_nan(c->runs_needed_holm);
	at_05 = c->mde_pct;
	made_analysis_release(&m);
	for (unsigned int i = 0; i < 4; i++) {
		char point[16];

		snprintf(point, sizeof(point), "{\"x\":\"%u\"}", i);
		made->point = point;
		rounds(made, none, more, 5);
	}
	made_analyse(made, &defaults, &m);
	c = m.analysis.comparisons;
	assert_int_equal(c->family_size, 5);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_double(c->mde_pct, at_05, 0);
	/* of the design: the standard error times the ncp of 80 % power */
	assert_int_equal(t_test_ncp(.8, 4, .99, &at_01), 0);
	assert_double(c->mde_holm_pct, 100 * at_01 * c->design.se / c->of_base.mean, 1e-9);
	assert_true(c->mde_holm_pct > c->mde_pct);
	assert_true(c->runs_needed_holm > c->runs_needed[0]);
	made_analysis_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(fewer_than_three_rounds_are_too_few),
		MADE_TEST(equal_values_are_judged_by_the_clock),
		MADE_TEST(lost_runs_make_a_comparison_invalid),
		MADE_TEST(one_of_nine_lost_is_more_than_a_tenth),
		MADE_TEST(higher_can_be_better),
		MADE_TEST(a_split_by_few_ticks_has_no_verdict),
		MADE_TEST(points_of_a_workload_are_one_family),
		MADE_TEST(other_metrics_have_intervals_and_no_verdict),
		MADE_TEST(one_metric_alone_keeps_its_correction),
		MADE_TEST(a_result_that_hangs_on_one_run_says_so),
		MADE_TEST(drift_larger_than_the_change_is_invalid),
		MADE_TEST(without_a_ratio_the_interval_is_in_units),
		MADE_TEST(printed_values_have_the_floor_of_their_rounding),
		MADE_TEST(verdicts_have_names),
		MADE_TEST(a_difference_inside_the_margin_is_one_after_correction_only),
		MADE_TEST(what_can_be_shown_is_corrected_as_the_verdict_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
