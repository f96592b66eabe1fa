// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which groups are compared: every configuration with the base configuration inside each label,
 * in rounds; every label with the base label inside each configuration, unpaired. What others
 * published has no rounds that are known, so all of it is unpaired.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/analysis_parts.h"
#include "results/compare.h"
#include "results/verdict.h"

#define DEFAULT_HZ 250

const struct analysis_group *analysis_same_metric(const struct analysis *out,
						  const struct analysis_cell *cell,
						  const struct analysis_group *wanted)
{
	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &out->groups[cell->first_group + i];

		if (!strcmp(group->metric, wanted->metric) && !strcmp(group->unit, wanted->unit) &&
		    !strcmp(group->better, wanted->better))
			return group;
	}
	return NULL;
}

/*
 * The length of a tick where user and sys are sampled by it; 0 where they are exact, and for what
 * others published.
 */
static double tick_s(const struct analysis_cell *cell)
{
	const json_t *environment = json_object_get(cell->session, "environment");
	const json_t *accounting = json_object_get(environment, "kernel.hz_tick_accounting");
	double hz = json_get_number(environment, "kernel.hz");

	if (cell->imported || json_is_false(accounting) || (json_is_string(accounting) &&
					  strcmp(json_string_value(accounting), "tick") != 0))
		return 0;
	return 1 / (hz > 0 ? hz : DEFAULT_HZ);
}

/* The baseline and its second copy in the same rounds, whichever stands first. */
static bool is_noise_floor(const struct analysis_cell *base, const struct analysis_cell *fresh)
{
	if (base->data != fresh->data || strcmp(base->host, fresh->host) != 0 ||
	    strcmp(base->label, fresh->label) != 0)
		return false;
	return (fresh->aa_of && !strcmp(fresh->aa_of, base->config)) ||
	       (base->aa_of && !strcmp(base->aa_of, fresh->config));
}

static struct analysis_comparison *add_comparison(struct analysis_builder *builder,
						  const struct analysis_group *base,
						  const struct analysis_group *fresh)
{
	struct analysis *out = builder->out;

	GROW(out->comparisons, out->ncomparisons, builder->comparisons_cap);
	out->comparisons[out->ncomparisons] = (struct analysis_comparison){
		.base = base, .fresh = fresh, .headline = base->headline,
		.noise_floor = is_noise_floor(base->cell, fresh->cell),
	};
	return &out->comparisons[out->ncomparisons++];
}

static struct verdict_facts facts_of(const struct analysis *out,
				     const struct analysis_comparison *c)
{
	double base_tick = tick_s(c->base->cell), fresh_tick = tick_s(c->fresh->cell);

	return (struct verdict_facts){
		.base = &out->counts[c->base->cell->index],
		.fresh = &out->counts[c->fresh->cell->index],
		.base_name = c->base->cell->config, .fresh_name = c->fresh->cell->config,
		.tick_s = fmax(base_tick, fresh_tick),
	};
}

static bool same_rounds(const struct analysis_cell *base, const struct analysis_cell *fresh)
{
	return base->data == fresh->data && !strcmp(base->label, fresh->label) &&
	       !strcmp(base->host, fresh->host) && !base->imported;
}

static void compare_in_rounds(struct analysis_builder *builder, struct analysis_comparison *c,
			      struct compare_sides *sides)
{
	struct verdict_facts facts;

	c->kind = "config";
	c->unit = "round";
	compare_figures(c, sides, builder->options->effect_pct);
	compare_rank(c, sides);
	compare_by_boot(c, sides);
	facts = facts_of(builder->out, c);
	facts.depends_on = compare_depends_on(c, sides);
	verdict_prepare(c, &facts, builder->options);
}

static bool labels_differ(const struct analysis_cell *base, const struct analysis_cell *fresh)
{
	return strcmp(base->label, fresh->label) != 0;
}

