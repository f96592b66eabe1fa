// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reports/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"

static void percent(char *out, double value, int decimals)
{
	figure_percent(out, value, decimals);
	if (isfinite(value))
		strcat(out, "%");
}

struct figure_scale row_scale(const struct analysis_comparison *c)
{
	double base = fabs(c->of_base.mean), fresh = fabs(c->of_fresh.mean);

	return figure_scale(c->base->unit, isnan(base) ? c->base->mean : fmax(base, fresh));
}

void row_in_units(const struct analysis_comparison *c, struct row_in_units *out)
{
	struct figure_scale scale = row_scale(c);
	double low = c->ci95_units[0] * scale.factor, high = c->ci95_units[1] * scale.factor;
	double change = c->difference * scale.factor;
	int decimals = figure_decimals((high - low) / 2, change);

	out->unit = scale.unit;
	figure_signed(out->change, change, decimals);
	figure_signed(out->low, low, decimals);
	figure_signed(out->high, high, decimals);
}

bool row_has_units_only(const struct analysis_comparison *c)
{
	return isnan(c->ci95_pct[0]) && !isnan(c->ci95_units[0]);
}

static void change_in_units(const struct analysis_comparison *c, struct row_change *out)
{
	struct row_in_units row;

	row_in_units(c, &row);
	snprintf(out->change, sizeof(out->change), "%s%s%s", row.change, *row.unit ? " " : "",
		 row.unit);
	memcpy(out->low, row.low, sizeof(out->low));
	memcpy(out->high, row.high, sizeof(out->high));
}

void row_change(const struct analysis_comparison *c, struct row_change *out)
{
	const struct analysis_compared *base = &c->of_base, *fresh = &c->of_fresh;
	struct figure_scale scale = row_scale(c);
	double f = scale.factor;
	int decimals = figure_decimals(base->sd * f, base->mean * f);
	int other = figure_decimals(fresh->sd * f, fresh->mean * f);
	int percents = figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]);

	decimals = other > decimals ? other : decimals;
	out->unit = scale.unit;
	figure_number(out->base_mean, base->mean * f, decimals);
	figure_sd(out->base_sd, base->sd * f, decimals);
	figure_number(out->fresh_mean, fresh->mean * f, decimals);
	figure_sd(out->fresh_sd, fresh->sd * f, decimals);
	if (row_has_units_only(c)) {
		change_in_units(c, out);
	} else {
		percent(out->change, c->change_pct, percents);
		figure_percent(out->low, c->ci95_pct[0], percents);
		figure_percent(out->high, c->ci95_pct[1], percents);
	}
	percent(out->worst, c->at_worst_pct, percents);
	figure_p(out->p, c->p_holm);
	if (isnan(c->p_holm))
		*out->p = '\0';
}

bool row_has_interval(const struct row_change *row)
{
	return strcmp(row->low, "-") != 0 || strcmp(row->high, "-") != 0;
}

void row_single(const struct analysis_group *group, struct row_single *out)
{
	struct figure_scale scale = figure_scale(group->unit, group->mean);
	double f = scale.factor;
	int decimals = figure_decimals(group->sd * f, group->mean * f);

	out->unit = scale.unit;
	figure_number(out->n, group->summarised && !group->n ? NAN : (double)group->n, 0);
	figure_number(out->mean, group->mean * f, decimals);
	figure_sd(out->sd, group->sd * f, decimals);
	figure_number(out->low, group->ci95[0] * f, decimals);
	figure_number(out->high, group->ci95[1] * f, decimals);
	if (isnan(group->ci95[0]) && isnan(group->ci95[1]))
		*out->low = *out->high = '\0';
	figure_number(out->min, group->min * f, decimals);
	figure_number(out->median, group->median * f, decimals);
	figure_number(out->max, group->max * f, decimals);
}

struct row_style row_style(const struct analysis *analysis,
			   const struct analysis_section *section, const char *metric)
{
	struct row_style style = { .scale = { 1, "" } };

	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_group *group = row_group(
			analysis, analysis->cells[section->first_cell + i], metric);
		int decimals;

		if (!group || !group->n)
			continue;
		if (!style.unit) {
			style.unit = group->unit;
			style.scale = figure_scale(group->unit, group->mean);
		}
		if (strcmp(style.unit, group->unit) != 0)
			continue;
		decimals = figure_decimals(group->sd * style.scale.factor,
					   group->mean * style.scale.factor);
		style.decimals = decimals > style.decimals ? decimals : style.decimals;
	}
	return style;
}

/* ---- what is there ---- */

const struct analysis_group *row_group(const struct analysis *analysis,
				       const struct analysis_cell *cell, const char *metric)
{
	for (size_t i = 0; cell && i < cell->ngroups; i++)
		if (!strcmp(analysis->groups[cell->first_group + i].metric, metric))
			return &analysis->groups[cell->first_group + i];
	return NULL;
}

bool row_has_other_unit(const struct analysis *analysis, const struct analysis_group *group)
{
	const struct analysis_cell *cell = group->cell;

	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *other = &analysis->groups[cell->first_group + i];

		if (other != group && !strcmp(other->metric, group->metric))
			return true;
	}
	return false;
}

const struct analysis_group *row_group_in(const struct analysis *analysis,
					  const struct analysis_cell *cell, const char *metric,
					  const struct row_style *style)
{
	const struct analysis_group *group = row_group(analysis, cell, metric);

	return group && style->unit && !strcmp(group->unit, style->unit) ? group : NULL;
}

const struct analysis_cell *row_cell(const struct analysis *analysis,
				     const struct analysis_section *section, const char *label,
				     const char *config)
{
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + i];

		if (!strcmp(cell->label, label) && !strcmp(cell->config, config))
			return cell;
	}
	return NULL;
}

void row_grid_cell(const struct analysis *analysis, const struct analysis_section *section,
		   const char *label, const char *config, const char *metric,
		   const struct row_style *style, char mean[FIGURE_MAX], char sd[FIGURE_MAX])
{
	const struct analysis_group *group = row_group_in(
		analysis, row_cell(analysis, section, label, config), metric, style);
	double f = style->scale.factor;

	figure_number(mean, group ? group->mean * f : NAN, style->decimals);
	figure_sd(sd, group ? group->sd * f : NAN, style->decimals);
}

static bool is_in(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

const char **row_names(const struct analysis *analysis, const struct analysis_section *section,
		       bool labels, size_t *n)
{
	const char **names = xcalloc(section->ncells + 1, sizeof(*names));

	*n = 0;
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + i];
		const char *name = labels ? cell->label : cell->config;

		if (!is_in(names, *n, name))
			names[(*n)++] = name;
	}
	return names;
}

const char **row_metrics(const struct analysis *analysis, const struct analysis_section *section,
			 bool headline, size_t *n)
{
	const char **names = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + i];

		for (size_t g = 0; g < cell->ngroups; g++) {
			const struct analysis_group *group =
				&analysis->groups[cell->first_group + g];

			if (group->headline != headline || is_in(names, *n, group->metric))
				continue;
			GROW(names, *n, cap);
			names[(*n)++] = group->metric;
		}
	}
	return names;
}
