// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What time commands print: the shells' keyword and the program, of GNU, BSD, BusyBox and POSIX,
 * as it stands in logs, mails and web pages. Only what can be read in one way is taken; the rest
 * gets a note. Nothing is kept of a line but slices of the text, and each line is looked at a
 * fixed number of times, so that the time is linear in the text.
 *
 *	time_items.c, time_row.c	real, user, sys in rows and columns
 *	time_one_line.c			csh, zsh, GNU's default; BSD's -l
 *	time_verbose.c			-v of GNU and BusyBox
 *	time_label.c, time_parents.c	what the times are of
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/time_reader.h"

static int no_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory while the text was read");
}

int time_note(struct time_reader *reader, size_t line, size_t column, const char *text)
{
	int rc = parsed_add_note(reader->out, line, column, "%s", text);

	time_label_used(&reader->label); /* what was said was of this */
	if (rc == -E2BIG)
		return err_set(reader->err, E2BIG,
			       "line %zu: more than %d places that cannot be read", line,
			       PARSED_MAX_NOTES);
	return rc ? no_memory(reader->err) : 0;
}

int time_check(struct time_reader *reader, const struct duration *duration, const char *at,
	       const struct line *line)
{
	struct parsed *out = reader->out;
	int rc;

	if (!duration->wrong)
		return 0;
	time_label_used(&reader->label);
	rc = parsed_add_note(out, line->number, line_column(line, at),
			     "'%.*s' is no time (%s): left out", (int)duration->len, at,
			     duration->wrong);
	if (rc == -E2BIG)
		return time_note(reader, line->number, 0, "");
	return rc ? no_memory(reader->err) : 1;
}

void time_values_add(struct time_values *values, const char *metric, const char *unit, double value,
		     double half_step, struct slice text, const struct line *line)
{
	if (values->n == TIME_VALUES)
		return;
	values->v[values->n++] = (struct time_value){
		.metric = metric,
		.unit = unit,
		.value = value,
		.half_step = half_step,
		.text = text,
		.line = line->number,
		.column = line_column(line, text.s),
	};
}

void time_values_add_duration(struct time_values *values, const char *metric,
			      const struct duration *duration, const char *at,
			      const struct line *line)
{
	struct slice text = { at, duration->len };

	time_values_add(values, metric, "s", duration->seconds, duration->half_step, text, line);
}

bool time_values_add_percent(struct time_values *values, struct slice word, const struct line *line)
{
	struct slice number = word;
	struct duration percent;

	if (slice_ends(number, "CPU"))
		number.len -= 3;
	if (!slice_ends(number, "%"))
		return false;
	number.len--;
	if (slice_is(number, "?")) {
		time_values_add(values, "cpu_percent", "%", NAN, 0, number, line);
		return true;
	}
	if (!duration_with(number, "", &percent) || percent.form != DURATION_BARE || percent.wrong)
		return false;
	time_values_add(values, "cpu_percent", "%", percent.seconds, percent.half_step, number,
			line);
	return true;
}

/* Times and faults are better low; how busy the CPU was and the switches are neither. */
static void set_direction(struct parsed_value *value)
{
	static const char *const lower[] = { "real",	"user",		"sys",
					     "max_rss", "major_faults", "minor_faults" };

	for (size_t i = 0; i < sizeof(lower) / sizeof(lower[0]); i++) {
		if (strcmp(value->metric, lower[i]) != 0)
			continue;
		value->better = PARSED_LOWER;
		value->headline = i < TIME_METRICS;
	}
}

static bool has_metric(const struct parsed_record *record, const char *metric)
{
	for (size_t i = 0; i < record->n; i++)
		if (!strcmp(record->values[i].metric, metric))
			return true;
	return false;
}

static int add_values(struct time_reader *reader, struct parsed_record *record,
		      const struct time_values *values)
{
	for (size_t i = 0; i < values->n; i++) {
		const struct time_value *v = &values->v[i];

		if (has_metric(record, v->metric))
			continue; /* lines about use of resources once more */
		if (parsed_add_value(record, v->metric, v->unit, v->value, v->half_step, v->text.s,
				     v->text.len, v->line, v->column))
			return no_memory(reader->err); /* there are not as many metrics */
		set_direction(parsed_last_value(record));
	}
	return 0;
}

