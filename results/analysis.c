// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "base/xalloc.h"
#include "results/analysis_parts.h"

/* ---- are the names that were asked for there? ---- */

static int check_name(json_t *known, const char *what, const char *name, struct err *err)
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
	rc = check_name(configs, "configuration", options->base_config, err);
	if (rc) {
		json_decref(labels);
		json_decref(metrics);
		return rc;
	}
	rc = check_name(labels, "label", options->base_label, err);
	if (rc) {
		json_decref(metrics);
		return rc;
	}
	return check_name(metrics, "metric", options->metric, err);
}

/* ---- one metric only ---- */

static void release_group(struct analysis_group *group)
{
	free(group->values);
	free(group->from);
	free(group->rounds);
}

static void keep_groups(struct analysis *a, const char *metric, size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->ncells; i++) {
		struct analysis_cell *cell = a->cells[i];
		size_t first = cell->first_group, end = first + cell->ngroups;

		cell->first_group = kept;
		for (size_t g = first; g < end; g++) {
			moved[g] = kept;
			if (!strcmp(a->groups[g].metric, metric))
				a->groups[kept++] = a->groups[g];
			else
				release_group(&a->groups[g]);
		}
		cell->ngroups = kept - cell->first_group;
	}
	a->ngroups = kept;
}

/* Comparisons that are kept point to groups that are kept. */
static void keep_comparisons(struct analysis *a, const bool *wanted, const size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->nsections; i++) {
		struct analysis_section *section = &a->sections[i];
		size_t first = section->first_comparison, end = first + section->ncomparisons;

		section->first_comparison = kept;
		for (size_t k = first; k < end; k++) {
			struct analysis_comparison c = a->comparisons[k];

			if (!wanted[k]) {
				free(c.reason);
				continue;
			}
			c.base = &a->groups[moved[c.base - a->groups]];
			c.fresh = &a->groups[moved[c.fresh - a->groups]];
			a->comparisons[kept++] = c;
		}
		section->ncomparisons = kept - section->first_comparison;
	}
	a->ncomparisons = kept;
}

/* After the verdicts, so that a family stays what it was. */
static void keep_metric(struct analysis *a, const char *metric)
{
	size_t *moved = xcalloc(a->ngroups + 1, sizeof(*moved));
	bool *wanted = xcalloc(a->ncomparisons + 1, sizeof(*wanted));

	for (size_t i = 0; i < a->ncomparisons; i++)
		wanted[i] = !strcmp(a->comparisons[i].base->metric, metric);
	keep_groups(a, metric, moved);
	keep_comparisons(a, wanted, moved);
	free(moved);
	free(wanted);
}

/* ---- all ---- */

int analysis_make(const struct set_data *sets, size_t nsets,
		  const struct analysis_options *options, struct analysis *out, struct err *err)
{
	struct analysis analysis = { .sets = sets, .nsets = nsets,
				     .margin_pct = options->margin_pct,
				     .effect_pct = options->effect_pct };
	struct analysis_builder builder = { .out = &analysis, .options = options };
	int rc;

	for (size_t i = 0; i < nsets; i++) {
		analysis.skipped_lines += sets[i].skipped;
		analysis.unended += sets[i].nunended;
		analysis_group_set(&builder, &sets[i]);
	}
	rc = check_options(&analysis, options, err);
	if (!rc) {
		analysis_compare(&builder);
		analysis_note(&builder);
		if (options->metric)
			keep_metric(&analysis, options->metric);
		*out = analysis;
	} else {
		analysis_release(&analysis);
	}
	return rc;
}

void analysis_release(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncells; i++)
		free(analysis->cells[i]);
	for (size_t i = 0; i < analysis->nsections; i++)
		free(analysis->sections[i].position_means);
	for (size_t i = 0; i < analysis->ngroups; i++)
		release_group(&analysis->groups[i]);
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		free(analysis->comparisons[i].reason);
	for (size_t i = 0; i < analysis->nmarks; i++)
		free(analysis->marks[i].runs);
	free(analysis->cells);
	free(analysis->sections);
	free(analysis->groups);
	free(analysis->comparisons);
	free(analysis->counts);
	free(analysis->ledgers);
	free(analysis->lost);
	free(analysis->lost_data);
	free(analysis->marks);
	free(analysis->families);
	*analysis = (struct analysis){ .sets = NULL };
}
