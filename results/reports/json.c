// SPDX-License-Identifier: GPL-3.0-or-later
/* Everything of the analysis for programs; docs/format.md names each field. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "results/environment_diff.h"
#include "results/report.h"

enum { INDENT = 2 };

static json_t *count_of(size_t n)
{
	return json_integer((json_int_t)n);
}

/* [low, high], null where neither is known */
static json_t *interval(const double bounds[2])
{
	json_t *array;

	if (isnan(bounds[0]) && isnan(bounds[1]))
		return json_null();
	array = json_array();
	json_array_append_new(array, json_number(bounds[0]));
	json_array_append_new(array, json_number(bounds[1]));
	return array;
}

/* A count that can be unknown. */
static json_t *runs_of(double n)
{
	return isfinite(n) ? json_integer((json_int_t)n) : json_null();
}

static json_t *point_of(const struct analysis_cell *cell)
{
	return cell->point_keys ? json_incref((json_t *)cell->point_keys) : json_object();
}

static json_t *cell_object(const struct analysis_cell *cell)
{
	json_t *object = json_object();

	json_object_set_new(object, "set", json_text(cell->set));
	json_object_set_new(object, "host", json_text(cell->host));
	json_object_set_new(object, "label", json_text(cell->label));
	json_object_set_new(object, "config", json_text(cell->config));
	json_object_set_new(object, "workload", json_text(cell->workload));
	json_object_set_new(object, "point", point_of(cell));
	return object;
}

/* Numbers of the runs that count and lack the metric. */
static json_t *runs_without(const struct analysis_group *group)
{
	json_t *array = json_array();

	for (size_t i = 0; i < group->nwithout; i++)
		json_array_append_new(array, json_integer(group->without[i]->number));
	return array;
}

static json_t *group_object(const struct analysis_group *group)
{
	json_t *object = cell_object(group->cell);
	json_t *values = group->summarised ? json_null() : json_array();

	for (size_t i = 0; !group->summarised && i < group->n; i++)
		json_array_append_new(values, json_number(group->values[i]));
	json_object_set_new(object, "metric", json_text(group->metric));
	json_object_set_new(object, "unit", json_text(group->unit));
	json_object_set_new(object, "better", json_text(group->better));
	json_object_set_new(object, "headline", json_boolean(group->headline));
	json_object_set_new(object, "half_step",
			    group->step > 0 ? json_number(group->step / 2) : json_null());
	json_object_set_new(object, "n", group->summarised && !group->n ? json_null() :
								    count_of(group->n));
	json_object_set_new(object, "mean", json_number(group->mean));
	json_object_set_new(object, "sd", json_number(group->sd));
	json_object_set_new(object, "median", json_number(group->median));
	json_object_set_new(object, "min", json_number(group->min));
	json_object_set_new(object, "max", json_number(group->max));
	json_object_set_new(object, "ci95", interval(group->ci95));
	json_object_set_new(object, "values", values);
	json_object_set_new(object, "missing_in", runs_without(group));
	return object;
}

static json_t *side(const struct analysis_cell *cell)
{
	json_t *object = json_object();

	json_object_set_new(object, "set", json_text(cell->set));
	json_object_set_new(object, "label", json_text(cell->label));
	json_object_set_new(object, "config", json_text(cell->config));
	return object;
}

static json_t *side_compared(const struct analysis_cell *cell, const struct analysis_compared *of)
{
	json_t *object = side(cell);

	json_object_set_new(object, "n", of->n ? count_of(of->n) : json_null());
	json_object_set_new(object, "mean", json_number(of->mean));
	json_object_set_new(object, "sd", json_number(of->sd));
	return object;
}

static json_t *runs_needed(const struct analysis_comparison *c)
{
	json_t *object;

	if (isnan(c->effect_pct))
		return json_null();
	object = json_object();
	json_object_set_new(object, "effect_pct", json_number(c->effect_pct));
	json_object_set_new(object, "power", json_number(c->power));
	json_object_set_new(object, "n", runs_of(c->runs_needed[0]));
	json_object_set_new(object, "lo", runs_of(c->runs_needed[1]));
	json_object_set_new(object, "hi", runs_of(c->runs_needed[2]));
	json_object_set_new(object, "n_holm", runs_of(c->runs_needed_holm));
	return object;
}

static json_t *rank_object(const struct analysis_comparison *c)
{
	json_t *object;

	if (isnan(c->rank.p))
		return json_null();
	object = json_object();
	json_object_set_new(object, "test", json_string(c->paired ? "signed-rank" :
								     "mann-whitney"));
	json_object_set_new(object, "p", json_number(c->rank.p));
	json_object_set_new(object, "p_min", json_number(c->rank.p_min));
	json_object_set_new(object, "change_pct", json_number(c->rank.change_pct));
	json_object_set_new(object, "ci95_pct", interval(c->rank.ci95_pct));
	json_object_set_new(object, "shift", json_number(c->rank.shift));
	json_object_set_new(object, "ci95_units", interval(c->rank.ci95_units));
	return object;
}

