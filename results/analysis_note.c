// SPDX-License-Identifier: GPL-3.0-or-later
/* What a report says beside the comparisons: ledgers, marks, lost runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/analysis_parts.h"

/* ---- ledgers ---- */

/* A mean over the runs that know the figure. */
struct mean {
	double sum;
	size_t n;
};

static void mean_add(struct mean *mean, double value)
{
	if (isnan(value))
		return;
	mean->sum += value;
	mean->n++;
}

static double mean_of(const struct mean *mean)
{
	return mean->n ? mean->sum / (double)mean->n : NAN;
}

const struct analysis_group *analysis_fullest_group(const struct analysis *out,
						    const struct analysis_cell *cell)
{
	const struct analysis_group *fullest = NULL;

	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &out->groups[cell->first_group + i];

		if (group->from && (!fullest || group->n > fullest->n))
			fullest = group;
	}
	return fullest;
}

static void fill_ledger(const struct analysis *out, struct analysis_ledger *ledger)
{
	enum { EVENTS, BYTES, CPU, ATTACH, DRAIN, KTHREAD, BUSY, IOWAIT, STEAL, COUNT };
	const struct analysis_group *group = analysis_fullest_group(out, ledger->cell);
	struct mean means[COUNT] = { { 0, 0 } };

	for (size_t i = 0; group && i < group->n; i++) {
		const struct set_ledger *run = &group->from[i]->ledger;

		if (!ledger->backend)
			ledger->backend = run->backend;
		mean_add(&means[EVENTS], run->events);
		mean_add(&means[BYTES], run->bytes);
		mean_add(&means[CPU], run->cpu_s);
		mean_add(&means[ATTACH], run->attach_s);
		mean_add(&means[DRAIN], run->drain_s);
		mean_add(&means[KTHREAD], run->kthread_s);
		mean_add(&means[BUSY], run->busy_s);
		mean_add(&means[IOWAIT], run->iowait_s);
		mean_add(&means[STEAL], run->steal_s);
	}
	ledger->n = group ? group->n : 0;
	ledger->events = mean_of(&means[EVENTS]);
	ledger->bytes = mean_of(&means[BYTES]);
	ledger->cpu_s = mean_of(&means[CPU]);
	ledger->attach_s = mean_of(&means[ATTACH]);
	ledger->drain_s = mean_of(&means[DRAIN]);
	ledger->kthread_s = mean_of(&means[KTHREAD]);
	ledger->busy_s = mean_of(&means[BUSY]);
	ledger->iowait_s = mean_of(&means[IOWAIT]);
	ledger->steal_s = mean_of(&means[STEAL]);
}

static double mean_of_metric(const struct analysis *out, const struct analysis_cell *cell,
			     const char *metric)
{
	for (size_t i = 0; i < cell->ngroups; i++)
		if (!strcmp(out->groups[cell->first_group + i].metric, metric))
			return out->groups[cell->first_group + i].mean;
	return NAN;
}

/*
 * What an event cost: the change of cpu between the configurations, over the events. Where work
 * lasts for a set time its CPU says nothing, so that it is the change of the CPU an IO, over the
 * events an IO.
 */
static void cost_of_events(struct analysis *out)
{
	for (size_t i = 0; i < out->ncomparisons; i++) {
		const struct analysis_comparison *c = &out->comparisons[i];
		struct analysis_ledger *ledger = &out->ledgers[c->fresh->cell->index];
		double ios = mean_of_metric(out, c->fresh->cell, "ios");
		double events = isnan(ios) ? ledger->events : ledger->events / ios;

		if (strcmp(c->kind, "config") != 0 || strcmp(c->base->unit, "s") != 0 ||
		    strcmp(c->base->metric, isnan(ios) ? "cpu" : "system_per_io") != 0 ||
		    !(events > 0) || !isfinite(events))
			continue;
		ledger->event_cpu_s = c->difference / events;
		ledger->event_cpu_ci95_s[0] = c->ci95_units[0] / events;
		ledger->event_cpu_ci95_s[1] = c->ci95_units[1] / events;
	}
}

static void make_ledgers(struct analysis *out)
{
	out->ledgers = xcalloc(out->ncells + 1, sizeof(*out->ledgers));
	for (size_t i = 0; i < out->ncells; i++) {
		out->ledgers[i] = (struct analysis_ledger){
			.cell = out->cells[i], .lost = out->counts[i].lost, .event_cpu_s = NAN,
			.event_cpu_ci95_s = { NAN, NAN },
		};
		fill_ledger(out, &out->ledgers[i]);
	}
	cost_of_events(out);
}

/* ---- runs to look at ---- */

static struct analysis_mark *find_mark(struct analysis_builder *builder,
				       const struct set_data *data, const struct set_mark *mark)
{
	struct analysis *out = builder->out;

	for (size_t i = out->nmarks; i-- > 0 && out->marks[i].data == data;)
		if (out->marks[i].name == mark->name)
			return &out->marks[i];
	GROW(out->marks, out->nmarks, builder->marks_cap);
	out->marks[out->nmarks] =
		(struct analysis_mark){ .data = data, .name = mark->name, .text = mark->text };
	return &out->marks[out->nmarks++];
}

static void add_marks(struct analysis_builder *builder, const struct set_data *data,
		      const struct set_run *run)
{
	for (size_t i = 0; i < run->nmarks; i++) {
		struct analysis_mark *mark = find_mark(builder, data, &run->marks[i]);

		if (mark->n && mark->runs[mark->n - 1] == run)
			continue; /* marked twice for the same */
		GROW(mark->runs, mark->n, mark->cap);
		mark->runs[mark->n++] = run;
	}
}

static void add_lost(struct analysis_builder *builder, const struct set_data *data,
		     const struct set_run *run)
{
	struct analysis *out = builder->out;

	if (run->status == RUN_OK)
		return;
	if (out->nlost >= builder->lost_cap) {
		builder->lost_cap = builder->lost_cap ? 2 * builder->lost_cap : 8;
		out->lost = xreallocarray(out->lost, builder->lost_cap, sizeof(*out->lost));
		out->lost_data =
			xreallocarray(out->lost_data, builder->lost_cap, sizeof(*out->lost_data));
	}
	out->lost[out->nlost] = run;
	out->lost_data[out->nlost++] = data;
}

/* Where sides were picked, runs of other cells are of no interest. */
static bool is_in_a_cell(const struct analysis_builder *builder, const struct set_data *data,
			 const struct set_run *run)
{
	for (size_t i = 0; builder->pairs && i < builder->out->ncells; i++) {
		const struct analysis_cell *cell = builder->out->cells[i];

		if (cell->data == data && cell->host == run->host && cell->label == run->label &&
		    cell->config == run->config && cell->workload == run->workload &&
		    cell->point == run->point)
			return true;
	}
	return !builder->pairs;
}

void analysis_note(struct analysis_builder *builder)
{
	make_ledgers(builder->out);
	for (size_t i = 0; i < builder->out->nsets; i++) {
		const struct set_data *data = &builder->out->sets[i];

		for (size_t k = 0; k < data->nruns; k++) {
			if (!is_in_a_cell(builder, data, &data->runs[k]))
				continue;
			add_marks(builder, data, &data->runs[k]);
			add_lost(builder, data, &data->runs[k]);
		}
	}
}
