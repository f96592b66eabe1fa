// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * fio's JSON, of a single fio ("jobs") or of the client of several servers ("client_stats").
 * Since 3.0 latencies are in ns under names that say so, before that in us; a bandwidth is in
 * KiB/s, and in bytes too since 3.0.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/fio_reader.h"

enum { MOST_PERCENTILES = 64 };

struct reader {
	struct parsed *out;
	const struct jp_doc *doc;
	const struct jp_node *job;
	bool interrupted, alone;
};

static const struct jp_node *jobs_of(const struct jp_doc *doc)
{
	const struct jp_node *jobs = jp_get_kind(doc, doc->v, "jobs", JP_ARRAY);

	return jobs ? jobs : jp_get_kind(doc, doc->v, "client_stats", JP_ARRAY);
}

bool fio_json_is_fio(const struct jp_doc *doc)
{
	const struct jp_node *first = jp_first(doc, jobs_of(doc));

	return first && jp_get_kind(doc, first, "jobname", JP_STRING);
}

static struct parsed_record *record_of(struct reader *reader)
{
	return &reader->out->records[reader->out->n - 1];
}

static int note(struct reader *reader, const struct jp_node *at, const char *text)
{
	return parsed_add_note(reader->out, at->line, at->column, "%s", text);
}

/* An option of the job, or of all jobs; false where it has several values. */
static bool option(struct reader *reader, const char *name, struct slice *out)
{
	const struct jp_doc *doc = reader->doc;
	const struct jp_node *places[] = {
		jp_get_kind(doc, reader->job, "job options", JP_OBJECT),
		jp_get_kind(doc, doc->v, "global options", JP_OBJECT),
	};

	for (size_t i = 0; i < 2; i++) {
		bool found = false;

		for (const struct jp_node *o = jp_first(doc, places[i]); o; o = jp_next(doc, o)) {
			if (!slice_is(o->key, name) || o->kind != JP_STRING)
				continue;
			if (found &&
			    (out->len != o->text.len || memcmp(out->s, o->text.s, out->len)))
				return false;
			*out = o->text;
			found = true;
		}
		if (found)
			return true;
	}
	return false;
}

/* Seconds that the job was to run; NAN where it may end before. */
static double asked_s(struct reader *reader)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "", 1 },      { "s", 1 },     { "m", 60 },   { "h", 3600 },
		      { "d", 86400 }, { "ms", 1e-3 }, { "us", 1e-6 } };
	struct slice text, rest;
	struct number number;

	if (option(reader, "number_ios", &text) || !option(reader, "time_based", &text) ||
	    slice_is(text, "0"))
		return NAN;
	if (!option(reader, "runtime", &text) || !number_read(text, &number))
		return NAN;
	rest = slice_from(text, text.s + number.len);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_is(rest, units[i].name))
			return number.value * units[i].seconds;
	return NAN;
}

/* ---- latencies ---- */

static int add_percentiles(struct reader *reader, const char *direction, const char *kind,
			   const struct jp_node *lat, double scale)
{
	const struct jp_node *all = jp_get_kind(reader->doc, lat, "percentile", JP_OBJECT);
	const struct jp_node *seen[MOST_PERCENTILES];
	size_t n = 0;
	int rc = 0;

	for (const struct jp_node *p = jp_first(reader->doc, all); !rc && p;
	     p = jp_next(reader->doc, p)) {
		struct number percentile, number;
		bool again = false;

		if (!number_word(p->key, &percentile) || percentile.value < 0 ||
		    percentile.value > 100 || !jp_number(p, &number) || n == MOST_PERCENTILES)
			continue;
		for (size_t i = 0; i < n; i++)
			again |= seen[i]->key.len == p->key.len &&
				 !memcmp(seen[i]->key.s, p->key.s, p->key.len);
		seen[n++] = p;
		if (again)
			rc = note(reader, p, "a percentile that was there already: left out");
		else
			rc = fio_add_latency(record_of(reader), direction, kind, &percentile.value,
					     &number, scale, p->text, p->line, p->column);
	}
	return rc;
}

static int add_latency(struct reader *reader, const char *direction, const char *kind,
		       const struct jp_node *lat, double scale)
{
	const struct jp_node *mean = jp_get(reader->doc, lat, "mean");
	struct number number;
	int rc;

	/* a mean of 0: nothing was counted */
	if (!jp_number(mean, &number) || !(number.value > 0))
		return 0;
	rc = fio_add_latency(record_of(reader), direction, kind, NULL, &number, scale, mean->text,
			     mean->line, mean->column);
	return rc ? rc : add_percentiles(reader, direction, kind, lat, scale);
}

