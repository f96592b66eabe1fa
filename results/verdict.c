// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/ratio.h"

#define ALPHA .05
#define LOST_SHARE .1 /* of a side's runs */
#define LOST_MORE 2   /* than the other side's */

const char *verdict_name(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_WORSE:
		return "worse";
	case VERDICT_BETTER:
		return "better";
	case VERDICT_EQUIVALENT:
		return "equivalent";
	case VERDICT_INCONCLUSIVE:
		return "inconclusive";
	case VERDICT_INVALID:
		return "invalid";
	case VERDICT_NONE:
		break;
	}
	return "none";
}

static void decide(struct analysis_comparison *c, enum verdict verdict, char *reason)
{
	c->verdict = verdict;
	free(c->reason);
	c->reason = reason;
}

/* Its own interval does, whatever the correction says. */
static bool excludes_zero(const struct analysis_comparison *c)
{
	return c->p < ALPHA;
}

/* A run that the user stopped was not lost for a cause on its side. */
static size_t lost_runs(const struct analysis_count *count)
{
	return count->failed + count->invalid - count->interrupted;
}

static char *too_many_lost(const struct analysis_count *side, const struct analysis_count *other,
			   const char *name)
{
	size_t lost = lost_runs(side), all = side->ok + lost;

	if ((double)lost <= LOST_SHARE * (double)all && lost < lost_runs(other) + LOST_MORE)
		return NULL;
	return xasprintf("%zu of %zu runs of %s failed or were invalid", lost, all, name);
}

/* user or sys with so few ticks that their split is mostly chance */
static bool is_split_by_chance(const struct analysis_comparison *c, double tick_s)
{
	const char *metric = c->base->metric;

	if (strcmp(metric, "user") != 0 && strcmp(metric, "sys") != 0)
		return false;
	return fmin(c->of_base.mean, c->of_fresh.mean) < VERDICT_TICKS_MIN * tick_s;
}

/* true: the row is in a family */
static bool takes_part(struct analysis_comparison *c, const struct verdict_facts *facts,
		       const struct analysis_options *options)
{
	if (!c->headline && !options->all_metrics)
		return false;
	if (!strcmp(c->base->better, "none")) {
		c->reason = xstrdup("neither more nor less of it is better");
		return false;
	}
	if (is_split_by_chance(c, facts->tick_s)) {
		c->reason = xasprintf("split sampled at %.3g ms", 1000 * facts->tick_s);
		return false;
	}
	return true;
}

void verdict_prepare(struct analysis_comparison *c, const struct verdict_facts *facts,
		     const struct analysis_options *options)
{
	char *lost;

	if (c->noise_floor) {
		c->false_alarm = excludes_zero(c);
		c->reason = xstrdup(c->false_alarm ? "noise floor (A/A): false alarm" :
						     "noise floor (A/A)");
		return;
	}
	if (!takes_part(c, facts, options))
		return;
	lost = too_many_lost(facts->fresh, facts->base, facts->fresh_name);
	if (!lost)
		lost = too_many_lost(facts->base, facts->fresh, facts->base_name);
	if (lost)
		decide(c, VERDICT_INVALID, lost);
	else if (facts->drift)
		decide(c, VERDICT_INVALID, xstrdup("drift larger than the change"));
	else if (!c->n && (c->base->summarised || c->fresh->summarised))
		decide(c, VERDICT_INCONCLUSIVE,
		       xstrdup("it is not known how many runs the means are of"));
	else if (c->n < VERDICT_RUNS_MIN)
		decide(c, VERDICT_INCONCLUSIVE,
		       xasprintf("too few: %zu, need %d", c->n, VERDICT_RUNS_MIN));
	else if (facts->confounded)
		decide(c, VERDICT_INCONCLUSIVE, xstrdup(facts->confounded));
	else if (facts->depends_on)
		c->reason = xasprintf("depends on run %u", facts->depends_on->number);
	else if (c->rank.disagrees)
		c->reason = xstrdup("the rank test disagrees");
	c->family_size = c->verdict == VERDICT_NONE || c->verdict == VERDICT_INVALID;
}

/* "said; more", where more was known before */
static char *with_reason(char *said, const struct analysis_comparison *c)
{
	char *both;

	if (!c->reason)
		return said;
	both = said ? xasprintf("%s; %s", said, c->reason) : xstrdup(c->reason);
	free(said);
	return both;
}

