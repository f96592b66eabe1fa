// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reports/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static const char *const times[] = { "real", "user", "sys" };

/* Are some of the three there? They come first then, and alone. */
static size_t keep_times(const char **metrics, size_t n)
{
	const char *found[ARRAY_SIZE(times)] = { NULL };
	size_t kept = 0;

	for (size_t t = 0; t < ARRAY_SIZE(times); t++)
		for (size_t i = 0; i < n; i++)
			if (!strcmp(metrics[i], times[t]))
				found[kept++] = metrics[i];
	for (size_t i = 0; i < kept; i++)
		metrics[i] = found[i];
	return kept ? kept : n;
}

static size_t count_rounds(const struct analysis *analysis, const struct analysis_section *section)
{
	size_t rounds = 0;

	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + i];

		for (size_t g = 0; g < cell->ngroups; g++) {
			const struct analysis_group *group =
				&analysis->groups[cell->first_group + g];

			for (size_t v = 0; group->rounds && v < group->n; v++)
				rounds = group->rounds[v] > rounds ? group->rounds[v] : rounds;
		}
	}
	return rounds;
}

/* One unit reads best with one number of decimals; the one more than a mean has is to spare. */
static void fit_decimals(struct runs *runs)
{
	for (size_t i = 0; i < runs->nmetrics; i++)
		for (size_t k = 0; k < runs->nmetrics; k++)
			if (!strcmp(runs->styles[i].scale.unit, runs->styles[k].scale.unit) &&
			    runs->styles[k].decimals < runs->styles[i].decimals)
				runs->styles[i].decimals = runs->styles[k].decimals;
}

void runs_init(struct runs *runs, const struct analysis *analysis,
	       const struct analysis_section *section)
{
	*runs = (struct runs){ .rounds = count_rounds(analysis, section), .digits = 1 };
	runs->metrics = row_metrics(analysis, section, true, &runs->nmetrics);
	if (!runs->nmetrics) {
		free(runs->metrics);
		runs->metrics = row_metrics(analysis, section, false, &runs->nmetrics);
	}
	runs->nmetrics = keep_times(runs->metrics, runs->nmetrics);
	runs->styles = xcalloc(runs->nmetrics + 1, sizeof(*runs->styles));
	for (size_t i = 0; i < runs->nmetrics; i++) {
		runs->styles[i] = row_style(analysis, section, runs->metrics[i]);
		runs->styles[i].decimals++;
	}
	fit_decimals(runs);
	for (size_t limit = 10; runs->rounds >= limit; limit *= 10)
		runs->digits++;
}

void runs_release(struct runs *runs)
{
	free(runs->metrics);
	free(runs->styles);
}

/* Values are in run order, so that the round's is near its own number. */
static double value_of(const struct analysis_group *group, size_t round)
{
	if (!group || !group->rounds || !group->values)
		return NAN;
	if (round <= group->n && group->rounds[round - 1] == round)
		return group->values[round - 1];
	for (size_t i = 0; i < group->n; i++)
		if (group->rounds[i] == round)
			return group->values[i];
	return NAN;
}

void runs_figure(const struct analysis *analysis, const struct runs *runs,
		 const struct analysis_section *section, size_t cell, size_t metric, size_t round,
		 char out[FIGURE_MAX])
{
	const struct row_style *style = &runs->styles[metric];
	const struct analysis_group *group =
		row_group_in(analysis, analysis->cells[section->first_cell + cell],
			     runs->metrics[metric], style);

	figure_number(out, value_of(group, round) * style->scale.factor, style->decimals);
}
