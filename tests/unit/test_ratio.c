// SPDX-License-Identifier: GPL-3.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "results/ratio.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/published.h"

static void check_pct(const struct sample_summary *base, const struct sample_summary *new,
		      double level, double low, double high, int places)
{
	struct interval ci;

	assert_int_equal(ratio_unpaired(base, new, level, &ci), 0);
	assert_digits(ratio_change_pct(ci.low), low, places);
	assert_digits(ratio_change_pct(ci.high), high, places);
}

/* ---- published figures ---- */

static void lsm_intervals(void **state)
{
	static const double expected[3][5] = {
		{ -.29465027, -.595624, .008114, -.534299, -.053895 },
		{ .14394029, -.055136, .343567, -.017679, .305913 },
		{ -1.81502910, -2.788246, -.828283, -2.606059, -1.015298 },
	};

	(void)state;
	for (int m = 0; m < 3; m++) {
		struct sample_summary base = summary_of(lsm[m][0], 6);
		struct sample_summary new = summary_of(lsm[m][1], 6);
		const double *e = expected[m];

		assert_digits(ratio_change_pct(new.mean / base.mean), e[0], 8);
		check_pct(&base, &new, .95, e[1], e[2], 6);
		check_pct(&base, &new, .90, e[3], e[4], 6);
	}
}

/* no difference is proven in real, and it is equivalent within 1 % */
static void lsm_real_equivalent(void **state)
{
	struct sample_summary base = summary_of(lsm[0][0], 6), new = summary_of(lsm[0][1], 6);
	struct ratio_point point;
	struct interval ci90;

	(void)state;
	assert_int_equal(ratio_unpaired_at(&base, &new, .99, &point), 0);
	assert_digits(point.p_above, .000554, 6);
	assert_double(point.p_above + point.p_below, 1, 1e-12);
	assert_double(point.p, 2 * point.p_above, 1e-12);
	assert_int_equal(ratio_unpaired(&base, &new, .90, &ci90), 0);
	assert_true(ratio_equivalent(&ci90, 1));
	assert_false(ratio_equivalent(&ci90, .5));
	assert_false(ratio_equivalent(&ci90, 0));
	assert_double(ratio_at_worst(&ci90, true), ci90.high, 0);
	assert_double(ratio_at_best(&ci90, true), ci90.low, 0);
	assert_double(ratio_at_worst(&ci90, false), ci90.low, 0);
	assert_double(ratio_at_best(&ci90, false), ci90.high, 0);
	ci90 = (struct interval){ NAN, NAN };
	assert_false(ratio_equivalent(&ci90, 1));
}

static void markers_intervals(void **state)
{
	struct ratio_point point;
	struct ratio_test test;

	(void)state;
	assert_digits(ratio_change_pct(markers[1].mean / markers[0].mean), 2.132557, 6);
	assert_digits(ratio_change_pct(markers[3].mean / markers[2].mean), -3.818450, 6);
	check_pct(&markers[0], &markers[1], .95, -1.000, 5.304, 3);
	check_pct(&markers[0], &markers[1], .90, -.444, 4.737, 3);
	check_pct(&markers[2], &markers[3], .95, -12.868, 5.636, 3);
	check_pct(&markers[2], &markers[3], .90, -11.280, 3.932, 3);
	assert_int_equal(ratio_unpaired_at(&markers[0], &markers[1], 1.05, &point), 0);
	assert_digits(point.p_below, .0365, 4);
	assert_digits(ratio_change_pct(markers[2].mean / markers[0].mean), 89.1, 1);
	check_pct(&markers[0], &markers[2], .95, 78.7, 99.5, 1);
	assert_digits(ratio_change_pct(markers[3].mean / markers[1].mean), 78.0, 1);
	check_pct(&markers[1], &markers[3], .95, 62.3, 93.9, 1);
	assert_int_equal(interaction_summaries(markers, .95, &test), 0);
	assert_digits(test.ratio, .9417, 4);
	assert_digits(test.ci.low, .8526, 4);
	assert_digits(test.ci.high, 1.0401, 4);
	assert_digits(test.p, .2207, 4);
}

