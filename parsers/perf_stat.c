// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * perf stat, in all its outputs, as they stand in logs and mails.
 *
 *	perf_stat_text.c		for people, with and without -r and --table
 *	perf_stat_csv.c, perf_stat_json.c	-x and -j
 *	perf_stat_head.c		what was measured, and how often
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parsers/perf_stat_reader.h"

enum { NAME_SIZE = 128, UNIT_SIZE = 32 };

int perf_end_record(struct perf_reader *reader)
{
	struct parsed_record *record;
	size_t scaled = reader->scaled;

	if (!reader->in_record)
		return 0;
	reader->in_record = false;
	reader->scaled = 0;
	record = &reader->out->records[reader->record];
	if (!scaled)
		return 0;
	return parsed_add_note(reader->out, record->line, 1,
			       "%zu of these events were counted part of the time only, and are "
			       "what perf makes of it for all of it",
			       scaled);
}

struct parsed_record *perf_record(struct perf_reader *reader, size_t line)
{
	char heading[TIME_LABEL_PART];
	struct slice label = { heading, 0 };
	struct parsed_record *record;
	int rc = 0;

	if (reader->in_record)
		return &reader->out->records[reader->record];
	if (reader->label.heading.len)
		label.len = time_label_part(reader->label.heading, heading);
	record = figure_record(reader->out, label, "perf-stat", line);
	if (!record)
		return NULL;
	if (reader->command.len)
		rc = parsed_set_text(&record->config, reader->command.s, reader->command.len);
	if (!rc && reader->failure.len)
		rc = parsed_fail(record, reader->failure.s, reader->failure.len);
	if (rc) {
		errno = ENOMEM;
		return NULL;
	}
	time_label_used(&reader->label);
	reader->failure.len = 0;
	reader->in_record = true;
	reader->elapsed = false;
	reader->record = reader->out->n - 1;
	reader->first_event = (struct slice){ 0 };
	return record;
}

/* ---- events ---- */

/* What an event is called, and what one of its unit is in ours. */
static void name_event(const struct perf_count *count, char *name, char *unit,
		       struct figure *figure, double *scale)
{
	static const char *const times[][2] = { { "duration_time", "real" },
						{ "user_time", "user" },
						{ "system_time", "sys" } };
	static const struct {
		const char *unit, *ours;
		double scale;
	} units[] = { { "msec", "s", 1e-3 },	 { "ns", "s", 1e-9 },  { "Joules", "J", 1 },
		      { "Bytes", "B", 1 },	 { "KiB", "B", 1024 }, { "MiB", "B", 1048576 },
		      { "GiB", "B", 1073741824 } };
	struct slice event = count->event;
	size_t n = event.len < NAME_SIZE - 1 ? event.len : NAME_SIZE - 1;

	for (size_t i = 0; i < n; i++)
		name[i] = (unsigned char)event.s[i] <= ' ' ? '_' : event.s[i];
	name[n] = '\0';
	n = count->unit.len < UNIT_SIZE - 1 ? count->unit.len : UNIT_SIZE - 1;
	if (n)
		memcpy(unit, count->unit.s, n);
	unit[n] = '\0';
	figure->unit = unit;
	*scale = 1;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_is(count->unit, units[i].unit)) {
			figure->unit = units[i].ours;
			*scale = units[i].scale;
		}
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (slice_is(event, times[i][0]) && !strcmp(figure->unit, "s")) {
			strcpy(name, times[i][1]);
			figure->headline = true;
		}
	if (!strcmp(name, "task-clock"))
		figure->headline = true;
	if (figure->headline)
		figure->better = PARSED_LOWER;
}

/* The same event again: another run begins with its first event; else it was counted twice. */
static int begin_count(struct perf_reader *reader, const struct perf_count *count, const char *name,
		       bool *again)
{
	struct parsed_record *record;

	if (reader->in_record && reader->first_event.len == count->event.len &&
	    !memcmp(reader->first_event.s, count->event.s, count->event.len)) {
		int rc = perf_end_record(reader);

		if (rc)
			return rc;
	}
	record = perf_record(reader, count->line);
	if (!record)
		return -errno;
	if (!reader->first_event.len)
		reader->first_event = count->event;
	*again = false;
	for (size_t i = 0; i < record->n && !*again; i++)
		*again = !strcmp(record->values[i].metric, name);
	return 0;
}

