// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/power.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

struct noncentral {
	double t, df, ncp;
	double log_scale;	/* of the density of s */
};

static double noncentral_integrand(double s, void *data)
{
	const struct noncentral *n = data;
	double log_density = n->log_scale + (n->df - 1) * log(s) - n->df * s * s / 2;

	return gsl_cdf_ugaussian_P(n->t * s - n->ncp) * exp(log_density);
}

int noncentral_t_cdf(double t, double df, double ncp, double *ret)
{
	struct noncentral n = { .t = t, .df = df, .ncp = ncp };
	gsl_function function = { .function = noncentral_integrand, .params = &n };
	gsl_integration_workspace *workspace;
	/* beyond it less than 1e-13 of the mass of s, whose sd is at most 1/sqrt(2 df) */
	double reach = 11 / sqrt(2 * df);
	double value, error;

	if (!isfinite(t) || !isfinite(ncp) || !(df > 0) || isinf(df))
		return -EINVAL;
	gsl_set_error_handler_off();
	n.log_scale = M_LN2 + df / 2 * log(df / 2) - gsl_sf_lngamma(df / 2);
	workspace = gsl_integration_workspace_alloc(200);
	if (!workspace)
		return -ENOMEM;
	/* the status complains of roundoff near 1e-12: the error estimate says what matters */
	gsl_integration_qag(&function, fmax(0, 1 - reach), 1 + reach, 1e-12, 1e-11, 200,
			    GSL_INTEG_GAUSS31, workspace, &value, &error);
	gsl_integration_workspace_free(workspace);
	if (!(error < 1e-8))
		return -ERANGE;
	*ret = fmin(fmax(value, 0), 1);
	return 0;
}

int t_test_power(double ncp, double df, double level, double *ret)
{
	double critical, below, above;
	int err;

	if (!level_valid(level) || !(df > 0) || isinf(df))
		return -EINVAL;
	critical = student_critical(level, df);
	err = noncentral_t_cdf(critical, df, ncp, &above);
	if (err)
		return err;
	err = noncentral_t_cdf(-critical, df, ncp, &below);
	if (err)
		return err;
	*ret = 1 - above + below;
	return 0;
}

struct wanted_power {
	double df, level, power;
};

static double power_missing(double ncp, void *data)
{
	const struct wanted_power *w = data;
	double power;

	return t_test_power(ncp, w->df, w->level, &power) ? NAN : power - w->power;
}

int t_test_ncp(double power, double df, double level, double *ret)
{
	struct wanted_power wanted = { df, level, power };
	gsl_function function = { .function = power_missing, .params = &wanted };
	gsl_root_fsolver *solver;
	int more = GSL_CONTINUE;
	double high = 4;

	if (!level_valid(level) || !(df > 0) || isinf(df) || !(power > 1 - level && power < 1))
		return -EINVAL;
	gsl_set_error_handler_off();
	while (power_missing(high, &wanted) < 0 && high < 1e9)
		high *= 2;
	solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	if (!solver)
		return -ENOMEM;
	if (gsl_root_fsolver_set(solver, &function, 0, high))
		more = GSL_FAILURE;
	for (int i = 0; i < 100 && more == GSL_CONTINUE; i++) {
		if (gsl_root_fsolver_iterate(solver))
			break;
		more = gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
					      gsl_root_fsolver_x_upper(solver), 0, 1e-10);
	}
	if (more == GSL_SUCCESS)
		*ret = gsl_root_fsolver_root(solver);
	gsl_root_fsolver_free(solver);
	return more == GSL_SUCCESS ? 0 : -ERANGE;
}

/* ---- designs ---- */

int power_design_unpaired(const struct sample_summary *base, const struct sample_summary *new,
			  struct power_design *ret)
{
	struct t_test test;
	double x, y;
	int err;

	err = welch_test(base, new, POWER_LEVEL, &test);
	if (err)
		return err;
	x = base->sd * base->sd;
	y = new->sd * new->sd;
	*ret = (struct power_design){
		.base_mean = base->mean, .se = test.se, .df = test.df, .sd = sqrt(x + y),
		.df_factor = (x + y) / (x / (x + y) * x + y / (x + y) * y),
	};
	return 0;
}

int power_design_paired(const struct pair_summary *p, struct power_design *ret)
{
	struct t_test test;
	int err;

	err = paired_test(p, POWER_LEVEL, &test);
	if (err)
		return err;
	*ret = (struct power_design){
		.base_mean = p->base.mean, .se = test.se, .df = test.df,
		.sd = p->base.n < 2 ? NAN : p->diff_sd, .df_factor = 1,
	};
	return 0;
}

