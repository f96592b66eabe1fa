// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/trailer.h"

#include <math.h>
#include <string.h>

#include "results/reports/layout.h"
#include "results/reports/rows.h"
#include "runner/version.h"

enum { HASH_SHOWN = sizeof("sha256:") - 1 + 12 };

static bool is_shown(const struct analysis_comparison *c)
{
	return c->verdict == VERDICT_WORSE || c->verdict == VERDICT_BETTER;
}

static bool same_pair(const struct analysis_comparison *a, const struct analysis_comparison *b)
{
	return a->base->cell == b->base->cell && a->fresh->cell == b->fresh->cell;
}

/* Of the pair of first: is anything shown, and what stands for it where nothing is. */
static const struct analysis_comparison *stands_for(const struct analysis *analysis,
						    const struct analysis_comparison *first)
{
	const struct analysis_comparison *real = NULL, *any = NULL;

	for (size_t i = 0; i < analysis->ncomparisons; i++) {
		const struct analysis_comparison *c = &analysis->comparisons[i];

		if (!same_pair(c, first))
			continue;
		if (is_shown(c))
			return NULL;
		if (!strcmp(c->base->metric, "real"))
			real = c;
		if (!any || (c->headline && !any->headline))
			any = c;
	}
	return real ? real : any;
}

static void add_figures(const struct analysis_comparison *c, struct buf *out)
{
	int decimals = figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]);
	char change[FIGURE_MAX], low[FIGURE_MAX], high[FIGURE_MAX];
	struct row_in_units row;

	buf_add(out, ", ");
	layout_escape(out, c->base->metric);
	if (row_has_units_only(c)) {
		row_in_units(c, &row);
		buf_addf(out, " %s%s%s [%s, %s]", row.change, *row.unit ? " " : "", row.unit,
			 row.low, row.high);
		return;
	}
	if (isnan(c->change_pct)) {
		buf_add(out, " unknown");
		return;
	}
	figure_percent(change, c->change_pct, decimals);
	figure_number(low, c->ci95_pct[0], decimals);
	figure_number(high, c->ci95_pct[1], decimals);
	buf_addf(out, " %s%% [%s, %s]", change, low, high);
}

/* With the verdict where it stands there although it is not shown to change. */
static void add_row(const struct analysis_comparison *c, struct buf *out)
{
	add_figures(c, out);
	if (!is_shown(c) && c->verdict != VERDICT_NONE)
		buf_addf(out, " (%s)", verdict_name(c->verdict));
}

static void add_side(const char *set, const char *name, bool named, struct buf *out)
{
	if (set)
		layout_escape(out, set);
	buf_add(out, set && named ? " " : "");
	if (named)
		layout_escape(out, name);
}

/*
 * Which pair it is, where there are several: "6.1: none -> trace", "none: 6.1 -> 6.2"; of two sets
 * "none: OLD 6.1 -> NEW 6.2".
 */
static void add_pair_name(const struct analysis_comparison *c, struct buf *out)
{
	const struct analysis_cell *base = c->base->cell, *fresh = c->fresh->cell;
	bool labels = strcmp(base->label, fresh->label) != 0;
	bool configs = strcmp(base->config, fresh->config) != 0;
	bool sets = base->data != fresh->data;
	const char *from = labels ? base->label : base->config;
	const char *to = labels ? fresh->label : fresh->config;

	buf_add(out, ", ");
	if (*base->point) {
		layout_escape(out, base->point);
		buf_add(out, ": ");
	}
	layout_escape(out, labels || sets ? base->config : base->label);
	buf_add(out, ": ");
	add_side(sets ? base->set : NULL, from, labels || configs, out);
	buf_add(out, " -> ");
	add_side(sets ? fresh->set : NULL, to, labels || configs, out);
	buf_add(out, c->noise_floor ? " (noise floor)" : "");
}

void trailer_add(const struct analysis *analysis, struct buf *out)
{
	const struct analysis_comparison *all = analysis->comparisons, *instead = NULL;
	bool named = analysis->nsets > 1 ||
		     (analysis->ncomparisons &&
		      !same_pair(&all[0], &all[analysis->ncomparisons - 1]));

	buf_addf(out, "Benchmarked: brunt " BRUNT_VERSION);
	for (size_t i = 0; i < analysis->nsets; i++)
		buf_addf(out, ", set %.*s", HASH_SHOWN, analysis->sets[i].hash);
	for (size_t i = 0; i < analysis->ncomparisons; i++) {
		bool first = !i || !same_pair(&all[i], &all[i - 1]);

		if (first)
			instead = stands_for(analysis, &all[i]);
		if (first && named)
			add_pair_name(&all[i], out);
		if (instead ? &all[i] == instead : is_shown(&all[i]))
			add_row(&all[i], out);
	}
	buf_addc(out, '\n');
}
