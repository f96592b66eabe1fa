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

#include "results/stats.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/published.h"

/* ---- NIST StRD ---- */

static size_t read_nist(const char *name, double *values, size_t room)
{
	const char *tests = getenv("BRUNT_TESTS");
	char path[4096];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/fixtures/nist/%s", tests ? tests : "tests", name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("cannot open %s: set BRUNT_TESTS", path);
	while (n < room && fscanf(file, "%lf", &values[n]) == 1)
		n++;
	fclose(file);
	return n;
}

static void check_certified(const double *values, size_t n, double mean, double sd, double lag1)
{
	struct sample_summary s = summary_of(values, n);
	double r1;

	assert_int_equal(s.n, n);
	assert_double(s.mean, mean, 1e-8);
	assert_double(s.sd, sd, 1e-8);
	assert_int_equal(sample_lag1(values, n, &r1), 0);
	assert_double(r1, lag1, 1e-8);
}

static void check_nist_file(const char *name, size_t n, double mean, double sd, double lag1)
{
	double values[300];

	assert_int_equal(read_nist(name, values, 300), n);
	check_certified(values, n, mean, sd, lag1);
}

static void nist_files(void **state)
{
	(void)state;
	check_nist_file("lottery.dat", 218, 518.958715596330, 291.699727470969, -.120948622967393);
	check_nist_file("lew.dat", 200, -177.435, 277.332168044316, -.307304800605679);
	check_nist_file("mavro.dat", 50, 2.001856, .000429123454003053, .937989183438248);
	check_nist_file("michelso.dat", 100, 299.8524, .0790105478190518, .535199668621283);
}

static void nist_accuracy(void **state)
{
	static const double bases[] = { 1, 1e6, 1e7 };
	const double first[] = { 10000001, 10000003, 10000002 };
	double values[1001];

	(void)state;
	check_certified(first, 3, 10000002, 1, -.5);
	for (size_t b = 0; b < 3; b++) {
		values[0] = bases[b] + .2;
		for (size_t i = 1; i < 1001; i++)
			values[i] = bases[b] + (i % 2 ? .1 : .3);
		check_certified(values, 1001, bases[b] + .2, .1, -.999);
	}
}

/* ---- one sample ---- */

static void too_few_values(void **state)
{
	const double one = 3;
	struct sample_summary s;
	struct sample_order order;
	struct interval ci;
	double r;

	(void)state;
	s = summary_of(NULL, 0);
	assert_nan(s.mean);
	assert_nan(s.sd);
	s = summary_of(&one, 1);
	assert_double(s.mean, 3, 0);
	assert_nan(s.sd);
	assert_int_equal(sample_interval(&s, .95, &ci), 0);
	assert_nan(ci.low);
	assert_nan(ci.high);
	assert_int_equal(sample_order(NULL, 0, &order), 0);
	assert_nan(order.median);
	assert_int_equal(sample_order(&one, 1, &order), 0);
	assert_double(order.p95, 3, 0);
	assert_double(order.mad, 0, 0);
	assert_int_equal(sample_lag1(&one, 1, &r), 0);
	assert_nan(r);
	assert_int_equal(sample_half_change(&one, 1, &r), 0);
	assert_nan(r);
}

static void equal_values(void **state)
{
	const double tenths[] = { .1, .1, .1, .1, .1, .1 };
	struct sample_summary s = summary_of(tenths, 6);
	double r;

	(void)state;
	assert_double(s.mean, .1, 0);
	assert_true(s.sd == 0);
	assert_int_equal(sample_lag1(tenths, 6, &r), 0);
	assert_nan(r);
	sample_floor_sd(&s, .01);
	assert_double(s.sd, .01 / sqrt(12), 1e-15);
	sample_floor_sd(&s, NAN);
	sample_floor_sd(&s, 0);
	assert_double(s.sd, .01 / sqrt(12), 1e-15);
}

