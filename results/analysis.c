// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/analysis.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "base/xalloc.h"
#include "results/analysis_parts.h"

/* ---- are the names that were asked for there? ---- */

int analysis_check_name(json_t *known, const char *what, const char *name, struct err *err)
{
	const char **names, *nearest, *key;
	size_t n = 0;
	json_t *value;
	int rc;

	if (!name || json_object_get(known, name) || !json_object_size(known)) {
		json_decref(known);
		return 0;
	}
	names = xcalloc(json_object_size(known), sizeof(*names));
	json_object_foreach(known, key, value)
		names[n++] = key;
	nearest = words_nearest(name, names, n);
	if (nearest)
		rc = err_usage(err, "there is no %s '%s'; did you mean '%s'?", what, name, nearest);
	else
		rc = err_usage(err, "there is no %s '%s'; one that is there is '%s'", what, name,
			       names[0]);
	free(names);
	json_decref(known);
	return rc;
}

static int check_options(const struct analysis *analysis, const struct analysis_options *options,
			 struct err *err)
{
	json_t *configs = json_object(), *labels = json_object(), *metrics = json_object();
	int rc;

	for (size_t i = 0; i < analysis->ncells; i++) {
		analysis_rank(configs, analysis->cells[i]->config);
		analysis_rank(labels, analysis->cells[i]->label);
	}
	for (size_t i = 0; i < analysis->ngroups; i++)
		analysis_rank(metrics, analysis->groups[i].metric);
	rc = analysis_check_name(configs, "configuration", options->base_config, err);
	if (rc) {
		json_decref(labels);
		json_decref(metrics);
		return rc;
	}
	rc = analysis_check_name(labels, "label", options->base_label, err);
	if (rc) {
		json_decref(metrics);
		return rc;
	}
	return analysis_check_name(metrics, "metric", options->metric, err);
}

/* ---- one metric only ---- */

void analysis_release_group(struct analysis_group *group)
{
	free(group->values);
	free(group->from);
	free(group->rounds);
	free(group->outliers);
	free(group->without);
}

#define DROPPED SIZE_MAX

/* Where each group will stand. */
static size_t *plan_moves(const struct analysis *a, const char *metric)
{
	size_t *moved = xcalloc(a->ngroups + 1, sizeof(*moved)), kept = 0;

	for (size_t i = 0; i < a->ngroups; i++)
		moved[i] = strcmp(a->groups[i].metric, metric) != 0 ? DROPPED : kept++;
	return moved;
}

static void move_groups(struct analysis *a, const size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->ncells; i++) {
		struct analysis_cell *cell = a->cells[i];
		size_t first = cell->first_group, end = first + cell->ngroups;

		cell->first_group = kept;
		for (size_t g = first; g < end; g++) {
			if (moved[g] != DROPPED)
				a->groups[kept++] = a->groups[g];
			else
				analysis_release_group(&a->groups[g]);
		}
		cell->ngroups = kept - cell->first_group;
	}
	a->ngroups = kept;
}

/* The new place of a group of the analysis; NULL: dropped. */
static const struct analysis_group *moved_group(const struct analysis *a, const size_t *moved,
						const struct analysis_group *group)
{
	size_t to = moved[group - a->groups];

	return to == DROPPED ? NULL : &a->groups[to];
}

static void keep_comparisons(struct analysis *a, const size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->nsections; i++) {
		struct analysis_section *section = &a->sections[i];
		size_t first = section->first_comparison, end = first + section->ncomparisons;

		section->first_comparison = kept;
		for (size_t k = first; k < end; k++) {
			struct analysis_comparison c = a->comparisons[k];

			c.base = moved_group(a, moved, c.base);
			c.fresh = moved_group(a, moved, c.fresh);
			if (c.base)
				a->comparisons[kept++] = c;
			else
				free(c.reason);
		}
		section->ncomparisons = kept - section->first_comparison;
	}
	a->ncomparisons = kept;
}

