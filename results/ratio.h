// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The change between two sides as a ratio new / base: Fieller's intervals, tests of one ratio,
 * equivalence, and the interaction of two factors as a ratio of ratios.
 *
 * Conventions as in results/stats.h: base is x, new is y, unknown is NAN in a result that is a
 * success, -EINVAL for input that makes no sense, level two-sided. Ratios have no unit; where
 * percent is meant the name ends in _pct.
 */
#ifndef BRUNT_RESULTS_RATIO_H
#define BRUNT_RESULTS_RATIO_H

#include "results/stats.h"

/* a ratio, and the test of it being 1 */
struct ratio_test {
	double ratio;
	double t;
	double df;
	double p;
	struct interval ci;
};

/* the test of one given ratio; p_below is small where new / base is shown to be below it */
struct ratio_point {
	double t;
	double df;
	double p;
	double p_below;
	double p_above;
};

/* ---- intervals ---- */

/* 100 (ratio - 1) */
double ratio_change_pct(double ratio);

/*
 * Fieller's interval for new / base of unpaired samples: the roots of
 * |ybar - r xbar| = t(df(r)) sqrt(B + r^2 A), df(r) = (B + r^2 A)^2 / (B^2/(n_y - 1) +
 * (r^2 A)^2/(n_x - 1)). So 1 is outside exactly when welch_test() has p < 1 - level. Where the
 * df fall so fast that there are several roots, those next to ybar/xbar are taken.
 * NAN: a mean <= 0, g = t^2 A / xbar^2 >= 1 (df n_x - 1: base cannot be told from 0), both sd 0,
 * n < 2. The lower bound can be below 0, where new cannot be told from 0.
 */
int ratio_unpaired(const struct sample_summary *base, const struct sample_summary *new,
		   double level, struct interval *ret);

/*
 * Fieller's interval for rounds, closed form with n - 1 df: with A, B, C the variances and the
 * covariance of the means, r = ybar/xbar, g = t^2 A / xbar^2,
 * { r - g C/A +- (t/xbar) sqrt(B - 2 r C + r^2 A - g (B - C^2/A)) } / (1 - g).
 * NAN: a mean <= 0, g >= 1, n < 2. A constant ratio gives an interval of no width, unless both
 * sides are constant: then nothing is known and it is NAN.
 */
int ratio_paired(const struct pair_summary *p, double level, struct interval *ret);

/*
 * The interval that rounding common to all runs allows besides: the lower bound from
 * (xbar + h_x/2, ybar - h_y/2), the upper from (xbar - h_x/2, ybar + h_y/2). Floor the sds before.
 */
int ratio_unpaired_rounding(const struct sample_summary *base, const struct sample_summary *new,
			    double base_step, double new_step, double level,
			    struct interval *ret);
int ratio_paired_rounding(const struct pair_summary *p, double base_step, double new_step,
			  double level, struct interval *ret);

/* The tests that the intervals invert, at one ratio: t = (ybar - r xbar) / se. */
int ratio_unpaired_at(const struct sample_summary *base, const struct sample_summary *new,
		      double ratio, struct ratio_point *ret);
int ratio_paired_at(const struct pair_summary *p, double ratio, struct ratio_point *ret);

/*
 * One-sided 95 % bounds of the ratio are the ends of the two-sided 90 % interval. at_worst is the
 * end that is worse for the metric: the high one where lower is better.
 */
double ratio_at_worst(const struct interval *ci90, bool lower_is_better);
double ratio_at_best(const struct interval *ci90, bool lower_is_better);

/* The 90 % interval lies inside 1 +- margin_pct/100. False for margin 0 and unknown bounds. */
bool ratio_equivalent(const struct interval *ci90, double margin_pct);

/* ---- interaction: is the change the same under both labels? ---- */

/* Ratio of ratios from the log ratios of the rounds of each label: Welch between the labels. */
int interaction_rounds(const struct sample_summary *base_logs,
		       const struct sample_summary *new_logs, double level,
		       struct ratio_test *ret);

/*
 * The same from four unpaired summaries, in the order base x, base y, new x, new y, by the delta
 * method: V = sum of (sd/mean)^2/n, Satterthwaite. NAN if a mean is <= 0.
 */
int interaction_summaries(const struct sample_summary samples[static 4], double level,
			  struct ratio_test *ret);

#endif