/* The boot that all values are of; NULL: several, or not known. */
static const char *only_boot(const struct analysis_group *group)
{
	if (group->summarised || !group->n || compare_boots(group) != 1 ||
	    !*group->from[0]->boot_id)
		return NULL;
	return group->from[0]->boot_id;
}

/*
 * Labels stand for kernels, and are not told from boots of which there are few, nor inside one
 * boot from the time between its sessions. Anything else on other boots is not either.
 */
const char *analysis_confounded(const struct analysis_builder *builder,
				const struct analysis_group *base,
				const struct analysis_group *fresh)
{
	const struct analysis_cell *x = base->cell, *y = fresh->cell;
	const char *a = only_boot(base), *b = only_boot(fresh);
	bool one_boot = a && b && !strcmp(a, b), labels = labels_differ(x, y);

	if (builder->options->one_boot ||
	    ((x->imported || base->summarised) && (y->imported || fresh->summarised)))
		return NULL;
	if (one_boot)
		return labels ? "labels of one boot: label and time cannot be told apart" : NULL;
	if (strcmp(x->host, y->host) != 0)
		return "host and boot cannot be told apart";
	if (labels)
		return "kernel and boot cannot be told apart";
	return x->data != y->data ? "set and boot cannot be told apart" :
				    "configuration and boot cannot be told apart";
}

static void compare_unpaired(struct analysis_builder *builder, struct analysis_comparison *c)
{
	const struct analysis_cell *base = c->base->cell, *fresh = c->fresh->cell;
	bool by_boot = compare_boots(c->base) >= VERDICT_BOOTS_MIN &&
		       compare_boots(c->fresh) >= VERDICT_BOOTS_MIN;
	bool config = !labels_differ(base, fresh) && strcmp(base->config, fresh->config) != 0;
	struct verdict_facts facts;
	struct compare_sides sides;

	c->kind = config ? "config" : "label";
	c->unit = by_boot ? "boot" : "run";
	if (by_boot)
		compare_sides_boots(c->base, c->fresh, &sides);
	else
		compare_sides_unpaired(c->base, c->fresh, &sides);
	compare_figures(c, &sides, builder->options->effect_pct);
	compare_rank(c, &sides);
	facts = facts_of(builder->out, c);
	facts.base_name = config ? base->config : base->label;
	facts.fresh_name = config ? fresh->config : fresh->label;
	facts.confounded = by_boot ? NULL : analysis_confounded(builder, c->base, c->fresh);
	c->confounded = facts.confounded != NULL;
	if (!c->confounded) {
		facts.drift = set_order_is_known(base->session) &&
			      set_order_is_known(fresh->session) && compare_drifts(&sides);
		facts.depends_on = compare_depends_on(c, &sides);
	}
	verdict_prepare(c, &facts, builder->options);
	compare_sides_release(&sides);
}

static void compare_groups(struct analysis_builder *builder, const struct analysis_group *base,
			   const struct analysis_group *fresh)
{
	struct analysis_comparison *c = add_comparison(builder, base, fresh);
	struct compare_sides sides;
	size_t rounds;

	if (!same_rounds(base->cell, fresh->cell) || base->summarised || fresh->summarised) {
		compare_unpaired(builder, c);
		return;
	}
	compare_sides_paired(base, fresh, &sides);
	rounds = sides.nx;
	/* sides that were asked for although no session has both */
	if (!rounds && builder->pairs)
		compare_unpaired(builder, c);
	else
		compare_in_rounds(builder, c, &sides);
	compare_sides_release(&sides);
}

/* Has it a mean? Of a summary the number of runs can be unknown. */
static bool is_known(const struct analysis_group *group)
{
	return group->n || group->summarised;
}

/* The group of this name, whatever its unit; NULL: there is none with values. */
static const struct analysis_group *with_values(const struct analysis *out,
						const struct analysis_cell *cell,
						const char *metric)
{
	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &out->groups[cell->first_group + i];

		if (!strcmp(group->metric, metric) && is_known(group))
			return group;
	}
	return NULL;
}