int time_add_record(struct time_reader *reader, const struct time_values *values,
		    struct slice beside, const struct slice *column, bool without_row)
{
	struct slice none = { 0 };
	struct parsed_record *record;
	char label[TIME_LABEL_SIZE];
	size_t n = time_label_compose(&reader->label, without_row, beside, column ? *column : none,
				      label);

	record = parsed_add_record(reader->out, label, n);
	if (!record && errno == E2BIG)
		return err_set(reader->err, E2BIG, "more than %d times in one text",
			       PARSED_MAX_RECORDS);
	if (!record || time_parents_add(&reader->parents, reader->label.parent))
		return no_memory(reader->err);
	if (reader->failed) {
		size_t len = reader->failure.len < 200 ? reader->failure.len : 200;

		if (parsed_fail(record, reader->failure.s, len))
			return no_memory(reader->err);
	}
	return add_values(reader, record, values);
}

int time_add_values(struct time_reader *reader, const struct time_values *values)
{
	return add_values(reader, &reader->out->records[reader->out->n - 1], values);
}

void time_record_done(struct time_reader *reader, enum time_attach attach)
{
	reader->failed = false;
	reader->attach = attach;
	time_label_used(&reader->label);
}

/* As bash, zsh, tcsh and dash say that there is no such command. */
static bool is_not_found(struct slice text)
{
	struct slice rest = text, shell = slice_next_word(&rest), line = slice_next_word(&rest);

	if (slice_ends(text, ": command not found") || slice_ends(text, ": Command not found.") ||
	    slice_find(text, "sh: command not found: "))
		return true;
	return slice_ends(text, ": not found") && slice_ends(shell, "sh:") &&
	       slice_ends(line, ":");
}

/* Lines that say that the program whose time comes next failed. */
static bool says_failed(struct slice text, unsigned int has)
{
	static const char *const whole[] = { "Killed",	  "Aborted",   "Segmentation fault",
					     "Terminated", "Bus error",
					     "Floating point exception" };
	const char *star = has & HAS_STAR ? slice_find(text, ": *** ") : NULL;
	struct slice before = star ? slice_until(text, star) : text;

	if (star && (slice_find(before, "make") || slice_find(before, "ninja")))
		return !slice_find(text, "(ignored)");
	if (slice_starts(text, "Command terminated by signal ") ||
	    slice_starts(text, "Command exited with non-zero status ") ||
	    slice_starts(text, "Command stopped by signal "))
		return true;
	if (slice_starts(text, "ninja: build stopped") || slice_ends(text, "(core dumped)"))
		return true;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (slice_is(text, whole[i]))
			return true;
	return is_not_found(text);
}

static int read_text(struct time_reader *reader, const struct line *line, struct slice body)
{
	reader->attach = ATTACH_NOTHING;
	if (says_failed(slice_trim(body), reader->has)) {
		reader->failed = true;
		reader->failure = slice_trim(body);
	} else if (time_label_line(&reader->label, line, body)) {
		reader->failed = false;
	}
	return 0;
}

static int read_line(struct time_reader *reader, const struct line *line)
{
	struct slice body = line_unquoted(line);
	int rc;

	if (!slice_trim(body).len)
		return 0;
	reader->has = contents_of(body);
	rc = time_read_verbose(reader, line, body);
	if (!rc)
		rc = time_end_verbose(reader);
	if (!rc)
		rc = time_read_row(reader, line, body);
	if (!rc)
		rc = time_end_block(reader);
	if (!rc)
		rc = time_read_one_line(reader, line, body);
	if (!rc)
		rc = time_read_attached(reader, line, body);
	if (!rc)
		rc = read_text(reader, line, body);
	return rc < 0 ? rc : 0;
}

/* ---- times in two halves ---- */

/* The text as it begins; what a mail was quoted with has one blank behind it. */
static struct slice head_of(const struct line *line)
{
	struct slice text = line_unquoted(line);

