// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"

#define DEFAULT_CONFIG "none"

/* The records of one source and parser while they are added. */
struct adding {
	struct import *import;
	const struct import_source *source;
	const struct import_names *names;
	const char *parser;
	bool in_order;
	char *stem; /* the file's name */
	json_t *labels, *configs; /* objects: the texts that records have */
	json_t *sessions;	  /* object: host and label -> index */
	struct words *remarks;
};

struct place {
	const char *host; /* NULL: not known */
	char *label, *config, *workload;
	size_t session;
};

void import_init(struct import *import)
{
	import->sessions = json_array();
	import->runs = json_array();
	import->summaries = json_array();
	import->places = json_object();
}

void import_release(struct import *import)
{
	json_decref(import->sessions);
	json_decref(import->runs);
	json_decref(import->summaries);
	json_decref(import->places);
}

static void remark(struct adding *adding, char *text)
{
	words_add(adding->remarks, text);
	free(text);
}

/* ---- names ---- */

/* "before" of "/x/before.txt". */
static char *stem_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return xstrndup(name, dot > name ? (size_t)(dot - name) : strlen(name));
}

static json_t *names_of(const struct parsed *parsed, bool configs)
{
	json_t *names = json_object();

	for (size_t i = 0; i < parsed->n; i++) {
		const struct parsed_record *record = &parsed->records[i];
		const char *name = configs ? record->config : record->label;
		auto_json json_t *text = json_text(name ? name : "");

		json_object_set_new(names, json_string_value(text), json_true());
	}
	return names;
}

static char *label_of(const struct adding *adding, const struct parsed_record *record)
{
	if (adding->names->label)
		return xstrdup(adding->names->label);
	return xstrdup(*record->label ? record->label : adding->stem);
}

/* Labels of the text that a name from outside has taken the place of, but that differ. */
static const char *displaced(const struct adding *adding, const struct parsed_record *record)
{
	if (!adding->names->label || json_object_size(adding->labels) < 2)
		return NULL;
	return *record->label ? record->label : NULL;
}

static char *config_of(const struct adding *adding, const struct parsed_record *record)
{
	const char *label = displaced(adding, record);

	if (adding->names->config && json_object_size(adding->configs) < 2)
		return xstrdup(adding->names->config);
	if (record->config)
		return xstrdup(record->config);
	return xstrdup(label ? label : DEFAULT_CONFIG);
}

/* What neither label nor configuration says any more. */
static char *workload_of(const struct adding *adding, const struct parsed_record *record)
{
	const char *base = record->workload ? record->workload : adding->parser;
	const char *label = displaced(adding, record);

	if (label && (adding->names->config || record->config))
		return xasprintf("%s: %s", base, label);
	return xstrdup(base);
}

static void remark_names(struct adding *adding)
{
	const struct import_names *names = adding->names;
	const char *own = json_object_iter_key(json_object_iter(adding->labels));
	size_t labels = json_object_size(adding->labels);
	size_t configs = json_object_size(adding->configs);

	if (names->label && labels == 1 && *own && strcmp(own, names->label) != 0)
		remark(adding, xasprintf("label '%s' for what the text calls '%s'",
					 names->label, own));
	if (names->label && labels > 1)
		remark(adding, xasprintf("label '%s' for %zu that the text tells apart: these "
					 "are %s now", names->label, labels,
					 names->config ? "part of the workloads' names" :
							 "configurations"));
	if (names->config && configs > 1)
		remark(adding, xasprintf("the text has %zu configurations of its own: '%s' "
					 "stands for none of them", configs, names->config));
}

/* ---- sessions ---- */

static json_t *experiment_with(const char *config)
{
	json_t *object = json_object(), *configs = json_array(), *experiment = json_object();

	json_object_set_new(object, "name", json_text(config));
	json_array_append_new(configs, object);
	json_object_set_new(experiment, "configs", configs);
	return experiment;
}

static json_t *imported_of(const struct adding *adding)
{
	const struct import_source *source = adding->source;
	json_t *imported = json_object();

	if (source->title)
		json_object_set_new(imported, "title", json_text(source->title));
	if (source->author)
		json_object_set_new(imported, "author", json_text(source->author));
	if (source->date)
		json_object_set_new(imported, "date", json_text(source->date));
	json_object_set_new(imported, "source", json_text(source->path));
	json_object_set_new(imported, "sha256", json_text(source->sha256));
	json_object_set_new(imported, "format", json_text(adding->parser));
	json_object_set_new(imported, "order",
			    json_string(adding->in_order ? "known" : "unknown"));
	return imported;
}