static void keep_interactions(struct analysis *a, const size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->nsections; i++) {
		struct analysis_section *section = &a->sections[i];
		size_t first = section->first_interaction, end = first + section->ninteractions;

		section->first_interaction = kept;
		for (size_t k = first; k < end; k++) {
			struct analysis_interaction x = a->interactions[k];

			x.c.base = moved_group(a, moved, x.c.base);
			x.c.fresh = moved_group(a, moved, x.c.fresh);
			x.base_of = moved_group(a, moved, x.base_of);
			x.fresh_of = moved_group(a, moved, x.fresh_of);
			if (x.c.base)
				a->interactions[kept++] = x;
			else
				free(x.c.reason);
		}
		section->ninteractions = kept - section->first_interaction;
	}
	a->ninteractions = kept;
}

static void keep_unmatched(struct analysis *a, const size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->nunmatched; i++) {
		struct analysis_unmatched u = a->unmatched[i];
		bool any = u.base || u.fresh;

		u.base = u.base ? moved_group(a, moved, u.base) : NULL;
		u.fresh = u.fresh ? moved_group(a, moved, u.fresh) : NULL;
		if (u.base || u.fresh || !any)
			a->unmatched[kept++] = u;
	}
	a->nunmatched = kept;
}

/* After the verdicts, so that a family stays what it was. */
static void keep_metric(struct analysis *a, const char *metric)
{
	size_t *moved = plan_moves(a, metric);

	keep_comparisons(a, moved);
	keep_interactions(a, moved);
	keep_unmatched(a, moved);
	move_groups(a, moved);
	free(moved);
}

/* ---- names ---- */

static bool names_repeat(const struct analysis *a, const struct analysis_section *section)
{
	struct analysis_cell **cells = &a->cells[section->first_cell];
	bool one_set = true;

	for (size_t i = 1; i < section->ncells; i++)
		one_set &= cells[i]->data == cells[0]->data;
	for (size_t i = 1; !one_set && i < section->ncells; i++)
		for (size_t k = 0; k < i; k++)
			if (cells[i]->data != cells[k]->data &&
			    !strcmp(cells[i]->label, cells[k]->label) &&
			    !strcmp(cells[i]->config, cells[k]->config))
				return true;
	return false;
}

/* ---- all ---- */

int analysis_make(const struct set_data *sets, size_t nsets,
		  const struct analysis_options *options, struct analysis *out, struct err *err)
{
	struct analysis analysis = { .sets = sets, .nsets = nsets,
				     .options = *options, .margin_pct = options->margin_pct,
				     .effect_pct = options->effect_pct };
	struct analysis_builder builder = { .out = &analysis, .options = options };
	int rc;

	for (size_t i = 0; i < nsets; i++) {
		analysis.skipped_lines += sets[i].skipped - sets[i].unread_sessions;
		analysis.unread_sessions += sets[i].unread_sessions;
		analysis.missing_sessions += sets[i].missing_sessions;
		analysis.unended += sets[i].nunended;
		analysis_group_set(&builder, &sets[i]);
	}
	rc = check_options(&analysis, options, err);
	if (!rc && options->base)
		rc = analysis_pick(&builder, err);
	if (!rc) {
		for (size_t i = 0; i < analysis.nsections; i++)
			analysis.sections[i].names_repeat =
				names_repeat(&analysis, &analysis.sections[i]);
		analysis_look_at_order(&analysis);
		analysis_compare(&builder);
		analysis_note(&builder);
		analysis_look_at_devices(&analysis);
		if (options->metric)
			keep_metric(&analysis, options->metric);
		*out = analysis;
	} else {
		analysis_release(&analysis);
	}
	free(builder.pairs);
	return rc;
}

void analysis_release(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncells; i++)
		free(analysis->cells[i]);
	for (size_t i = 0; i < analysis->nsections; i++)
		free(analysis->sections[i].position_means);
	for (size_t i = 0; i < analysis->ngroups; i++)
		analysis_release_group(&analysis->groups[i]);
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		free(analysis->comparisons[i].reason);
	for (size_t i = 0; i < analysis->ninteractions; i++)
		free(analysis->interactions[i].c.reason);
	for (size_t i = 0; i < analysis->nmarks; i++)
		free(analysis->marks[i].runs);
	free(analysis->cells);
	free(analysis->sections);
	free(analysis->groups);
	free(analysis->comparisons);
	free(analysis->unmatched);
	free(analysis->interactions);
	free(analysis->counts);
	free(analysis->ledgers);
	free(analysis->lost);
	free(analysis->lost_data);
	free(analysis->marks);
	free(analysis->devices);
	free(analysis->families);
	*analysis = (struct analysis){ .sets = NULL };
}
