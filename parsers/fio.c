// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What fio prints, with whatever stands around it: JSON, else terse lines, else the output for
 * people. fio can print one run in several of them, so that only the most exact one counts; with
 * --status-interval it prints a whole document again and again, so that the last one counts.
 *
 *	fio_json.c, fio_terse.c, fio_normal.c	the three outputs
 *	fio_job.c				what their figures are called
 */
#include <errno.h>
#include <string.h>

#include "parsers/fio_reader.h"

/* What the text says beside its results. */
struct surroundings {
	size_t terse, jobs;  /* lines of terse output, first lines of jobs */
	size_t rates;	     /* lines of a direction */
	struct line failure; /* the first line that says that a job failed; number 0: none */
	size_t failures;
	struct slice described; /* name of the job, where only one is described */
	size_t descriptions;
	size_t interrupted; /* last line that says so; 0: none */
};

static const char *const verification[] = { "verify failed at file ", "bad magic header " };

static bool says_verification(struct slice text)
{
	return slice_find(text, verification[0]) || slice_find(text, verification[1]);
}

static bool says_failed(struct slice text)
{
	return slice_starts(text, "fio: ") && slice_find(text, "err=") &&
	       slice_find(text, "error=");
}

/* Job lines, rates and descriptions all have a '='. */
static void look_at_line(struct slice body, struct surroundings *out)
{
	const char *described = slice_find(body, ": (g=");

	out->jobs += fio_normal_is_job(body);
	out->rates += slice_find(body, "IOPS=") || slice_find(body, "iops=");
	if (described && slice_find(body, "ioengine=")) {
		out->described = slice_until(body, described);
		out->descriptions++;
	}
}

static void look_around(const char *text, size_t len, struct surroundings *out)
{
	struct lines lines = { .rest = { text, len } };
	bool verified = says_verification(lines.rest);
	struct line line;

	memset(out, 0, sizeof(*out));
	while (lines_next(&lines, &line)) {
		struct slice body = slice_trim(line_unquoted(&line));

		out->terse += fio_terse_is_line(body);
		if (slice_starts(body, "fio: terminating on signal"))
			out->interrupted = line.number;
		if (slice_has(body, '='))
			look_at_line(body, out);
		if ((says_failed(body) || (verified && says_verification(body))) &&
		    !out->failures++)
			out->failure = line;
	}
}

/* ---- JSON ---- */

struct documents {
	struct jp_doc last;
	size_t n, line;	     /* of the last one: where it begins */
	size_t previous_end; /* line where the one before it ends */
	size_t broken;	     /* line where one breaks off; 0: none does */
};

static int find_documents(const char *text, size_t len, struct documents *out)
{
	struct jp_place place;
	size_t end = 0;

	jp_place_init(&place, text, len);
	while (jp_place_find(&place)) {
		struct jp_place start = place;
		struct jp_doc doc = { 0 };
		int rc = jp_read(&place, &doc);

		if (rc < 0)
			return rc;
		if (rc) {
			struct slice read = { start.at, (size_t)(place.at - start.at) };

			if (slice_find(read, "\"jobname\"") || slice_find(read, "\"fio version\""))
				out->broken = place.line;
			place = start;
			jp_place_skip_line(&place);
			continue;
		}
		if (!fio_json_is_fio(&doc)) {
			jp_release(&doc);
			continue;
		}
		jp_release(&out->last);
		out->last = doc;
		out->n++;
		out->previous_end = end;
		out->line = start.line;
		out->broken = 0;
		end = place.line;
	}
	return 0;
}

static int read_documents(struct parsed *out, const struct documents *documents,
			  const struct surroundings *around)
{
	bool interrupted = around->interrupted > documents->previous_end &&
			   around->interrupted < documents->line;
	int rc = 0;

	if (documents->n > 1)
		rc = parsed_add_note(out, documents->line, 1,
				     "%zu documents of fio's JSON: the last one counts",
				     documents->n);
	if (!rc && (around->terse || around->jobs))
		rc = parsed_add_note(out, documents->line, 1,
				     "fio's other outputs stand in the text too, as it prints them "
				     "of one run: only the JSON counts");
	return rc ? rc : fio_json_read(out, &documents->last, interrupted);
}

/* ---- lines ---- */

