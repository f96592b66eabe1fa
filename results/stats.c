// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/stats.h"

#include <errno.h>
#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool level_valid(double level)
{
	return level > 0 && level < 1;
}

static bool values_valid(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

static bool all_equal(const double *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

bool sample_valid(const struct sample_summary *s)
{
	return !isinf(s->mean) && !isinf(s->sd) && !(s->sd < 0);
}

bool pair_valid(const struct pair_summary *p)
{
	return sample_valid(&p->base) && sample_valid(&p->new) && p->base.n == p->new.n &&
	       !isinf(p->cov) && !isinf(p->diff_sd) && !(p->diff_sd < 0);
}

double sample_mean_variance(const struct sample_summary *s)
{
	return s->n < 2 ? NAN : s->sd * s->sd / (double)s->n;
}

double student_upper(double t, double df)
{
	/* GSL gives NAN at infinity */
	if (isinf(t))
		return t > 0 ? 0 : 1;
	return gsl_cdf_tdist_Q(t, df);
}

double student_two_sided(double t, double df)
{
	return 2 * student_upper(fabs(t), df);
}

double student_critical(double level, double df)
{
	gsl_set_error_handler_off();
	return df > 0 ? gsl_cdf_tdist_Qinv((1 - level) / 2, df) : NAN;
}

/* diff and se are set; df is NAN where the variance is unknown */
static void t_test_finish(struct t_test *test, double df, double level)
{
	bool known = test->se > 0 && df > 0;
	double half = known ? student_critical(level, df) * test->se : NAN;

	test->df = known ? df : NAN;
	test->t = known ? test->diff / test->se : NAN;
	test->p = known ? student_two_sided(test->t, df) : NAN;
	test->ci = (struct interval){ test->diff - half, test->diff + half };
}

/* ---- one sample ---- */

static double mean_of(const double *values, size_t n)
{
	double sum = 0, rest = 0, mean;

	if (all_equal(values, n))
		return values[0];
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		rest += values[i] - mean;
	return mean + rest / (double)n;
}

/* sum of the products of the deviations of a and b */
static double cross_sum(const double *a, double a_mean, const double *b, double b_mean, size_t n)
{
	double sum = 0, a_rest = 0, b_rest = 0;

	for (size_t i = 0; i < n; i++) {
		sum += (a[i] - a_mean) * (b[i] - b_mean);
		a_rest += a[i] - a_mean;
		b_rest += b[i] - b_mean;
	}
	return sum - a_rest * b_rest / (double)n;
}

int sample_summarize(const double *values, size_t n, struct sample_summary *ret)
{
	struct sample_summary s = { NAN, NAN, n };
	double square;

	if (!values_valid(values, n))
		return -EINVAL;
	if (n > 0)
		s.mean = mean_of(values, n);
	if (n > 1) {
		square = cross_sum(values, s.mean, values, s.mean, n);
		s.sd = sqrt(fmax(square, 0) / (double)(n - 1));
	}
	/* overflow */
	if ((n > 0 && !isfinite(s.mean)) || (n > 1 && !isfinite(s.sd)))
		return -EINVAL;
	*ret = s;
	return 0;
}

int sample_order(const double *values, size_t n, struct sample_order *ret)
{
	struct sample_order order = { NAN, NAN, NAN, NAN, NAN };
	double *sorted;

	if (!values_valid(values, n))
		return -EINVAL;
	if (n == 0) {
		*ret = order;
		return 0;
	}
	sorted = calloc(n, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, values, n * sizeof(*sorted));
	gsl_sort(sorted, 1, n);
	order.min = sorted[0];
	order.max = sorted[n - 1];
	order.median = gsl_stats_median_from_sorted_data(sorted, 1, n);
	order.p95 = gsl_stats_quantile_from_sorted_data(sorted, 1, n, .95);
	for (size_t i = 0; i < n; i++)
		sorted[i] = fabs(sorted[i] - order.median);
	order.mad = gsl_stats_median(sorted, 1, n);
	free(sorted);
	*ret = order;
	return 0;
}

int sample_lag1(const double *values, size_t n, double *ret)
{
	double mean, product = 0, square = 0;

	if (!values_valid(values, n))
		return -EINVAL;
	if (n < 2 || all_equal(values, n)) {
		*ret = NAN;
		return 0;
	}
	mean = mean_of(values, n);
	for (size_t i = 0; i < n; i++) {
		square += (values[i] - mean) * (values[i] - mean);
		if (i > 0)
			product += (values[i] - mean) * (values[i - 1] - mean);
	}
	*ret = product / square;
	return 0;
}

int sample_half_change(const double *values, size_t n, double *ret)
{
	size_t half = n / 2;

	if (!values_valid(values, n))
		return -EINVAL;
	*ret = half ? mean_of(values + n - half, half) - mean_of(values, half) : NAN;
	return 0;
}

int sample_interval(const struct sample_summary *s, double level, struct interval *ret)
{
	double half;

	if (!sample_valid(s) || !level_valid(level))
		return -EINVAL;
	half = student_critical(level, (double)s->n - 1) * sqrt(sample_mean_variance(s));
	*ret = (struct interval){ s->mean - half, s->mean + half };
	return 0;
}

int sample_log(const struct sample_summary *s, struct sample_summary *ret)
{
	if (!sample_valid(s))
		return -EINVAL;
	if (s->mean > 0)
		*ret = (struct sample_summary){ log(s->mean), s->sd / s->mean, s->n };
	else
		*ret = (struct sample_summary){ NAN, NAN, s->n };
	return 0;
}

/* ---- printed values ---- */

double rounding_sd(double step)
{
	return step / sqrt(12);
}

void sample_floor_sd(struct sample_summary *s, double step)
{
	if (s->sd < rounding_sd(step))
		s->sd = rounding_sd(step);
}

void pair_floor_sd(struct pair_summary *p, double base_step, double new_step)
{
	double before = p->base.sd * p->base.sd + p->new.sd * p->new.sd;
	double after;

	sample_floor_sd(&p->base, base_step);
	sample_floor_sd(&p->new, new_step);
	after = p->base.sd * p->base.sd + p->new.sd * p->new.sd;
	if (after > before)
		p->diff_sd = sqrt(p->diff_sd * p->diff_sd + after - before);
}

/* ---- pairs ---- */

/* 0 where only the last bits of the values differ: a constant change in decimal fractions */
static double difference_sd(const double *base, const double *new, size_t n, double mean)
{
	double square = 0, rest = 0, largest = 0, sd;

	for (size_t i = 0; i < n; i++) {
		double d = new[i] - base[i] - mean;

		square += d * d;
		rest += d;
		largest = fmax(largest, fmax(fabs(base[i]), fabs(new[i])));
	}
	sd = sqrt(fmax(square - rest * rest / (double)n, 0) / (double)(n - 1));
	return sd > 4 * DBL_EPSILON * largest ? sd : 0;
}

int pair_summarize(const double *base, const double *new, size_t n, struct pair_summary *ret)
{
	struct pair_summary p = { .cov = NAN, .diff_sd = NAN };
	int err;

	err = sample_summarize(base, n, &p.base);
	if (err)
		return err;
	err = sample_summarize(new, n, &p.new);
	if (err)
		return err;
	if (n > 1) {
		p.cov = cross_sum(base, p.base.mean, new, p.new.mean, n) / (double)(n - 1);
		p.diff_sd = difference_sd(base, new, n, p.new.mean - p.base.mean);
	}
	*ret = p;
	return 0;
}

struct sample_summary pair_difference(const struct pair_summary *p)
{
	return (struct sample_summary){ p->new.mean - p->base.mean, p->diff_sd, p->base.n };
}

int pair_log_ratios(const double *base, const double *new, size_t n, double *ret)
{
	if (!values_valid(base, n) || !values_valid(new, n))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (base[i] <= 0 || new[i] <= 0)
			return -EDOM;
	for (size_t i = 0; i < n; i++)
		ret[i] = log(new[i] / base[i]);
	return 0;
}

int paired_test(const struct pair_summary *p, double level, struct t_test *ret)
{
	struct sample_summary d;

	if (!pair_valid(p))
		return -EINVAL;
	d = pair_difference(p);
	return contrast_test((const double[]){ 1 }, &d, 1, level, ret);
}

/* ---- unpaired ---- */

int contrast_test(const double *weights, const struct sample_summary *samples, size_t count,
		  double level, struct t_test *ret)
{
	struct t_test test = { .diff = 0 };
	double variance = 0, inverse_df = 0;

	if (!level_valid(level) || !values_valid(weights, count))
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		if (!sample_valid(&samples[i]))
			return -EINVAL;
		test.diff += weights[i] * samples[i].mean;
		variance += weights[i] * weights[i] * sample_mean_variance(&samples[i]);
	}
	for (size_t i = 0; i < count; i++) {
		double part = weights[i] * weights[i] * sample_mean_variance(&samples[i]);
		double share = part / variance;

		inverse_df += share * share / ((double)samples[i].n - 1);
	}
	test.se = sqrt(variance);
	t_test_finish(&test, 1 / inverse_df, level);
	*ret = test;
	return 0;
}

int welch_test(const struct sample_summary *base, const struct sample_summary *new, double level,
	       struct t_test *ret)
{
	const struct sample_summary samples[] = { *base, *new };

	return contrast_test((const double[]){ -1, 1 }, samples, 2, level, ret);
}

/* ---- many rows ---- */

int holm_adjust(const double *p, size_t count, double *ret)
{
	size_t *rows, *order;
	size_t known = 0;
	double *sorted;
	double highest = 0;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		if (p[i] < 0 || p[i] > 1)
			return -EINVAL;
	rows = calloc(count + 1, sizeof(*rows));
	order = calloc(count + 1, sizeof(*order));
	sorted = calloc(count + 1, sizeof(*sorted));
	if (!rows || !order || !sorted) {
		err = -ENOMEM;
		goto out;
	}
	for (size_t i = 0; i < count; i++) {
		ret[i] = p[i];
		if (isnan(p[i]))
			continue;
		sorted[known] = p[i];
		rows[known++] = i;
	}
	if (known > 0)
		gsl_sort_index(order, sorted, 1, known);
	for (size_t i = 0; i < known; i++) {
		highest = fmax(highest, fmin(1, (double)(known - i) * sorted[order[i]]));
		ret[rows[order[i]]] = highest;
	}
out:
	free(sorted);
	free(order);
	free(rows);
	return err;
}
