// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What a number of runs can show: the noncentral t distribution, the minimum detectable effect,
 * and the runs needed for a wanted effect.
 *
 * Two-sided tests at 80 % power throughout, of 5 % unless said. Effects are percent of the mean of
 * base. The effect that runs_needed_*() takes is the one that is wanted, never the one observed:
 * planning with the observed effect only restates its p.
 *
 * Conventions as in results/stats.h: base is x, new is y, unknown is NAN in a result that is a
 * success, -EINVAL for input that makes no sense.
 */
#ifndef BRUNT_RESULTS_POWER_H
#define BRUNT_RESULTS_POWER_H

#include "results/stats.h"

#define POWER_LEVEL .95		/* of the test: 1 - alpha */
#define POWER_TARGET .8
#define POWER_RUNS_MIN 3	/* a verdict needs as many */
#define POWER_RUNS_MAX 1000000	/* a plan for more is none: NAN */

/*
 * Whole numbers, runs per side or rounds; double because each can be unknown. low and high come
 * from the 95 % interval of the variance, sd^2 df / chi^2(df).
 */
struct runs_needed {
	double n;
	double low;
	double high;
};

/*
 * What runs of this spread can show. The figures of planning: se is sd/sqrt(n) and df is
 * df_factor (n - 1), n runs a side or rounds; se and df are those of the runs that there are. NAN
 * where unknown.
 */
struct power_design {
	double base_mean;
	double se, df;
	double sd, df_factor;
};

/*
 * P(T <= t) for noncentral t: the integral over s of Phi(t s - ncp) f(s), where s is
 * sqrt(chi^2(df)/df). df > 0, fractional allowed; absolute error below 1e-9 up to df 1e6.
 * -ENOMEM, and -ERANGE where the integration fails.
 */
int noncentral_t_cdf(double t, double df, double ncp, double *ret);

/* Power of the two-sided test at level: 1 - F(t; ncp) + F(-t; ncp), t the critical value. */
int t_test_power(double ncp, double df, double level, double *ret);

/* The ncp for which that power is reached. */
int t_test_ncp(double power, double df, double level, double *ret);

/*
 * Of unpaired samples with Welch's df, so sides may differ in n and sd; planned are equal n with
 * the sds of both sides kept, and df n - 1 times (s_x^2 + s_y^2)^2 / (s_x^4 + s_y^4).
 */
int power_design_unpaired(const struct sample_summary *base, const struct sample_summary *new,
			  struct power_design *ret);
int power_design_paired(const struct pair_summary *p, struct power_design *ret);

/*
 * Minimum detectable effect of a test at level: the ncp for 80 % power, times the standard error
 * and over xbar, in percent. NAN for a mean of base <= 0, n < 2, and data without spread.
 */
int power_mde(const struct power_design *design, double level, double *ret_pct);

/*
 * The smallest n (a side, or rounds) with 80 % power for effect_pct > 0 of the mean of base in a
 * test at level; and at POWER_LEVEL with its range. NAN as above.
 */
int power_runs(const struct power_design *design, double effect_pct, double level, double *ret);
int power_runs_needed(const struct power_design *design, double effect_pct,
		      struct runs_needed *ret);

/* The same at POWER_LEVEL. */
int mde_unpaired(const struct sample_summary *base, const struct sample_summary *new,
		 double *ret_pct);
int mde_paired(const struct pair_summary *p, double *ret_pct);
int runs_needed_unpaired(const struct sample_summary *base, const struct sample_summary *new,
			 double effect_pct, struct runs_needed *ret);
int runs_needed_paired(const struct pair_summary *p, double effect_pct,
		       struct runs_needed *ret);

#endif
