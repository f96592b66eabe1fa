// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"

struct run {
	enum run_status status;
	char *reason;
	json_t *metrics, *devices, *marks;
	json_t *system, *tracer, *details; /* NULL until the first member */
};

struct run *run_new(void)
{
	struct run *run = xcalloc(1, sizeof(*run));

	run->metrics = json_object();
	run->devices = json_array();
	run->marks = json_array();
	return run;
}

void run_free(struct run *run)
{
	if (!run)
		return;
	json_decref(run->metrics);
	json_decref(run->devices);
	json_decref(run->marks);
	json_decref(run->system);
	json_decref(run->tracer);
	json_decref(run->details);
	free(run->reason);
	free(run);
}

/* Of those readers take them for headlines where nothing is said. */
static bool is_everyones(const char *name)
{
	return !strcmp(name, "real") || !strcmp(name, "user") || !strcmp(name, "sys") ||
	       !strcmp(name, "cpu");
}

static json_t *metric_object(const struct metric_spec *spec, double value)
{
	json_t *metric = json_object();

	json_object_set_new(metric, "value", json_number(value));
	json_object_set_new(metric, "unit", json_text(spec->unit));
	json_object_set_new(metric, "better", json_text(better_name(spec->better)));
	if (spec->headline || is_everyones(spec->name))
		json_object_set_new(metric, "headline", json_boolean(spec->headline));
	return metric;
}

void run_metric(struct run *run, const struct metric_spec *spec, double value)
{
	if (!isfinite(value)) {
		run_metric_missing(run, spec, "not measured");
		return;
	}
	json_object_set_new(run->metrics, spec->name, metric_object(spec, value));
}

void run_metric_missing(struct run *run, const struct metric_spec *spec, const char *reason)
{
	json_t *metric = metric_object(spec, NAN);

	json_object_set_new(metric, "reason", json_text(reason));
	json_object_set_new(run->metrics, spec->name, metric);
}

void run_metric_within(struct run *run, const char *metric, json_t *within)
{
	json_t *object = json_object_get(run->metrics, metric);

	if (object)
		json_object_set_new(object, "within", within);
	else
		json_decref(within);
}

void run_device(struct run *run, json_t *device)
{
	json_array_append_new(run->devices, device);
}

static void set_member(json_t **object, const char *key, json_t *value)
{
	if (!*object)
		*object = json_object();
	json_object_set_new(*object, key, value);
}

void run_system(struct run *run, const char *key, json_t *value)
{
	set_member(&run->system, key, value);
}

void run_tracer(struct run *run, const char *key, json_t *value)
{
	set_member(&run->tracer, key, value);
}

void run_detail(struct run *run, const char *key, json_t *value)
{
	set_member(&run->details, key, value);
}

static char *format_text(const char *fmt, va_list args)
{
	char *text;

	return vasprintf(&text, fmt, args) < 0 ? xstrdup(fmt) : text;
}

void run_mark(struct run *run, const char *name, const char *fmt, ...)
{
	json_t *mark = json_object();
	auto_free char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = format_text(fmt, args);
	va_end(args);
	json_object_set_new(mark, "name", json_text(name));
	json_object_set_new(mark, "text", json_text(text));
	json_array_append_new(run->marks, mark);
}

static void set_status(struct run *run, enum run_status status, const char *fmt, va_list args)
{
	if (run->status == status || run->status == RUN_FAILED)
		return;
	run->status = status;
	free(run->reason);
	run->reason = format_text(fmt, args);
}

void run_fail(struct run *run, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_status(run, RUN_FAILED, fmt, args);
	va_end(args);
}

void run_invalid(struct run *run, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_status(run, RUN_INVALID, fmt, args);
	va_end(args);
}

enum run_status run_status(const struct run *run)
{
	return run->status;
}

const char *run_reason(const struct run *run)
{
	return run->reason;
}

double run_value(const struct run *run, const char *metric)
{
	return json_get_number(json_object_get(run->metrics, metric), "value");
}

const char *run_status_name(enum run_status status)
{
	switch (status) {
	case RUN_OK:
		return "ok";
	case RUN_INVALID:
		return "invalid";
	case RUN_FAILED:
		break;
	}
	return "failed";
}

void run_finish(const struct run *run, json_t *line)
{
	json_object_set_new(line, "status", json_text(run_status_name(run->status)));
	if (run->reason)
		json_object_set_new(line, "reason", json_text(run->reason));
	json_object_set(line, "marks", run->marks);
	json_object_set(line, "metrics", run->metrics);
	if (json_array_size(run->devices))
		json_object_set(line, "devices", run->devices);
	if (run->tracer)
		json_object_set(line, "tracer", run->tracer);
	if (run->system)
		json_object_set(line, "system", run->system);
	if (run->details)
		json_object_update_missing(line, run->details);
}
