// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/ratio.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>

static const struct interval unknown_interval = { NAN, NAN };

/* ---- intervals ---- */

double ratio_change_pct(double ratio)
{
	return 100 * (ratio - 1);
}

struct fieller {
	double x, y;		/* means */
	double a, b;		/* variances of the means */
	double x_df, y_df;
	double alpha;
};

static struct fieller fieller_of(const struct sample_summary *base,
				 const struct sample_summary *new, double level)
{
	return (struct fieller){
		.x = base->mean, .y = new->mean,
		.a = sample_mean_variance(base), .b = sample_mean_variance(new),
		.x_df = (double)base->n - 1, .y_df = (double)new->n - 1,
		.alpha = 1 - level,
	};
}

static double fieller_df(const struct fieller *f, double ratio)
{
	double share = ratio * ratio * f->a / (f->b + ratio * ratio * f->a);

	return 1 / ((1 - share) * (1 - share) / f->y_df + share * share / f->x_df);
}

static double fieller_t(const struct fieller *f, double ratio)
{
	return (f->y - ratio * f->x) / sqrt(f->b + ratio * ratio * f->a);
}

/* above 0 where the ratio is rejected; by p and not by the critical t, so that it is Welch's p */
static double fieller_rejects(double ratio, void *data)
{
	const struct fieller *f = data;
	double t = fieller_t(f, ratio);

	return isinf(t) ? f->alpha : f->alpha - student_two_sided(t, fieller_df(f, ratio));
}

/* the root between inside (not rejected) and outside (rejected), in any order; NAN if none */
static double fieller_root(struct fieller *f, double inside, double outside)
{
	gsl_function function = { .function = fieller_rejects, .params = f };
	gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
	int more = GSL_CONTINUE;
	double root = NAN;

	if (!solver)
		return NAN;
	if (gsl_root_fsolver_set(solver, &function, fmin(inside, outside), fmax(inside, outside)))
		goto out;
	for (int i = 0; i < 200 && more == GSL_CONTINUE; i++) {
		if (gsl_root_fsolver_iterate(solver))
			break;
		more = gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
					      gsl_root_fsolver_x_upper(solver), 0, 1e-14);
	}
	root = gsl_root_fsolver_root(solver);
out:
	gsl_root_fsolver_free(solver);
	return root;
}

/* Starts at 1, so that 1 is never put on the wrong side even where there are several roots. */
static double fieller_bound(struct fieller *f, int direction)
{
	double inside = f->y / f->x;
	double step = sqrt(f->b + inside * inside * f->a) / f->x;

	if (direction * (1 - inside) > 0) {
		if (fieller_rejects(1, f) > 0)
			return fieller_root(f, inside, 1);
		inside = 1;
	}
	for (int i = 0; i < 500; i++) {
		double outside = inside + direction * step;

		if (fieller_rejects(outside, f) > 0)
			return fieller_root(f, inside, outside);
		inside = outside;
		step *= 2;
	}
	return NAN;
}

/* both bounds or none */
static struct interval interval_known(double low, double high)
{
	if (isfinite(low) && isfinite(high))
		return (struct interval){ low, high };
	return unknown_interval;
}

int ratio_unpaired(const struct sample_summary *base, const struct sample_summary *new,
		   double level, struct interval *ret)
{
	struct fieller f;

	if (!sample_valid(base) || !sample_valid(new) || !level_valid(level))
		return -EINVAL;
	gsl_set_error_handler_off();
	f = fieller_of(base, new, level);
	/* the last: g < 1 */
	if (f.x > 0 && f.y > 0 && f.a + f.b > 0 &&
	    (f.a == 0 || student_two_sided(f.x / sqrt(f.a), f.x_df) < f.alpha))
		*ret = interval_known(fieller_bound(&f, -1), fieller_bound(&f, 1));
	else
		*ret = unknown_interval;
	return 0;
}

int ratio_paired(const struct pair_summary *p, double level, struct interval *ret)
{
	double n = (double)p->base.n;
	double x = p->base.mean, y = p->new.mean, r = y / x;
	double a, b, c, t, tx, g, radicand, middle, half;

	if (!pair_valid(p) || !level_valid(level))
		return -EINVAL;
	a = sample_mean_variance(&p->base);
	b = sample_mean_variance(&p->new);
	c = p->cov / n;
	if (!(x > 0 && y > 0 && a + b > 0)) {
		*ret = unknown_interval;
		return 0;
	}
	t = student_critical(level, n - 1);
	tx = t * t / (x * x);
	g = tx * a;
	/* no division by A, which may be 0; a constant ratio gives a radicand just below 0 */
	radicand = b - 2 * r * c + r * r * a - tx * (a * b - c * c);
	middle = r - tx * c;
	half = t / x * sqrt(fmax(radicand, 0));
	if (g < 1 && !isnan(radicand))
		*ret = interval_known((middle - half) / (1 - g), (middle + half) / (1 - g));
	else
		*ret = unknown_interval;
	return 0;
}

