// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/power.h"
#include "results/rank.h"
#include "results/ratio.h"
#include "results/stats.h"

#define LEVEL .95
#define ONE_SIDED_LEVEL .9 /* two-sided; its ends are one-sided bounds of 95 % */
#define ALPHA .05

/* ---- figures ---- */

/* What both designs give; the sds have their floor. */
struct figures {
	struct t_test test;
	struct interval ratio95, ratio90, rounding;
	double mde_pct;
	struct runs_needed runs;
	struct power_design design;
};

static const struct figures unknown_figures = {
	{ NAN, NAN, NAN, NAN, NAN, { NAN, NAN } }, { NAN, NAN }, { NAN, NAN }, { NAN, NAN },
	NAN, { NAN, NAN, NAN }, { NAN, NAN, NAN, NAN, NAN },
};

static void plan(struct figures *f, double effect_pct)
{
	power_mde(&f->design, POWER_LEVEL, &f->mde_pct);
	if (effect_pct > 0)
		power_runs_needed(&f->design, effect_pct, &f->runs);
}

/*
 * Errors of the formulae (values too large for their squares) leave a figure unknown: one row
 * without figures must not cost the report.
 */
static void figures_paired(struct figures *f, const struct compare_sides *s, double effect_pct)
{
	struct pair_summary pair;
	double step = fmax(s->x_step, s->y_step);

	if (pair_summarize(s->x, s->y, s->nx, &pair))
		return;
	pair_floor_sd(&pair, s->x_step, s->y_step);
	/* sides that vary together to the last digit: their difference is rounded as well */
	if (pair.diff_sd < M_SQRT2 * rounding_sd(step))
		pair.diff_sd = M_SQRT2 * rounding_sd(step);
	paired_test(&pair, LEVEL, &f->test);
	ratio_paired(&pair, LEVEL, &f->ratio95);
	ratio_paired(&pair, ONE_SIDED_LEVEL, &f->ratio90);
	ratio_paired_rounding(&pair, s->x_step, s->y_step, LEVEL, &f->rounding);
	if (!power_design_paired(&pair, &f->design))
		plan(f, effect_pct);
}

static void figures_unpaired(struct figures *f, const struct compare_sides *s, double effect_pct)
{
	struct sample_summary x, y;

	if (compare_summaries(s, &x, &y))
		return;
	welch_test(&x, &y, LEVEL, &f->test);
	ratio_unpaired(&x, &y, LEVEL, &f->ratio95);
	ratio_unpaired(&x, &y, ONE_SIDED_LEVEL, &f->ratio90);
	ratio_unpaired_rounding(&x, &y, s->x_step, s->y_step, LEVEL, &f->rounding);
	if (!power_design_unpaired(&x, &y, &f->design))
		plan(f, effect_pct);
}

/* Where an interval is known in units alone there is no percentage that could have one. */
static double mean_change_pct(const struct analysis_comparison *c, const struct figures *f)
{
	double x = c->of_base.mean, y = c->of_fresh.mean;

	if (!(x > 0 && y > 0) || (isnan(f->ratio95.low) && !isnan(f->test.ci.low)))
		return NAN;
	return ratio_change_pct(y / x);
}

