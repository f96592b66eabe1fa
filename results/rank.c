// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Ranks are kept doubled, so that mid-ranks are whole numbers and a null distribution is an array
 * indexed by the doubled statistic. Both statistics have a distribution around the middle of
 * their range, symmetric where there are no ties.
 */
#include "results/rank.h"

#include <errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RANK_SEED 20050601UL

/* weight[s] of the doubled statistic s = 0..max; extra is the 1 of (k + 1)/(N + 1) for draws */
struct null_dist {
	double *weight;
	size_t max;
	double total;
	double extra;
};

static int null_init(struct null_dist *dist, size_t max)
{
	*dist = (struct null_dist){ .max = max };
	dist->weight = calloc(max + 1, sizeof(*dist->weight));
	return dist->weight ? 0 : -ENOMEM;
}

static void null_release(struct null_dist *dist)
{
	free(dist->weight);
	dist->weight = NULL;
}

/* share of the distribution at least as far from max/2 as s */
static double null_p(const struct null_dist *dist, size_t s)
{
	size_t low = s < dist->max - s ? s : dist->max - s;
	double sum = dist->extra;

	if (2 * low == dist->max)
		return 1;
	for (size_t i = 0; i <= low; i++)
		sum += dist->weight[i] + dist->weight[dist->max - i];
	return fmin(1, sum / (dist->total + dist->extra));
}

/* the p of the farthest value that has weight; of draws, s may be farther than all of them */
static double null_p_min(const struct null_dist *dist, size_t s)
{
	size_t i = 0;

	while (2 * i < dist->max && dist->weight[i] == 0 && dist->weight[dist->max - i] == 0)
		i++;
	return fmin(null_p(dist, i), null_p(dist, s));
}

/* the k for which the k-th smallest and k-th largest value bound the interval; 0: none */
static size_t null_order(const struct null_dist *dist, double alpha)
{
	double sum = dist->extra;
	size_t k = 0;

	for (size_t i = 0; 2 * i < dist->max; i++) {
		sum += dist->weight[i] + dist->weight[dist->max - i];
		if (sum > alpha * (dist->total + dist->extra))
			break;
		if (i % 2 == 0)
			k = i / 2 + 1;
	}
	return k;
}

static gsl_rng *fixed_rng(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (rng)
		gsl_rng_set(rng, RANK_SEED);
	return rng;
}

static bool all_finite(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

/* the doubled mid-rank of each value; order is room for n */
static void double_ranks(const double *values, size_t n, size_t *order, uint32_t *ranks)
{
	gsl_sort_index(order, values, 1, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && values[order[end]] == values[order[i]];)
			end++;
		for (size_t j = i; j < end; j++)
			ranks[order[j]] = (uint32_t)(i + 1 + end);
	}
}

/* sorts values; the estimate is their median, the interval their k-th from both ends */
static void hodges_lehmann(double *values, size_t count, size_t k, struct rank_test *test)
{
	gsl_sort(values, 1, count);
	test->estimate = gsl_stats_median_from_sorted_data(values, 1, count);
	test->ci = (struct interval){ NAN, NAN };
	if (k > 0)
		test->ci = (struct interval){ values[k - 1], values[count - k] };
}

/* ---- signed-rank ---- */

/* every choice of signs, by adding one rank after the other */
static void signed_exact(struct null_dist *dist, const uint32_t *ranks, size_t n)
{
	size_t sum = 0;

	dist->weight[0] = 1;
	for (size_t i = 0; i < n; i++) {
		sum += ranks[i];
		for (size_t s = sum; s >= ranks[i]; s--)
			dist->weight[s] += dist->weight[s - ranks[i]];
	}
	dist->total = ldexp(1, (int)n);
}

static int signed_draws(struct null_dist *dist, const uint32_t *ranks, size_t n)
{
	gsl_rng *rng = fixed_rng();

	if (!rng)
		return -ENOMEM;
	for (int draw = 0; draw < RANK_DRAWS; draw++) {
		size_t sum = 0;
		unsigned long bits = 0;

		for (size_t i = 0; i < n; i++, bits >>= 1) {
			if (i % 32 == 0)
				bits = gsl_rng_get(rng);
			if (bits & 1)
				sum += ranks[i];
		}
		dist->weight[sum]++;
	}
	gsl_rng_free(rng);
	dist->total = RANK_DRAWS;
	dist->extra = 1;
	return 0;
}

static int signed_null(struct null_dist *dist, const uint32_t *ranks, size_t n)
{
	int err;

	err = null_init(dist, n * (n + 1));
	if (err)
		return err;
	if (n > RANK_SIGNED_EXACT)
		return signed_draws(dist, ranks, n);
	signed_exact(dist, ranks, n);
	return 0;
}