static int read_terse(struct parsed *out, const char *text, size_t len,
		      const struct surroundings *around)
{
	struct lines lines = { .rest = { text, len } };
	struct line line;
	bool said = !around->jobs;
	int rc = 0;

	while (!rc && lines_next(&lines, &line)) {
		if (!fio_terse_is_line(line_unquoted(&line)))
			continue;
		if (!said)
			rc = parsed_add_note(
				out, line.number, 1,
				"fio's output for people stands in the text too, as it "
				"prints it of one run: only the terse lines count");
		said = true;
		if (!rc)
			rc = fio_terse_read(out, &line, around->terse == 1,
					    around->interrupted &&
						    around->interrupted < line.number);
	}
	return rc;
}

static int read_normal(struct parsed *out, const char *text, size_t len,
		       const struct surroundings *around)
{
	struct lines lines = { .rest = { text, len } };
	struct fio_normal normal = { .out = out, .alone = around->jobs <= 1 };
	struct line line;
	int rc = 0;

	while (!rc && lines_next(&lines, &line)) {
		struct slice body = slice_trim(line_unquoted(&line));

		if (slice_starts(body, "fio: terminating on signal"))
			normal.interrupted = true;
		rc = fio_normal_line(&normal, &line);
		if (slice_starts(body, "Run status group"))
			normal.interrupted = false;
	}
	return rc ? rc : fio_normal_end(&normal);
}

/* A text that says of its jobs only that they failed, or hides it behind figures of others. */
static int add_failures(struct parsed *out, size_t first, const struct surroundings *around)
{
	struct slice says = slice_trim(around->failure.text);
	struct fio_name name = { .alone = true, .line = around->failure.number };
	struct parsed_record *record;
	int rc = 0;

	if (!around->failures)
		return 0;
	if (around->failures > 1)
		rc = parsed_add_note(out, around->failure.number, 1,
				     "the first of %zu lines that say what failed",
				     around->failures);
	for (size_t i = first; i < out->n; i++)
		if (out->records[i].failed)
			return rc;
	if (rc)
		return rc;
	if (out->n > first)
		return parsed_add_note(out, around->failure.number, 1, "fio says: %.*s",
				       (int)(says.len < 200 ? says.len : 200), says.s);
	if (around->descriptions == 1)
		name.job = around->described;
	record = fio_add_job(out, &name);
	if (!record)
		return -errno;
	return parsed_fail(record, says.s, says.len < 200 ? says.len : 200);
}

/* JSON that does not begin on a line of its own, as in a quotation. */
static int note_hidden(struct parsed *out, const char *text, size_t len)
{
	size_t line = jp_line_of(text, len, "\"jobname\"");

	if (!line)
		return 0;
	return parsed_add_note(out, line, 1,
			       "a part of fio's JSON, but no whole document that begins on a line "
			       "of its own: left out");
}

static int read_all(const char *text, size_t len, struct parsed *out,
		    const struct surroundings *around, struct documents *documents)
{
	size_t first = out->n;
	int rc = find_documents(text, len, documents);

	if (rc)
		return rc;
	if (documents->n)
		rc = read_documents(out, documents, around);
	else if (around->terse)
		rc = read_terse(out, text, len, around);
	else if (around->jobs || around->rates)
		rc = read_normal(out, text, len, around);
	if (!rc && documents->broken)
		rc = parsed_add_note(out, documents->broken, 1,
				     "here a document of fio's JSON breaks off: left out");
	else if (!rc && !documents->n)
		rc = note_hidden(out, text, len);
	if (!rc)
		rc = add_failures(out, first, around);
	return rc ? rc : figure_tell_apart(out, first, "clone", false,
					 "results of jobs that are called alike");
}

static int fio_parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	struct documents documents = { 0 };
	struct surroundings around;
	int rc;

	look_around(text, len, &around);
	rc = read_all(text, len, out, &around, &documents);
	jp_release(&documents.last);
	return rc ? parsed_error(err, rc, 0) : 0;
}

static int fio_recognise(const char *text, size_t len)
{
	struct slice all = { text, len };
	struct surroundings around;

	if (slice_find(all, "\"jobname\"") &&
	    (slice_find(all, "\"groupid\"") || slice_find(all, "\"iops\"")))
		return 90;
	if (slice_find(all, "\"fio version\""))
		return 90;
	look_around(text, len, &around);
	if (around.terse || around.jobs)
		return 90;
	if (around.failures || (around.rates && slice_find(all, "msec")))
		return 50;
	return 0;
}

const struct parser parser_fio = {
	.name = "fio",
	.summary = "fio: JSON of one or of several hosts, terse 3 to 5, normal",
	.recognise = fio_recognise,
	.parse = fio_parse,
};
