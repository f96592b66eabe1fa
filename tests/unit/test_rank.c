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
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "results/rank.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/published.h"

static void lsm_mann_whitney(void **state)
{
	static const double expected[3][3] = {
		{ 30, .0649350649, -1.485 },
		{ 9, .1796536797, .580 },
		{ 35, .0043290043, -1.140 },
	};
	struct rank_test test;

	(void)state;
	for (int m = 0; m < 3; m++) {
		assert_int_equal(mann_whitney_test(lsm[m][0], 6, lsm[m][1], 6, .95, &test), 0);
		assert_double(test.statistic, expected[m][0], 0);
		assert_digits(test.p, expected[m][1], 10);
		assert_double(test.p_min, 2. / 924, 1e-12);
		assert_digits(test.estimate, expected[m][2], 9);
		assert_true(test.exact);
		assert_int_equal(test.p < .05, test.ci.low > 0 || test.ci.high < 0);
	}
}

/* one difference is 0 and two are equal; what R's wilcox.test would do exactly */
static void sleep_signed_rank(void **state)
{
	struct rank_test test;
	double d[10];

	(void)state;
	for (int i = 0; i < 10; i++)
		d[i] = sleep_extra[0][i] - sleep_extra[1][i];
	assert_int_equal(signed_rank_test(d, 10, .95, &test), 0);
	assert_double(test.statistic, 0, 0);
	assert_double(test.p, 2. / 512, 1e-12);
	assert_double(test.p_min, 2. / 512, 1e-12);
	assert_digits(test.estimate, -1.3, 9);
	assert_true(test.ci.high < 0);
}

/* ---- against plain enumeration ---- */

static double mid_rank(const double *values, int n, double value)
{
	int below = 0, equal = 0;

	for (int i = 0; i < n; i++) {
		below += values[i] < value;
		equal += values[i] == value;
	}
	return below + (equal + 1) / 2.;
}

/* p over every subset of ranks; chosen < 0: of any size */
static double enumerated_p(const double *ranks, int n, int chosen, double observed)
{
	double centre = 0, far = 0, all = 0;

	for (int i = 0; i < n; i++)
		centre += chosen < 0 ? ranks[i] / 2 : ranks[i] * chosen / n;
	for (unsigned int set = 0; set < 1u << n; set++) {
		double sum = 0;

		if (chosen >= 0 && __builtin_popcount(set) != chosen)
			continue;
		for (int i = 0; i < n; i++)
			if (set >> i & 1)
				sum += ranks[i];
		all++;
		far += fabs(sum - centre) >= fabs(observed - centre) - 1e-9;
	}
	return far / all;
}

static void signed_rank_enumerated(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double d[12], size[12], ranks[12];
	struct rank_test test;

	(void)state;
	gsl_rng_set(rng, 3);
	for (int r = 0; r < 60; r++) {
		int n = 2 + (int)gsl_rng_uniform_int(rng, 11);
		double observed = 0;

		/* few different sizes make ties; none is 0 */
		for (int i = 0; i < n; i++) {
			size[i] = 1 + (double)gsl_rng_uniform_int(rng, r % 2 ? 4 : 1000);
			d[i] = gsl_rng_uniform(rng) < .7 ? size[i] : -size[i];
		}
		for (int i = 0; i < n; i++) {
			ranks[i] = mid_rank(size, n, size[i]);
			observed += d[i] > 0 ? ranks[i] : 0;
		}
		assert_int_equal(signed_rank_test(d, (size_t)n, .95, &test), 0);
		assert_double(test.statistic, observed, 1e-12);
		assert_double(test.p, enumerated_p(ranks, n, -1, observed), 1e-12);
		assert_double(test.p_min, ldexp(2, -n), 1e-12);
	}
	gsl_rng_free(rng);
}

static void mann_whitney_enumerated(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double values[13], ranks[13];
	struct rank_test test;

	(void)state;
	gsl_rng_set(rng, 4);
	for (int r = 0; r < 60; r++) {
		int x = 2 + (int)gsl_rng_uniform_int(rng, 5);
		int y = 2 + (int)gsl_rng_uniform_int(rng, 6);
		double observed = 0;

		for (int i = 0; i < x + y; i++)
			values[i] = (double)gsl_rng_uniform_int(rng, r % 2 ? 5 : 1000);
		for (int i = 0; i < x + y; i++)
			ranks[i] = mid_rank(values, x + y, values[i]);
		for (int i = 0; i < x; i++)
			observed += ranks[i];
		assert_int_equal(mann_whitney_test(values, (size_t)x, values + x, (size_t)y, .95,
						   &test), 0);
		assert_double(test.statistic, observed - x * (x + 1) / 2., 1e-12);
		assert_double(test.p, enumerated_p(ranks, x + y, x, observed), 1e-12);
	}
	gsl_rng_free(rng);
}