static void paravirt_table(void **state)
{
	double p[10];

	(void)state;
	for (int i = 0; i < 10; i++) {
		const struct paravirt_row *row = &paravirt[i];
		struct sample_summary base = summary_of(row->base, 3);
		struct sample_summary new = summary_of(row->new, 3);
		struct t_test test;

		sample_floor_sd(&base, row->step);
		sample_floor_sd(&new, row->step);
		assert_digits(ratio_change_pct(new.mean / base.mean), row->change_pct,
			      row->change_places);
		check_pct(&base, &new, .95, row->low_pct, row->high_pct, row->bound_places);
		assert_int_equal(welch_test(&base, &new, .95, &test), 0);
		p[i] = test.p;
	}
	assert_int_equal(holm_adjust(p, 10, p), 0);
	assert_digits(p[0], .002, 3);
	assert_digits(p[7], .019, 3);
	for (int i = 0; i < 10; i++)
		assert_int_equal(p[i] < .05, i == 0 || i == 7);
}

/* ---- rounds ---- */

static void paired_against_logs(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double base[12], new[12], logs[12];
	struct interval fieller, log_ci;
	struct sample_summary log_summary;
	struct pair_summary pair;

	(void)state;
	gsl_rng_set(rng, 11);
	for (int i = 0; i < 12; i++) {
		double round = gsl_ran_gaussian(rng, 3);

		base[i] = 100 + round + gsl_ran_gaussian(rng, .3);
		new[i] = 104 + 1.04 * round + gsl_ran_gaussian(rng, .3);
	}
	gsl_rng_free(rng);
	assert_int_equal(pair_summarize(base, new, 12, &pair), 0);
	assert_int_equal(ratio_paired(&pair, .95, &fieller), 0);
	assert_int_equal(pair_log_ratios(base, new, 12, logs), 0);
	log_summary = summary_of(logs, 12);
	assert_int_equal(sample_interval(&log_summary, .95, &log_ci), 0);
	assert_double(fieller.low, exp(log_ci.low), 1e-4);
	assert_double(fieller.high, exp(log_ci.high), 1e-4);
}

/* the closed form puts its ends where the paired test of y - r x has p = .05 */
static void paired_inverts_test(void **state)
{
	struct pair_summary pair;
	struct ratio_point point;
	struct interval ci;

	(void)state;
	for (int m = 0; m < 3; m++) {
		assert_int_equal(pair_summarize(lsm[m][0], lsm[m][1], 6, &pair), 0);
		assert_int_equal(ratio_paired(&pair, .95, &ci), 0);
		assert_int_equal(ratio_paired_at(&pair, ci.low, &point), 0);
		assert_double(point.p, .05, 1e-7);
		assert_true(point.t > 0);
		assert_int_equal(ratio_paired_at(&pair, ci.high, &point), 0);
		assert_double(point.p, .05, 1e-7);
		assert_true(point.t < 0);
	}
}

static void constant_ratio(void **state)
{
	const double base[] = { 3.1, 4.7, 5.9, 2.2, 3.3 };
	const double flat[] = { 2, 2, 2, 2, 2 };
	double new[5];
	struct pair_summary pair;
	struct interval ci;

	(void)state;
	for (int i = 0; i < 5; i++)
		new[i] = base[i] * 1.1;
	assert_int_equal(pair_summarize(base, new, 5, &pair), 0);
	assert_int_equal(ratio_paired(&pair, .95, &ci), 0);
	assert_double(ci.low, 1.1, 1e-6);
	assert_double(ci.high, 1.1, 1e-6);
	assert_int_equal(pair_summarize(flat, base, 5, &pair), 0);
	assert_int_equal(ratio_paired(&pair, .95, &ci), 0);
	assert_true(ci.low < pair.new.mean / 2 && ci.high > pair.new.mean / 2);
	assert_int_equal(pair_summarize(flat, flat, 5, &pair), 0);
	assert_int_equal(ratio_paired(&pair, .95, &ci), 0);
	assert_nan(ci.low);
}