static void bad_input(void **state)
{
	const double bad[] = { 1, NAN, 2 }, endless[] = { 1, INFINITY };
	const double huge[] = { 1e308, 1.1e308 };
	const double good[] = { 1, 2, 3 };
	struct sample_summary s = { 1, 1, 3 }, negative = { 1, -1, 3 };
	struct sample_order order;
	struct pair_summary pair;
	struct interval ci;
	struct t_test test;
	double r;

	(void)state;
	assert_int_equal(sample_summarize(bad, 3, &s), -EINVAL);
	assert_int_equal(sample_summarize(endless, 2, &s), -EINVAL);
	assert_int_equal(sample_summarize(huge, 2, &s), -EINVAL);
	assert_double(s.sd, 1, 0);
	assert_int_equal(sample_order(bad, 3, &order), -EINVAL);
	assert_int_equal(sample_lag1(bad, 3, &r), -EINVAL);
	assert_int_equal(sample_half_change(bad, 3, &r), -EINVAL);
	assert_int_equal(pair_summarize(good, bad, 3, &pair), -EINVAL);
	assert_int_equal(sample_interval(&s, 1, &ci), -EINVAL);
	assert_int_equal(sample_interval(&s, NAN, &ci), -EINVAL);
	assert_int_equal(sample_interval(&negative, .95, &ci), -EINVAL);
	assert_int_equal(welch_test(&s, &negative, .95, &test), -EINVAL);
	assert_int_equal(welch_test(&s, &s, 0, &test), -EINVAL);
}

static void order_statistics(void **state)
{
	const double values[] = { 7, 1, 5, 2, 100 };
	struct sample_order order;
	double change;

	(void)state;
	assert_int_equal(sample_order(values, 5, &order), 0);
	assert_double(order.min, 1, 0);
	assert_double(order.median, 5, 0);
	assert_double(order.max, 100, 0);
	assert_double(order.p95, 81.4, 1e-12);
	assert_double(order.mad, 3, 0);		/* of 2 4 0 3 95 */
	assert_int_equal(sample_order(values, 4, &order), 0);
	assert_double(order.median, 3.5, 0);
	assert_int_equal(sample_half_change(values, 5, &change), 0);
	assert_double(change, 47, 1e-12);	/* (2 + 100)/2 - (7 + 1)/2 */
}

/* ---- tests of differences ---- */

static void sleep_welch(void **state)
{
	struct sample_summary one = summary_of(sleep_extra[0], 10);
	struct sample_summary two = summary_of(sleep_extra[1], 10);
	struct t_test test;

	(void)state;
	assert_int_equal(welch_test(&two, &one, .95, &test), 0);
	assert_digits(test.t, -1.860813467487, 12);
	assert_digits(test.df, 17.776473516178, 12);
	assert_digits(test.p, .0793941401874, 11);
	assert_digits(test.ci.low, -3.3654832307, 9);
	assert_digits(test.ci.high, .2054832307, 9);
}

static void sleep_paired(void **state)
{
	struct pair_summary pair;
	struct t_test test;

	(void)state;
	assert_int_equal(pair_summarize(sleep_extra[1], sleep_extra[0], 10, &pair), 0);
	assert_int_equal(paired_test(&pair, .95, &test), 0);
	assert_digits(test.t, -4.062127683382, 12);
	assert_double(test.df, 9, 1e-15);
	assert_digits(test.p, .0028328901974, 12);
	assert_digits(test.ci.low, -2.4598857633, 9);
	assert_digits(test.ci.high, -.7001142367, 9);
}

static void ministat(void **state)
{
	const double iguana_runs[] = { 50, 200, 150, 400, 750, 400, 150 };
	const double chameleon_runs[] = { 150, 400, 720, 500, 930 };
	struct sample_summary iguana = summary_of(iguana_runs, 7);
	struct sample_summary chameleon = summary_of(chameleon_runs, 5);
	struct t_test test;

	(void)state;
	assert_double(iguana.mean, 300, 1e-15);
	assert_digits(iguana.sd, 238.047614, 6);
	assert_double(chameleon.mean, 540, 1e-15);
	assert_digits(chameleon.sd, 299.081929, 6);
	assert_int_equal(welch_test(&iguana, &chameleon, .95, &test), 0);
	assert_digits(test.df, 7.425428, 6);
	assert_digits(test.p, .177721842, 9);
}

struct lsm_expected {
	double mean[2], sd[2];
	int mean_places[2], sd_places[2];
	double t, df, p;
	int p_places;
	double low, high;
};

