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

#include "results/power.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/published.h"

/* n a side, difference 1, sd 1 */
static void known_power(void **state)
{
	double power, ncp;

	(void)state;
	assert_int_equal(t_test_power(sqrt(20 / 2.), 38, .95, &power), 0);
	assert_digits(power, .868953, 6);
	assert_int_equal(t_test_ncp(power, 38, .95, &ncp), 0);
	assert_double(ncp, sqrt(10), 1e-8);
}

static void noncentral_limits(void **state)
{
	const double dfs[] = { 1, 1.5, 2.2, 5, 29.5, 400, 1e6 };
	double value, mirrored;

	(void)state;
	for (size_t i = 0; i < sizeof(dfs) / sizeof(dfs[0]); i++) {
		/* central, the value at 0, and the mirror */
		assert_int_equal(noncentral_t_cdf(1.3, dfs[i], 0, &value), 0);
		assert_double(value, gsl_cdf_tdist_P(1.3, dfs[i]), 1e-8);
		assert_int_equal(noncentral_t_cdf(0, dfs[i], 1.7, &value), 0);
		assert_double(value, gsl_cdf_ugaussian_P(-1.7), 1e-8);
		assert_int_equal(noncentral_t_cdf(2.1, dfs[i], 1.7, &value), 0);
		assert_int_equal(noncentral_t_cdf(-2.1, dfs[i], -1.7, &mirrored), 0);
		assert_double(value + mirrored, 1, 1e-8);
		/* no effect: the level */
		assert_int_equal(t_test_power(0, dfs[i], .95, &value), 0);
		assert_double(value, .05, 1e-6);
	}
	/* many df: the normal distribution */
	assert_int_equal(t_test_ncp(.8, 1e6, .95, &value), 0);
	assert_double(value, gsl_cdf_ugaussian_Pinv(.975) + gsl_cdf_ugaussian_Pinv(.8), 1e-5);
}

static void lsm_mde(void **state)
{
	static const double expected[3] = { .417, .278, 1.383 };
	double pct;

	(void)state;
	for (int m = 0; m < 3; m++) {
		struct sample_summary base = summary_of(lsm[m][0], 6);
		struct sample_summary new = summary_of(lsm[m][1], 6);

		assert_int_equal(mde_unpaired(&base, &new, &pct), 0);
		assert_digits(pct, expected[m], 3);
	}
}

static void markers_runs(void **state)
{
	struct runs_needed runs;
	double pct;

	(void)state;
	assert_int_equal(mde_unpaired(&markers[0], &markers[1], &pct), 0);
	assert_digits(pct, 4.41, 2);
	assert_int_equal(mde_unpaired(&markers[2], &markers[3], &pct), 0);
	assert_digits(pct, 13.1, 1);
	assert_int_equal(runs_needed_unpaired(&markers[0], &markers[1], 2, &runs), 0);
	assert_double(runs.n, 44, 0);
	assert_true(runs.low > 3 && runs.low < 44 && runs.high > 44);
	assert_int_equal(runs_needed_unpaired(&markers[2], &markers[3], 2, &runs), 0);
	assert_double(runs.n, 379, 0);
}

/* the 95 % range of n goes with the variance: .39 to 6.0 of it at 6 rounds, .47 to 3.3 at 10 */
static void range_of_runs(void **state)
{
	struct sample_summary side = { 100, 1, 6 };
	struct pair_summary pair = { side, side, 0, 20 };
	struct runs_needed runs;

	(void)state;
	assert_int_equal(runs_needed_paired(&pair, 1, &runs), 0);
	assert_digits(runs.low / runs.n, .39, 2);
	assert_digits(runs.high / runs.n, 6.0, 1);
	pair.base.n = 10;
	pair.new.n = 10;
	assert_int_equal(runs_needed_paired(&pair, 1, &runs), 0);
	assert_digits(runs.low / runs.n, .47, 2);
	assert_digits(runs.high / runs.n, 3.3, 1);
}

/* n is the smallest that reaches the power, and the MDE of that many is below the effect */
static void smallest_number(void **state)
{
	struct sample_summary side = { 100, 1, 10 };
	struct pair_summary pair = { side, side, 0, 3 };
	struct runs_needed runs;
	double power, pct;

	(void)state;
	assert_int_equal(runs_needed_paired(&pair, 2, &runs), 0);
	assert_int_equal(t_test_power(2 * sqrt(runs.n) / 3, runs.n - 1, .95, &power), 0);
	assert_true(power >= .8);
	assert_int_equal(t_test_power(2 * sqrt(runs.n - 1) / 3, runs.n - 2, .95, &power), 0);
	assert_true(power < .8);
	pair.base.n = (size_t)runs.n;
	pair.new.n = (size_t)runs.n;
	assert_int_equal(mde_paired(&pair, &pct), 0);
	assert_true(pct <= 2);
	pair.base.n--;
	pair.new.n--;
	assert_int_equal(mde_paired(&pair, &pct), 0);
	assert_true(pct > 2);
	assert_int_equal(runs_needed_paired(&pair, 1000, &runs), 0);
	assert_double(runs.n, POWER_RUNS_MIN, 0);
}