	if (text.s != line->text.s && text.len && text.s[0] == ' ')
		text = slice_from(text, text.s + 1);
	return text;
}

static bool names_time(struct slice text)
{
	return contents_of(text) & (HAS_REAL | HAS_USER | HAS_SYS | HAS_TIME);
}

/* Bytes that a half of a time may end with. */
static bool is_cut_end(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == ',' || c == ':' || c == 'm';
}

/*
 * Was the line cut within a time to fit some width? What ends it and what begins the next are one
 * then. Digits alone are also what a script prints below the times of a command.
 */
static bool is_cut(const struct line *line, const struct line *next)
{
	enum { NARROWEST = 40 };
	struct slice body = line->text, head = head_of(next), rest = head;
	struct slice last = slice_last_word(&body), first = slice_next_word(&rest);
	struct duration duration;
	char both[48];

	if (!last.len || !first.len || first.s != head.s ||
	    last.s + last.len != line->text.s + line->text.len ||
	    last.len + first.len > sizeof(both))
		return false;
	memcpy(both, last.s, last.len);
	memcpy(both + last.len, first.s, first.len);
	if (!duration_read((struct slice){ both, last.len + first.len }, &duration) ||
	    duration.len != last.len + first.len)
		return false;
	if (line->text.len >= NARROWEST)
		return names_time(line->text) || names_time(next->text);
	return duration.form != DURATION_BARE && names_time(line->text);
}

/* 1: both lines are read; 0: not cut. */
static int skip_cut(struct time_reader *reader, const struct line *line, struct lines *lines)
{
	struct lines after = *lines;
	struct line next;
	int rc;

	if (!line->text.len || !is_cut_end(line->text.s[line->text.len - 1]) ||
	    !lines_next(&after, &next) || !next.text.len || !is_cut(line, &next))
		return 0;
	*lines = after;
	rc = time_end_verbose(reader);
	if (!rc)
		rc = time_end_block(reader);
	if (!rc)
		rc = time_note(reader, line->number, line->text.len,
			       "a time that goes on in the next line: both lines are left out");
	return rc ? rc : 1;
}

/* A record with user and sys as well can hardly be something else. */
static int score(const struct parsed_record *record)
{
	return record->n > 3 ? 90 : record->n > 2 ? 80 : 40;
}

/* enough: nothing more is read behind a record that leaves no doubt. */
static int read_all(const char *text, size_t len, bool enough, struct parsed *out,
		    struct err *err)
{
	struct time_reader reader = { .out = out, .err = err, .parents.first = out->n };
	struct lines lines = { .rest = { text, len } };
	struct line line;
	int rc = 0;

	while (!rc && lines_next(&lines, &line)) {
		rc = skip_cut(&reader, &line, &lines);
		if (!rc)
			rc = read_line(&reader, &line);
		rc = rc < 0 ? rc : 0;
		if (enough && out->n && score(&out->records[out->n - 1]) == 90)
			break;
	}
	if (!rc)
		rc = time_end_verbose(&reader);
	if (!rc)
		rc = time_end_block(&reader);
	if (!rc && time_parents_apply(&reader.parents, out))
		rc = no_memory(err);
	time_parents_release(&reader.parents);
	return rc;
}

static int time_parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	return read_all(text, len, false, out, err);
}

static int time_recognise(const char *text, size_t len)
{
	struct parsed parsed = { 0 };
	int rc = read_all(text, len, true, &parsed, NULL);
	int sure = parsed.nnotes ? 5 : 0;

	for (size_t i = 0; i < parsed.n; i++)
		if (score(&parsed.records[i]) > sure)
			sure = score(&parsed.records[i]);
	if (rc == -ENOMEM)
		sure = 0;

	parsed_release(&parsed);
	return sure;
}

const struct parser parser_time = {
	.name = "time",
	.summary = "time of bash, zsh, csh, GNU, BSD, BusyBox and POSIX, one run or many",
	.recognise = time_recognise,
	.parse = time_parse,
};