static void lsm_table(void **state)
{
	static const struct lsm_expected expected[3] = {
		{ { 422.252, 421.0078333 }, { 1.217795714, .4229507852 }, { 9, 7 }, { 9, 10 },
		  -2.3640134558, 6.1889329246, .0547004, 7, -2.52249241, .03415908 },
		{ { 384.4186667, 384.972 }, { .6608439049, .5091231678 }, { 7, 9 }, { 10, 10 },
		  1.6247347405, 9.3891382483, .1372645622, 10, -.21224597, 1.31891263 },
		{ { 57.382, 56.3405 }, { .4941109187, .3743259275 }, { 9, 9 }, { 10, 10 },
		  -4.1154677446, 9.3171847503, .0024298163, 10, -1.61102624, -.47197376 },
	};
	static const double holm[3] = { .10940, .13726, .0072894 };
	static const int holm_places[3] = { 5, 5, 7 };
	double p[3];

	(void)state;
	for (int m = 0; m < 3; m++) {
		const struct lsm_expected *e = &expected[m];
		struct sample_summary s[2];
		struct t_test test;

		for (int side = 0; side < 2; side++) {
			s[side] = summary_of(lsm[m][side], 6);
			assert_digits(s[side].mean, e->mean[side], e->mean_places[side]);
			assert_digits(s[side].sd, e->sd[side], e->sd_places[side]);
		}
		assert_int_equal(welch_test(&s[0], &s[1], .95, &test), 0);
		assert_digits(test.t, e->t, 10);
		assert_digits(test.df, e->df, 10);
		assert_digits(test.p, e->p, e->p_places);
		assert_digits(test.ci.low, e->low, 8);
		assert_digits(test.ci.high, e->high, 8);
		p[m] = test.p;
	}
	assert_int_equal(holm_adjust(p, 3, p), 0);
	for (int m = 0; m < 3; m++)
		assert_digits(p[m], holm[m], holm_places[m]);
}

static void markers_welch(void **state)
{
	static const double expected[2][5] = {
		{ 1.4538099795, 14.3838471314, .1674691666, -.147639, .773757 },
		{ -.8711232704, 15.4122776635, .3970535227, -3.646882, 1.527276 },
	};
	struct t_test test;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(welch_test(&markers[2 * i], &markers[2 * i + 1], .95, &test), 0);
		assert_digits(test.t, expected[i][0], 10);
		assert_digits(test.df, expected[i][1], 10);
		assert_digits(test.p, expected[i][2], 10);
		assert_digits(test.ci.low, expected[i][3], 6);
		assert_digits(test.ci.high, expected[i][4], 6);
	}
}

static void constant_sides(void **state)
{
	struct sample_summary flat = { 5, 0, 6 }, other = { 6, 0, 6 }, noisy = { 6, .5, 6 };
	struct sample_summary single = { 5, NAN, 1 }, no_spread = { 5, NAN, 10 };
	struct t_test test;

	(void)state;
	assert_int_equal(welch_test(&flat, &noisy, .95, &test), 0);
	assert_double(test.df, 5, 1e-12);
	assert_double(test.t, 1 / (.5 / sqrt(6)), 1e-12);
	assert_int_equal(welch_test(&flat, &other, .95, &test), 0);
	assert_double(test.diff, 1, 0);
	assert_double(test.se, 0, 0);
	assert_nan(test.t);
	assert_nan(test.p);
	assert_nan(test.ci.low);
	assert_int_equal(welch_test(&noisy, &single, .95, &test), 0);
	assert_double(test.diff, -1, 0);
	assert_nan(test.se);
	assert_nan(test.p);
	assert_int_equal(welch_test(&no_spread, &noisy, .95, &test), 0);
	assert_nan(test.p);
}

/* a constant change in decimal fractions has a spread in its last bits only */
static void constant_difference(void **state)
{
	const double base[] = { .1, .2, .3, .7, 1.1 };
	double new[5];
	struct pair_summary pair;
	struct t_test test;

	(void)state;
	for (int i = 0; i < 5; i++)
		new[i] = base[i] + .1;
	assert_int_equal(pair_summarize(base, new, 5, &pair), 0);
	assert_true(pair.diff_sd == 0);
	assert_int_equal(paired_test(&pair, .95, &test), 0);
	assert_double(test.diff, .1, 1e-12);
	assert_nan(test.p);
	pair_floor_sd(&pair, 4, 4);
	assert_double(pair.base.sd, 4 / sqrt(12), 1e-15);
	assert_true(pair.diff_sd > 0 && pair.diff_sd < 4 / sqrt(6));
	assert_int_equal(pair_summarize(base, new, 1, &pair), 0);
	assert_nan(pair.diff_sd);
	assert_int_equal(paired_test(&pair, .95, &test), 0);
	assert_nan(test.p);
}