static void scale_invariance(void **state)
{
	struct sample_summary base = markers[0], new = markers[1];
	struct runs_needed runs;
	double pct, scaled;

	(void)state;
	assert_int_equal(mde_unpaired(&base, &new, &pct), 0);
	base.mean *= 1e9;
	base.sd *= 1e9;
	new.mean *= 1e9;
	new.sd *= 1e9;
	assert_int_equal(mde_unpaired(&base, &new, &scaled), 0);
	assert_double(scaled, pct, 1e-9);
	assert_int_equal(runs_needed_unpaired(&base, &new, 2, &runs), 0);
	assert_double(runs.n, 44, 0);
}

/* At any level the effect is found in 8 of 10 cases, and so is the wanted one with n runs. */
static void designs_at_other_levels(void **state)
{
	static const double levels[] = { .95, .99, .995, .9995 };
	struct sample_summary base = { 100, 2, 8 }, new = { 101, 3, 12 };
	struct power_design design;
	double pct, power, n, before = 0;

	(void)state;
	assert_int_equal(power_design_unpaired(&base, &new, &design), 0);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		assert_int_equal(power_mde(&design, levels[i], &pct), 0);
		assert_int_equal(t_test_power(pct * design.base_mean / 100 / design.se, design.df,
					      levels[i], &power), 0);
		assert_double(power, .8, 1e-6);
		assert_int_equal(power_runs(&design, 2, levels[i], &n), 0);
		assert_true(n > before);
		before = n;
		assert_int_equal(t_test_power(2 * sqrt(n) / design.sd, design.df_factor * (n - 1),
					      levels[i], &power), 0);
		assert_true(power >= .8);
		assert_int_equal(t_test_power(2 * sqrt(n - 1) / design.sd,
					      design.df_factor * (n - 2), levels[i], &power), 0);
		assert_true(power < .8);
	}
	assert_int_equal(power_runs(&design, 2, 1, &n), -EINVAL);
}

static void unknown(void **state)
{
	struct sample_summary good = { 10, 1, 6 }, flat = { 10, 0, 6 }, single = { 10, NAN, 1 };
	struct sample_summary negative = { -1, 1, 6 }, wild = { 1, 1e6, 6 };
	const struct sample_summary *bad[][2] = {
		{ &flat, &flat }, { &single, &good }, { &good, &single }, { &negative, &good },
	};
	struct pair_summary pair = { single, single, NAN, NAN };
	struct runs_needed runs;
	double pct;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(mde_unpaired(bad[i][0], bad[i][1], &pct), 0);
		assert_nan(pct);
		assert_int_equal(runs_needed_unpaired(bad[i][0], bad[i][1], 2, &runs), 0);
		assert_nan(runs.n);
		assert_nan(runs.low);
	}
	assert_int_equal(mde_paired(&pair, &pct), 0);
	assert_nan(pct);
	assert_int_equal(runs_needed_paired(&pair, 2, &runs), 0);
	assert_nan(runs.high);
	assert_int_equal(runs_needed_unpaired(&wild, &good, 2, &runs), 0);
	assert_nan(runs.n);
	assert_int_equal(mde_unpaired(&flat, &good, &pct), 0);
	assert_true(pct > 0);
	assert_int_equal(runs_needed_unpaired(&good, &good, 0, &runs), -EINVAL);
	assert_int_equal(runs_needed_paired(&pair, NAN, &runs), -EINVAL);
	assert_int_equal(noncentral_t_cdf(1, 0, 1, &pct), -EINVAL);
	assert_int_equal(noncentral_t_cdf(NAN, 5, 1, &pct), -EINVAL);
	assert_int_equal(t_test_ncp(.01, 5, .95, &pct), -EINVAL);
	assert_int_equal(t_test_power(1, NAN, .95, &pct), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_power),
		cmocka_unit_test(noncentral_limits),
		cmocka_unit_test(lsm_mde),
		cmocka_unit_test(markers_runs),
		cmocka_unit_test(range_of_runs),
		cmocka_unit_test(smallest_number),
		cmocka_unit_test(scale_invariance),
		cmocka_unit_test(designs_at_other_levels),
		cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
