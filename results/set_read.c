// SPDX-License-Identifier: GPL-3.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "results/set_parts.h"

#define SESSION_LIMIT (64u << 20)

/* ---- shared strings ---- */

static const char *share(struct set_data *data, const char *text)
{
	void *at;

	if (!text)
		return NULL;
	at = json_object_iter_at(data->names, text);
	if (!at) {
		json_object_set_new(data->names, text, json_null());
		at = json_object_iter_at(data->names, text);
	}
	return json_object_iter_key(at);
}

const char *set_reader_share(struct set_reader *reader, const char *text)
{
	return share(reader->data, text);
}

/* As share(); last is what stood there in the line before, as a rule the same. */
static const char *share_again(struct set_data *data, const char *text, const char *last)
{
	return last && text && !strcmp(text, last) ? last : share(data, text);
}

/* ---- one line ---- */

/* A major number above ours? */
static bool is_newer(const char *schema)
{
	return strtol(schema, NULL, 10) > strtol(SET_SCHEMA, NULL, 10);
}

static int refuse_newer(const char *schema, const char *path, struct err *err)
{
	if (!is_newer(schema))
		return 0;
	return err_set(err, EINVAL, "%s: schema %s is newer than this brunt", path, schema);
}

static const char *share_point(struct set_reader *reader, const struct json_item *point)
{
	bool is_object = point && point->kind == JSON_KIND_OBJECT;
	const struct json_item *member = is_object ? json_item_first(point) : NULL;
	const char *text;

	buf_clear(&reader->key);
	for (; member; member = json_item_next(point, member)) {
		auto_json json_t *value = json_item_to_json(member);

		buf_addf(&reader->key, "%s%s=", reader->key.len ? " " : "", member->key);
		if (json_is_string(value))
			buf_add(&reader->key, json_string_value(value));
		else
			json_write(&reader->key, value, 0);
	}
	text = share_again(reader->data, reader->key.s, reader->last.point);
	if (text != reader->last.point && !json_object_get(reader->data->points, text))
		json_object_set_new(reader->data->points, text,
				    is_object ? json_item_to_json(point) : json_object());
	return text;
}

bool set_reader_place(struct set_reader *reader, const struct json_item *line,
		      struct set_run *out)
{
	struct set_run *last = &reader->last;
	const struct {
		const char *key, **name;
	} places[] = {
		{ "session", &last->session }, { "host", &last->host },
		{ "boot_id", &last->boot_id }, { "label", &last->label },
		{ "config", &last->config },   { "workload", &last->workload },
	};

	if (!json_item_text(line, "config", NULL))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		*places[i].name = share_again(reader->data,
					      json_item_text(line, places[i].key, ""),
					      *places[i].name);
	last->point = share_point(reader, json_item_get(line, "point"));
	last->start_boottime_ns = -1;
	*out = *last;
	return true;
}

/* false: a line without what makes it a run */
static bool read_identity(struct set_reader *reader, const struct json_item *line,
			  struct set_run *run)
{
	int64_t number = json_item_int(line, "run", 0);
	int64_t round = json_item_int(line, "round", 0);
	int64_t position = json_item_int(line, "position", 0);

	if (number < 1 || number > UINT_MAX || !set_reader_place(reader, line, run))
		return false;
	run->number = (unsigned int)number;
	run->round = round >= 0 && round <= UINT_MAX ? (unsigned int)round : 0;
	run->position = position >= 0 && position <= UINT_MAX ? (unsigned int)position : 0;
	run->measured = !strcmp(json_item_text(line, "role", "measured"), "measured");
	run->start_boottime_ns = json_item_int(line, "start_boottime_ns", -1);
	if (run->number > reader->data->last_run)
		reader->data->last_run = run->number;
	return true;
}

/* What old or hand-made lines do not say: the four that every workload has are headlines. */
static bool is_headline(const char *name, const struct json_item *metric)
{
	const struct json_item *said = json_item_get(metric, "headline");

	if (said)
		return said->kind == JSON_KIND_TRUE;
	return !strcmp(name, "real") || !strcmp(name, "user") || !strcmp(name, "sys") ||
	       !strcmp(name, "cpu");
}

