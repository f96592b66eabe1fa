// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Moments, t intervals and t tests of repeated runs, and Holm's correction.
 *
 * Every test takes summaries (mean, sd, n), so values measured here and figures published by
 * others go through the same code. "base" is always the baseline x, "new" the candidate y;
 * differences are new - base. Values have any unit as long as both sides have the same one;
 * means, sds and differences keep it.
 *
 * Unknown is NAN, never 0: the sd of one run, a test of two constant sides. Such a result is a
 * success (0). Errors are for input that makes no sense: -EINVAL for a value that is not finite or
 * whose square is not, a negative sd, a level outside (0, 1). Nothing here keeps or frees what it
 * is given, and outputs are set only on success. GSL's error handler is switched off on the way.
 *
 * "level" is two-sided, .95 as a rule. p is two-sided unless its name says otherwise.
 */
#ifndef BRUNT_RESULTS_STATS_H
#define BRUNT_RESULTS_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
	double low;
	double high;
};

/* sd has the divisor n - 1; it is NAN for n < 2 and where the source gave none */
struct sample_summary {
	double mean;
	double sd;
	size_t n;
};

/* n rounds with one run of each side; both n are equal, cov has the divisor n - 1 */
struct pair_summary {
	struct sample_summary base;
	struct sample_summary new;
	double cov;
	double diff_sd;
};

/* all from one sort; mad is the plain median of |v - median| (1.4826 times it estimates the sd) */
struct sample_order {
	double min;
	double median;
	double max;
	double p95;		/* linear between order statistics, Hyndman and Fan type 7 */
	double mad;
};

/* a difference, its standard error, and the test of it being 0 */
struct t_test {
	double diff;
	double se;
	double t;
	double df;
	double p;
	struct interval ci;
};

/* ---- what the rest of results/ builds on ---- */

/* 0 < level < 1 */
bool level_valid(double level);

/* No infinite mean or sd, no negative sd. Unknown figures are valid. */
bool sample_valid(const struct sample_summary *s);
bool pair_valid(const struct pair_summary *p);

/* sd^2 / n; NAN for n < 2 */
double sample_mean_variance(const struct sample_summary *s);

/* Student's t: P(T > t), P(|T| > |t|), and the t that |T| stays below with probability level. */
double student_upper(double t, double df);
double student_two_sided(double t, double df);
double student_critical(double level, double df);

/* ---- one sample ---- */

/* Two passes with the correction of Chan, Golub and LeVeque. n = 0: both NAN. */
int sample_summarize(const double *values, size_t n, struct sample_summary *ret);

/* n = 0: all NAN. -ENOMEM. */
int sample_order(const double *values, size_t n, struct sample_order *ret);

/*
 * Lag-1 autocorrelation: sum of (v_i - mean)(v_(i-1) - mean) over sum of (v_i - mean)^2, as NIST
 * StRD defines it. NAN for fewer than two and for equal values.
 */
int sample_lag1(const double *values, size_t n, double *ret);

/*
 * Mean of the second half minus mean of the first, in run order; of an odd number the middle
 * one is left out. NAN for n < 2.
 */
int sample_half_change(const double *values, size_t n, double *ret);

/* mean +- t(n - 1) sd / sqrt(n). NAN for n < 2. */
int sample_interval(const struct sample_summary *s, double level, struct interval *ret);

/* The sd of ln of the sample by the delta method: {ln mean, sd / mean, n}. NAN if mean <= 0. */
int sample_log(const struct sample_summary *s, struct sample_summary *ret);

/* ---- printed values ---- */

/* The sd that rounding to multiples of step alone gives: step / sqrt(12). */
double rounding_sd(double step);

/* Raises the sd to rounding_sd(step); an unknown sd stays unknown, step 0 or NAN does nothing. */
void sample_floor_sd(struct sample_summary *s, double step);

/* The same for both sides; the sd of the differences takes the increase of both variances. */
void pair_floor_sd(struct pair_summary *p, double base_step, double new_step);

/* ---- pairs (rounds) ---- */

/* base[i] and new[i] are of round i. n = 0: all NAN. */
int pair_summarize(const double *base, const double *new, size_t n, struct pair_summary *ret);

/* The differences new - base as a sample. */
struct sample_summary pair_difference(const struct pair_summary *p);

/*
 * Fills ret[n] with ln(new / base) of each round. Its t interval, exponentiated, cross-checks
 * ratio_paired(); it is also what the signed-rank test and interaction_rounds() take. -EDOM if a
 * value is not above 0.
 */
int pair_log_ratios(const double *base, const double *new, size_t n, double *ret);

/* t = mean(d) / (sd(d) / sqrt(n)) with n - 1 df. NAN for n < 2 and for sd(d) = 0. */
int paired_test(const struct pair_summary *p, double level, struct t_test *ret);

/* ---- unpaired ---- */

/*
 * Welch: SE^2 = A + B with A = sd^2/n of base and B of new, df = SE^4 / (A^2/(n_x - 1) +
 * B^2/(n_y - 1)). An sd of 0 on one side is legal; on both, t, df, p and ci are NAN (give the
 * data the floor of their resolution first).
 */
int welch_test(const struct sample_summary *base, const struct sample_summary *new, double level,
	       struct t_test *ret);

/*
 * The sum of weights[i] times the mean of samples[i], with Satterthwaite's df; welch_test() is
 * weights {-1, 1}, the difference of differences {1, -1, -1, 1}.
 */
int contrast_test(const double *weights, const struct sample_summary *samples, size_t count,
		  double level, struct t_test *ret);

/* ---- many rows ---- */

/*
 * Holm: the running maximum of (m - i + 1) p_(i), at most 1. A NAN stays NAN and is not counted
 * in m. ret may be p. -EINVAL for a p outside [0, 1]; -ENOMEM.
 */
int holm_adjust(const double *p, size_t count, double *ret);

#endif
