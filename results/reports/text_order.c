// SPDX-License-Identifier: GPL-3.0-or-later
/* What the order of the runs shows, runs far from the others, and interactions. */
#include <math.h>
#include <string.h>

#include "results/reports/figures.h"
#include "results/reports/text_parts.h"

enum { MAX_NUMBERS = 10 };

/* ---- order ---- */

/* Of the metric that people ask for first: real, else the first headline metric. */
static const struct analysis_group *primary(const struct analysis *analysis,
					    const struct analysis_cell *cell)
{
	const struct analysis_group *first = NULL;

	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &analysis->groups[cell->first_group + i];

		if (!group->headline)
			continue;
		if (!strcmp(group->metric, "real"))
			return group;
		first = first ? first : group;
	}
	return first;
}

static void add_autocorrelation(struct text *text, const struct analysis_section *section)
{
	const char *separator = NULL;
	auto_buf struct buf line = BUF_INIT;
	char number[FIGURE_MAX];

	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = text->analysis->cells[section->first_cell + i];
		const struct analysis_group *group = primary(text->analysis, cell);

		if (!group || isnan(group->lag1))
			continue;
		if (!separator)
			buf_addf(&line, "autocorrelation of %s, run to run: ",
				 layout_name(&text->metrics, group->metric));
		else
			buf_add(&line, separator);
		text_cell_name(text, section, cell, &line);
		figure_signed(number, group->lag1, 2);
		buf_addf(&line, HARD_BLANK "%s", number);
		separator = "; ";
	}
	text_paragraph(text, &line);
}

static void add_drifts(struct text *text, const struct analysis_section *section)
{
	auto_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = text->analysis->cells[section->first_cell + i];

		for (size_t g = 0; g < cell->ngroups; g++) {
			const struct analysis_group *group =
				&text->analysis->groups[cell->first_group + g];

			if (!group->drifts)
				continue;
			buf_add(&line, line.len ? "; " : "mark drift: ");
			buf_addf(&line, "%s of ", layout_name(&text->metrics, group->metric));
			text_cell_name(text, section, cell, &line);
		}
	}
	text_paragraph(text, &line);
}

/* "a: real of run 4; b: real of runs 7 and 9, cpu of run 9" */
static void add_outliers_of(struct text *text, const struct analysis_section *section,
			    const struct analysis_cell *cell, struct buf *line)
{
	bool first = true;

	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &text->analysis->groups[cell->first_group + i];

		if (!group->noutliers)
			continue;
		buf_add(line, first && line->len ? "; " : first ? "" : ",");
		if (first)
			text_cell_name(text, section, cell, line);
		buf_addf(line, "%s %s of run%s", first ? ":" : "",
			 layout_name(&text->metrics, group->metric),
			 group->noutliers == 1 ? "" : "s");
		for (size_t k = 0; k < group->noutliers && k < MAX_NUMBERS; k++)
			buf_addf(line, "%s" HARD_BLANK "%u",
				 !k			      ? "" :
				 k + 1 == group->noutliers ? " and" :
							       ",",
				 group->outliers[k]->number);
		buf_add(line, group->noutliers > MAX_NUMBERS ? " and more" : "");
		first = false;
	}
}

static void add_outliers(struct text *text, const struct analysis_section *section)
{
	auto_buf struct buf found = BUF_INIT, line = BUF_INIT;

	for (size_t i = 0; i < section->ncells; i++)
		add_outliers_of(text, section, text->analysis->cells[section->first_cell + i],
				&found);
	if (found.len)
		buf_addf(&line, "far from the median, and kept: %s", found.s);
	text_paragraph(text, &line);
}

void text_order(struct text *text, const struct analysis_section *section)
{
	if (!text->brief)
		add_autocorrelation(text, section);
	add_drifts(text, section);
	add_outliers(text, section);
}

/* ---- interactions ---- */

static void write_heading(struct text *text, const struct analysis_interaction *i)
{
	const struct analysis_cell *base = i->c.base->cell, *fresh = i->c.fresh->cell;
	bool labels = strcmp(base->label, fresh->label) != 0;
	auto_buf struct buf line = BUF_INIT;

	buf_add(&line, "interaction: what ");
	text->escape(&line, i->base_of->cell->config);
	buf_add(&line, " -> ");
	text->escape(&line, base->config);
	buf_add(&line, " changes, from ");
	text->escape(&line, labels ? base->label : base->set);
	buf_add(&line, " to ");
	text->escape(&line, labels ? fresh->label : fresh->set);
	if (i->c.reason) {
		buf_add(&line, " (");
		text->prose(&line, i->c.reason);
		buf_add(&line, ")");
	}
	text_paragraph(text, &line);
}

static void write_interaction(struct text *text, const struct analysis_interaction *i)
{
	double low = 1 + i->c.ci95_pct[0] / 100, high = 1 + i->c.ci95_pct[1] / 100;
	int decimals = figure_decimals((high - low) / 2, 1);
	struct figure_scale scale = figure_scale(i->c.base->unit, i->c.base->mean);
	double from = scale.factor * i->c.ci95_units[0], to = scale.factor * i->c.ci95_units[1];
	int places = figure_decimals((to - from) / 2, from);
	char ratio[FIGURE_MAX], a[FIGURE_MAX], b[FIGURE_MAX], p[FIGURE_MAX];
	auto_buf struct buf line = BUF_INIT;

	buf_addf(&line, "%s x" HARD_BLANK, layout_name(&text->metrics, i->c.base->metric));
	figure_number(ratio, 1 + i->c.change_pct / 100, decimals);
	figure_number(a, low, decimals);
	figure_number(b, high, decimals);
	figure_p(p, i->c.p);
	buf_addf(&line, "%s [%s," HARD_BLANK "%s], %s", ratio, a, b, p);
	figure_signed(ratio, scale.factor * i->c.difference, places);
	figure_signed(a, from, places);
	figure_signed(b, to, places);
	if (!isnan(from))
		buf_addf(&line, "; %s" HARD_BLANK "%s [%s," HARD_BLANK "%s]", ratio, scale.unit, a,
			 b);
	text->paragraph(text, 2, line.s);
}

void text_interactions(struct text *text, const struct analysis_section *section)
{
	const struct analysis_interaction *last = NULL;

	for (size_t k = 0; k < section->ninteractions; k++) {
		const struct analysis_interaction *i =
			&text->analysis->interactions[section->first_interaction + k];

		if (!i->c.headline || isnan(i->c.change_pct))
			continue;
		if (!last || last->c.base->cell != i->c.base->cell ||
		    last->c.fresh->cell != i->c.fresh->cell)
			write_heading(text, i);
		write_interaction(text, i);
		last = i;
	}
}