int ratio_unpaired_rounding(const struct sample_summary *base, const struct sample_summary *new,
			    double base_step, double new_step, double level,
			    struct interval *ret)
{
	struct sample_summary up = *base, down = *new;
	struct interval low, high;
	int err;

	up.mean += base_step / 2;
	down.mean -= new_step / 2;
	err = ratio_unpaired(&up, &down, level, &low);
	if (err)
		return err;
	up.mean = base->mean - base_step / 2;
	down.mean = new->mean + new_step / 2;
	err = ratio_unpaired(&up, &down, level, &high);
	if (err)
		return err;
	*ret = interval_known(low.low, high.high);
	return 0;
}

int ratio_paired_rounding(const struct pair_summary *p, double base_step, double new_step,
			  double level, struct interval *ret)
{
	struct pair_summary shifted = *p;
	struct interval low, high;
	int err;

	shifted.base.mean += base_step / 2;
	shifted.new.mean -= new_step / 2;
	err = ratio_paired(&shifted, level, &low);
	if (err)
		return err;
	shifted.base.mean = p->base.mean - base_step / 2;
	shifted.new.mean = p->new.mean + new_step / 2;
	err = ratio_paired(&shifted, level, &high);
	if (err)
		return err;
	*ret = interval_known(low.low, high.high);
	return 0;
}

static struct ratio_point point_of(double numerator, double variance, double df)
{
	double t = numerator / sqrt(variance);

	if (!(variance > 0 && df > 0) || isnan(t))
		return (struct ratio_point){ NAN, NAN, NAN, NAN, NAN };
	return (struct ratio_point){
		.t = t, .df = df, .p = student_two_sided(t, df),
		.p_below = student_upper(-t, df), .p_above = student_upper(t, df),
	};
}

int ratio_unpaired_at(const struct sample_summary *base, const struct sample_summary *new,
		      double ratio, struct ratio_point *ret)
{
	struct fieller f;

	if (!sample_valid(base) || !sample_valid(new) || !isfinite(ratio))
		return -EINVAL;
	f = fieller_of(base, new, .95);
	*ret = point_of(f.y - ratio * f.x, f.b + ratio * ratio * f.a, fieller_df(&f, ratio));
	return 0;
}

int ratio_paired_at(const struct pair_summary *p, double ratio, struct ratio_point *ret)
{
	double n = (double)p->base.n, variance;

	if (!pair_valid(p) || !isfinite(ratio))
		return -EINVAL;
	variance = sample_mean_variance(&p->new) + ratio * ratio * sample_mean_variance(&p->base) -
		   2 * ratio * p->cov / n;
	*ret = point_of(p->new.mean - ratio * p->base.mean, variance, n - 1);
	return 0;
}

double ratio_at_worst(const struct interval *ci90, bool lower_is_better)
{
	return lower_is_better ? ci90->high : ci90->low;
}

double ratio_at_best(const struct interval *ci90, bool lower_is_better)
{
	return lower_is_better ? ci90->low : ci90->high;
}

bool ratio_equivalent(const struct interval *ci90, double margin_pct)
{
	return ci90->low > 1 - margin_pct / 100 && ci90->high < 1 + margin_pct / 100;
}

/* ---- interaction ---- */

static struct ratio_test ratio_of_logs(const struct t_test *log_test)
{
	return (struct ratio_test){
		.ratio = exp(log_test->diff),
		.t = log_test->t, .df = log_test->df, .p = log_test->p,
		.ci = { exp(log_test->ci.low), exp(log_test->ci.high) },
	};
}

int interaction_rounds(const struct sample_summary *base_logs,
		       const struct sample_summary *new_logs, double level,
		       struct ratio_test *ret)
{
	struct t_test test;
	int err;

	err = welch_test(base_logs, new_logs, level, &test);
	if (err)
		return err;
	*ret = ratio_of_logs(&test);
	return 0;
}

int interaction_summaries(const struct sample_summary samples[static 4], double level,
			  struct ratio_test *ret)
{
	struct sample_summary logs[4];
	struct t_test test;
	int err;

	for (int i = 0; i < 4; i++) {
		err = sample_log(&samples[i], &logs[i]);
		if (err)
			return err;
	}
	err = contrast_test((const double[]){ 1, -1, -1, 1 }, logs, 4, level, &test);
	if (err)
		return err;
	*ret = ratio_of_logs(&test);
	return 0;
}
