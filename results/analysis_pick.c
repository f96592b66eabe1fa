// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What `brunt compare` was asked for: which cells are held against which, and an analysis of
 * nothing else. With two sides, cells of the same workload and point belong together; host, label
 * and configuration have to be the same as well unless each side has only one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/analysis_parts.h"

/* The cells that a side names, and how many of each factor they have. */
struct side_cells {
	struct analysis_cell **v;
	size_t n, cap;
	size_t nhosts, nlabels, nconfigs;
};

static bool has_runs(const struct analysis *out, const struct analysis_cell *cell)
{
	const struct analysis_count *count = &out->counts[cell->index];

	return count->ok || count->failed || count->invalid || count->published;
}

static int check_side(const struct analysis *out, const struct set_data *data,
		      const struct analysis_side *side, struct err *err)
{
	json_t *labels = json_object(), *configs = json_object();
	int rc;

	for (size_t i = 0; i < out->ncells; i++) {
		if (out->cells[i]->data != data)
			continue;
		analysis_rank(labels, out->cells[i]->label);
		analysis_rank(configs, out->cells[i]->config);
	}
	rc = analysis_check_name(labels, "label", side->label, err);
	if (rc)
		json_decref(configs);
	else
		rc = analysis_check_name(configs, "configuration", side->config, err);
	return rc ? err_context(err, rc, "%s", data->path) : 0;
}

static int find_cells(const struct analysis *out, const struct analysis_side *side,
		      struct side_cells *found, struct err *err)
{
	const struct set_data *data = &out->sets[side->set];
	json_t *hosts, *labels, *configs;
	int rc = check_side(out, data, side, err);

	*found = (struct side_cells){ .v = NULL };
	if (rc)
		return rc;
	hosts = json_object();
	labels = json_object();
	configs = json_object();
	for (size_t i = 0; i < out->ncells; i++) {
		struct analysis_cell *cell = out->cells[i];

		if (cell->data != data || !has_runs(out, cell) ||
		    (side->label && strcmp(side->label, cell->label) != 0) ||
		    (side->config && strcmp(side->config, cell->config) != 0))
			continue;
		analysis_rank(hosts, cell->host);
		analysis_rank(labels, cell->label);
		analysis_rank(configs, cell->config);
		GROW(found->v, found->n, found->cap);
		found->v[found->n++] = cell;
	}
	found->nhosts = json_object_size(hosts);
	found->nlabels = json_object_size(labels);
	found->nconfigs = json_object_size(configs);
	json_decref(hosts);
	json_decref(labels);
	json_decref(configs);
	if (!found->n)
		rc = err_set(err, ENOENT, "%s has no finished run of that label and configuration",
			     data->path);
	return rc;
}

static void add_pair(struct analysis_builder *builder, struct analysis_cell *base,
		     struct analysis_cell *fresh)
{
	GROW(builder->pairs, builder->npairs, builder->pairs_cap);
	builder->pairs[builder->npairs++] = (struct analysis_pair){ base, fresh };
}

static bool same_place(const struct analysis_cell *a, const struct analysis_cell *b)
{
	return !strcmp(a->workload, b->workload) && !strcmp(a->point, b->point);
}

/* ---- two sides ---- */

static bool fit(const char *a, size_t na, const char *b, size_t nb)
{
	return (na == 1 && nb == 1) || !strcmp(a, b);
}

static int pair_sides(struct analysis_builder *builder, const struct side_cells *base,
		      const struct side_cells *fresh, struct err *err)
{
	bool same = false;

	for (size_t i = 0; i < base->n; i++) {
		for (size_t k = 0; k < fresh->n; k++) {
			struct analysis_cell *x = base->v[i], *y = fresh->v[k];

			if (!same_place(x, y) ||
			    !fit(x->host, base->nhosts, y->host, fresh->nhosts) ||
			    !fit(x->label, base->nlabels, y->label, fresh->nlabels) ||
			    !fit(x->config, base->nconfigs, y->config, fresh->nconfigs))
				continue;
			if (x == y)
				same = true;
			else
				add_pair(builder, x, y);
		}
	}
	if (builder->npairs)
		return 0;
	if (same)
		return err_usage(err, "both sides are the same; give them other labels or "
				      "configurations, as SET,config=NAME");
	return err_usage(err, "the sides have no workload, point, label and configuration in "
			      "common; name what is compared, as SET,label=NAME,config=NAME");
}

/* ---- one set alone ---- */

static struct analysis_cell *find_base(const struct analysis *out, const struct analysis_cell *cell,
				       const char *label, const char *config)
{
	for (size_t i = 0; i < out->ncells; i++) {
		struct analysis_cell *base = out->cells[i];

		if (base->data == cell->data && !strcmp(base->host, cell->host) &&
		    same_place(base, cell) && !strcmp(base->label, label) &&
		    !strcmp(base->config, config) && has_runs(out, base))
			return base;
	}
	return NULL;
}

/* The first name of its kind at the cell's host, workload and point. */
static const char *first_name(const struct analysis *out, const struct analysis_cell *cell,
			      bool label)
{
	for (size_t i = 0; i < out->ncells; i++) {
		const struct analysis_cell *other = out->cells[i];

		if (other->data == cell->data && !strcmp(other->host, cell->host) &&
		    same_place(other, cell) && has_runs(out, other))
			return label ? other->label : other->config;
	}
	return "";
}