/* ---- beyond enumeration ---- */

static void signed_rank_draws(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct rank_test test, again;
	double d[40], z;

	(void)state;
	gsl_rng_set(rng, 5);
	for (int i = 0; i < 40; i++)
		d[i] = .35 + gsl_ran_gaussian(rng, 1);
	gsl_rng_free(rng);
	assert_int_equal(signed_rank_test(d, 40, .95, &test), 0);
	assert_int_equal(signed_rank_test(d, 40, .95, &again), 0);
	assert_memory_equal(&test.p, &again.p, sizeof(test.p));
	assert_false(test.exact);
	assert_true(test.p_min > 0 && test.p_min < .001);
	assert_double(test.p * 100001, round(test.p * 100001), 1e-9);
	z = (fabs(test.statistic - 410) - .5) / sqrt(40 * 41 * 81 / 24.);
	assert_true(fabs(test.p - 2 * gsl_cdf_ugaussian_Q(z)) < .005);
	assert_int_equal(test.p < .05, test.ci.low > 0 || test.ci.high < 0);
	assert_true(test.ci.low < test.estimate && test.estimate < test.ci.high);
	assert_int_equal(signed_rank_test(d, 20, .95, &test), 0);
	assert_true(test.exact);
	assert_int_equal(signed_rank_test(d, 21, .95, &test), 0);
	assert_false(test.exact);
}

static void mann_whitney_draws(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct rank_test exact, drawn;
	double base[60], new[60], z;

	(void)state;
	gsl_rng_set(rng, 6);
	for (int i = 0; i < 60; i++) {
		base[i] = gsl_ran_gaussian(rng, 1);
		new[i] = .3 + gsl_ran_gaussian(rng, 1);
	}
	gsl_rng_free(rng);
	assert_int_equal(mann_whitney_test(base, 50, new, 50, .95, &exact), 0);
	assert_true(exact.exact);
	z = (fabs(exact.statistic - 1250) - .5) / sqrt(50 * 50 * 101 / 12.);
	assert_true(fabs(exact.p - 2 * gsl_cdf_ugaussian_Q(z)) < .002);
	assert_int_equal(mann_whitney_test(base, 60, new, 60, .95, &drawn), 0);
	assert_false(drawn.exact);
	z = (fabs(drawn.statistic - 1800) - .5) / sqrt(60 * 60 * 121 / 12.);
	assert_true(fabs(drawn.p - 2 * gsl_cdf_ugaussian_Q(z)) < .007);
	assert_int_equal(drawn.p < .05, drawn.ci.low > 0 || drawn.ci.high < 0);
}

/* ---- edges ---- */

static void too_few_for_the_level(void **state)
{
	const double d[] = { 1.1, 1.2, 1.3, 1.4, 1.5, 1.6 };
	const double other[] = { 2.1, 2.2, 2.3 };
	struct rank_test test;

	(void)state;
	assert_int_equal(signed_rank_test(d, 5, .95, &test), 0);
	assert_double(test.p, .0625, 1e-12);
	assert_double(test.p_min, .0625, 1e-12);
	assert_nan(test.ci.low);
	assert_nan(test.ci.high);
	assert_double(test.estimate, 1.3, 1e-12);
	assert_int_equal(signed_rank_test(d, 6, .95, &test), 0);
	assert_double(test.p, .03125, 1e-12);
	assert_double(test.ci.low, 1.1, 1e-12);
	assert_double(test.ci.high, 1.6, 1e-12);
	assert_int_equal(mann_whitney_test(d, 3, other, 3, .95, &test), 0);
	assert_double(test.p, .1, 1e-12);
	assert_double(test.p_min, .1, 1e-12);
	assert_nan(test.ci.low);
	assert_double(test.estimate, 1, 1e-12);
}