const struct set_metric *set_reader_metric(struct set_reader *reader, const char *name,
					   const struct json_item *object,
					   const struct set_metric *hint)
{
	struct set_data *data = reader->data;
	const char *unit = json_item_text(object, "unit", "");
	const char *better = json_item_text(object, "better", "none");
	const json_t *known;
	struct set_metric *metric;

	if (hint && !strcmp(hint->name, name) && !strcmp(hint->unit, unit) &&
	    !strcmp(hint->better, better))
		return hint;
	buf_clear(&reader->key);
	buf_add(&reader->key, name);
	buf_addc(&reader->key, '\n');
	buf_add(&reader->key, unit);
	buf_addc(&reader->key, '\n');
	buf_add(&reader->key, better);
	known = json_object_get(reader->metric_index, reader->key.s);
	if (known)
		return data->metrics[json_integer_value(known)];
	metric = xcalloc(1, sizeof(*metric));
	*metric = (struct set_metric){
		.name = share(data, name), .unit = share(data, unit), .better = share(data, better),
		.headline = is_headline(name, object), .order = data->nmetrics,
	};
	json_object_set_new(reader->metric_index, reader->key.s,
			    json_integer((json_int_t)data->nmetrics));
	GROW(data->metrics, data->nmetrics, reader->metrics_cap);
	data->metrics[data->nmetrics++] = metric;
	return metric;
}

/* The metrics of a run stand as a rule in the order of the run before. */
static void read_metrics(struct set_reader *reader, const struct json_item *metrics,
			 struct set_run *run)
{
	const struct set_data *data = reader->data;
	const struct set_run *before = data->nruns ? &data->runs[data->nruns - 1] : NULL;
	const struct json_item *object;
	double half_step;

	if (!metrics || metrics->kind != JSON_KIND_OBJECT)
		return;
	run->values = xcalloc(metrics->n + 1, sizeof(*run->values));
	for (object = json_item_first(metrics); object; object = json_item_next(metrics, object)) {
		size_t i = run->nvalues++;

		half_step = json_item_number(object, "half_step");
		run->values[i] = (struct set_value){
			.metric = set_reader_metric(reader, object->key, object,
						    before && i < before->nvalues ?
							    before->values[i].metric :
							    NULL),
			.value = json_item_number(object, "value"),
			.half_step = half_step > 0 ? half_step : 0,
		};
	}
}

static void read_marks(struct set_data *data, const struct json_item *marks, struct set_run *run)
{
	const struct json_item *mark;

	if (!marks || marks->kind != JSON_KIND_ARRAY || !marks->n)
		return;
	run->marks = xcalloc(marks->n, sizeof(*run->marks));
	for (mark = json_item_first(marks); mark; mark = json_item_next(marks, mark)) {
		const char *name = mark->kind == JSON_KIND_STRING ?
					   mark->text :
					   json_item_text(mark, "name", "");

		run->marks[run->nmarks++] = (struct set_mark){
			share(data, name), share(data, json_item_text(mark, "text", ""))
		};
	}
}

static void read_ledger(struct set_data *data, const struct json_item *line,
			struct set_ledger *ledger)
{
	const struct json_item *tracer = json_item_get(line, "tracer");
	const struct json_item *system = json_item_get(line, "system");

	*ledger = (struct set_ledger){
		.backend = share(data, json_item_text(tracer, "backend", NULL)),
		.cpu_s = json_item_number(tracer, "cpu_s"),
		.events = json_item_number(tracer, "events"),
		.bytes = json_item_number(tracer, "bytes"),
		.lost = json_item_number(tracer, "lost"),
		.attach_s = json_item_number(tracer, "attach_s"),
		.drain_s = json_item_number(tracer, "drain_s"),
		.busy_s = json_item_number(system, "busy_s"),
		.kthread_s = json_item_number(system, "kthread_s"),
		.irq_s = json_item_number(system, "irq_s"),
		.softirq_s = json_item_number(system, "softirq_s"),
		.iowait_s = json_item_number(system, "iowait_s"),
		.steal_s = json_item_number(system, "steal_s"),
	};
}