static size_t add_session(struct adding *adding, const struct place *place)
{
	json_t *session = json_object();

	json_object_set_new(session, "version", json_null());
	json_object_set_new(session, "status", json_string("complete"));
	json_object_set_new(session, "started", json_null());
	json_object_set_new(session, "ended", json_null());
	json_object_set_new(session, "host", json_text(place->host));
	json_object_set_new(session, "boot_id", json_null());
	json_object_set_new(session, "label", json_text(place->label));
	json_object_set_new(session, "imported", imported_of(adding));
	json_object_set_new(session, "experiment", experiment_with(place->config));
	json_array_append_new(adding->import->sessions, session);
	return json_array_size(adding->import->sessions) - 1;
}

/* Configurations stand in the order of the text. */
static void add_config(json_t *session, const char *name, const char *aa_of)
{
	json_t *configs = json_object_get(json_object_get(session, "experiment"), "configs");
	json_t *config, *found = NULL;
	size_t i;

	json_array_foreach(configs, i, config)
		if (!strcmp(json_get_text(config, "name", ""), name))
			found = config;
	if (!found) {
		found = json_object();
		json_object_set_new(found, "name", json_text(name));
		json_array_append_new(configs, found);
	}
	if (aa_of)
		json_object_set_new(found, "aa_of", json_text(aa_of));
}

static void find_place(struct adding *adding, const struct parsed_record *record,
		       struct place *out)
{
	auto_free char *key = NULL;
	const json_t *known;

	*out = (struct place){
		.host = record->host,
		.label = label_of(adding, record),
		.config = config_of(adding, record),
		.workload = workload_of(adding, record),
	};
	key = xasprintf("%s\n%s", out->host ? out->host : "", out->label);
	known = json_object_get(adding->sessions, key);
	out->session = known ? (size_t)json_integer_value(known) : add_session(adding, out);
	json_object_set_new(adding->sessions, key, json_integer((json_int_t)out->session));
	add_config(json_array_get(adding->import->sessions, out->session), out->config,
		   record->aa_of);
}

static void place_release(struct place *place)
{
	free(place->label);
	free(place->config);
	free(place->workload);
}

/* ---- lines ---- */

static json_t *number_or_null(unsigned int number)
{
	return number ? json_integer(number) : json_null();
}

static json_t *point_of(const struct parsed_record *record)
{
	json_t *point = json_object();

	for (size_t i = 0; i < record->npoint; i++)
		json_object_set_new(point, record->point[i].key,
				    json_text(record->point[i].value));
	return point;
}

static void set_place(json_t *line, const struct parsed_record *record,
		      const struct place *place)
{
	json_object_set_new(line, "session", json_integer((json_int_t)place->session));
	json_object_set_new(line, "host", json_text(place->host));
	json_object_set_new(line, "label", json_text(place->label));
	json_object_set_new(line, "config", json_text(place->config));
	json_object_set_new(line, "workload", json_text(place->workload));
	json_object_set_new(line, "point", point_of(record));
}

static void set_kind(json_t *object, const struct parsed_value *value)
{
	static const char *const better[] = { "none", "lower", "higher" };

	json_object_set_new(object, "unit", json_text(value->unit));
	json_object_set_new(object, "better", json_string(better[value->better]));
	json_object_set_new(object, "headline", json_boolean(value->headline));
}

static void set_print(json_t *object, const struct parsed_value *value)
{
	if (*value->text)
		json_object_set_new(object, "text", json_text(value->text));
	if (value->half_step > 0)
		json_object_set_new(object, "half_step", json_number(value->half_step));
	json_object_set_new(object, "line", json_integer((json_int_t)value->line));
	if (value->note)
		json_object_set_new(object, "note", json_text(value->note));
}

static json_t *metrics_of(const struct parsed_record *record)
{
	json_t *metrics = json_object();

	for (size_t i = 0; i < record->n; i++) {
		const struct parsed_value *value = &record->values[i];
		json_t *metric;

		if (value->summary || json_object_get(metrics, value->metric))
			continue;
		metric = json_object();
		json_object_set_new(metric, "value", json_number(value->value));
		set_kind(metric, value);
		if (isnan(value->value))
			json_object_set_new(metric, "reason",
					    json_text(value->note ? value->note :
								    "printed as unknown"));
		set_print(metric, value);
		json_object_set_new(metrics, value->metric, metric);
	}
	return metrics;
}

