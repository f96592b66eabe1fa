// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"

static const struct workload *type_of(const struct cells *cells, const struct instance *instance)
{
	return cells->experiment->workloads[instance->workload].type;
}

void cells_init(struct cells *cells, const struct experiment *experiment, const struct plan *plan)
{
	size_t n = plan->npoints * experiment->nconfigs, cap = 0, i;

	*cells = (struct cells){ .experiment = experiment, .plan = plan };
	cells->index = xcalloc(n, sizeof(*cells->index));
	for (size_t cell = 0; cell < n; cell++) {
		const struct plan_point *point = &plan->points[cell / experiment->nconfigs];
		struct keys keys = KEYS_INIT;

		experiment_cell_keys(experiment, point->workload, &point->values,
				     cell % experiment->nconfigs, &keys);
		for (i = 0; i < cells->ninstances; i++)
			if (cells->instances[i].workload == point->workload &&
			    keys_equal(&cells->instances[i].keys, &keys))
				break;
		if (i < cells->ninstances) {
			keys_release(&keys);
		} else {
			GROW(cells->instances, cells->ninstances, cap);
			cells->instances[cells->ninstances++] =
				(struct instance){ .workload = point->workload, .keys = keys };
		}
		cells->index[cell] = i;
	}
}

static int check_one(const struct cells *cells, const struct instance *instance,
		     const struct guard_consent *consent, struct buf *text, struct err *err)
{
	const struct workload *type = type_of(cells, instance);
	const char *why = type->unavailable ? type->unavailable() : NULL;
	int rc;

	if (why)
		return err_missing(err, "%s cannot run here: %s", type->name, why);
	rc = type->check(&instance->keys, consent, text, err);
	return rc ? err_context(err, rc, "%s", type->name) : 0;
}

/* Lines of which the text has none yet. */
static void add_new_lines(struct buf *text, const char *lines)
{
	size_t n;

	for (; *lines; lines += n + (lines[n] != '\0')) {
		n = strcspn(lines, "\n");
		if (n && !(text->len && memmem(text->s, text->len, lines, n)))
			buf_addf(text, "%.*s\n", (int)n, lines);
	}
}

int cells_check(const struct cells *cells, const struct guard_consent *consent, struct buf *text,
		struct err *err)
{
	auto_buf struct buf reasons = BUF_INIT;
	int rc, refused = 0;

	for (size_t i = 0; i < cells->ninstances; i++) {
		auto_buf struct buf own = BUF_INIT;
		struct err other = { .text = "" };

		rc = check_one(cells, &cells->instances[i], consent, &own,
			       refused ? &other : err);
		if (rc && (refused ? other : *err).status == EXIT_REFUSED)
			refused = rc;
		else if (rc && !refused)
			return rc;
		if (own.len)
			add_new_lines(rc ? &reasons : text, own.s);
	}
	if (refused) {
		buf_clear(text);
		buf_add(text, reasons.len ? reasons.s : "");
	}
	return refused;
}

static int setup_one(struct cells *cells, struct instance *instance,
		     const struct workload_site *site, struct err *err)
{
	const struct workload *type = type_of(cells, instance);
	int rc = type->setup(&instance->keys, site, &instance->state, err);

	return rc ? err_context(err, rc, "%s", type->name) : 0;
}

static void teardown_one(struct cells *cells, struct instance *instance)
{
	if (instance->state)
		type_of(cells, instance)->teardown(instance->state);
	instance->state = NULL;
}

int cells_setup(struct cells *cells, const struct workload_site *site, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < cells->ninstances; i++)
		rc = setup_one(cells, &cells->instances[i], site, err);
	return rc;
}

void cells_release(struct cells *cells)
{
	for (size_t i = cells->ninstances; i-- > 0;) {
		teardown_one(cells, &cells->instances[i]);
		keys_release(&cells->instances[i].keys);
	}
	free(cells->instances);
	free(cells->index);
	*cells = (struct cells){ 0 };
}

struct instance *cells_find(const struct cells *cells, size_t point, size_t config)
{
	return &cells->instances[cells->index[point * cells->experiment->nconfigs + config]];
}

int cells_choose(struct cells *cells, size_t point, const struct keys *chosen,
		 const struct workload_site *site, struct err *err)
{
	struct instance *instance;
	int rc = 0;

	for (size_t config = 0; !rc && config < cells->experiment->nconfigs; config++) {
		struct keys with = KEYS_INIT;

		instance = cells_find(cells, point, config);
		keys_copy(&with, &instance->keys);
		keys_copy(&with, chosen);
		if (!keys_equal(&with, &instance->keys)) {
			bool was_set_up = instance->state != NULL;

			teardown_one(cells, instance);
			keys_copy(&instance->keys, chosen);
			if (was_set_up)
				rc = setup_one(cells, instance, site, err);
		}
		keys_release(&with);
	}
	return rc;
}

/* The work in words; null where the workload has none. */
static json_t *tell(const struct workload *type, const struct instance *instance)
{
	auto_buf struct buf text = BUF_INIT;

	if (!type->tell || !instance->state)
		return json_null();
	type->tell(instance->state, &instance->keys, &text);
	return json_text(text.s);
}

/* The points and configurations that have this instance. */
static json_t *places_of(const struct cells *cells, size_t instance)
{
	size_t nconfigs = cells->experiment->nconfigs;
	json_t *places = json_array(), *place;

	for (size_t cell = 0; cell < cells->plan->npoints * nconfigs; cell++) {
		if (cells->index[cell] != instance)
			continue;
		place = json_object();
		json_object_set_new(place, "point",
				    plan_point_to_json(&cells->plan->points[cell / nconfigs]));
		json_object_set_new(place, "config",
				    json_text(cells->experiment->configs[cell % nconfigs].name));
		json_array_append_new(places, place);
	}
	return places;
}

json_t *cells_describe(const struct cells *cells)
{
	json_t *array = json_array(), *object, *keys;

	for (size_t i = 0; i < cells->ninstances; i++) {
		const struct instance *instance = &cells->instances[i];
		const struct workload *type = type_of(cells, instance);

		keys = json_object();
		for (size_t k = 0; k < instance->keys.n; k++)
			json_object_set_new(keys, instance->keys.v[k].name,
					    json_text(instance->keys.v[k].value));
		object = json_pack("{s:s,s:o}", "workload",
				   cells->experiment->workloads[instance->workload].name, "keys",
				   keys);
		json_object_set_new(object, "description",
				    type->describe && instance->state ?
					    type->describe(instance->state) :
					    json_null());
		if (type->found && instance->state)
			json_object_set_new(object, "found", type->found(instance->state));
		json_object_set_new(object, "text", tell(type, instance));
		json_object_set_new(object, "cells", places_of(cells, i));
		json_array_append_new(array, object);
	}
	return array;
}

void cells_places(const struct cells *cells, struct words *out)
{
	for (size_t i = 0; i < cells->ninstances; i++) {
		const struct instance *instance = &cells->instances[i];

		if (type_of(cells, instance)->places && instance->state)
			type_of(cells, instance)->places(instance->state, out);
	}
}