void compare_figures(struct analysis_comparison *c, const struct compare_sides *sides,
		     double effect_pct)
{
	struct figures f = unknown_figures;
	bool lower_is_better = strcmp(c->base->better, "higher") != 0;
	bool rounded = c->base->step > 0 || c->fresh->step > 0;

	if (sides->paired)
		figures_paired(&f, sides, effect_pct);
	else
		figures_unpaired(&f, sides, effect_pct);
	c->paired = sides->paired;
	c->n = sides->nx < sides->ny ? sides->nx : sides->ny;
	compare_sides_describe(sides, &c->of_base, &c->of_fresh);
	c->difference = c->of_fresh.mean - c->of_base.mean;
	c->change_pct = mean_change_pct(c, &f);
	c->ci95_pct[0] = ratio_change_pct(f.ratio95.low);
	c->ci95_pct[1] = ratio_change_pct(f.ratio95.high);
	c->ci95_units[0] = f.test.ci.low;
	c->ci95_units[1] = f.test.ci.high;
	c->ci95_rounding_pct[0] = rounded ? ratio_change_pct(f.rounding.low) : NAN;
	c->ci95_rounding_pct[1] = rounded ? ratio_change_pct(f.rounding.high) : NAN;
	c->ci90 = f.ratio90;
	c->at_worst_pct = ratio_change_pct(ratio_at_worst(&f.ratio90, lower_is_better));
	c->at_best_pct = ratio_change_pct(ratio_at_best(&f.ratio90, lower_is_better));
	c->p = f.test.p;
	c->p_holm = NAN;
	c->mde_pct = f.mde_pct;
	c->mde_holm_pct = c->runs_needed_holm = NAN;
	c->design = f.design;
	c->effect_pct = effect_pct > 0 ? effect_pct : NAN;
	c->power = POWER_TARGET;
	c->runs_needed[0] = f.runs.n;
	c->runs_needed[1] = f.runs.low;
	c->runs_needed[2] = f.runs.high;
}

/* ---- one run that decides ---- */

/* The index of the value farthest from the median, and how far; n > 0. */
static size_t farthest(const double *values, size_t n, double *distance)
{
	struct sample_order order;
	size_t index = 0;

	*distance = -1;
	if (sample_order(values, n, &order))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (fabs(values[i] - order.median) <= *distance)
			continue;
		*distance = fabs(values[i] - order.median);
		index = i;
	}
	return index;
}

static double distance_from_median(const double *values, size_t n, size_t index)
{
	struct sample_order order;

	return sample_order(values, n, &order) ? 0 : fabs(values[index] - order.median);
}

/* p of t without one value of x, of y, or without a pair. */
static double p_without(const struct compare_sides *s, bool of_x, bool of_y, size_t index)
{
	struct compare_sides rest = *s;
	struct figures f = unknown_figures;

	rest.x = xcalloc(s->nx, sizeof(*rest.x));
	rest.y = xcalloc(s->ny, sizeof(*rest.y));
	rest.nx = rest.ny = 0;
	for (size_t i = 0; i < s->nx; i++)
		if (!(of_x && i == index))
			rest.x[rest.nx++] = s->x[i];
	for (size_t i = 0; i < s->ny; i++)
		if (!(of_y && i == index))
			rest.y[rest.ny++] = s->y[i];
	if (s->paired)
		figures_paired(&f, &rest, 0);
	else
		figures_unpaired(&f, &rest, 0);
	free(rest.x);
	free(rest.y);
	return f.test.p;
}

static bool disagrees(const struct rank_test *rank, const struct analysis_comparison *c)
{
	double diff = c->ci95_units[0] + c->ci95_units[1];
	bool t_excludes = c->p < ALPHA, rank_excludes = rank->p < ALPHA;

	if (!(rank->p_min < ALPHA) || isnan(c->p))
		return false;
	return t_excludes != rank_excludes || (t_excludes && diff * rank->estimate < 0);
}

/* What is ranked of rounds: log ratios (true), or differences where a value is not above 0. */
static bool round_changes(const struct compare_sides *s, double *d)
{
	if (!pair_log_ratios(s->x, s->y, s->nx, d))
		return true;
	for (size_t i = 0; i < s->nx; i++)
		d[i] = s->y[i] - s->x[i];
	return false;
}

static bool rank_paired(const struct compare_sides *s, struct rank_test *rank, bool *logs)
{
	double *d = xcalloc(s->nx, sizeof(*d));
	int rc;

	*logs = round_changes(s, d);
	rc = signed_rank_test(d, s->nx, LEVEL, rank);
	free(d);
	return !rc;
}

