// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/plan_from.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "results/compare.h"
#include "results/reports/figures.h"
#include "results/reports/layout.h"
#include "results/verdict.h"

enum { NAME_COLUMNS = 12, COUNT_COLUMNS = 38 };

/* ---- how long a run takes ---- */

struct pace {
	double run_s; /* from start to start; NAN: not known */
	bool by_real;
};

/* The mean time between starts that follow each other in one session and boot. */
static double gap_s(const struct set_data *data)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 1; i < data->nruns; i++) {
		const struct set_run *a = &data->runs[i - 1], *b = &data->runs[i];
		int64_t gap = b->start_boottime_ns - a->start_boottime_ns;

		if (a->session != b->session || a->boot_id != b->boot_id ||
		    a->start_boottime_ns < 0 || gap <= 0)
			continue;
		sum += (double)gap / NS_PER_S;
		n++;
	}
	return n ? sum / (double)n : NAN;
}

static double mean_real_s(const struct analysis *analysis, const struct analysis_section *section)
{
	double sum = 0;
	size_t n = 0;

	for (size_t c = 0; c < section->ncells; c++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + c];

		for (size_t i = 0; i < cell->ngroups; i++) {
			const struct analysis_group *group =
				&analysis->groups[cell->first_group + i];

			if (strcmp(group->metric, "real") != 0 || strcmp(group->unit, "s") != 0)
				continue;
			sum += group->mean;
			n++;
		}
	}
	return n ? sum / (double)n : NAN;
}

static struct pace pace_of(const struct analysis *analysis, const struct analysis_section *section)
{
	const struct set_data *data = analysis->cells[section->first_cell]->data;
	struct pace pace = { gap_s(data), false };

	if (isnan(pace.run_s))
		pace = (struct pace){ mean_real_s(analysis, section), true };
	return pace;
}

/* ---- words ---- */

static void add_hours(struct buf *out, double seconds)
{
	if (seconds < 1e9)
		units_add_duration(out, (int64_t)(seconds * NS_PER_S));
	else
		buf_addf(out, "%.0f years", seconds / (365.25 * 86400));
}

static void add_counts(struct buf *out, const double runs[3], const char *unit)
{
	char n[FIGURE_MAX], low[FIGURE_MAX], high[FIGURE_MAX];

	figure_count(n, runs[0]);
	figure_count(low, runs[1]);
	figure_count(high, runs[2]);
	if (isnan(runs[0]))
		buf_addf(out, "more than %s %ss", low, unit);
	else if (isnan(runs[2]))
		buf_addf(out, "%s %ss (%s or more)", n, unit, low);
	else
		buf_addf(out, "%s %ss (%s to %s)", n, unit, low, high);
}

/* ---- rows ---- */

static void add_pair(const struct analysis_comparison *c, struct buf *out)
{
	const struct analysis_cell *base = c->base->cell, *fresh = c->fresh->cell;
	bool labels = !strcmp(c->kind, "label");

	layout_escape(out, base->workload);
	if (*base->point) {
		buf_addc(out, ' ');
		layout_escape(out, base->point);
	}
	buf_add(out, ", ");
	layout_escape(out, labels ? base->config : base->label);
	buf_add(out, ": ");
	layout_escape(out, labels ? base->label : base->config);
	buf_add(out, " -> ");
	layout_escape(out, labels ? fresh->label : fresh->config);
	buf_addc(out, '\n');
}

/*
 * How many runs one more unit costs: a round is a run of each configuration, and a pair of labels
 * one of each. More boots take as long as a boot's runs took so far; that is left to the reader.
 */
static double runs_a_unit(const struct analysis *analysis, const struct analysis_section *section,
			  const struct analysis_comparison *c)
{
	size_t configs = 0;

	if (!strcmp(c->unit, "boot"))
		return NAN;
	if (strcmp(c->unit, "round") != 0)
		return 2;
	for (size_t i = 0; i < section->ncells; i++)
		configs += !strcmp(analysis->cells[section->first_cell + i]->label,
				   c->base->cell->label);
	return (double)configs;
}

