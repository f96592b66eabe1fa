// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/gate.h"

#include <math.h>
#include <string.h>

#include "results/ratio.h"
#include "results/verdict.h"

#define ALPHA .05

static bool has_headline(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		if (analysis->comparisons[i].headline && !analysis->comparisons[i].noise_floor)
			return true;
	return false;
}

/* A side that lost all its runs has no row that could say so. */
static bool side_is_lost(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncounts; i++) {
		const struct analysis_count *count = &analysis->counts[i];

		if (!count->ok && !count->published && count->failed + count->invalid)
			return true;
	}
	return false;
}

/* Metrics that cannot be compared although both sides have them: of those that are judged. */
static bool units_differ(const struct analysis *analysis, bool headline_only)
{
	for (size_t i = 0; i < analysis->nunmatched; i++) {
		const struct analysis_unmatched *u = &analysis->unmatched[i];

		if (u->base && u->fresh &&
		    (!headline_only || u->base->headline || u->fresh->headline))
			return true;
	}
	return false;
}

bool gate_says_why_nothing(const struct analysis *analysis)
{
	return side_is_lost(analysis) || units_differ(analysis, false);
}

static bool is_untrusted(const struct analysis_comparison *c)
{
	return c->verdict == VERDICT_INVALID || c->confounded;
}

/* How much worse the metric has become by a bound of its change; less than 0: better. */
static double worse_by(const struct analysis_comparison *c, double change_pct)
{
	return strcmp(c->base->better, "higher") != 0 ? change_pct : -change_pct;
}

static bool is_worse(const struct analysis_comparison *c, double pct)
{
	/* of nothing, or less, there is no percentage: whatever is added is beyond any */
	if (isnan(c->at_best_pct))
		return c->verdict == VERDICT_WORSE;
	return c->p_holm < ALPHA && worse_by(c, c->at_best_pct) > pct;
}

/* Rows that have no verdict by their kind (user and sys of few ticks) are not asked for one. */
static bool has_verdict(const struct analysis_comparison *c)
{
	return c->verdict != VERDICT_NONE;
}

static bool is_within(const struct analysis_comparison *c, double pct)
{
	return c->n >= VERDICT_RUNS_MIN && ratio_equivalent(&c->ci90, pct);
}

static bool is_not_worse(const struct analysis_comparison *c, double pct)
{
	return c->n >= VERDICT_RUNS_MIN && worse_by(c, c->at_worst_pct) <= pct;
}

/* What the rows say together. */
struct findings {
	size_t judged;
	bool untrusted, worse, all_within, all_not_worse;
};

static struct findings look(const struct analysis *analysis, double worse_pct, double within_pct)
{
	struct findings found = { .all_within = true, .all_not_worse = true };
	bool headline_only = has_headline(analysis);
	bool unit_matters = headline_only && !analysis->options.all_metrics;

	for (size_t i = 0; i < analysis->ncomparisons; i++) {
		const struct analysis_comparison *c = &analysis->comparisons[i];

		if (c->noise_floor || (headline_only && !c->headline))
			continue;
		found.untrusted |= is_untrusted(c);
		found.worse |= is_worse(c, worse_pct);
		if (!has_verdict(c))
			continue;
		found.judged++;
		found.all_within &= is_within(c, within_pct);
		found.all_not_worse &= is_not_worse(c, worse_pct);
	}
	found.untrusted |= side_is_lost(analysis) || units_differ(analysis, unit_matters);
	found.all_within &= found.judged > 0;
	found.all_not_worse &= found.judged > 0;
	return found;
}

int gate_status(const struct gate *gate, const struct analysis *analysis)
{
	bool fail = !isnan(gate->fail_if_worse_pct), within = !isnan(gate->require_within_pct);
	double pct = fail ? gate->fail_if_worse_pct : analysis->margin_pct;
	struct findings found = look(analysis, pct, gate->require_within_pct);

	if (gate->bisect) {
		if (found.untrusted)
			return GATE_UNDECIDED;
		if (found.worse)
			return GATE_BAD;
		return found.all_not_worse && (!within || found.all_within) ? GATE_GOOD :
									      GATE_UNDECIDED;
	}
	if (found.untrusted)
		return EXIT_UNTRUSTED;
	if (fail && found.worse)
		return EXIT_WORSE;
	return within && !found.all_within ? EXIT_NOT_WITHIN : EXIT_OK;
}