static void interaction_of_rounds(void **state)
{
	double logs[2][6], swapped[2][6];
	struct sample_summary s[2], t[2];
	struct ratio_test test, inverse;

	(void)state;
	for (int label = 0; label < 2; label++) {
		int err = pair_log_ratios(lsm[label + 1][0], lsm[label + 1][1], 6, logs[label]);

		assert_int_equal(err, 0);
		s[label] = summary_of(logs[label], 6);
		for (int i = 0; i < 6; i++)
			swapped[label][i] = -logs[label][i];
		t[label] = summary_of(swapped[label], 6);
	}
	assert_int_equal(interaction_rounds(&s[0], &s[1], .95, &test), 0);
	assert_int_equal(interaction_rounds(&t[0], &t[1], .95, &inverse), 0);
	assert_double(test.ratio, exp(s[1].mean - s[0].mean), 1e-12);
	assert_double(inverse.ratio, 1 / test.ratio, 1e-12);
	assert_double(inverse.ci.low, 1 / test.ci.high, 1e-12);
	assert_double(inverse.p, test.p, 1e-10);
	assert_int_equal(pair_log_ratios((const double[]){ 1 }, (const double[]){ 0 }, 1, logs[0]),
			 -EDOM);
}

/* ---- no percent ---- */

static void no_percent(void **state)
{
	struct sample_summary good = { 10, 1, 6 }, negative = { -10, 1, 6 }, vague = { 1, 5, 6 };
	struct sample_summary flat = { 10, 0, 6 }, single = { 10, NAN, 1 };
	struct sample_summary unknown = { NAN, NAN, 6 };
	const struct sample_summary *bad[][2] = {
		{ &good, &negative }, { &negative, &good }, { &vague, &good }, { &flat, &flat },
		{ &single, &good }, { &good, &single }, { &unknown, &good },
	};
	const struct sample_summary four[4] = { good, good, negative, good };
	struct pair_summary pair = { vague, good, 0, 5 };
	struct ratio_point point;
	struct ratio_test test;
	struct interval ci;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(ratio_unpaired(bad[i][0], bad[i][1], .95, &ci), 0);
		assert_nan(ci.low);
		assert_nan(ci.high);
	}
	assert_int_equal(ratio_paired(&pair, .95, &ci), 0);
	assert_nan(ci.low);
	pair = (struct pair_summary){ good, negative, 0, 1 };
	assert_int_equal(ratio_paired(&pair, .95, &ci), 0);
	assert_nan(ci.high);
	pair.new = single;
	assert_int_equal(ratio_paired(&pair, .95, &ci), -EINVAL);
	assert_int_equal(interaction_summaries(four, .95, &test), 0);
	assert_nan(test.ratio);
	assert_nan(test.p);
	assert_int_equal(ratio_unpaired_at(&flat, &flat, 1, &point), 0);
	assert_nan(point.p);
	assert_int_equal(ratio_unpaired(&good, &good, 1.5, &ci), -EINVAL);
	/* one constant side is legal, and new may be too vague to tell from 0 */
	assert_int_equal(ratio_unpaired(&flat, &good, .95, &ci), 0);
	assert_true(ci.low < 1 && ci.high > 1);
	assert_int_equal(ratio_unpaired(&good, &flat, .95, &ci), 0);
	assert_true(ci.low < 1 && ci.high > 1);
	assert_int_equal(ratio_unpaired(&good, &vague, .95, &ci), 0);
	assert_true(ci.low < 0 && ci.high > .1);
}

/* ---- rounding ---- */

static void rounding_interval(void **state)
{
	struct sample_summary base = { 1, .02, 6 }, new = { 1.1, .02, 6 };
	struct sample_summary up = base, down = new;
	struct pair_summary pair = { base, new, 0, .02 * M_SQRT2 };
	struct interval plain, wide, shifted;

	(void)state;
	assert_int_equal(ratio_unpaired(&base, &new, .95, &plain), 0);
	assert_int_equal(ratio_unpaired_rounding(&base, &new, 0, 0, .95, &wide), 0);
	assert_double(wide.low, plain.low, 0);
	assert_double(wide.high, plain.high, 0);
	assert_int_equal(ratio_unpaired_rounding(&base, &new, .1, .01, .95, &wide), 0);
	up.mean = 1.05;
	down.mean = 1.095;
	assert_int_equal(ratio_unpaired(&up, &down, .95, &shifted), 0);
	assert_double(wide.low, shifted.low, 1e-12);
	up.mean = .95;
	down.mean = 1.105;
	assert_int_equal(ratio_unpaired(&up, &down, .95, &shifted), 0);
	assert_double(wide.high, shifted.high, 1e-12);
	assert_int_equal(ratio_paired(&pair, .95, &plain), 0);
	assert_int_equal(ratio_paired_rounding(&pair, .1, .01, .95, &wide), 0);
	assert_true(wide.low < plain.low && wide.high > plain.high);
	assert_int_equal(ratio_unpaired_rounding(&base, &new, 4, .01, .95, &wide), 0);
	assert_nan(wide.low);
	assert_nan(wide.high);
}