/* More runs in a boot do not tell a label from its boot. */
static void add_boots(const struct analysis_comparison *c, struct buf *out)
{
	buf_addf(out, "%d boots a side or more, %zu and %zu so far: %s\n", VERDICT_BOOTS_MIN,
		 compare_boots(c->base), compare_boots(c->fresh), c->reason);
}

static const char *why_not_known(const struct analysis_comparison *c)
{
	if (c->of_base.mean <= 0 || c->of_fresh.mean <= 0)
		return ": a mean is not above 0";
	if (!c->n)
		return ": nor is how many runs the means are of";
	if (isnan(c->base->sd) || isnan(c->fresh->sd))
		return c->n < 2 ? " from so few runs" : ": a side has no spread";
	return " from so few runs";
}

/* What the verdict takes where its p is corrected for the other rows. */
static void add_corrected(const struct analysis_comparison *c, struct buf *out)
{
	char n[FIGURE_MAX];

	if (isnan(c->runs_needed_holm))
		return;
	figure_count(n, c->runs_needed_holm);
	buf_addf(out, ", %s among %zu", n, c->family_size);
}

static void add_time(const struct analysis_comparison *c, double unit_s, size_t start,
		     struct buf *out)
{
	if (isnan(c->runs_needed[0]) || isnan(unit_s))
		return;
	buf_pad_to(out, start, NAME_COLUMNS + COUNT_COLUMNS);
	buf_add(out, "  ");
	add_hours(out, c->runs_needed[0] * unit_s);
	if (isnan(c->runs_needed[2]))
		return;
	buf_add(out, " (");
	add_hours(out, c->runs_needed[1] * unit_s);
	buf_add(out, " to ");
	add_hours(out, c->runs_needed[2] * unit_s);
	buf_add(out, ")");
}

/* What it takes, or why no number of runs gives a verdict. */
static void add_row(const struct analysis_comparison *c, double unit_s, struct buf *out)
{
	size_t start = out->len;

	buf_add(out, "  ");
	layout_escape(out, c->base->metric);
	buf_pad_to(out, start, NAME_COLUMNS);
	buf_addc(out, ' ');
	if (c->verdict == VERDICT_NONE) {
		buf_add(out, "no verdict: ");
		layout_escape(out, c->reason ? c->reason : "not asked for");
		buf_addc(out, '\n');
		return;
	}
	if (c->confounded) {
		add_boots(c, out);
		return;
	}
	if (isnan(c->runs_needed[1])) {
		buf_addf(out, "not known%s", why_not_known(c));
	} else {
		add_counts(out, c->runs_needed, c->unit);
		add_corrected(c, out);
		add_time(c, unit_s, start, out);
	}
	if (c->verdict == VERDICT_INVALID) {
		buf_add(out, "; invalid so far: ");
		layout_escape(out, c->reason);
	}
	buf_addc(out, '\n');
}

static void add_section(const struct analysis *analysis, const struct analysis_section *section,
			struct buf *out)
{
	const struct analysis_comparison *all = &analysis->comparisons[section->first_comparison];
	struct pace pace = pace_of(analysis, section);

	for (size_t i = 0; i < section->ncomparisons; i++) {
		const struct analysis_comparison *c = &all[i];

		if (!c->headline || c->noise_floor)
			continue;
		if (!i || all[i - 1].base->cell != c->base->cell ||
		    all[i - 1].fresh->cell != c->fresh->cell || !all[i - 1].headline)
			add_pair(c, out);
		add_row(c, pace.run_s * runs_a_unit(analysis, section, c), out);
	}
	if (isnan(pace.run_s))
		return;
	buf_add(out, "  ");
	add_hours(out, pace.run_s);
	buf_addf(out, " a run, %s; at this point alone\n",
		 pace.by_real ? "real alone" : "from start to start in this set");
}

void plan_from_add(const struct analysis *analysis, struct buf *out)
{
	buf_addf(out,
		 "to show a change of %g %% in 8 of 10 cases (and the 95 %% range, since the sd\n"
		 "is an estimate; among n: where p is corrected for n rows, at the strictest):\n",
		 analysis->effect_pct);
	for (size_t i = 0; i < analysis->nsections; i++)
		add_section(analysis, &analysis->sections[i], out);
	if (!analysis->ncomparisons)
		buf_add(out,
			"nothing is compared in that set: its spread says nothing of a change\n");
}
