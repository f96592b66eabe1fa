// SPDX-License-Identifier: GPL-3.0-or-later
/* The values of each cell's metrics, their moments, and the check of the order of runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/analysis_parts.h"

enum { MAX_POSITIONS = 4096 };

struct growing_group {
	const struct set_metric *metric;
	double *values;
	const struct set_run **from;
	size_t *rounds;
	size_t n, cap;
	double half_step;
	const struct set_summary *summary; /* where there are no values */
};

struct growing_cell {
	struct growing_group *groups;
	size_t n, cap;
	const struct set_run **runs; /* that count */
	size_t nruns, runs_cap;
};

/* hint: where the metric stood in this cell's other runs, as a rule the same place */
static struct growing_group *find_group(struct growing_cell *cell, const struct set_metric *metric,
					size_t hint)
{
	if (hint < cell->n && cell->groups[hint].metric == metric)
		return &cell->groups[hint];
	for (size_t i = 0; i < cell->n; i++)
		if (cell->groups[i].metric == metric)
			return &cell->groups[i];
	GROW(cell->groups, cell->n, cell->cap);
	cell->groups[cell->n] = (struct growing_group){ .metric = metric };
	return &cell->groups[cell->n++];
}

static void add_value(struct growing_group *group, const struct set_value *value,
		      const struct set_run *run, size_t round)
{
	if (isnan(value->value))
		return;
	if (group->n >= group->cap) {
		group->cap = group->cap ? 2 * group->cap : 16;
		group->values = xreallocarray(group->values, group->cap, sizeof(*group->values));
		group->from = xreallocarray(group->from, group->cap, sizeof(*group->from));
		group->rounds = xreallocarray(group->rounds, group->cap, sizeof(*group->rounds));
	}
	group->values[group->n] = value->value;
	group->from[group->n] = run;
	group->rounds[group->n++] = round;
	group->half_step = fmax(group->half_step, value->half_step);
}

static int compare_groups(const void *a, const void *b)
{
	const struct growing_group *x = a, *y = b;

	return (x->metric->order > y->metric->order) - (x->metric->order < y->metric->order);
}

static void add_group(struct analysis_builder *builder, const struct analysis_group *group)
{
	struct analysis *out = builder->out;

	GROW(out->groups, out->ngroups, builder->groups_cap);
	out->groups[out->ngroups] = *group;
	out->groups[out->ngroups++].headline =
		analysis_is_headline(group->cell->session, group->metric, group->headline);
}

static void finish_summary(struct analysis_builder *builder, const struct analysis_cell *cell,
			   const struct growing_group *from)
{
	const struct set_summary *s = from->summary;
	struct interval ci = { NAN, NAN };

	sample_interval(&(struct sample_summary){ s->mean, s->sd, s->n }, .95, &ci);
	add_group(builder, &(struct analysis_group){
		.cell = cell, .metric = s->metric->name, .unit = s->metric->unit,
		.better = s->metric->better, .headline = s->metric->headline, .n = s->n,
		.mean = s->mean, .sd = s->sd, .median = NAN, .min = NAN, .max = NAN,
		.ci95 = { ci.low, ci.high }, .step = 2 * s->half_step, .summarised = true,
		.lag1 = NAN,
	});
}

/* The runs of a cell that are not among those of the values; both are in one order. */
static const struct set_run **runs_without(const struct growing_cell *cell,
					   const struct growing_group *group, size_t *n)
{
	const struct set_run **without;
	size_t v = 0;

	*n = 0;
	if (group->n >= cell->nruns)
		return NULL;
	without = xcalloc(cell->nruns, sizeof(*without));
	for (size_t i = 0; i < cell->nruns; i++) {
		if (v == group->n || group->from[v] != cell->runs[i])
			without[(*n)++] = cell->runs[i];
		while (v < group->n && group->from[v] == cell->runs[i])
			v++;
	}
	return without;
}

static void finish_group(struct analysis_builder *builder, const struct analysis_cell *cell,
			 const struct growing_cell *all, const struct growing_group *from)
{
	size_t nwithout;
	const struct set_run **without = runs_without(all, from, &nwithout);
	struct sample_summary summary = { NAN, NAN, 0 };
	struct sample_order order = { NAN, NAN, NAN, NAN, NAN };
	struct interval ci = { NAN, NAN };

	/* values too large to be summed stay unknown */
	if (!sample_summarize(from->values, from->n, &summary))
		sample_interval(&summary, .95, &ci);
	sample_order(from->values, from->n, &order);
	add_group(builder, &(struct analysis_group){
		.cell = cell, .metric = from->metric->name, .unit = from->metric->unit,
		.better = from->metric->better, .headline = from->metric->headline,
		.n = from->n, .values = from->values, .from = from->from, .rounds = from->rounds,
		.mean = summary.mean, .sd = summary.sd, .median = order.median,
		.min = order.min, .max = order.max, .ci95 = { ci.low, ci.high },
		.step = 2 * from->half_step, .lag1 = NAN, .without = without,
		.nwithout = nwithout,
	});
}

