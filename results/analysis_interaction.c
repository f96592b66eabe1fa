// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Does a configuration cost the same under both labels? Of rounds the log ratios of each label
 * are samples; of boots their means by boot; of what is not in rounds the four means are taken.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/analysis_parts.h"
#include "results/compare.h"
#include "results/ratio.h"
#include "results/verdict.h"

#define LEVEL .95
#define ONE_SIDED_LEVEL .9 /* two-sided; its ends are one-sided bounds of 95 % */

/* The two levels of the ratio of ratios, and the difference of the differences. */
struct result {
	struct ratio_test at95, at90;
	struct t_test difference;
};

static const struct result unknown_result = {
	{ NAN, NAN, NAN, NAN, { NAN, NAN } }, { NAN, NAN, NAN, NAN, { NAN, NAN } },
	{ NAN, NAN, NAN, NAN, NAN, { NAN, NAN } },
};

/* ---- the four means ---- */

static bool from_summaries(const struct analysis_interaction *i, struct result *result)
{
	static const double weights[4] = { 1, -1, -1, 1 };
	struct compare_sides before, after;
	struct sample_summary s[4];
	int rc;

	compare_sides_unpaired(i->base_of, i->c.base, &before);
	compare_sides_unpaired(i->fresh_of, i->c.fresh, &after);
	rc = compare_summaries(&before, &s[0], &s[1]);
	if (!rc)
		rc = compare_summaries(&after, &s[2], &s[3]);
	compare_sides_release(&before);
	compare_sides_release(&after);
	return !rc && !interaction_summaries(s, LEVEL, &result->at95) &&
	       !interaction_summaries(s, ONE_SIDED_LEVEL, &result->at90) &&
	       !contrast_test(weights, s, 4, LEVEL, &result->difference);
}

/* ---- rounds ---- */

/* Under one label: the log ratios and the differences, of each round or each boot. */
struct changes {
	double *logs, *differences;
	size_t n;
	double step; /* of a difference */
	double log_step;
};

static void changes_release(struct changes *changes)
{
	free(changes->logs);
	free(changes->differences);
}

/* Means by boot in place; boots are equal when their names' pointers are. */
static void average_boots(struct changes *changes, const struct set_run *const *from)
{
	const char **boots = xcalloc(changes->n + 1, sizeof(*boots));
	size_t *counts = xcalloc(changes->n + 1, sizeof(*counts)), n = 0, k;

	for (size_t i = 0; i < changes->n; i++) {
		double log_ratio = changes->logs[i], difference = changes->differences[i];

		for (k = 0; k < n && boots[k] != from[i]->boot_id; k++)
			;
		if (k == n) {
			boots[n++] = from[i]->boot_id;
			changes->logs[k] = changes->differences[k] = 0;
		}
		counts[k]++;
		changes->logs[k] += (log_ratio - changes->logs[k]) / (double)counts[k];
		changes->differences[k] +=
			(difference - changes->differences[k]) / (double)counts[k];
	}
	changes->n = n;
	free(boots);
	free(counts);
}

static bool changes_make(const struct analysis_group *base, const struct analysis_group *fresh,
			 bool by_boot, struct changes *out)
{
	struct compare_sides sides;
	int rc;

	compare_sides_paired(base, fresh, &sides);
	*out = (struct changes){ .n = sides.nx, .step = fmax(sides.x_step, sides.y_step) };
	out->log_step = out->step / fmin(base->mean, fresh->mean);
	out->logs = xcalloc(sides.nx + 1, sizeof(*out->logs));
	out->differences = xcalloc(sides.nx + 1, sizeof(*out->differences));
	rc = pair_log_ratios(sides.x, sides.y, sides.nx, out->logs);
	for (size_t i = 0; i < sides.nx; i++)
		out->differences[i] = sides.y[i] - sides.x[i];
	if (!rc && by_boot)
		average_boots(out, sides.x_from);
	compare_sides_release(&sides);
	return !rc && out->n;
}

static bool summarize(const double *values, size_t n, double step, struct sample_summary *out)
{
	if (sample_summarize(values, n, out))
		return false;
	sample_floor_sd(out, M_SQRT2 * step);
	return true;
}

static bool test_changes(const struct changes *x, const struct changes *y, struct result *result)
{
	struct sample_summary before, after;

	if (!summarize(x->logs, x->n, x->log_step, &before) ||
	    !summarize(y->logs, y->n, y->log_step, &after) ||
	    interaction_rounds(&before, &after, LEVEL, &result->at95) ||
	    interaction_rounds(&before, &after, ONE_SIDED_LEVEL, &result->at90))
		return false;
	return summarize(x->differences, x->n, x->step, &before) &&
	       summarize(y->differences, y->n, y->step, &after) &&
	       !welch_test(&before, &after, LEVEL, &result->difference);
}