static void read_status(struct set_data *data, const struct json_item *line, struct set_run *run)
{
	const char *status = json_item_text(line, "status", "");

	run->reason = share(data, json_item_text(line, "reason", NULL));
	if (!strcmp(status, "ok"))
		run->status = RUN_OK;
	else if (!strcmp(status, "failed"))
		run->status = RUN_FAILED;
	else
		run->status = RUN_INVALID;
	if (run->status != RUN_OK && !run->reason)
		run->reason = share(data, "no reason was recorded");
}

/* false: not readable. A line that is no run's (another event) is read and left alone. */
static bool read_line(struct set_reader *reader, const struct json_item *line)
{
	struct set_data *data = reader->data;
	const char *event = json_item_text(line, "event", "");
	const struct json_item *status;
	struct set_run run;

	if (!strcmp(event, "start")) {
		if (!read_identity(reader, line, &run))
			return false;
		GROW(reader->starts, reader->nstarts, reader->starts_cap);
		reader->starts[reader->nstarts++] = run;
		return true;
	}
	if (strcmp(event, "end") != 0)
		return *event != '\0';
	status = json_item_get(line, "status");
	if (!status || status->kind != JSON_KIND_STRING || !read_identity(reader, line, &run))
		return false;
	read_status(data, line, &run);
	read_metrics(reader, json_item_get(line, "metrics"), &run);
	read_marks(data, json_item_get(line, "marks"), &run);
	set_reader_devices(reader, line, &run);
	read_ledger(data, line, &run.ledger);
	GROW(data->runs, data->nruns, reader->runs_cap);
	data->runs[data->nruns++] = run;
	return true;
}

/* ---- files of lines ---- */

static int read_lines(struct set_reader *reader, const char *path, const char *name,
		      bool (*take)(struct set_reader *reader, const struct json_item *line),
		      struct err *err)
{
	auto_free char *file = files_join(path, name);
	auto_free char *text = NULL;
	FILE *stream = fopen(file, "re");
	size_t cap = 0;
	ssize_t len;
	int rc = 0;

	if (!stream)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", file);
	while (!rc && (len = getline(&text, &cap, stream)) >= 0) {
		if (len && text[len - 1] == '\n')
			len--;
		if (len == 0)
			continue;
		if (json_line_parse(&reader->line, text, (size_t)len)) {
			reader->data->skipped++;
			continue;
		}
		rc = refuse_newer(json_item_text(reader->line.items, "schema", SET_SCHEMA), file,
				  err);
		if (!rc && !take(reader, reader->line.items))
			reader->data->skipped++;
	}
	if (!rc && ferror(stream))
		rc = err_sys(err, EIO, "%s", file);
	fclose(stream);
	return rc;
}

/* ---- sessions ---- */

struct session_file {
	char *id;
	json_t *session;
};

static int compare_sessions(const void *a, const void *b)
{
	const struct session_file *x = a, *y = b;
	int order = strcmp(json_get_text(x->session, "started", ""),
			   json_get_text(y->session, "started", ""));

	return order ? order : strcmp(x->id, y->id);
}

/* 0 with *session NULL: not readable */
static int read_session(const char *folder, const char *name, json_t **session, struct err *err)
{
	auto_free char *path = files_join(folder, name);
	auto_buf struct buf text = BUF_INIT;
	json_t *value = NULL;
	int rc = files_read_at(AT_FDCWD, path, SESSION_LIMIT, &text);

	*session = NULL;
	if (rc)
		return err_sys(err, -rc, "%s", path);
	if (json_parse(text.s, text.len, path, &value, NULL))
		return 0;
	rc = refuse_newer(json_get_text(value, "schema", SET_SCHEMA), path, err);
	if (rc || !json_is_object(value))
		json_decref(value);
	else
		*session = value;
	return rc;
}