static json_t *boots_array(const struct analysis_comparison *c)
{
	json_t *array, *object;

	if (!c->nboots)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < c->nboots && i < ANALYSIS_BOOTS; i++) {
		object = json_object();
		json_object_set_new(object, "n", count_of(c->boots[i].n));
		json_object_set_new(object, "change_pct", json_number(c->boots[i].change_pct));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *comparison_object(const struct analysis_comparison *c)
{
	const struct analysis_cell *cell = c->base->cell;
	json_t *object = json_object();

	json_object_set_new(object, "host", json_text(cell->host));
	json_object_set_new(object, "workload", json_text(cell->workload));
	json_object_set_new(object, "point", point_of(cell));
	json_object_set_new(object, "metric", json_text(c->base->metric));
	json_object_set_new(object, "base", side_compared(cell, &c->of_base));
	json_object_set_new(object, "new", side_compared(c->fresh->cell, &c->of_fresh));
	json_object_set_new(object, "kind", json_text(c->kind));
	json_object_set_new(object, "unit", json_text(c->unit));
	json_object_set_new(object, "paired", json_boolean(c->paired));
	json_object_set_new(object, "noise_floor", json_boolean(c->noise_floor));
	json_object_set_new(object, "change_pct", json_number(c->change_pct));
	json_object_set_new(object, "ci95_pct", interval(c->ci95_pct));
	json_object_set_new(object, "change", json_number(c->difference));
	json_object_set_new(object, "ci95_units", interval(c->ci95_units));
	json_object_set_new(object, "ci95_rounding_pct", interval(c->ci95_rounding_pct));
	json_object_set_new(object, "at_worst_pct", json_number(c->at_worst_pct));
	json_object_set_new(object, "at_best_pct", json_number(c->at_best_pct));
	json_object_set_new(object, "p", json_number(c->p));
	json_object_set_new(object, "p_holm", json_number(c->p_holm));
	json_object_set_new(object, "family_size",
			    c->family_size ? count_of(c->family_size) : json_null());
	json_object_set_new(object, "rank", rank_object(c));
	json_object_set_new(object, "boots", boots_array(c));
	json_object_set_new(object, "mde_pct", json_number(c->mde_pct));
	json_object_set_new(object, "mde_holm_pct", json_number(c->mde_holm_pct));
	json_object_set_new(object, "runs_needed", runs_needed(c));
	json_object_set_new(object, "verdict",
			    c->verdict == VERDICT_NONE ? json_null() :
							 json_text(verdict_name(c->verdict)));
	json_object_set_new(object, "reason", json_text(c->reason));
	return object;
}

static json_t *unmatched_side(const struct analysis_cell *cell, const struct analysis_group *group)
{
	json_t *object = side(cell);

	json_object_set_new(object, "unit", json_text(group ? group->unit : NULL));
	json_object_set_new(object, "better", json_text(group ? group->better : NULL));
	return object;
}

static json_t *unmatched_array(const struct analysis *analysis)
{
	json_t *array = json_array(), *object;

	for (size_t i = 0; i < analysis->nunmatched; i++) {
		const struct analysis_unmatched *u = &analysis->unmatched[i];
		const struct analysis_group *any = u->base ? u->base : u->fresh;

		object = json_object();
		json_object_set_new(object, "host", json_text(u->base_cell->host));
		json_object_set_new(object, "workload", json_text(u->base_cell->workload));
		json_object_set_new(object, "point", point_of(u->base_cell));
		json_object_set_new(object, "metric", json_text(any ? any->metric : NULL));
		json_object_set_new(object, "base", unmatched_side(u->base_cell, u->base));
		json_object_set_new(object, "new", unmatched_side(u->fresh_cell, u->fresh));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *side_asked_for(const struct analysis *analysis, const struct analysis_side *side)
{
	json_t *object;

	if (!side)
		return json_null();
	object = json_object();
	json_object_set_new(object, "set", json_text(analysis->sets[side->set].path));
	json_object_set_new(object, "label", json_text(side->label));
	json_object_set_new(object, "config", json_text(side->config));
	return object;
}

/* What was asked for, so that the figures can be computed again. */
static json_t *options_object(const struct analysis *analysis)
{
	const struct analysis_options *options = &analysis->options;
	json_t *object = json_object();

	json_object_set_new(object, "base_config", json_text(options->base_config));
	json_object_set_new(object, "base_label", json_text(options->base_label));
	json_object_set_new(object, "metric", json_text(options->metric));
	json_object_set_new(object, "all_metrics", json_boolean(options->all_metrics));
	json_object_set_new(object, "one_boot", json_boolean(options->one_boot));
	json_object_set_new(object, "base", side_asked_for(analysis, options->base));
	json_object_set_new(object, "new", side_asked_for(analysis, options->fresh));
	return object;
}

static json_t *sets_array(const struct analysis *analysis)
{
	json_t *array = json_array(), *object;

	for (size_t i = 0; i < analysis->nsets; i++) {
		const struct set_data *data = &analysis->sets[i];

		object = json_object();
		json_object_set_new(object, "set", json_text(data->path));
		json_object_set_new(object, "hash", json_text(*data->hash ? data->hash : NULL));
		json_object_set_new(object, "sessions",
				    count_of(json_object_size(data->sessions)));
		json_object_set_new(object, "runs", count_of(data->nruns));
		json_object_set_new(object, "unended", count_of(data->nunended));
		json_object_set_new(object, "skipped_lines", count_of(data->skipped));
		json_object_set_new(object, "unread_sessions", count_of(data->unread_sessions));
		json_object_set_new(object, "missing_sessions", count_of(data->missing_sessions));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *counts_array(const struct analysis *analysis)
{
	json_t *array = json_array(), *object;

	for (size_t i = 0; i < analysis->ncounts; i++) {
		const struct analysis_count *count = &analysis->counts[i];

		object = cell_object(count->cell);
		json_object_set_new(object, "ok", count_of(count->ok));
		json_object_set_new(object, "failed", count_of(count->failed));
		json_object_set_new(object, "invalid", count_of(count->invalid));
		json_object_set_new(object, "warmup", count_of(count->warmup));
		json_object_set_new(object, "left_out", count_of(count->broken_rounds));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *families_array(const struct analysis *analysis)
{
	json_t *array = json_array(), *object;

	for (size_t i = 0; i < analysis->nfamilies; i++) {
		const struct analysis_family *family = &analysis->families[i];

		object = json_object();
		json_object_set_new(object, "workload", json_text(family->workload));
		json_object_set_new(object, "kind", json_text(family->kind));
		json_object_set_new(object, "headline", json_boolean(family->headline));
		json_object_set_new(object, "size", count_of(family->size));
		json_object_set_new(object, "correction", json_string("Holm"));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *session_end(const struct set_data *data, const json_t *session)
{
	json_t *object = json_object();

	json_object_set_new(object, "set", json_text(data->path));
	json_object_set(object, "session", json_object_get(session, "id"));
	json_object_set(object, "label", json_object_get(session, "label"));
	return object;
}

static void add_difference(json_t *array, const struct environment_pair *pair, const char *key,
			   const json_t *before, const json_t *after)
{
	json_t *object = json_object();

	json_object_set(object, "host", json_object_get(pair->fresh, "host"));
	json_object_set_new(object, "base", session_end(pair->base_data, pair->base));
	json_object_set_new(object, "new", session_end(pair->fresh_data, pair->fresh));
	json_object_set_new(object, "key", json_text(key));
	json_object_set_new(object, "base_value", json_deep_copy(before));
	json_object_set_new(object, "new_value", json_deep_copy(after));
	json_array_append_new(array, object);
}

/* Of the environment, or of the work. */
static json_t *differences_array(const struct environment_pairs *pairs, bool work)
{
	json_t *array = json_array();
	const json_t *change;
	size_t k;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct environment_pair *pair = &pairs->v[i];

		for (k = 0; !work && k < pair->n; k++)
			add_difference(array, pair, pair->changes[k].key, pair->changes[k].before,
				       pair->changes[k].after);
		if (!work)
			continue;
		json_array_foreach(pair->work, k, change)
			add_difference(array, pair, json_get_text(change, "key", ""),
				       json_object_get(change, "base"),
				       json_object_get(change, "new"));
	}
	return array;
}

static int write_json(const struct analysis *analysis, const struct report_options *options,
		      struct buf *out, struct err *err)
{
	auto_json json_t *report = json_object();
	json_t *groups = json_array(), *comparisons = json_array();
	struct environment_pairs pairs;

	(void)options;
	(void)err;
	for (size_t i = 0; i < analysis->ngroups; i++)
		json_array_append_new(groups, group_object(&analysis->groups[i]));
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		json_array_append_new(comparisons, comparison_object(&analysis->comparisons[i]));
	for (size_t i = 0; i < analysis->ninteractions; i++)
		json_array_append_new(comparisons, comparison_object(&analysis->interactions[i].c));
	json_object_set_new(report, "schema", json_string(SET_SCHEMA));
	json_object_set_new(report, "sets", sets_array(analysis));
	json_object_set_new(report, "margin_pct", json_number(analysis->margin_pct));
	json_object_set_new(report, "effect_pct", json_number(analysis->effect_pct));
	json_object_set_new(report, "options", options_object(analysis));
	json_object_set_new(report, "untrusted", json_boolean(analysis->untrusted));
	environment_pairs_find(analysis->sets, analysis->nsets, &pairs);
	json_object_set_new(report, "differences", differences_array(&pairs, false));
	json_object_set_new(report, "work_differences", differences_array(&pairs, true));
	environment_pairs_release(&pairs);
	json_object_set_new(report, "counts", counts_array(analysis));
	json_object_set_new(report, "families", families_array(analysis));
	json_object_set_new(report, "groups", groups);
	json_object_set_new(report, "comparisons", comparisons);
	json_object_set_new(report, "not_compared", unmatched_array(analysis));
	json_write(out, report, INDENT);
	return 0;
}

const struct report report_json = {
	.name = "json",
	.summary = "groups and comparisons as two flat arrays, numbers unrounded",
	.write = write_json,
};
