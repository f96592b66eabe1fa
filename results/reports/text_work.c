// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What was run: the words that the workload told its session, for each set of keys that a point
 * and a configuration come to; in sets that have none, the keys and the devices.
 */
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "results/reports/text_parts.h"

enum { MAX_TOLD = 12 };

/* A scalar as it is, a list as "a+b". */
static void add_value(struct text *text, struct buf *out, const json_t *value)
{
	const json_t *item;
	size_t i;

	if (json_is_string(value)) {
		text->escape(out, json_string_value(value));
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, item) {
			buf_add(out, i ? "+" : "");
			add_value(text, out, item);
		}
	} else {
		auto_buf struct buf written = BUF_INIT;

		json_write(&written, value, 0);
		text->escape(out, written.s);
	}
}

/* " fs=ext3 size=4k": the keys that were given; false: none. */
static bool add_keys(struct text *text, const json_t *workload, bool devices, struct buf *line)
{
	bool any = false;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)workload, key, value) {
		if (!strcmp(key, "workload") || !strcmp(key, "name") ||
		    (!devices && !strcmp(key, "devices")))
			continue;
		buf_addc(line, ' ');
		text->escape(line, key);
		buf_addc(line, '=');
		add_value(text, line, value);
		any = true;
	}
	return any;
}

/* "storm: devices=10 fs=ext3" */
static void add_workload(struct text *text, const json_t *workload)
{
	const char *type = json_get_text(workload, "workload", "");
	auto_buf struct buf line = BUF_INIT;

	text->escape(&line, json_get_text(workload, "name", type));
	buf_addc(&line, ':');
	if (!add_keys(text, workload, true, &line)) {
		if (text->brief)
			return;
		buf_add(&line, " default keys");
	}
	text_paragraph(text, &line);
}

/*
 * "a: sysctl.vm.swappiness=10; b: argv=sleep 0.055": configurations that are more than a tracer.
 * told: the work has been told, and keys of the workload with it.
 */
static void add_configs(struct text *text, const json_t *session, bool told, struct buf *line)
{
	const json_t *configs = json_object_get(json_object_get(session, "experiment"), "configs");
	const json_t *config;
	const char *key;
	json_t *value;
	size_t i;

	json_array_foreach(configs, i, config) {
		bool any = false;

		if (json_object_get(config, "aa_of"))
			continue;
		json_object_foreach((json_t *)config, key, value) {
			if (!strcmp(key, "name") || !strcmp(key, "tracer") ||
			    (told && !strchr(key, '.')))
				continue;
			if (!any) {
				buf_add(line, line->len ? "; " : "");
				text->escape(line, json_get_text(config, "name", ""));
				buf_addc(line, ':');
			}
			any = true;
			buf_addc(line, ' ');
			text->escape(line, key);
			buf_addc(line, '=');
			add_value(text, line, value);
		}
	}
}

/* ", repeat=12 (found in the warm-up)" */
static void add_calibrated(struct text *text, const json_t *session, struct buf *line)
{
	const json_t *calibrated =
		json_array_get(json_object_get(session, "calibrated"), 0);
	json_t *keys = json_object_get(calibrated, "keys");
	const char *separator = ",", *key;
	json_t *value;

	json_object_foreach(keys, key, value) {
		buf_addf(line, "%s ", separator);
		text->escape(line, key);
		buf_addc(line, '=');
		add_value(text, line, value);
		separator = "";
	}
	if (json_object_size(keys))
		buf_add(line, " (found in the warm-up)");
}

/* "10 loop devices of 1 GiB (tmpfs)", where what was set up are devices; false: it is not. */
static bool add_devices(struct text *text, const json_t *session, struct buf *line)
{
	const json_t *set_up = json_array_get(json_object_get(session, "workloads"), 0);
	const json_t *devices =
		json_object_get(json_object_get(set_up, "description"), "devices");
	const json_t *first = json_array_get(devices, 0);
	const char *name = json_get_text(first, "name", ""), *fs;
	int64_t size = json_get_int(first, "size_bytes", 0);

	if (!first)
		return false;
	buf_addf(line, "%zu %sdevice%s", json_array_size(devices),
		 !strncmp(name, "loop", 4) ? "loop " : "",
		 json_array_size(devices) == 1 ? "" : "s");
	if (size > 0) {
		buf_add(line, " of ");
		units_add_size(line, (uint64_t)size);
	}
	fs = json_get_text(first, "backing_fs", json_get_text(first, "driver", NULL));
	if (fs) {
		buf_add(line, " (");
		text->escape(line, fs);
		buf_add(line, ")");
	}
	return true;
}