/* ---- minimum detectable effect ---- */

int power_mde(const struct power_design *design, double level, double *ret_pct)
{
	double ncp;
	int err;

	if (!(design->df > 0 && design->base_mean > 0)) {
		*ret_pct = NAN;
		return 0;
	}
	err = t_test_ncp(POWER_TARGET, design->df, level, &ncp);
	if (err)
		return err;
	*ret_pct = 100 * ncp * design->se / design->base_mean;
	return 0;
}

int mde_unpaired(const struct sample_summary *base, const struct sample_summary *new,
		 double *ret_pct)
{
	struct power_design design;
	int err = power_design_unpaired(base, new, &design);

	return err ? err : power_mde(&design, POWER_LEVEL, ret_pct);
}

int mde_paired(const struct pair_summary *p, double *ret_pct)
{
	struct power_design design;
	int err = power_design_paired(p, &design);

	return err ? err : power_mde(&design, POWER_LEVEL, ret_pct);
}

/* ---- runs needed ---- */

/* effect in units */
static int enough(const struct power_design *d, double effect, double level, double n, bool *ret)
{
	double power;
	int err;

	err = t_test_power(effect * sqrt(n) / d->sd, d->df_factor * (n - 1), level, &power);
	if (!err)
		*ret = power >= POWER_TARGET;
	return err;
}

/* doubling, then bisection: power grows with n */
static int smallest_n(const struct power_design *d, double effect, double level, double *ret)
{
	double low = POWER_RUNS_MIN - 1, high = POWER_RUNS_MIN;
	bool reached;
	int err;

	while (!(err = enough(d, effect, level, high, &reached)) && !reached) {
		if (high >= POWER_RUNS_MAX) {
			*ret = NAN;
			return 0;
		}
		low = high;
		high = fmin(2 * high, POWER_RUNS_MAX);
	}
	while (!err && high - low > 1) {
		double middle = floor((low + high) / 2);

		err = enough(d, effect, level, middle, &reached);
		if (reached)
			high = middle;
		else
			low = middle;
	}
	if (!err)
		*ret = high;
	return err;
}

int power_runs(const struct power_design *design, double effect_pct, double level, double *ret)
{
	if (!(effect_pct > 0) || isinf(effect_pct) || !level_valid(level))
		return -EINVAL;
	if (design->sd > 0 && design->df > 0 && design->base_mean > 0)
		return smallest_n(design, design->base_mean * effect_pct / 100, level, ret);
	*ret = NAN;
	return 0;
}

/* With the 95 % interval of the sd. */
static int runs_needed(const struct power_design *design, double effect_pct,
		       struct runs_needed *ret)
{
	struct runs_needed runs;
	struct power_design luckier = *design, unluckier = *design;
	int err;

	luckier.sd *= sqrt(design->df / gsl_cdf_chisq_Qinv(.025, design->df));
	unluckier.sd *= sqrt(design->df / gsl_cdf_chisq_Pinv(.025, design->df));
	err = power_runs(design, effect_pct, POWER_LEVEL, &runs.n);
	if (!err)
		err = power_runs(&luckier, effect_pct, POWER_LEVEL, &runs.low);
	if (!err)
		err = power_runs(&unluckier, effect_pct, POWER_LEVEL, &runs.high);
	if (!err)
		*ret = runs;
	return err;
}

int power_runs_needed(const struct power_design *design, double effect_pct,
		      struct runs_needed *ret)
{
	struct runs_needed unknown = { NAN, NAN, NAN };

	if (design->df > 0)
		return runs_needed(design, effect_pct, ret);
	if (!(effect_pct > 0) || isinf(effect_pct))
		return -EINVAL;
	*ret = unknown;
	return 0;
}

int runs_needed_unpaired(const struct sample_summary *base, const struct sample_summary *new,
			 double effect_pct, struct runs_needed *ret)
{
	struct power_design design;
	int err = power_design_unpaired(base, new, &design);

	return err ? err : power_runs_needed(&design, effect_pct, ret);
}

int runs_needed_paired(const struct pair_summary *p, double effect_pct,
		       struct runs_needed *ret)
{
	struct power_design design;
	int err = power_design_paired(p, &design);

	return err ? err : power_runs_needed(&design, effect_pct, ret);
}