/* Keys that look like latencies, but have a unit that fio does not write. */
static int add_odd_keys(struct reader *reader, const struct jp_node *dir)
{
	int rc = 0;

	for (const struct jp_node *m = jp_first(reader->doc, dir); !rc && m;
	     m = jp_next(reader->doc, m)) {
		if (m->kind != JP_OBJECT ||
		    !(slice_starts(m->key, "lat_") || slice_starts(m->key, "slat_") ||
		      slice_starts(m->key, "clat_")) ||
		    slice_ends(m->key, "_ns"))
			continue;
		rc = parsed_add_note(reader->out, m->line, m->column,
				     "'%.*s' is no name that fio writes, so its unit is not "
				     "certain: left out",
				     (int)(m->key.len < 40 ? m->key.len : 40), m->key.s);
	}
	return rc;
}

static int add_latencies(struct reader *reader, const char *direction, const struct jp_node *dir)
{
	static const struct {
		const char *kind, *ns;
	} kinds[] = { { "slat", "slat_ns" }, { "clat", "clat_ns" }, { "lat", "lat_ns" } };
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct jp_node *lat = jp_get_kind(reader->doc, dir, kinds[i].ns, JP_OBJECT);
		double scale = 1e-9;

		if (!lat) {
			lat = jp_get_kind(reader->doc, dir, kinds[i].kind, JP_OBJECT);
			scale = 1e-6;
		}
		if (lat)
			rc = add_latency(reader, direction, kinds[i].kind, lat, scale);
	}
	return rc ? rc : add_odd_keys(reader, dir);
}

/* ---- a direction ---- */

static double number_of(struct reader *reader, const struct jp_node *object, const char *key)
{
	struct number number;

	return jp_number(jp_get(reader->doc, object, key), &number) ? number.value : NAN;
}

static void read_figure(const struct jp_node *node, double scale, bool cut, struct figure *out)
{
	struct number number;

	if (!jp_number(node, &number) || number.value < 0)
		return;
	out->value = number.value * scale;
	/* whole numbers are cut off, not rounded, so that they are a whole step wide */
	out->half_step = number.half_step * scale * (cut ? 2 : 1);
	out->text = node->text;
	out->line = node->line;
	out->column = node->column;
}

static int read_bandwidth(struct reader *reader, const struct jp_node *dir, struct figure *out)
{
	const struct jp_node *node = jp_get(reader->doc, dir, "bw_bytes");
	double bytes = number_of(reader, dir, "bw_bytes"), kib = number_of(reader, dir, "bw");

	if (!node) {
		read_figure(jp_get(reader->doc, dir, "bw"), 1024, true, out);
		return 0;
	}
	if (fabs(bytes / 1024 - kib) > 1)
		return note(reader, node, "'bw_bytes' and 'bw' say different things: left out");
	read_figure(node, 1, true, out);
	return 0;
}

static bool has_repeated(struct reader *reader, const struct jp_node *dir)
{
	static const char *const keys[] = { "iops",    "bw",	  "bw_bytes", "runtime", "lat_ns",
					    "clat_ns", "slat_ns", "lat",      "clat",	 "slat" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (jp_count(reader->doc, dir, keys[i]) > 1)
			return true;
	return false;
}

/* ran: the longest runtime of the job up to now. */
static int add_direction(struct reader *reader, const char *direction, double *ran)
{
	const struct jp_node *dir = jp_get_kind(reader->doc, reader->job, direction, JP_OBJECT);
	struct fio_rate rate = { .direction = direction, .iops.value = NAN, .bw.value = NAN };
	bool ios = number_of(reader, dir, "total_ios") > 0;
	int rc = 0;

	if (!dir)
		return jp_count(reader->doc, reader->job, direction) > 1
			       ? note(reader, reader->job,
				      "this job has a direction twice: left out")
			       : 0;
	if (has_repeated(reader, dir))
		return note(reader, dir, "figures that stand here twice: left out");
	read_figure(jp_get(reader->doc, dir, "iops"), 1, false, &rate.iops);
	rc = read_bandwidth(reader, dir, &rate.bw);
	if (rc)
		return rc;
	rate.runtime_ms = number_of(reader, dir, "runtime");
	if (!ios && !(rate.iops.value > 0) && !(rate.bw.value > 0))
		return 0; /* nothing went this way */
	if (rate.runtime_ms == 0 && !(rate.iops.value > 0)) {
		rc = note(reader, dir, "a runtime of 0 ms, so no rates");
		rate.iops.value = rate.bw.value = NAN;
	}
	if (!rc)
		rc = fio_add_rate(record_of(reader), &rate);
	if (rc || rate.runtime_ms > FIO_MOST_MS)
		return rc;
	if (rate.runtime_ms > *ran)
		*ran = rate.runtime_ms;
	if (rate.runtime_ms > 0 && rate.runtime_ms < 50)
		rc = parsed_add_note(reader->out, dir->line, dir->column,
				     "ran for %.0f ms only, which fio counts in whole ones",
				     rate.runtime_ms);
	return rc ? rc : add_latencies(reader, direction, dir);
}

/* A file where reads and writes agree in each figure did not come from fio like that. */
static int note_same(struct reader *reader)
{
	static const char *const keys[] = { "total_ios", "iops", "runtime" };
	const struct jp_doc *doc = reader->doc;
	const struct jp_node *dirs[2], *means[2], *a, *b;

	dirs[0] = jp_get_kind(doc, reader->job, "read", JP_OBJECT);
	dirs[1] = jp_get_kind(doc, reader->job, "write", JP_OBJECT);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		a = jp_get(doc, dirs[0], keys[i]);
		b = jp_get(doc, dirs[1], keys[i]);
		if (!a || !b || a->text.len < 2 || a->text.len != b->text.len ||
		    memcmp(a->text.s, b->text.s, a->text.len))
			return 0;
	}
	for (size_t i = 0; i < 2; i++)
		means[i] = jp_get(doc, jp_get(doc, dirs[i], "clat_ns"), "mean");
	if (!means[0] || !means[1] || means[0]->text.len != means[1]->text.len ||
	    memcmp(means[0]->text.s, means[1]->text.s, means[0]->text.len))
		return 0;
	return note(reader, dirs[1],
		    "reads and writes agree in each figure, which fio hardly gives");
}