/* the test of the nonzero differences */
static int signed_rank_p(const double *d, size_t n, double *size, size_t *order, uint32_t *ranks,
			 struct rank_test *test)
{
	struct null_dist dist;
	size_t used = 0, positive = 0;
	int err;

	for (size_t i = 0; i < n; i++)
		if (d[i] != 0)
			size[used++] = fabs(d[i]);
	double_ranks(size, used, order, ranks);
	for (size_t i = 0, rank = 0; i < n; i++) {
		if (d[i] > 0)
			positive += ranks[rank];
		rank += d[i] != 0;
	}
	err = signed_null(&dist, ranks, used);
	if (!err) {
		test->statistic = (double)positive / 2;
		test->p = null_p(&dist, positive);
		test->p_min = null_p_min(&dist, positive);
		test->exact = used <= RANK_SIGNED_EXACT;
	}
	null_release(&dist);
	return err;
}

static int walsh_order(size_t n, double level, uint32_t *ranks, size_t *ret)
{
	struct null_dist dist;
	int err;

	for (size_t i = 0; i < n; i++)
		ranks[i] = (uint32_t)(2 * (i + 1));
	err = signed_null(&dist, ranks, n);
	if (!err)
		*ret = null_order(&dist, 1 - level);
	null_release(&dist);
	return err;
}

int signed_rank_test(const double *d, size_t n, double level, struct rank_test *ret)
{
	struct rank_test test = { NAN, NAN, NAN, NAN, { NAN, NAN }, true };
	size_t count = n * (n + 1) / 2, k;
	double *size, *walsh;
	uint32_t *ranks;
	size_t *order;
	int err = -ENOMEM;

	if (!level_valid(level) || !all_finite(d, n))
		return -EINVAL;
	if (n > RANK_MAX_VALUES)
		return -E2BIG;
	if (n == 0) {
		*ret = test;
		return 0;
	}
	size = calloc(n, sizeof(*size));
	order = calloc(n, sizeof(*order));
	ranks = calloc(n, sizeof(*ranks));
	walsh = calloc(count, sizeof(*walsh));
	if (!size || !order || !ranks || !walsh)
		goto out;
	err = signed_rank_p(d, n, size, order, ranks, &test);
	if (!err)
		err = walsh_order(n, level, ranks, &k);
	if (err)
		goto out;
	for (size_t i = 0, w = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			walsh[w++] = d[i] / 2 + d[j] / 2;
	hodges_lehmann(walsh, count, k, &test);
	*ret = test;
out:
	free(walsh);
	free(ranks);
	free(order);
	free(size);
	return err;
}

/* ---- Mann-Whitney ---- */

/*
 * U of the first side, doubled, over every choice of chosen values out of n. table[k] counts the
 * choices of k values by the sum of their ranks.
 */
static int unpaired_exact(struct null_dist *dist, const uint32_t *ranks, size_t n, size_t chosen)
{
	size_t least = chosen * (chosen + 1);
	size_t width = least + dist->max + 1;
	double *table = calloc((chosen + 1) * width, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table[0] = 1;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1 < chosen ? i + 1 : chosen; k > 0; k--) {
			double *to = table + k * width;
			const double *from = to - width;

			for (size_t s = ranks[i]; s < width; s++)
				to[s] += from[s - ranks[i]];
		}
	}
	memcpy(dist->weight, table + chosen * width + least,
	       (dist->max + 1) * sizeof(*dist->weight));
	for (size_t s = 0; s <= dist->max; s++)
		dist->total += dist->weight[s];
	free(table);
	return 0;
}

/* shuffles ranks */
static int unpaired_draws(struct null_dist *dist, uint32_t *ranks, size_t n, size_t chosen)
{
	size_t least = chosen * (chosen + 1);
	gsl_rng *rng = fixed_rng();

	if (!rng)
		return -ENOMEM;
	for (int draw = 0; draw < RANK_DRAWS; draw++) {
		size_t sum = 0;

		for (size_t i = 0; i < chosen; i++) {
			size_t other = i + gsl_rng_uniform_int(rng, n - i);
			uint32_t rank = ranks[other];

			ranks[other] = ranks[i];
			ranks[i] = rank;
			sum += rank;
		}
		dist->weight[sum - least]++;
	}
	gsl_rng_free(rng);
	dist->total = RANK_DRAWS;
	dist->extra = 1;
	return 0;
}

static int unpaired_null(struct null_dist *dist, uint32_t *ranks, size_t n, size_t chosen)
{
	int err;

	err = null_init(dist, 2 * chosen * (n - chosen));
	if (err)
		return err;
	if (n > RANK_UNPAIRED_EXACT)
		return unpaired_draws(dist, ranks, n, chosen);
	return unpaired_exact(dist, ranks, n, chosen);
}