static void add_run(struct adding *adding, const struct parsed_record *record,
		    const struct place *place)
{
	auto_json json_t *metrics = metrics_of(record);
	json_t *line;

	if (!json_object_size(metrics) && !record->failed)
		return;
	line = json_object();
	/* in the order in which they are to stand; what is not known yet gets its place */
	json_object_set_new(line, "schema", json_null());
	json_object_set_new(line, "event", json_null());
	json_object_set_new(line, "run", json_null());
	json_object_set_new(line, "round", number_or_null(record->round));
	json_object_set_new(line, "position", number_or_null(record->position));
	set_place(line, record, place);
	json_object_set_new(line, "boot_id", json_text(record->boot_id));
	json_object_set_new(line, "role", json_string("measured"));
	json_object_set_new(line, "start", json_null());
	json_object_set_new(line, "status", json_string(record->failed ? "failed" : "ok"));
	if (record->failed)
		json_object_set_new(line, "reason", json_text(record->reason));
	json_object_set_new(line, "marks", json_array());
	json_object_set(line, "metrics", metrics);
	json_array_append_new(adding->import->runs, line);
}

static const char *spread_kind(enum parsed_spread kind)
{
	switch (kind) {
	case PARSED_SD:
		return "sd";
	case PARSED_SE:
		return "se";
	case PARSED_SD_PCT:
		return "sd_pct";
	case PARSED_SE_PCT:
		return "se_pct";
	case PARSED_NO_SPREAD:
		break;
	}
	return NULL;
}

/* A second summary of one thing would never be read. */
static bool is_second(struct adding *adding, const struct parsed_record *record,
		      const struct place *place, const struct parsed_value *value)
{
	auto_buf struct buf key = BUF_INIT;

	buf_addf(&key, "%s\n%s\n%s\n%s\n%s\n%s", place->host ? place->host : "", place->label,
		 place->config, place->workload, value->metric, value->unit);
	for (size_t i = 0; i < record->npoint; i++)
		buf_addf(&key, "\n%s=%s", record->point[i].key, record->point[i].value);
	if (json_object_get(adding->import->places, key.s)) {
		remark(adding, xasprintf("line %zu: %s of '%s', '%s' once more: left out",
					 value->line, value->metric, place->label,
					 place->config));
		return true;
	}
	json_object_set_new(adding->import->places, key.s, json_true());
	return false;
}

static void add_summary(struct adding *adding, const struct parsed_record *record,
			const struct place *place, const struct parsed_value *value)
{
	const char *kind = spread_kind(value->spread_kind);
	json_t *line;

	if (is_second(adding, record, place, value))
		return;
	line = json_object();
	json_object_set_new(line, "schema", json_null());
	set_place(line, record, place);
	json_object_set_new(line, "metric", json_text(value->metric));
	set_kind(line, value);
	json_object_set_new(line, "n",
			    value->n ? json_integer((json_int_t)value->n) : json_null());
	json_object_set_new(line, "mean", json_number(value->value));
	set_print(line, value);
	if (!isnan(value->spread)) {
		json_object_set_new(line, "spread", json_number(value->spread));
		if (kind)
			json_object_set_new(line, "spread_kind", json_string(kind));
		if (value->spread_text)
			json_object_set_new(line, "spread_text", json_text(value->spread_text));
		if (value->spread_half_step > 0)
			json_object_set_new(line, "spread_half_step",
					    json_number(value->spread_half_step));
	}
	json_array_append_new(adding->import->summaries, line);
}

void import_add(struct import *import, const struct import_source *source, const char *parser,
		const struct parsed *parsed, const struct import_names *names,
		struct words *remarks)
{
	struct adding adding = {
		.import = import, .source = source, .names = names, .parser = parser,
		.in_order = parsed->in_order, .stem = stem_of(source->path),
		.labels = names_of(parsed, false), .configs = names_of(parsed, true),
		.sessions = json_object(), .remarks = remarks,
	};

	remark_names(&adding);
	for (size_t i = 0; i < parsed->n; i++) {
		const struct parsed_record *record = &parsed->records[i];
		struct place place;

		find_place(&adding, record, &place);
		add_run(&adding, record, &place);
		for (size_t k = 0; k < record->n; k++)
			if (record->values[k].summary && !isnan(record->values[k].value))
				add_summary(&adding, record, &place, &record->values[k]);
		place_release(&place);
	}
	free(adding.stem);
	json_decref(adding.labels);
	json_decref(adding.configs);
	json_decref(adding.sessions);
}