/* ---- properties ---- */

/* random sides of different n and sd; the means are close enough for both outcomes */
static void random_sides(gsl_rng *rng, struct sample_summary *base, struct sample_summary *new)
{
	struct sample_summary *sides[] = { base, new };
	double values[12];

	for (int side = 0; side < 2; side++) {
		size_t n = 3 + gsl_rng_uniform_int(rng, 9);
		double sd = exp(4 * gsl_rng_uniform(rng) - 3);
		double mean = 50 + (side ? 4 * gsl_rng_uniform(rng) - 2 : 0);

		for (size_t i = 0; i < n; i++)
			values[i] = mean + gsl_ran_gaussian(rng, sd);
		*sides[side] = summary_of(values, n);
	}
}

static void excludes_one_as_welch(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct sample_summary base, new;
	struct interval ci;
	struct t_test test;
	int significant = 0;

	(void)state;
	gsl_rng_set(rng, 2007);
	for (int r = 0; r < 3000; r++) {
		random_sides(rng, &base, &new);
		assert_int_equal(ratio_unpaired(&base, &new, .95, &ci), 0);
		assert_int_equal(welch_test(&base, &new, .95, &test), 0);
		assert_int_equal(test.p < .05, ci.low > 1 || ci.high < 1);
		significant += test.p < .05;
	}
	gsl_rng_free(rng);
	assert_in_range(significant, 300, 2700);
}

static void swap_inverts(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct sample_summary base, new, scaled_base, scaled_new;
	struct interval ci, swapped, scaled;

	(void)state;
	gsl_rng_set(rng, 2005);
	for (int r = 0; r < 300; r++) {
		random_sides(rng, &base, &new);
		assert_int_equal(ratio_unpaired(&base, &new, .95, &ci), 0);
		assert_int_equal(ratio_unpaired(&new, &base, .95, &swapped), 0);
		assert_double(swapped.low, 1 / ci.high, 1e-8);
		assert_double(swapped.high, 1 / ci.low, 1e-8);
		scaled_base = (struct sample_summary){ base.mean * 1e9, base.sd * 1e9, base.n };
		scaled_new = (struct sample_summary){ new.mean * 1e9, new.sd * 1e9, new.n };
		assert_int_equal(ratio_unpaired(&scaled_base, &scaled_new, .95, &scaled), 0);
		assert_double(scaled.low, ci.low, 1e-10);
		assert_double(scaled.high, ci.high, 1e-10);
	}
	gsl_rng_free(rng);
}

static void swap_inverts_paired(void **state)
{
	struct pair_summary pair, back;
	struct interval ci, swapped;

	(void)state;
	for (int m = 0; m < 3; m++) {
		assert_int_equal(pair_summarize(lsm[m][0], lsm[m][1], 6, &pair), 0);
		assert_int_equal(pair_summarize(lsm[m][1], lsm[m][0], 6, &back), 0);
		assert_int_equal(ratio_paired(&pair, .95, &ci), 0);
		assert_int_equal(ratio_paired(&back, .95, &swapped), 0);
		assert_double(swapped.low, 1 / ci.high, 1e-10);
		assert_double(swapped.high, 1 / ci.low, 1e-10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lsm_intervals),
		cmocka_unit_test(lsm_real_equivalent),
		cmocka_unit_test(markers_intervals),
		cmocka_unit_test(paravirt_table),
		cmocka_unit_test(paired_against_logs),
		cmocka_unit_test(paired_inverts_test),
		cmocka_unit_test(constant_ratio),
		cmocka_unit_test(interaction_of_rounds),
		cmocka_unit_test(no_percent),
		cmocka_unit_test(rounding_interval),
		cmocka_unit_test(excludes_one_as_welch),
		cmocka_unit_test(swap_inverts),
		cmocka_unit_test(swap_inverts_paired),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