static int is_session_name(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && entry->d_name[0] != '.' && !strcmp(entry->d_name + len - 5, ".json");
}

static int read_sessions(struct set_data *data, const char *path, struct err *err)
{
	auto_free char *folder = files_join(path, "sessions");
	struct session_file *files;
	struct dirent **names;
	int n = scandir(folder, &names, is_session_name, alphasort);
	size_t read = 0, unread = 0;
	int rc = 0;

	if (n < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", folder);
	files = xcalloc((size_t)n + 1, sizeof(*files));
	for (int i = 0; i < n; i++) {
		json_t *session = NULL;

		if (!rc)
			rc = read_session(folder, names[i]->d_name, &session, err);
		if (session)
			files[read++] = (struct session_file){
				xstrndup(names[i]->d_name, strlen(names[i]->d_name) - 5), session
			};
		else
			unread++;
		free(names[i]);
	}
	free(names);
	data->skipped += unread;
	data->unread_sessions = unread;
	qsort(files, read, sizeof(*files), compare_sessions);
	for (size_t i = 0; i < read; i++) {
		json_object_set_new(data->sessions, files[i].id, files[i].session);
		free(files[i].id);
	}
	free(files);
	return rc;
}

/* A run knows its session by id; sets are copied without their folder of sessions. */
static void count_missing(struct set_data *data)
{
	auto_json json_t *missing = json_object();

	for (size_t i = 0; i < data->nruns; i++)
		if (!set_data_session(data, data->runs[i].session))
			json_object_set_new(missing, data->runs[i].session, json_null());
	for (size_t i = 0; i < data->nsummaries; i++)
		if (!set_data_session(data, data->summaries[i].place.session))
			json_object_set_new(missing, data->summaries[i].place.session,
					    json_null());
	data->missing_sessions = json_object_size(missing);
}

/* ---- all of it ---- */

int set_read(const char *path, struct set_data *data, struct err *err)
{
	struct set_data read = { .path = NULL };
	struct set_reader reader = { .data = &read };
	int rc;

	if (!set_is(path))
		return err_set(err, ENOENT, "%s: there is no set", path);
	read.path = xstrdup(path);
	read.sessions = json_object();
	read.points = json_object();
	read.names = json_object();
	reader.metric_index = json_object();
	reader.summary_index = json_object();
	rc = set_hash(path, read.hash, err);
	if (!rc)
		rc = read_sessions(&read, path, err);
	if (!rc)
		rc = read_lines(&reader, path, "runs.jsonl", read_line, err);
	if (!rc)
		rc = read_lines(&reader, path, "summaries.jsonl", set_reader_summary, err);
	if (!rc) {
		set_reader_order(&reader);
		count_missing(&read);
		*data = read;
	} else {
		set_data_release(&read);
	}
	free(reader.starts);
	json_decref(reader.metric_index);
	json_decref(reader.summary_index);
	json_line_release(&reader.line);
	buf_release(&reader.key);
	return rc;
}

void set_run_release(struct set_run *run)
{
	free(run->values);
	free(run->marks);
	free(run->devices);
}

void set_data_release(struct set_data *data)
{
	for (size_t i = 0; i < data->nruns; i++)
		set_run_release(&data->runs[i]);
	for (size_t i = 0; i < data->nmetrics; i++)
		free(data->metrics[i]);
	free(data->runs);
	free(data->unended);
	free(data->summaries);
	free(data->metrics);
	json_decref(data->sessions);
	json_decref(data->points);
	json_decref(data->names);
	free(data->path);
	*data = (struct set_data){ .path = NULL };
}

const json_t *set_data_session(const struct set_data *data, const char *id)
{
	return json_object_get(data->sessions, id);
}

const json_t *set_imported(const json_t *session)
{
	const json_t *imported = json_object_get(session, "imported");

	return json_is_object(imported) ? imported : NULL;
}

bool set_order_is_known(const json_t *session)
{
	const json_t *imported = set_imported(session);

	return !imported || !strcmp(json_get_text(imported, "order", ""), "known");
}