static void pair_with_base(struct analysis_builder *builder, const struct side_cells *side,
			   bool by_config)
{
	const struct analysis *out = builder->out;

	for (size_t i = 0; i < side->n; i++) {
		struct analysis_cell *cell = side->v[i], *base;
		const char *config = analysis_base_config(builder->options, cell);
		const char *label = analysis_base_label(builder->options, cell);

		if (!by_config && cell->aa_of)
			continue;
		config = config ? config : first_name(out, cell, false);
		config = cell->aa_of ? cell->aa_of : config;
		label = label ? label : first_name(out, cell, true);
		base = by_config ? find_base(out, cell, cell->label, config) :
				   find_base(out, cell, label, cell->config);
		if (base && base != cell)
			add_pair(builder, base, cell);
	}
}

/* Is anything compared but baselines with themselves? */
static bool any_decides(const struct analysis_builder *builder)
{
	for (size_t i = 0; i < builder->npairs; i++)
		if (!builder->pairs[i].fresh->aa_of)
			return true;
	return false;
}

static int pair_alone(struct analysis_builder *builder, const struct side_cells *side,
		      struct err *err)
{
	const char *path = builder->out->sets[builder->options->base->set].path;

	pair_with_base(builder, side, true);
	if (!any_decides(builder))
		pair_with_base(builder, side, false);
	if (builder->npairs)
		return 0;
	return err_usage(err, "%s: nothing to compare that with: it is the first configuration "
			      "and the first label", path);
}

/* ---- nothing else ---- */

/* The cells in their new order, and what goes with them. */
struct picked {
	struct analysis_cell **cells;
	size_t n;
	struct analysis_section *sections;
	size_t nsections;
	bool *kept; /* of the old cells */
};

static void keep_cell(struct picked *picked, struct analysis_cell *cell)
{
	if (picked->kept[cell->index])
		return;
	picked->kept[cell->index] = true;
	picked->cells[picked->n++] = cell;
}

static bool in_section(const struct analysis_section *section, const struct analysis_cell *cell)
{
	return cell->index >= section->first_cell &&
	       cell->index < section->first_cell + section->ncells;
}

/* The cells of the section in a pair whose base is there too; then those from elsewhere. */
static void pick_section(const struct analysis_builder *builder,
			 const struct analysis_section *section, struct picked *picked)
{
	size_t first = picked->n;

	for (size_t i = section->first_cell; i < section->first_cell + section->ncells; i++)
		for (size_t k = 0; k < builder->npairs; k++) {
			const struct analysis_pair *pair = &builder->pairs[k];

			if (in_section(section, pair->base) &&
			    (pair->base->index == i || pair->fresh->index == i))
				keep_cell(picked, builder->out->cells[i]);
		}
	for (size_t k = 0; k < builder->npairs; k++)
		if (in_section(section, builder->pairs[k].base))
			keep_cell(picked, builder->pairs[k].fresh);
	if (picked->n > first)
		picked->sections[picked->nsections++] = (struct analysis_section){
			.first_cell = first, .ncells = picked->n - first
		};
}

/* Groups and counts in the order of the new cells. */
static void move_contents(struct analysis *out, const struct picked *picked)
{
	struct analysis_group *groups = xcalloc(out->ngroups + 1, sizeof(*groups));
	struct analysis_count *counts = xcalloc(picked->n + 1, sizeof(*counts));
	size_t ngroups = 0;

	for (size_t i = 0; i < picked->n; i++) {
		struct analysis_cell *cell = picked->cells[i];
		size_t first = cell->first_group;

		counts[i] = out->counts[cell->index];
		cell->first_group = ngroups;
		for (size_t g = 0; g < cell->ngroups; g++)
			groups[ngroups++] = out->groups[first + g];
	}
	free(out->groups);
	free(out->counts);
	out->groups = groups;
	out->ngroups = ngroups;
	out->counts = counts;
	out->ncounts = picked->n;
}

static void drop_others(struct analysis *out, const struct picked *picked)
{
	for (size_t i = 0; i < out->ncells; i++) {
		struct analysis_cell *cell = out->cells[i];

		if (picked->kept[i])
			continue;
		for (size_t g = 0; g < cell->ngroups; g++)
			analysis_release_group(&out->groups[cell->first_group + g]);
		free(cell);
	}
	for (size_t i = 0; i < out->nsections; i++)
		free(out->sections[i].position_means);
}

static void keep_pairs_only(struct analysis_builder *builder)
{
	struct analysis *out = builder->out;
	struct picked picked = {
		.cells = xcalloc(out->ncells + 1, sizeof(struct analysis_cell *)),
		.sections = xcalloc(out->nsections + 1, sizeof(struct analysis_section)),
		.kept = xcalloc(out->ncells + 1, sizeof(bool)),
	};

	for (size_t i = 0; i < out->nsections; i++)
		pick_section(builder, &out->sections[i], &picked);
	drop_others(out, &picked);
	move_contents(out, &picked);
	for (size_t i = 0; i < picked.n; i++)
		picked.cells[i]->index = i;
	free(out->cells);
	free(out->sections);
	free(picked.kept);
	out->cells = picked.cells;
	out->ncells = picked.n;
	out->sections = picked.sections;
	out->nsections = picked.nsections;
}

int analysis_pick(struct analysis_builder *builder, struct err *err)
{
	const struct analysis_options *options = builder->options;
	struct side_cells base, fresh = { .v = NULL };
	int rc;

	rc = find_cells(builder->out, options->base, &base, err);
	if (!rc && options->fresh)
		rc = find_cells(builder->out, options->fresh, &fresh, err);
	if (!rc && options->fresh)
		rc = pair_sides(builder, &base, &fresh, err);
	else if (!rc)
		rc = pair_alone(builder, &base, err);
	if (!rc)
		keep_pairs_only(builder);
	free(base.v);
	free(fresh.v);
	return rc;
}