static void decide_equivalent(struct analysis_comparison *c, double margin_pct)
{
	char *said;

	if (c->p_holm < ALPHA)
		said = xasprintf("differs, inside the margin of %g %%", margin_pct);
	else if (excludes_zero(c))
		said = xasprintf("within %g %%; differs, but not after correction for %zu",
				 margin_pct, c->family_size);
	else
		said = xasprintf("within %g %%", margin_pct);

	decide(c, VERDICT_EQUIVALENT, with_reason(said, c));
}

/* Its square is not known, and so no sd. */
static bool is_too_large(const struct analysis_compared *side)
{
	return isnan(side->mean) || fabs(side->mean) > 1e150;
}

static void decide_inconclusive(struct analysis_comparison *c)
{
	char *said = NULL;

	if (isnan(c->p) && (is_too_large(&c->of_base) || is_too_large(&c->of_fresh)))
		said = xstrdup("no test is possible: the values are too large");
	else if (isnan(c->p))
		said = xstrdup("no test is possible");
	else if (excludes_zero(c))
		said = xasprintf("not after correction for %zu", c->family_size);
	decide(c, VERDICT_INCONCLUSIVE, with_reason(said, c));
}

/* What the row can show where the others of its family are looked at as well. */
static void plan_for_family(struct analysis_comparison *c)
{
	double level = 1 - ALPHA / (double)c->family_size;

	if (c->family_size < 2)
		return;
	power_mde(&c->design, level, &c->mde_holm_pct);
	if (c->effect_pct > 0)
		power_runs(&c->design, c->effect_pct, level, &c->runs_needed_holm);
}

static void decide_by_figures(struct analysis_comparison *c, double margin_pct)
{
	bool more = c->difference > 0;
	bool more_is_worse = strcmp(c->base->better, "higher") != 0;

	if (margin_pct > 0 && ratio_equivalent(&c->ci90, margin_pct))
		decide_equivalent(c, margin_pct);
	else if (c->p_holm < ALPHA)
		c->verdict = more == more_is_worse ? VERDICT_WORSE : VERDICT_BETTER;
	else
		decide_inconclusive(c);
}

static bool in_family(const struct analysis_comparison *c, const struct analysis_family *family)
{
	return c->family_size && c->headline == family->headline &&
	       !strcmp(c->kind, family->kind) &&
	       !strcmp(c->base->cell->workload, family->workload);
}

static void correct(struct analysis *analysis, struct analysis_family *family, double margin_pct)
{
	double *p = xcalloc(analysis->ncomparisons, sizeof(*p));
	size_t n = 0, i = 0;

	for (size_t k = 0; k < analysis->ncomparisons; k++) {
		if (!in_family(&analysis->comparisons[k], family))
			continue;
		p[n++] = analysis->comparisons[k].p;
		family->size += !isnan(p[n - 1]);
	}
	if (holm_adjust(p, n, p))
		for (size_t k = 0; k < n; k++)
			p[k] = NAN;
	for (size_t k = 0; k < analysis->ncomparisons; k++) {
		struct analysis_comparison *c = &analysis->comparisons[k];

		if (!in_family(c, family))
			continue;
		c->p_holm = p[i++];
		c->family_size = isnan(c->p) ? 0 : family->size;
		if (c->verdict == VERDICT_NONE)
			decide_by_figures(c, margin_pct);
		if (c->verdict == VERDICT_INCONCLUSIVE)
			plan_for_family(c);
	}
	free(p);
}

static bool has_family(const struct analysis *analysis, const struct analysis_comparison *c)
{
	for (size_t i = 0; i < analysis->nfamilies; i++)
		if (in_family(c, &analysis->families[i]))
			return true;
	return false;
}

void verdict_decide_all(struct analysis *analysis, const struct analysis_options *options)
{
	size_t cap = 0;

	for (size_t i = 0; i < analysis->ncomparisons; i++) {
		const struct analysis_comparison *c = &analysis->comparisons[i];

		if (!c->family_size || has_family(analysis, c))
			continue;
		GROW(analysis->families, analysis->nfamilies, cap);
		analysis->families[analysis->nfamilies] = (struct analysis_family){
			.workload = c->base->cell->workload, .kind = c->kind,
			.headline = c->headline,
		};
		correct(analysis, &analysis->families[analysis->nfamilies++],
			options->margin_pct);
	}
}