/* The smallest p that values give which all differ. */
static double p_min_without_ties(const struct compare_sides *s)
{
	double x = (double)s->nx, y = (double)s->ny;

	if (s->paired)
		return exp2(1 - x);
	return 2 * exp(lgamma(x + 1) + lgamma(y + 1) - lgamma(x + y + 1));
}

void compare_rank(struct analysis_comparison *c, const struct compare_sides *s)
{
	struct rank_test rank;
	bool logs = false, known;

	c->rank = (struct analysis_rank){ NAN, NAN, NAN, { NAN, NAN }, NAN, { NAN, NAN }, false,
					 false };
	if (!s->x_from || !s->y_from || !s->nx || !s->ny || s->nx > COMPARE_RANK_MAX ||
	    s->ny > COMPARE_RANK_MAX)
		return;
	known = s->paired ? rank_paired(s, &rank, &logs) :
			    !mann_whitney_test(s->x, s->nx, s->y, s->ny, LEVEL, &rank);
	if (!known)
		return;
	c->rank.p = rank.p;
	c->rank.p_min = rank.p_min;
	c->rank.disagrees = disagrees(&rank, c);
	c->rank.ties = rank.p_min >= ALPHA && p_min_without_ties(s) < ALPHA;
	if (logs) {
		c->rank.change_pct = ratio_change_pct(exp(rank.estimate));
		c->rank.ci95_pct[0] = ratio_change_pct(exp(rank.ci.low));
		c->rank.ci95_pct[1] = ratio_change_pct(exp(rank.ci.high));
	} else {
		c->rank.shift = rank.estimate;
		c->rank.ci95_units[0] = rank.ci.low;
		c->rank.ci95_units[1] = rank.ci.high;
	}
}

static const struct set_run *depends_paired(const struct analysis_comparison *c,
					    const struct compare_sides *s)
{
	double *d = xcalloc(s->nx, sizeof(*d)), far;
	const struct set_run *run = NULL;
	size_t k;

	round_changes(s, d);
	k = farthest(d, s->nx, &far);
	if ((p_without(s, true, true, k) < ALPHA) != (c->p < ALPHA))
		run = distance_from_median(s->x, s->nx, k) > distance_from_median(s->y, s->ny, k) ?
			      s->x_from[k] :
			      s->y_from[k];
	free(d);
	return run;
}

static const struct set_run *depends_unpaired(const struct analysis_comparison *c,
					      const struct compare_sides *s)
{
	double x_far, y_far;
	size_t x = farthest(s->x, s->nx, &x_far), y = farthest(s->y, s->ny, &y_far);

	if ((p_without(s, x_far > y_far, x_far <= y_far, x_far > y_far ? x : y) < ALPHA) ==
	    (c->p < ALPHA))
		return NULL;
	return x_far > y_far ? s->x_from[x] : s->y_from[y];
}

const struct set_run *compare_depends_on(const struct analysis_comparison *c,
					 const struct compare_sides *sides)
{
	if (!c->rank.disagrees)
		return NULL;
	return sides->paired ? depends_paired(c, sides) : depends_unpaired(c, sides);
}

/* ---- drift ---- */

static bool drifts_more(const double *values, size_t n, double difference)
{
	double change;
	bool drifts;

	if (n > COMPARE_DRIFT_MAX || sample_half_change(values, n, &change) ||
	    !(fabs(change) > fabs(difference)))
		return false;
	return !drift_is_shown(values, n, &drifts) && drifts;
}

bool compare_drifts(const struct compare_sides *s)
{
	struct sample_summary x, y;
	double difference;

	if (s->paired || !s->x_from || !s->y_from || sample_summarize(s->x, s->nx, &x) ||
	    sample_summarize(s->y, s->ny, &y))
		return false;
	difference = y.mean - x.mean;
	return drifts_more(s->x, s->nx, difference) || drifts_more(s->y, s->ny, difference);
}