/* ---- a job ---- */

static int add_cpu(struct reader *reader)
{
	static const char *const keys[][2] = { { "usr_cpu", "user_percent" },
					       { "sys_cpu", "sys_percent" } };
	int rc = 0;

	for (size_t i = 0; !rc && i < 2; i++) {
		const struct jp_node *node = jp_get(reader->doc, reader->job, keys[i][0]);
		struct number number;

		if (jp_number(node, &number))
			rc = fio_add_percent(record_of(reader), keys[i][1], &number, node->text,
					     node->line, node->column);
	}
	return rc;
}

/* Why the job's figures are not those of work that was done as it was asked for. */
static int judge(struct reader *reader, double ran_ms)
{
	struct parsed_record *record = record_of(reader);
	double error = number_of(reader, reader->job, "error");
	double errors = number_of(reader, reader->job, "total_err");
	double asked = asked_s(reader);

	if (record->failed)
		return 0;
	if (fabs(error) > 0)
		return figure_fail(record, "fio ended this job with error %.0f", error);
	if (errors > 0)
		return figure_fail(record, "%.0f of its IOs failed", errors);
	if (!record->n)
		return figure_fail(record, "fio gives no figures of IO for this job");
	if (reader->interrupted)
		return figure_fail(record, "fio was interrupted");
	if (ran_ms < 900 * asked)
		return figure_fail(record, "ran for %g s of the %g s that were asked for",
				   ran_ms / 1e3, asked);
	return 0;
}

static int add_figures(struct reader *reader)
{
	static const char *const directions[] = { "read", "write", "trim", "mixed", "sync" };
	double ran = -1;
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(directions) / sizeof(directions[0]); i++)
		rc = add_direction(reader, directions[i], &ran);
	if (!rc)
		rc = judge(reader, ran < 0 ? NAN : ran);
	if (!rc)
		rc = add_cpu(reader);
	return rc ? rc : note_same(reader);
}

static int add_job(struct reader *reader)
{
	const struct jp_node *job = reader->job;
	const struct jp_node *name = jp_get_kind(reader->doc, job, "jobname", JP_STRING);
	const struct jp_node *host = jp_get_kind(reader->doc, job, "hostname", JP_STRING);
	struct fio_name called = { .alone = reader->alone, .line = job->line };
	const struct parsed_record *record;
	char *text;

	if (!name)
		return note(reader, job, "a job without a name: left out");
	text = jp_unescape(name->text, &called.job.len);
	if (!text)
		return -ENOMEM;
	called.job.s = text;
	/* the sum over all clients is of no single host */
	if (host && !slice_is(called.job, "All clients"))
		called.host = host->text;
	record = fio_add_job(reader->out, &called);
	free(text);
	return record ? add_figures(reader) : -errno;
}

int fio_json_read(struct parsed *out, const struct jp_doc *doc, bool interrupted)
{
	struct reader reader = { .out = out, .doc = doc, .interrupted = interrupted };
	const struct jp_node *first = jp_first(doc, jobs_of(doc));
	int rc = 0;

	reader.alone = !jp_next(doc, first);
	for (const struct jp_node *job = first; !rc && job; job = jp_next(doc, job)) {
		reader.job = job;
		if (job->kind == JP_OBJECT)
			rc = add_job(&reader);
	}
	return rc;
}