static bool has_partner(const struct analysis *out, const struct analysis_cell *cell,
			const struct analysis_group *group)
{
	const struct analysis_group *other = analysis_same_metric(out, cell, group);

	return other && is_known(other);
}

static bool has_values(const struct analysis *out, const struct analysis_cell *cell)
{
	for (size_t i = 0; i < cell->ngroups; i++)
		if (is_known(&out->groups[cell->first_group + i]))
			return true;
	return false;
}

static void add_unmatched(struct analysis_builder *builder, struct analysis_unmatched unmatched)
{
	struct analysis *out = builder->out;

	GROW(out->unmatched, out->nunmatched, builder->unmatched_cap);
	out->unmatched[out->nunmatched++] = unmatched;
}

/* What the cells have that is not compared. */
static void find_unmatched(struct analysis_builder *builder, const struct analysis_cell *base,
			   const struct analysis_cell *fresh)
{
	const struct analysis *out = builder->out;
	const struct analysis_group *group, *other;

	if (!has_values(out, base) || !has_values(out, fresh)) {
		add_unmatched(builder, (struct analysis_unmatched){ NULL, NULL, base, fresh });
		return;
	}
	for (size_t i = 0; i < base->ngroups; i++) {
		group = &out->groups[base->first_group + i];
		if (!is_known(group) || has_partner(out, fresh, group))
			continue;
		other = with_values(out, fresh, group->metric);
		if (other || group->headline)
			add_unmatched(builder, (struct analysis_unmatched){ group, other, base,
									    fresh });
	}
	for (size_t i = 0; i < fresh->ngroups; i++) {
		group = &out->groups[fresh->first_group + i];
		if (!is_known(group) || has_partner(out, base, group))
			continue;
		other = with_values(out, base, group->metric);
		/* one without a partner was found above */
		if (other ? has_partner(out, fresh, other) : group->headline)
			add_unmatched(builder, (struct analysis_unmatched){ other, group, base,
									    fresh });
	}
}

static void compare_cells(struct analysis_builder *builder, const struct analysis_cell *base,
			  const struct analysis_cell *fresh)
{
	const struct analysis *out = builder->out;

	for (size_t i = 0; i < base->ngroups; i++) {
		const struct analysis_group *group = &out->groups[base->first_group + i];
		const struct analysis_group *other = analysis_same_metric(out, fresh, group);

		if (other && is_known(group) && is_known(other))
			compare_groups(builder, group, other);
	}
	find_unmatched(builder, base, fresh);
}

const char *analysis_base_config(const struct analysis_options *options,
				 const struct analysis_cell *cell)
{
	const json_t *configs =
		json_object_get(json_object_get(cell->session, "experiment"), "configs");

	if (options->base_config)
		return options->base_config;
	return json_get_text(json_array_get(configs, 0), "name", NULL);
}

const char *analysis_base_label(const struct analysis_options *options,
				const struct analysis_cell *cell)
{
	const char *id;
	json_t *session;

	if (options->base_label)
		return options->base_label;
	json_object_foreach(cell->data->sessions, id, session)
		if (!strcmp(json_get_text(session, "host", ""), cell->host))
			return json_get_text(session, "label", NULL);
	return NULL;
}

static const struct analysis_cell *find_config(struct analysis_cell *const *cells, size_t n,
					       const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(cells[i]->config, name))
			return cells[i];
	return NULL;
}

/* Whatever the base, a second baseline is held against the one that it repeats. */
static void compare_inside_label(struct analysis_builder *builder, size_t first, size_t n)
{
	struct analysis_cell **cells = &builder->out->cells[first];
	const char *name = analysis_base_config(builder->options, cells[0]);
	const struct analysis_cell *base = name ? find_config(cells, n, name) : cells[0];

	for (size_t i = 0; i < n; i++) {
		const struct analysis_cell *against =
			cells[i]->aa_of ? find_config(cells, n, cells[i]->aa_of) : base;

		if (against && cells[i] != base)
			compare_cells(builder, against, cells[i]);
	}
}

