// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "machine/disk_list.h"
#include "machine/setting.h"
#include "parsers/parser.h"
#include "results/report.h"
#include "runner/command.h"
#include "runner/list_devices.h"
#include "tracers/tracer.h"
#include "workloads/workload.h"

static const char *const usage[] = {
	"brunt list workloads|tracers|settings|parsers|reports|metrics|devices [NAME] [--json]",
	NULL,
};

static const struct option_spec options_table[] = {
	{ "json", 0, NULL, "for programs" },
	{ 0 },
};

static const char *key_type_name(const struct key_spec *spec)
{
	switch (spec->type) {
	case KEY_BOOL:
		return "yes|no";
	case KEY_INT:
		return "N";
	case KEY_SIZE:
		return "SIZE";
	case KEY_TIME:
		return "TIME";
	case KEY_ARGV:
		return "WORDS";
	case KEY_ENUM:
	case KEY_LIST:
	case KEY_STRING:
		break;
	}
	return spec->values ? spec->values : "TEXT";
}

static json_t *keys_to_json(const struct key_spec *spec)
{
	json_t *array = json_array(), *object;

	for (; spec && spec->name; spec++) {
		object = json_pack("{s:s,s:s,s:s}", "name", spec->name, "type",
				   key_type_name(spec), "summary", spec->summary);
		json_object_set_new(object, "default", json_text(spec->fallback));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *metrics_to_json(const struct metric_spec *spec)
{
	json_t *array = json_array(), *object;

	for (; spec && spec->name; spec++) {
		object = json_pack("{s:s,s:s,s:s,s:b,s:s}", "name", spec->name, "unit", spec->unit,
				   "better", better_name(spec->better), "headline",
				   (int)spec->headline, "summary", spec->summary);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *module(const char *name, const char *summary, const char *unavailable)
{
	json_t *object = json_pack("{s:s,s:s}", "name", name, "summary", summary);

	json_object_set_new(object, "unavailable", json_text(unavailable));
	return object;
}

static json_t *list_workloads(void)
{
	json_t *array = json_array(), *object;

	for (const struct workload *const *w = workloads; *w; w++) {
		object = module((*w)->name, (*w)->summary,
				(*w)->unavailable ? (*w)->unavailable() : NULL);
		json_object_set_new(object, "keys", keys_to_json((*w)->keys));
		json_object_set_new(object, "metrics", metrics_to_json((*w)->metrics));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *list_tracers(void)
{
	json_t *array = json_array(), *object;

	for (const struct tracer *const *t = tracers; *t; t++) {
		object = module((*t)->name, (*t)->summary,
				(*t)->unavailable ? (*t)->unavailable() : NULL);
		json_object_set_new(object, "keys", keys_to_json((*t)->keys));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *list_settings(void)
{
	json_t *array = json_array();

	for (const struct setting *const *s = settings; *s; s++)
		json_array_append_new(array, module((*s)->name, (*s)->summary, NULL));
	return array;
}

static json_t *list_parsers(void)
{
	json_t *array = json_array();

	for (const struct parser *const *p = parsers; *p; p++)
		json_array_append_new(array, module((*p)->name, (*p)->summary, NULL));
	return array;
}

static json_t *list_reports(void)
{
	json_t *array = json_array();

	for (const struct report *const *r = reports; *r; r++)
		json_array_append_new(array, module((*r)->name, (*r)->summary, NULL));
	return array;
}

/* Metrics carry the workload that gives them. */
static json_t *list_metrics(void)
{
	json_t *array = json_array(), *own, *object;
	size_t i;

	for (const struct workload *const *w = workloads; *w; w++) {
		own = metrics_to_json((*w)->metrics);
		json_array_foreach(own, i, object) {
			json_object_set_new(object, "workload", json_string((*w)->name));
			json_array_append(array, object);
		}
		json_decref(own);
	}
	return array;
}

static const struct {
	const char *name;
	json_t *(*list)(void);
} kinds[] = {
	{ "workloads", list_workloads }, { "tracers", list_tracers }, { "settings", list_settings },
	{ "parsers", list_parsers },	 { "reports", list_reports }, { "metrics", list_metrics },
};

static void add_keys(const json_t *keys, struct buf *out)
{
	const json_t *key;
	size_t i, start;

	json_array_foreach(keys, i, key) {
		const char *fallback = json_get_text(key, "default", NULL);

		start = out->len;
		buf_addf(out, "    %s=%s", json_get_text(key, "name", ""),
			 json_get_text(key, "type", ""));
		if (out->len - start >= 32) {
			buf_addc(out, '\n');
			start = out->len;
		}
		buf_pad_to(out, start, 32);
		buf_add(out, json_get_text(key, "summary", ""));
		if (fallback && *fallback)
			buf_addf(out, " (%s)", fallback);
		buf_addc(out, '\n');
	}
}

static void add_module(const json_t *object, bool details, struct buf *out)
{
	const char *unavailable = json_get_text(object, "unavailable", NULL);
	const char *unit = json_get_text(object, "unit", NULL);
	size_t start = out->len;

	buf_addf(out, "%s", json_get_text(object, "name", ""));
	buf_pad_to(out, start, unit ? 22 : 12);
	if (unit) {
		buf_addf(out, "%s", *unit ? unit : "-");
		buf_pad_to(out, start, 26);
		buf_addf(out, "%s", json_get_text(object, "workload", ""));
		buf_pad_to(out, start, 36);
	}
	buf_addf(out, " %s\n", json_get_text(object, "summary", ""));
	if (unavailable)
		buf_addf(out, "             cannot run here: %s\n", unavailable);
	if (details)
		add_keys(json_object_get(object, "keys"), out);
}

static int unknown_kind(const char *name, struct err *err)
{
	const char *names[ARRAY_SIZE(kinds) + 1] = { [ARRAY_SIZE(kinds)] = "devices" };
	const char *nearest;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		names[i] = kinds[i].name;
	nearest = words_nearest(name, names, ARRAY_SIZE(names));
	if (nearest)
		return err_usage(err, "list has no '%s'; did you mean '%s'?", name, nearest);
	return err_usage(err, "list has no '%s'; see brunt list --help", name);
}

/* Only the element called name, or an error. */
static int pick(json_t **array, const char *name, struct err *err)
{
	json_t *object, *only = json_array();
	const char *names[64], *nearest;
	size_t i, n = 0;

	json_array_foreach(*array, i, object) {
		if (n < ARRAY_SIZE(names))
			names[n++] = json_get_text(object, "name", "");
		if (!strcmp(json_get_text(object, "name", ""), name))
			json_array_append(only, object);
	}
	if (!json_array_size(only)) {
		json_decref(only);
		nearest = words_nearest(name, names, n);
		if (nearest)
			return err_usage(err, "there is no '%s'; did you mean '%s'?", name,
					 nearest);
		return err_usage(err, "there is no '%s'", name);
	}
	json_decref(*array);
	*array = only;
	return 0;
}

/* These come from the machine, and may fail. */
static int run_devices(const struct options *options, struct err *err)
{
	const struct words *words = &options->arguments;
	auto_buf struct buf out = BUF_INIT;
	auto_json json_t *array = NULL;
	int rc = disk_list(words->n == 2 ? words->v[1] : NULL, &array, err);

	if (rc)
		return rc;
	if (options_has(options, "json"))
		json_write(&out, array, 2);
	else
		list_devices_add(array, words->n == 2, &out);
	fputs(out.s, stdout);
	return 0;
}

static void more_help(struct buf *out)
{
	buf_add(out, "\nexit status: 0 ok, 1 failure, 2 usage\n");
}

static int run(const struct options *options, int *status, struct err *err)
{
	const struct words *words = &options->arguments;
	auto_buf struct buf out = BUF_INIT;
	auto_json json_t *array = NULL;
	const json_t *object;
	size_t i;
	int rc;

	*status = EXIT_OK;
	if (!words->n || words->n > 2)
		return err_usage(err, "list what? See brunt list --help");
	if (!strcmp(words->v[0], "devices"))
		return run_devices(options, err);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, words->v[0]))
			break;
	if (i == ARRAY_SIZE(kinds))
		return unknown_kind(words->v[0], err);
	array = kinds[i].list();
	if (words->n == 2) {
		rc = pick(&array, words->v[1], err);
		if (rc)
			return rc;
	}
	buf_clear(&out);
	if (options_has(options, "json")) {
		json_write(&out, array, 2);
	} else {
		json_array_foreach(array, i, object)
			add_module(object, words->n == 2, &out);
	}
	fputs(out.s, stdout);
	return 0;
}

const struct command command_list = {
	.name = "list",
	.summary = "workloads, tracers, settings, parsers, reports, metrics and their keys; devices",
	.usage = usage,
	.options = options_table,
	.more_help = more_help,
	.run = run,
};