static void difference_of_differences(void **state)
{
	const double weights[] = { 1, -1, -1, 1 };
	struct t_test test, once;

	(void)state;
	assert_int_equal(contrast_test(weights, markers, 4, .95, &test), 0);
	assert_digits(test.diff, -1.059803 - .313059, 6);
	assert_double(test.se * test.se * 10, .34 * .34 + .59 * .59 + 2.09 * 2.09 + 3.23 * 3.23,
		      1e-12);
	assert_true(test.df > 9 && test.df < 36);
	assert_int_equal(contrast_test((const double[]){ -1, 1 }, markers, 2, .95, &once), 0);
	assert_digits(once.df, 14.3838471314, 10);
}

/* ---- Holm ---- */

static void holm_example(void **state)
{
	const double p[15] = { .0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459,
			       .3240, .4262, .5719, .6528, .7590, 1 };
	const double expected[15] = { .0015, .0056, .0247, .114, .2211, .278, .278, .278, .3213,
				      1, 1, 1, 1, 1, 1 };
	double mixed[17], adjusted[17];

	(void)state;
	mixed[0] = NAN;
	mixed[16] = NAN;
	for (int i = 0; i < 15; i++)
		mixed[1 + i * 7 % 15] = p[i];
	assert_int_equal(holm_adjust(mixed, 17, adjusted), 0);
	for (int i = 0; i < 15; i++)
		assert_digits(adjusted[1 + i * 7 % 15], expected[i], 12);
	assert_nan(adjusted[0]);
	assert_nan(adjusted[16]);
	assert_int_equal(holm_adjust((const double[]){ 1.5 }, 1, adjusted), -EINVAL);
	assert_int_equal(holm_adjust(NULL, 0, adjusted), 0);
	assert_int_equal(holm_adjust((const double[]){ NAN }, 1, adjusted), 0);
	assert_nan(adjusted[0]);
}

/* ---- properties ---- */

static void scale_invariance(void **state)
{
	struct sample_summary seconds[2], ns[2];
	struct t_test a, b;
	double scaled[6];

	(void)state;
	for (int side = 0; side < 2; side++) {
		seconds[side] = summary_of(lsm[2][side], 6);
		for (int i = 0; i < 6; i++)
			scaled[i] = lsm[2][side][i] * 1e9;
		ns[side] = summary_of(scaled, 6);
	}
	assert_int_equal(welch_test(&seconds[0], &seconds[1], .95, &a), 0);
	assert_int_equal(welch_test(&ns[0], &ns[1], .95, &b), 0);
	assert_double(b.t, a.t, 1e-10);
	assert_double(b.df, a.df, 1e-10);
	assert_double(b.p, a.p, 1e-10);
	assert_double(b.ci.low, a.ci.low * 1e9, 1e-10);
}

/* false alarms of Welch with equal means are near 5 %, and the interval covers as often */
static void welch_size(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	int rejected = 0, missed = 0, repeats = 4000;
	double values[2][10];
	struct t_test test;

	(void)state;
	gsl_rng_set(rng, 7);
	for (int r = 0; r < repeats; r++) {
		struct sample_summary s[2];

		for (int side = 0; side < 2; side++) {
			for (int i = 0; i < 10; i++)
				values[side][i] = 100 + gsl_ran_gaussian(rng, side ? 1 : 3);
			s[side] = summary_of(values[side], 10);
		}
		assert_int_equal(welch_test(&s[0], &s[1], .95, &test), 0);
		rejected += test.p < .05;
		missed += test.ci.low > 0 || test.ci.high < 0;
	}
	gsl_rng_free(rng);
	assert_int_equal(rejected, missed);
	assert_true(fabs((double)rejected / repeats - .05) < 3 * sqrt(.05 * .95 / repeats));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nist_files),
		cmocka_unit_test(nist_accuracy),
		cmocka_unit_test(too_few_values),
		cmocka_unit_test(equal_values),
		cmocka_unit_test(bad_input),
		cmocka_unit_test(order_statistics),
		cmocka_unit_test(sleep_welch),
		cmocka_unit_test(sleep_paired),
		cmocka_unit_test(ministat),
		cmocka_unit_test(lsm_table),
		cmocka_unit_test(markers_welch),
		cmocka_unit_test(constant_sides),
		cmocka_unit_test(constant_difference),
		cmocka_unit_test(difference_of_differences),
		cmocka_unit_test(holm_example),
		cmocka_unit_test(scale_invariance),
		cmocka_unit_test(welch_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