/* The pairs of each label with the base label under each configuration; the caller frees. */
static struct analysis_pair *label_pairs(const struct analysis_builder *builder, size_t first,
					 size_t n, size_t *npairs)
{
	struct analysis_cell **cells = &builder->out->cells[first];
	const char *label = analysis_base_label(builder->options, cells[0]);
	struct analysis_pair *pairs = NULL;
	size_t cap = 0;

	*npairs = 0;
	if (!label)
		label = cells[0]->label;
	for (size_t b = 0; b < n; b++) {
		if (strcmp(cells[b]->label, label) != 0 || cells[b]->aa_of)
			continue;
		for (size_t i = 0; i < n; i++) {
			if (strcmp(cells[i]->config, cells[b]->config) != 0 || i == b)
				continue;
			GROW(pairs, *npairs, cap);
			pairs[(*npairs)++] = (struct analysis_pair){ cells[b], cells[i] };
		}
	}
	return pairs;
}

static void compare_all(struct analysis_builder *builder, size_t first, size_t n,
			const struct analysis_pair *labels, size_t nlabels)
{
	struct analysis_cell **cells = builder->out->cells;
	size_t last;

	for (size_t from = first; from < first + n; from = last) {
		for (last = from + 1; last < first + n; last++)
			if (strcmp(cells[last]->label, cells[from]->label) != 0)
				break;
		compare_inside_label(builder, from, last - from);
	}
	for (size_t i = 0; i < nlabels; i++)
		compare_cells(builder, labels[i].base, labels[i].fresh);
}

static bool is_in(const struct analysis_section *section, const struct analysis_cell *cell)
{
	return cell->index >= section->first_cell &&
	       cell->index < section->first_cell + section->ncells;
}

/* Only what was asked for. With two sides of one configuration these are the pairs of labels. */
static void compare_picked(struct analysis_builder *builder,
			   const struct analysis_section *section, struct analysis_pair **labels,
			   size_t *nlabels)
{
	bool two_sides = builder->options->fresh != NULL;
	size_t cap = *nlabels;

	if (two_sides)
		*nlabels = 0;
	for (size_t i = 0; i < builder->npairs; i++) {
		const struct analysis_pair *pair = &builder->pairs[i];

		if (!is_in(section, pair->base))
			continue;
		compare_cells(builder, pair->base, pair->fresh);
		if (!two_sides || strcmp(pair->base->config, pair->fresh->config) != 0)
			continue;
		GROW(*labels, *nlabels, cap);
		(*labels)[(*nlabels)++] = *pair;
	}
}

static void compare_section(struct analysis_builder *builder, struct analysis_section *section)
{
	struct analysis *out = builder->out;
	const struct analysis_cell *first = out->cells[section->first_cell];
	const char *config = analysis_base_config(builder->options, first);
	struct analysis_pair *labels;
	size_t nlabels;

	if (!config)
		config = first->config;
	labels = label_pairs(builder, section->first_cell, section->ncells, &nlabels);
	section->first_comparison = out->ncomparisons;
	if (builder->pairs)
		compare_picked(builder, section, &labels, &nlabels);
	else
		compare_all(builder, section->first_cell, section->ncells, labels, nlabels);
	section->ncomparisons = out->ncomparisons - section->first_comparison;
	analysis_interact(builder, section, config, labels, nlabels);
	free(labels);
}

void analysis_compare(struct analysis_builder *builder)
{
	for (size_t i = 0; i < builder->out->nsections; i++)
		compare_section(builder, &builder->out->sections[i]);
	verdict_decide_all(builder->out, builder->options);
}