/* values: those of base, then those of new */
static int mann_whitney_p(const double *values, size_t n, size_t base_n, size_t *order,
			  uint32_t *ranks, struct rank_test *test)
{
	struct null_dist dist;
	size_t sum = 0, u;
	int err;

	double_ranks(values, n, order, ranks);
	for (size_t i = 0; i < base_n; i++)
		sum += ranks[i];
	u = sum - base_n * (base_n + 1);
	err = unpaired_null(&dist, ranks, n, base_n);
	if (!err) {
		test->statistic = (double)u / 2;
		test->p = null_p(&dist, u);
		test->p_min = null_p_min(&dist, u);
		test->exact = n <= RANK_UNPAIRED_EXACT;
	}
	null_release(&dist);
	return err;
}

static int shift_order(size_t n, size_t base_n, double level, uint32_t *ranks, size_t *ret)
{
	struct null_dist dist;
	int err;

	for (size_t i = 0; i < n; i++)
		ranks[i] = (uint32_t)(2 * (i + 1));
	err = unpaired_null(&dist, ranks, n, base_n);
	if (!err)
		*ret = null_order(&dist, 1 - level);
	null_release(&dist);
	return err;
}

int mann_whitney_test(const double *base, size_t base_n, const double *new, size_t new_n,
		      double level, struct rank_test *ret)
{
	struct rank_test test = { NAN, NAN, NAN, NAN, { NAN, NAN }, true };
	size_t n = base_n + new_n, k;
	double *values, *shifts;
	uint32_t *ranks;
	size_t *order;
	int err = -ENOMEM;

	if (!level_valid(level) || !all_finite(base, base_n) || !all_finite(new, new_n))
		return -EINVAL;
	if (base_n > RANK_MAX_VALUES || new_n > RANK_MAX_VALUES)
		return -E2BIG;
	if (base_n == 0 || new_n == 0) {
		*ret = test;
		return 0;
	}
	values = calloc(n, sizeof(*values));
	order = calloc(n, sizeof(*order));
	ranks = calloc(n, sizeof(*ranks));
	shifts = calloc(base_n * new_n, sizeof(*shifts));
	if (!values || !order || !ranks || !shifts)
		goto out;
	memcpy(values, base, base_n * sizeof(*values));
	memcpy(values + base_n, new, new_n * sizeof(*values));
	err = mann_whitney_p(values, n, base_n, order, ranks, &test);
	if (!err)
		err = shift_order(n, base_n, level, ranks, &k);
	if (err)
		goto out;
	for (size_t i = 0; i < base_n; i++)
		for (size_t j = 0; j < new_n; j++)
			shifts[i * new_n + j] = new[j] - base[i];
	hodges_lehmann(shifts, base_n * new_n, k, &test);
	*ret = test;
out:
	free(shifts);
	free(ranks);
	free(order);
	free(values);
	return err;
}

/* ---- drift ---- */

static double max_cusum(const double *deviations, size_t n)
{
	double sum = 0, highest = 0;

	for (size_t i = 0; i < n; i++) {
		sum += deviations[i];
		highest = fmax(highest, fabs(sum));
	}
	return highest;
}

/* How many draws are as high, or limit where there are as many. */
static int count_as_high(double *deviations, size_t n, int limit, int *ret)
{
	/* a little below, so that the same sums in another order of addition count */
	double reached = max_cusum(deviations, n) * (1 - 1e-9);
	gsl_rng *rng = fixed_rng();
	int as_high = 0;

	if (!rng)
		return -ENOMEM;
	for (int draw = 0; draw < DRIFT_DRAWS && as_high < limit; draw++) {
		gsl_ran_shuffle(rng, deviations, n, sizeof(*deviations));
		as_high += max_cusum(deviations, n) >= reached;
	}
	gsl_rng_free(rng);
	*ret = as_high;
	return 0;
}

static int drift_p(const double *values, size_t n, int limit, double *ret_p)
{
	struct sample_summary s;
	double *deviations;
	int err, as_high;

	err = sample_summarize(values, n, &s);
	if (err)
		return err;
	if (n > RANK_MAX_VALUES)
		return -E2BIG;
	if (n < 2 || s.sd == 0) {
		*ret_p = n < 2 ? NAN : 1;
		return 0;
	}
	deviations = calloc(n, sizeof(*deviations));
	if (!deviations)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		deviations[i] = values[i] - s.mean;
	err = count_as_high(deviations, n, limit, &as_high);
	if (!err)
		*ret_p = (as_high + 1.0) / (DRIFT_DRAWS + 1.0);
	free(deviations);
	return err;
}

int drift_test(const double *values, size_t n, double *ret_p)
{
	return drift_p(values, n, DRIFT_DRAWS, ret_p);
}

int drift_is_shown(const double *values, size_t n, bool *ret)
{
	double p = 1;
	int err = drift_p(values, n, (int)(DRIFT_ALPHA * (DRIFT_DRAWS + 1)), &p);

	if (!err)
		*ret = p < DRIFT_ALPHA;
	return err;
}
