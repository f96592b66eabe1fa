// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which groups are compared: every configuration with the base configuration inside each label,
 * in rounds; every label with the base label inside each configuration, unpaired.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/analysis_parts.h"
#include "results/compare.h"
#include "results/verdict.h"

#define DEFAULT_HZ 250

static const struct analysis_group *same_metric(const struct analysis *out,
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

/* The length of a tick where user and sys are sampled by it; 0 where they are exact. */
static double tick_s(const struct analysis_cell *cell)
{
	const json_t *environment = json_object_get(cell->session, "environment");
	const json_t *accounting = json_object_get(environment, "kernel.hz_tick_accounting");
	double hz = json_get_number(environment, "kernel.hz");

	if (json_is_false(accounting) || (json_is_string(accounting) &&
					  strcmp(json_string_value(accounting), "tick") != 0))
		return 0;
	return 1 / (hz > 0 ? hz : DEFAULT_HZ);
}

static struct analysis_comparison *add_comparison(struct analysis_builder *builder,
						  const struct analysis_group *base,
						  const struct analysis_group *fresh)
{
	struct analysis *out = builder->out;

	GROW(out->comparisons, out->ncomparisons, builder->comparisons_cap);
	out->comparisons[out->ncomparisons] = (struct analysis_comparison){
		.base = base, .fresh = fresh, .headline = base->headline,
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

static void compare_configs(struct analysis_builder *builder, const struct analysis_group *base,
			    const struct analysis_group *fresh)
{
	struct analysis_comparison *c = add_comparison(builder, base, fresh);
	struct verdict_facts facts;
	struct compare_sides sides;

	c->kind = "config";
	c->unit = "round";
	compare_sides_paired(base, fresh, &sides);
	compare_figures(c, &sides, builder->options->effect_pct);
	facts = facts_of(builder->out, c);
	facts.depends_on = compare_depends_on(c, &sides);
	verdict_prepare(c, &facts, builder->options);
	compare_sides_release(&sides);
}

static void compare_labels(struct analysis_builder *builder, const struct analysis_group *base,
			   const struct analysis_group *fresh)
{
	struct analysis_comparison *c = add_comparison(builder, base, fresh);
	bool by_boot = compare_boots(base) >= VERDICT_BOOTS_MIN &&
		       compare_boots(fresh) >= VERDICT_BOOTS_MIN;
	struct verdict_facts facts;
	struct compare_sides sides;

	c->kind = "label";
	c->unit = by_boot ? "boot" : "run";
	if (by_boot)
		compare_sides_boots(base, fresh, &sides);
	else
		compare_sides_unpaired(base, fresh, &sides);
	compare_figures(c, &sides, builder->options->effect_pct);
	facts = facts_of(builder->out, c);
	facts.base_name = base->cell->label;
	facts.fresh_name = fresh->cell->label;
	facts.confounded = !by_boot && !builder->options->one_boot;
	if (!facts.confounded) {
		facts.drift = compare_drifts(&sides);
		facts.depends_on = compare_depends_on(c, &sides);
	}
	verdict_prepare(c, &facts, builder->options);
	compare_sides_release(&sides);
}

static void compare_cells(struct analysis_builder *builder, const struct analysis_cell *base,
			  const struct analysis_cell *fresh,
			  void (*compare)(struct analysis_builder *builder,
					  const struct analysis_group *base,
					  const struct analysis_group *fresh))
{
	const struct analysis *out = builder->out;

	for (size_t i = 0; i < base->ngroups; i++) {
		const struct analysis_group *group = &out->groups[base->first_group + i];
		const struct analysis_group *other = same_metric(out, fresh, group);

		if (other && group->n && other->n)
			compare(builder, group, other);
	}
}

/* The name of the base configuration; NULL: the first that is there. */
static const char *base_config(const struct analysis_options *options,
			       const struct analysis_cell *cell)
{
	const json_t *configs =
		json_object_get(json_object_get(cell->session, "experiment"), "configs");

	if (options->base_config)
		return options->base_config;
	return json_get_text(json_array_get(configs, 0), "name", NULL);
}

/* The first label of a set. */
static const char *base_label(const struct analysis_options *options,
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

static void compare_inside_label(struct analysis_builder *builder, size_t first, size_t n)
{
	struct analysis_cell **cells = &builder->out->cells[first];
	const char *name = base_config(builder->options, cells[0]);
	const struct analysis_cell *base = name ? NULL : cells[0];

	for (size_t i = 0; i < n && !base; i++)
		if (!strcmp(cells[i]->config, name))
			base = cells[i];
	for (size_t i = 0; i < n && base; i++)
		if (cells[i] != base)
			compare_cells(builder, base, cells[i], compare_configs);
}

static void compare_across_labels(struct analysis_builder *builder, size_t first, size_t n)
{
	struct analysis_cell **cells = &builder->out->cells[first];
	const char *label = base_label(builder->options, cells[0]);

	if (!label)
		label = cells[0]->label;
	for (size_t b = 0; b < n; b++) {
		if (strcmp(cells[b]->label, label) != 0)
			continue;
		for (size_t i = 0; i < n; i++)
			if (!strcmp(cells[i]->config, cells[b]->config) && i != b)
				compare_cells(builder, cells[b], cells[i], compare_labels);
	}
}

static void compare_section(struct analysis_builder *builder, struct analysis_section *section)
{
	struct analysis *out = builder->out;
	size_t end = section->first_cell + section->ncells, last;

	section->first_comparison = out->ncomparisons;
	for (size_t first = section->first_cell; first < end; first = last) {
		for (last = first + 1; last < end; last++)
			if (strcmp(out->cells[last]->label, out->cells[first]->label) != 0)
				break;
		compare_inside_label(builder, first, last - first);
	}
	compare_across_labels(builder, section->first_cell, section->ncells);
	section->ncomparisons = out->ncomparisons - section->first_comparison;
}

void analysis_compare(struct analysis_builder *builder)
{
	for (size_t i = 0; i < builder->out->nsections; i++)
		compare_section(builder, &builder->out->sections[i]);
	verdict_decide_all(builder->out, builder->options);
}