static void nothing_to_rank(void **state)
{
	const double zeros[6] = { 0 }, one = 2, bad[] = { 1, NAN };
	static double many[RANK_MAX_VALUES + 1];
	struct rank_test test;

	(void)state;
	assert_int_equal(signed_rank_test(NULL, 0, .95, &test), 0);
	assert_nan(test.p);
	assert_nan(test.estimate);
	assert_int_equal(mann_whitney_test(&one, 1, NULL, 0, .95, &test), 0);
	assert_nan(test.p);
	assert_int_equal(signed_rank_test(&one, 1, .95, &test), 0);
	assert_double(test.p, 1, 0);
	assert_double(test.estimate, 2, 0);
	assert_int_equal(signed_rank_test(zeros, 6, .95, &test), 0);
	assert_double(test.p, 1, 0);
	assert_double(test.estimate, 0, 0);
	assert_int_equal(mann_whitney_test(zeros, 3, zeros + 3, 3, .95, &test), 0);
	assert_double(test.statistic, 4.5, 0);
	assert_double(test.p, 1, 0);
	assert_double(test.p_min, 1, 0);
	assert_int_equal(signed_rank_test(bad, 2, .95, &test), -EINVAL);
	assert_int_equal(mann_whitney_test(bad, 2, zeros, 6, .95, &test), -EINVAL);
	assert_int_equal(signed_rank_test(zeros, 6, 1, &test), -EINVAL);
	assert_int_equal(signed_rank_test(many, RANK_MAX_VALUES + 1, .95, &test), -E2BIG);
	assert_int_equal(mann_whitney_test(zeros, 6, many, RANK_MAX_VALUES + 1, .95, &test),
			 -E2BIG);
}

static void swapped_sides(void **state)
{
	struct rank_test test, swapped;

	(void)state;
	assert_int_equal(mann_whitney_test(lsm[2][0], 5, lsm[2][1], 6, .95, &test), 0);
	assert_int_equal(mann_whitney_test(lsm[2][1], 6, lsm[2][0], 5, .95, &swapped), 0);
	assert_double(swapped.statistic, 30 - test.statistic, 1e-12);
	assert_double(swapped.p, test.p, 1e-12);
	assert_double(swapped.estimate, -test.estimate, 1e-12);
	assert_double(swapped.ci.low, -test.ci.high, 1e-12);
	assert_double(swapped.ci.high, -test.ci.low, 1e-12);
}

/* ---- drift ---- */

static void drift_found(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double values[20], p, again;
	int alarms = 0;

	(void)state;
	gsl_rng_set(rng, 8);
	for (int i = 0; i < 20; i++)
		values[i] = 100 + 3 * i / 19. * 3 + gsl_ran_gaussian(rng, 1);
	assert_int_equal(drift_test(values, 20, &p), 0);
	assert_true(p < DRIFT_ALPHA);
	assert_int_equal(drift_test(values, 20, &again), 0);
	assert_double(again, p, 0);
	for (int r = 0; r < 200; r++) {
		for (int i = 0; i < 12; i++)
			values[i] = gsl_ran_gaussian(rng, 1);
		assert_int_equal(drift_test(values, 12, &p), 0);
		alarms += p < DRIFT_ALPHA;
	}
	gsl_rng_free(rng);
	assert_in_range(alarms, 0, 7);
}

static void stopping_early_says_the_same(void **state)
{
	double values[16], p;
	unsigned int seed = 1;
	bool shown;

	(void)state;
	for (int set = 0; set < 60; set++) {
		for (size_t i = 0; i < 16; i++) {
			seed = seed * 1103515245 + 12345;
			values[i] = (seed >> 16 & 1023) + 45. * (double)i * (set % 3);
		}
		assert_int_equal(drift_test(values, 16, &p), 0);
		assert_int_equal(drift_is_shown(values, 16, &shown), 0);
		assert_int_equal(shown, p < DRIFT_ALPHA);
	}
	assert_int_equal(drift_is_shown(values, 1, &shown), 0);
	assert_false(shown);
}

static void drift_edges(void **state)
{
	const double equal[] = { .1, .1, .1 }, steps[] = { 1, 1, 1, 1, 2, 2, 2, 2, 2 };
	const double bad[] = { 1, INFINITY };
	double p;

	(void)state;
	assert_int_equal(drift_test(equal, 1, &p), 0);
	assert_nan(p);
	assert_int_equal(drift_test(equal, 3, &p), 0);
	assert_double(p, 1, 0);
	/* nine values, as much drift as there can be: 2/126 */
	assert_int_equal(drift_test(steps, 9, &p), 0);
	assert_double(p, 2. / 126, .25);
	assert_true(p > DRIFT_ALPHA);
	assert_int_equal(drift_test(bad, 2, &p), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lsm_mann_whitney),
		cmocka_unit_test(sleep_signed_rank),
		cmocka_unit_test(signed_rank_enumerated),
		cmocka_unit_test(mann_whitney_enumerated),
		cmocka_unit_test(signed_rank_draws),
		cmocka_unit_test(mann_whitney_draws),
		cmocka_unit_test(too_few_for_the_level),
		cmocka_unit_test(nothing_to_rank),
		cmocka_unit_test(swapped_sides),
		cmocka_unit_test(drift_found),
		cmocka_unit_test(stopping_early_says_the_same),
		cmocka_unit_test(drift_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
