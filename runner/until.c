// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/until.h"

#include <math.h>
#include <string.h>

#include "results/analysis.h"

static bool is_looked_at(const struct until *until, const struct analysis_comparison *c)
{
	const struct analysis_cell *cell = c->base->cell;

	return c->headline && c->verdict != VERDICT_NONE && !strcmp(c->kind, "config") &&
	       !strcmp(cell->label, until->label) && !strcmp(cell->host, until->host);
}

static double half_width(const struct analysis_comparison *c)
{
	return (c->ci95_pct[1] - c->ci95_pct[0]) / 2;
}

/* At each point: rows of a point without a verdict would let the others speak for it. */
static void look_at_section(const struct until *until, const struct analysis *analysis,
			    const struct analysis_section *section, struct until_look *look,
			    bool *known)
{
	bool any = false;

	for (size_t i = 0; i < section->ncomparisons; i++) {
		const struct analysis_comparison *c =
			&analysis->comparisons[section->first_comparison + i];
		double width = half_width(c);

		if (!is_looked_at(until, c))
			continue;
		any = true;
		look->rounds = c->n < look->rounds ? c->n : look->rounds;
		*known &= isfinite(width);
		look->half_width_pct = fmax(look->half_width_pct, width);
	}
	*known &= any;
}

static bool has_label(const struct until *until, const struct analysis *analysis,
		      const struct analysis_section *section)
{
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + i];

		if (!strcmp(cell->label, until->label) && !strcmp(cell->host, until->host))
			return true;
	}
	return false;
}

static void look_at_all(const struct until *until, const struct analysis *analysis,
			struct until_look *out)
{
	struct until_look look = { .rounds = SIZE_MAX, .half_width_pct = NAN };
	bool known = analysis->nsections > 0;

	for (size_t i = 0; i < analysis->nsections; i++)
		if (has_label(until, analysis, &analysis->sections[i]))
			look_at_section(until, analysis, &analysis->sections[i], &look, &known);
	if (look.rounds == SIZE_MAX)
		look.rounds = 0;
	if (!known)
		look.half_width_pct = NAN;
	look.reached = look.rounds >= until->min_rounds && look.half_width_pct < until->pct;
	*out = look;
}

int until_look(const char *set_path, const struct until *until, struct until_look *out,
	       struct err *err)
{
	struct analysis_options options = ANALYSIS_OPTIONS_INIT;
	struct analysis analysis;
	struct set_data data;
	int rc = set_read(set_path, &data, err);

	if (rc)
		return rc;
	options.effect_pct = 0;
	rc = analysis_make(&data, 1, &options, &analysis, err);
	if (!rc) {
		look_at_all(until, &analysis, out);
		analysis_release(&analysis);
	}
	set_data_release(&data);
	return rc;
}
