// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/work_diff.h"

#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"

static const char *name_of(const json_t *object, const char *kind)
{
	return json_get_text(object, "name", json_get_text(object, kind, ""));
}

static const json_t *find_named(const json_t *array, const char *kind, const char *name)
{
	const json_t *object;
	size_t i;

	json_array_foreach(array, i, object)
		if (!strcmp(name_of(object, kind), name))
			return object;
	return NULL;
}

/* Is it swept? The sessions' cells then say which value each has. */
static bool is_in_point(const json_t *session, const char *key)
{
	const json_t *workload, *cell;
	size_t i, k;

	json_array_foreach(json_object_get(session, "workloads"), i, workload)
		json_array_foreach(json_object_get(workload, "cells"), k, cell)
			if (json_object_get(json_object_get(cell, "point"), key))
				return true;
	return false;
}

static void add(json_t *differences, const char *of, const char *key, json_t *base, json_t *new)
{
	auto_free char *name = xasprintf("%s %s", of, key);
	json_t *object = json_object();

	json_object_set_new(object, "key", json_text(name));
	json_object_set_new(object, "base", base ? json_incref(base) : json_null());
	json_object_set_new(object, "new", new ? json_incref(new) : json_null());
	json_array_append_new(differences, object);
}

static void compare_keys(const json_t *base_session, const json_t *base, const json_t *new,
			 const char *kind, json_t *differences)
{
	const char *name = name_of(base, kind), *key;
	json_t *value, *other;

	json_object_foreach((json_t *)base, key, value) {
		other = json_object_get(new, key);
		if ((!other || !json_equal(value, other)) && !is_in_point(base_session, key))
			add(differences, name, key, value, other);
	}
	json_object_foreach((json_t *)new, key, value)
		if (!json_object_get(base, key) && !is_in_point(base_session, key))
			add(differences, name, key, NULL, value);
}

static void compare_lists(const json_t *base_session, const json_t *new_session, const char *list,
			  const char *kind, json_t *differences)
{
	const json_t *bases = json_object_get(json_object_get(base_session, "experiment"), list);
	const json_t *news = json_object_get(json_object_get(new_session, "experiment"), list);
	const json_t *base, *new;
	size_t i;

	json_array_foreach(bases, i, base) {
		new = find_named(news, kind, name_of(base, kind));
		if (new)
			compare_keys(base_session, base, new, kind, differences);
	}
}

/* ---- what setup found ---- */

static bool has_cell(const json_t *workload, const json_t *cell)
{
	const json_t *other;
	size_t i;

	json_array_foreach(json_object_get(workload, "cells"), i, other)
		if (json_equal(other, cell))
			return true;
	return false;
}

static const json_t *find_cell(const json_t *workloads, const char *name, const json_t *cell)
{
	const json_t *workload;
	size_t i;

	json_array_foreach(workloads, i, workload)
		if (!strcmp(json_get_text(workload, "workload", ""), name) &&
		    has_cell(workload, cell))
			return workload;
	return NULL;
}

/* Many cells find the same. */
static bool is_told(const json_t *differences, const json_t *difference)
{
	const json_t *other;
	size_t i;

	json_array_foreach(differences, i, other)
		if (json_equal(other, difference))
			return true;
	return false;
}

static void compare_found(const char *name, const json_t *base, const json_t *new,
			  json_t *differences)
{
	auto_json json_t *own = json_array();
	const json_t *difference;
	json_t *value, *other;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)base, key, value) {
		other = json_object_get(new, key);
		if (other && !json_is_null(other) && !json_is_null(value) &&
		    !json_equal(value, other))
			add(own, name, key, value, other);
	}
	json_array_foreach(own, i, difference)
		if (!is_told(differences, difference))
			json_array_append(differences, (json_t *)difference);
}

json_t *work_diff_found(const json_t *base_session, const json_t *new_workloads)
{
	const json_t *bases = json_object_get(base_session, "workloads");
	const json_t *workload, *cell, *base;
	json_t *differences = json_array();
	const char *name;
	size_t i, k;

	json_array_foreach(new_workloads, i, workload) {
		name = json_get_text(workload, "workload", "");
		json_array_foreach(json_object_get(workload, "cells"), k, cell) {
			base = find_cell(bases, name, cell);
			compare_found(name, json_object_get(base, "found"),
				      json_object_get(workload, "found"), differences);
		}
	}
	return differences;
}

json_t *work_diff(const json_t *base_session, const json_t *new_session)
{
	auto_json json_t *found =
		work_diff_found(base_session, json_object_get(new_session, "workloads"));
	json_t *differences = json_array();

	compare_lists(base_session, new_session, "workloads", "workload", differences);
	compare_lists(base_session, new_session, "configs", "name", differences);
	json_array_extend(differences, found);
	return differences;
}