/* From the keys: one line in a mail, where the devices say what the key devices does. */
static void add_keys_given(struct text *text, const json_t *session)
{
	const json_t *workloads =
		json_object_get(json_object_get(session, "experiment"), "workloads");
	auto_buf struct buf line = BUF_INIT, keys = BUF_INIT;
	const json_t *workload;
	size_t i;

	if (text->brief && json_array_size(workloads) == 1 &&
	    add_devices(text, session, &line)) {
		if (add_keys(text, json_array_get(workloads, 0), false, &keys))
			buf_addf(&line, ",%s", keys.s);
		add_calibrated(text, session, &line);
		text_paragraph(text, &line);
		add_configs(text, session, false, &line);
		text_paragraph(text, &line);
		return;
	}
	json_array_foreach(workloads, i, workload)
		add_workload(text, workload);
	add_devices(text, session, &line);
	text_paragraph(text, &line);
	add_configs(text, session, false, &line);
	text_paragraph(text, &line);
}

/* ---- as the workloads tell it ---- */

static bool all_tell(const json_t *instances)
{
	const json_t *instance;
	size_t i;

	json_array_foreach(instances, i, instance)
		if (!json_is_string(json_object_get(instance, "text")))
			return false;
	return json_array_size(instances) > 0;
}

static const json_t *first_point(const json_t *instance)
{
	return json_object_get(json_array_get(json_object_get(instance, "cells"), 0), "point");
}

/* Has the session other workloads, or other points of this one? */
static bool others(const json_t *instances, const json_t *wanted, bool points)
{
	const char *name = json_get_text(wanted, "workload", "");
	const json_t *instance, *cell;
	size_t i, k;

	json_array_foreach(instances, i, instance) {
		bool same = !strcmp(json_get_text(instance, "workload", ""), name);

		if (!points && !same)
			return true;
		json_array_foreach(json_object_get(instance, "cells"), k, cell)
			if (points && same &&
			    !json_equal(json_object_get(cell, "point"), first_point(wanted)))
				return true;
	}
	return false;
}

static void add_word(struct text *text, const char *separator, const char *word, struct buf *line)
{
	buf_add(line, line->len ? separator : "");
	text->escape(line, word);
}

/* " jobs=4": one point that the instance is of; nothing where it is of several. */
static void add_point(struct text *text, const json_t *instance, struct buf *line)
{
	json_t *point = (json_t *)first_point(instance), *value;
	const json_t *cell;
	const char *key;
	size_t i;

	json_array_foreach(json_object_get(instance, "cells"), i, cell)
		if (!json_equal(json_object_get(cell, "point"), point))
			return;
	json_object_foreach(point, key, value) {
		add_word(text, " ", key, line);
		buf_addc(line, '=');
		add_value(text, line, value);
	}
}

/* "none, blktrace": the configurations that have this work, unless all have. */
static void add_config_names(struct text *text, const json_t *session, const json_t *instance,
			     struct buf *line)
{
	const json_t *configs = json_object_get(json_object_get(session, "experiment"), "configs");
	const json_t *cells = json_object_get(instance, "cells"), *cell;
	const char *separator = " ";
	size_t i, n = 0;

	json_array_foreach(cells, i, cell)
		n += json_equal(json_object_get(cell, "point"), first_point(instance));
	if (n >= json_array_size(configs))
		return;
	json_array_foreach(cells, i, cell) {
		if (!json_equal(json_object_get(cell, "point"), first_point(instance)))
			continue;
		add_word(text, separator, json_get_text(cell, "config", ""), line);
		separator = ", ";
	}
}

static void tell(struct text *text, const json_t *session)
{
	const json_t *instances = json_object_get(session, "workloads"), *instance;
	size_t n = json_array_size(instances), i;
	auto_buf struct buf line = BUF_INIT;

	json_array_foreach(instances, i, instance) {
		if (i == MAX_TOLD && n > MAX_TOLD + 1) {
			buf_addf(&line, "and %zu more", n - MAX_TOLD);
			break;
		}
		if (others(instances, instance, false))
			add_word(text, "", json_get_text(instance, "workload", ""), &line);
		if (others(instances, instance, true))
			add_point(text, instance, &line);
		add_config_names(text, session, instance, &line);
		buf_add(&line, line.len ? ": " : "");
		text->escape(&line, json_get_text(instance, "text", ""));
		text_paragraph(text, &line);
	}
	text_paragraph(text, &line);
	add_configs(text, session, true, &line);
	text_paragraph(text, &line);
}

void text_work(struct text *text, const json_t *session)
{
	if (all_tell(json_object_get(session, "workloads")))
		tell(text, session);
	else
		add_keys_given(text, session);
}
