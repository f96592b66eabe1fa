// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Tests that assume no distribution: Wilcoxon's signed-rank test for rounds and the
 * Mann-Whitney test for unpaired runs, each with its Hodges-Lehmann estimate, and the permutation
 * test for drift.
 *
 * They stand beside the t tests. Null distributions are exact for small samples; beyond, they are
 * RANK_DRAWS draws from a generator whose seed is fixed in the code, with p = (k + 1)/(N + 1), so
 * that the same data give the same bytes.
 *
 * Conventions as in results/stats.h: unknown is NAN in a result that is a success. Errors:
 * -EINVAL for values that are not finite or a level outside (0, 1), -E2BIG for more values than
 * RANK_MAX_VALUES a side, -ENOMEM.
 */
#ifndef BRUNT_RESULTS_RANK_H
#define BRUNT_RESULTS_RANK_H

#include "results/stats.h"

#define RANK_SIGNED_EXACT 20		/* differences that are not 0 */
#define RANK_UNPAIRED_EXACT 100		/* values of both sides together */
#define RANK_DRAWS 100000
#define RANK_MAX_VALUES 4096
#define DRIFT_DRAWS 9999		/* enough for .01, and a report tests every row */
#define DRIFT_ALPHA .01

/*
 * p is the share of the null distribution at least as far from its centre as the statistic.
 * p_min is the smallest p that these values could give with any signs or sides (of draws: that
 * any of them gave). Where it is not below 1 - level, the test cannot reach its level with this n,
 * which is to be said. ci holds the order statistics of the Walsh averages or differences that the
 * distribution without ties gives; NAN where n is too small for that level.
 */
struct rank_test {
	double statistic;
	double p;
	double p_min;
	double estimate;
	struct interval ci;
	bool exact;		/* false: p is from draws */
};

/*
 * d: differences or log ratios of rounds. The statistic is the sum of the ranks of the positive
 * ones; ties get mid-ranks, zeros are left out of the test (Wilcoxon), p = 1 when nothing is
 * left. The estimate is the median of all n (n + 1)/2 Walsh averages, zeros included.
 */
int signed_rank_test(const double *d, size_t n, double level, struct rank_test *ret);

/*
 * The statistic is U of base: the pairs with base > new, plus half of those that are equal. The
 * distribution is over all choices of sides for the mid-ranks. The estimate is the
 * Hodges-Lehmann shift, the median of all new - base.
 */
int mann_whitney_test(const double *base, size_t base_n, const double *new, size_t new_n,
		      double level, struct rank_test *ret);

/*
 * Drift of values (or residuals) in run order: the p of max |CUSUM| of the deviations from the
 * mean among DRIFT_DRAWS shuffles, (k + 1)/(N + 1). p < DRIFT_ALPHA gives the mark. Equal values
 * give 1. NAN for n < 2. Fewer than 10 values cannot reach the level: no p is below 2/C(n, n/2).
 */
int drift_test(const double *values, size_t n, double *ret_p);

/* Is that p below DRIFT_ALPHA? Stops drawing as soon as it cannot be: some 20 times faster. */
int drift_is_shown(const double *values, size_t n, bool *ret);

#endif