static void finish_cell(struct analysis_builder *builder, struct analysis_cell *cell,
			struct growing_cell *from)
{
	if (from->n)
		qsort(from->groups, from->n, sizeof(*from->groups), compare_groups);
	cell->first_group = builder->out->ngroups;
	cell->ngroups = from->n;
	for (size_t i = 0; i < from->n; i++)
		if (from->groups[i].summary)
			finish_summary(builder, cell, &from->groups[i]);
		else
			finish_group(builder, cell, from, &from->groups[i]);
	free(from->groups);
	free(from->runs);
}

static void make_groups(struct analysis_builder *builder, const struct set_data *data,
			const struct analysis_places *places)
{
	size_t ncells = builder->out->ncells - places->first_cell;
	struct growing_cell *cells = xcalloc(ncells + 1, sizeof(*cells));

	for (size_t i = 0; i < data->nruns; i++) {
		const struct set_run *run = &data->runs[i];
		struct growing_cell *cell = &cells[places->cell_of[i]];

		if (!places->round_of[i])
			continue;
		GROW(cell->runs, cell->nruns, cell->runs_cap);
		cell->runs[cell->nruns++] = run;
		for (size_t v = 0; v < run->nvalues; v++)
			add_value(find_group(cell, run->values[v].metric, v), &run->values[v], run,
				  places->round_of[i]);
	}
	for (size_t i = 0; i < data->nsummaries; i++) {
		struct growing_group *group = find_group(&cells[places->summary_cell_of[i]],
							 data->summaries[i].metric, 0);

		if (!group->n) /* values say more than their summary */
			group->summary = &data->summaries[i];
	}
	for (size_t i = 0; i < ncells; i++)
		finish_cell(builder, builder->out->cells[places->first_cell + i], &cells[i]);
	free(cells);
}

/* ---- positions ---- */

static const struct analysis_group *position_group(const struct analysis *out,
						   const struct analysis_cell *cell)
{
	const struct analysis_group *groups = &out->groups[cell->first_group];

	for (size_t i = 0; i < cell->ngroups; i++)
		if (!strcmp(groups[i].metric, "real"))
			return &groups[i];
	return NULL;
}

/* Seconds and milliseconds have no mean. */
static bool one_unit(const struct analysis *out, const struct analysis_section *section)
{
	const char *unit = NULL;

	for (size_t c = 0; c < section->ncells; c++) {
		const struct analysis_group *group =
			position_group(out, out->cells[section->first_cell + c]);

		if (group && unit && strcmp(unit, group->unit) != 0)
			return false;
		unit = group ? group->unit : unit;
	}
	return true;
}

/* The mean of real by position in the round, over all configurations of a section. */
static void make_positions(const struct analysis *out, struct analysis_section *section)
{
	double *sums = xcalloc(MAX_POSITIONS, sizeof(*sums));
	size_t *counts = xcalloc(MAX_POSITIONS, sizeof(*counts)), n = 0;
	size_t ncells = one_unit(out, section) ? section->ncells : 0;

	for (size_t c = 0; c < ncells; c++) {
		const struct analysis_group *group =
			position_group(out, out->cells[section->first_cell + c]);

		for (size_t i = 0; group && group->from && i < group->n; i++) {
			unsigned int position = group->from[i]->position;

			if (position >= MAX_POSITIONS)
				continue;
			sums[position] += group->values[i];
			counts[position]++;
			section->position_metric = group->metric;
			section->position_unit = group->unit;
		}
	}
	for (size_t i = 0; i < MAX_POSITIONS; i++)
		if (counts[i])
			sums[n++] = sums[i] / (double)counts[i];
	section->npositions = n;
	section->position_means = xreallocarray(sums, n + 1, sizeof(*sums));
	free(counts);
}

void analysis_fill_cells(struct analysis_builder *builder, const struct set_data *data,
			 const struct analysis_places *places)
{
	make_groups(builder, data, places);
	for (size_t i = places->first_section; i < builder->out->nsections; i++)
		make_positions(builder->out, &builder->out->sections[i]);
}