int perf_add_count(struct perf_reader *reader, const struct perf_count *count)
{
	char name[NAME_SIZE], unit[UNIT_SIZE];
	struct figure figure = { .metric = name,
				 .value = NAN,
				 .text = count->text,
				 .line = count->line,
				 .column = count->column };
	static const char why[] = "perf could not count it";
	struct parsed_record *record;
	double scale;
	bool again;
	int rc;

	name_event(count, name, unit, &figure, &scale);
	if (!*name)
		return 0;
	rc = begin_count(reader, count, name, &again);
	if (rc)
		return rc;
	if (again)
		return parsed_add_note(reader->out, count->line, count->column,
				       "'%s' was counted before: left out", name);
	record = &reader->out->records[reader->record];
	if (count->known) {
		figure.value = number_scale(&count->value, scale);
		/* a count is exact, a time is not */
		figure.half_step = *figure.unit ? count->value.half_step * scale : 0;
	}
	if (count->known && count->enabled_pct < 99.5)
		reader->scaled++;
	if (!reader->repeated && !count->has_percent)
		rc = figure_add(record, &figure);
	else
		rc = figure_add_summary(record, &figure, reader->n, PARSED_SE_PCT,
					count->known && count->has_percent ? &count->percent : NULL,
					count->percent_text);
	if (rc || count->known || record->failed)
		return rc;
	return parsed_set_text(&parsed_last_value(record)->note, why, strlen(why));
}

int perf_note_parts(struct perf_reader *reader, const struct line *line, const char *what)
{
	if (reader->said_parts)
		return 1;
	reader->said_parts = true;
	return parsed_add_note(reader->out, line->number, 1,
			       "%s, from here on: each is a part of one run, so they are left out",
			       what);
}

/* ---- the text ---- */

static int read_line(struct perf_reader *reader, const struct line *line)
{
	struct slice body = line_unquoted(line);
	int rc;

	if (!slice_trim(body).len)
		return 0;
	rc = perf_json_line(reader, line);
	if (!rc)
		rc = perf_csv_line(reader, line);
	if (!rc)
		rc = perf_text_line(reader, line);
	if (!rc)
		rc = perf_head_line(reader, body);
	if (!rc) {
		rc = perf_end_record(reader);
		if (!rc && time_label_line(&reader->label, line, body)) {
			reader->command = (struct slice){ 0 };
			reader->in_block = false;
		}
	}
	return rc;
}

static int read_all(const char *text, size_t len, struct parsed *out, size_t *at)
{
	struct lines lines = { .rest = { text, len } };
	struct perf_reader reader = { .out = out };
	size_t first = out->n;
	struct line line;
	int rc = 0;

	while (rc >= 0 && lines_next(&lines, &line)) {
		*at = line.number;
		rc = read_line(&reader, &line);
	}
	if (rc >= 0)
		rc = perf_end_record(&reader);
	return rc < 0 ? rc : figure_tell_apart(out, first, "result", true,
				 "means of what is called alike");
}

static int perf_stat_parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	size_t line = 0;
	int rc = read_all(text, len, out, &line);

	return rc ? parsed_error(err, rc, line) : 0;
}

/* Records with figures in what can be read; the whole text is not needed to see that. */
static int perf_stat_recognise(const char *text, size_t len)
{
	struct slice all = { text, len };
	struct parsed parsed = { 0 };
	size_t line;
	int sure = 0;

	if (slice_find(all, "Performance counter stats for"))
		return 90;
	if (slice_find(all, "seconds time elapsed") || slice_find(all, "\"counter-value\""))
		return 90;
	if (read_all(text, len < 65536 ? len : 65536, &parsed, &line) != -ENOMEM && parsed.n)
		sure = 40;
	else if (parsed.nnotes)
		sure = 20;
	parsed_release(&parsed);
	return sure;
}

const struct parser parser_perf_stat = {
	.name = "perf-stat",
	.summary = "perf stat: text, also with -r and --table, -x with any separator, -j",
	.recognise = perf_stat_recognise,
	.parse = perf_stat_parse,
};