static bool from_rounds(struct analysis_interaction *i, bool by_boot, struct result *result)
{
	struct changes before, after;
	bool known;

	known = changes_make(i->base_of, i->c.base, by_boot, &before);
	known = changes_make(i->fresh_of, i->c.fresh, by_boot, &after) && known;
	known = known && test_changes(&before, &after, result);
	i->c.n = before.n < after.n ? before.n : after.n;
	changes_release(&before);
	changes_release(&after);
	return known;
}

/* ---- one interaction ---- */

static void fill(struct analysis_interaction *i, const struct result *r)
{
	bool lower_is_better = strcmp(i->c.base->better, "higher") != 0;
	struct analysis_comparison *c = &i->c;

	c->change_pct = ratio_change_pct(r->at95.ratio);
	c->ci95_pct[0] = ratio_change_pct(r->at95.ci.low);
	c->ci95_pct[1] = ratio_change_pct(r->at95.ci.high);
	c->ci95_units[0] = r->difference.ci.low;
	c->ci95_units[1] = r->difference.ci.high;
	c->difference = r->difference.diff;
	c->of_base = c->of_fresh = (struct analysis_compared){ 0, NAN, NAN };
	c->ci95_rounding_pct[0] = c->ci95_rounding_pct[1] = NAN;
	c->ci90 = r->at90.ci;
	c->at_worst_pct = ratio_change_pct(ratio_at_worst(&c->ci90, lower_is_better));
	c->at_best_pct = ratio_change_pct(ratio_at_best(&c->ci90, lower_is_better));
	c->p = r->at95.p;
	c->rank = (struct analysis_rank){ NAN, NAN, NAN, { NAN, NAN }, NAN, { NAN, NAN }, false,
					 false };
	c->p_holm = c->mde_pct = c->mde_holm_pct = c->effect_pct = c->power = NAN;
	c->runs_needed[0] = c->runs_needed[1] = c->runs_needed[2] = NAN;
	c->runs_needed_holm = NAN;
}

static bool has_boots(const struct analysis_group *group)
{
	return compare_boots(group) >= VERDICT_BOOTS_MIN;
}

static void make_interaction(struct analysis_builder *builder, struct analysis_interaction *i)
{
	bool paired = !i->c.base->cell->imported && !i->c.fresh->cell->imported;
	bool by_boot = paired && has_boots(i->c.base) && has_boots(i->c.fresh);
	struct result result = unknown_result;
	const char *confounded = NULL;
	bool known;

	i->c.kind = "interaction";
	i->c.paired = paired;
	i->c.unit = by_boot ? "boot" : paired ? "round" : "run";
	i->c.n = i->c.base->n < i->c.fresh->n ? i->c.base->n : i->c.fresh->n;
	known = paired ? from_rounds(i, by_boot, &result) : from_summaries(i, &result);
	fill(i, known ? &result : &unknown_result);
	if (paired && !by_boot)
		confounded = analysis_confounded(builder, i->c.base, i->c.fresh);
	i->c.confounded = confounded != NULL;
	if (confounded)
		i->c.reason = xstrdup(confounded);
}

static void add_metric(struct analysis_builder *builder, const struct analysis_pair *from,
		       const struct analysis_pair *to, const struct analysis_group *group)
{
	struct analysis *out = builder->out;
	struct analysis_interaction i = { .base_of = group };

	i.fresh_of = analysis_same_metric(out, from->fresh, group);
	i.c.base = analysis_same_metric(out, to->base, group);
	i.c.fresh = analysis_same_metric(out, to->fresh, group);
	i.c.headline = group->headline;
	if (!i.fresh_of || !i.c.base || !i.c.fresh || !group->n || !i.fresh_of->n || !i.c.base->n ||
	    !i.c.fresh->n)
		return;
	make_interaction(builder, &i);
	GROW(out->interactions, out->ninteractions, builder->interactions_cap);
	out->interactions[out->ninteractions++] = i;
}

static bool same_labels(const struct analysis_pair *a, const struct analysis_pair *b)
{
	return a->base->data == b->base->data && a->fresh->data == b->fresh->data &&
	       !strcmp(a->base->label, b->base->label) && !strcmp(a->fresh->label, b->fresh->label);
}

void analysis_interact(struct analysis_builder *builder, struct analysis_section *section,
		       const char *base_config, const struct analysis_pair *pairs, size_t n)
{
	struct analysis *out = builder->out;

	section->first_interaction = out->ninteractions;
	for (size_t from = 0; from < n; from++) {
		const struct analysis_cell *base = pairs[from].base;

		if (strcmp(base->config, base_config) != 0)
			continue;
		for (size_t to = 0; to < n; to++) {
			if (!strcmp(pairs[to].base->config, base_config) ||
			    !same_labels(&pairs[from], &pairs[to]))
				continue;
			for (size_t g = 0; g < base->ngroups; g++)
				add_metric(builder, &pairs[from], &pairs[to],
					   &out->groups[base->first_group + g]);
		}
	}
	section->ninteractions = out->ninteractions - section->first_interaction;
}
