// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * kernbench, from its log, its terminal or a mail that puts two kernels side by side:
 *
 *	Average Half load -j 8 Run (std deviation):
 *	Elapsed Time 120.68 (0.425558)
 *	User Time 583.488 (0.54099)
 *
 * What is in parentheses is the sd. A run of kernbench goes through up to three loads, and except
 * for the elapsed time it never sets its sums back between them: the second load's figures are over
 * the runs of the first two, the third's over all. Such a mean is nobody's; it gets a name of its
 * own ("user.mixed"), its sd is not used.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "parsers/figure.h"
#include "parsers/time_label.h"

enum { MOST_COLUMNS = 8, NAME_SIZE = 32 };

static const struct row {
	const char *words[2]; /* of its head; the second may be missing */
	const char *metric, *unit;
	bool headline, counts_alone; /* counts_alone: set back for each load */
} rows[] = {
	{ { "Elapsed", "Time" }, "real", "s", true, true },
	{ { "User", "Time" }, "user", "s", true, false },
	{ { "System", "Time" }, "sys", "s", true, false },
	{ { "Percent", "CPU" }, "cpu_percent", "%", false, false },
	{ { "Context", "Switches" }, "context_switches", "", false, false },
	{ { "Sleeps", NULL }, "sleeps", "", false, false },
};

struct cell {
	struct slice mean, sd; /* sd: what is in parentheses, empty without them */
	struct number value, spread;
};

struct reader {
	struct parsed *out;
	struct time_label label;
	struct slice kernel; /* from the head of a log */
	bool after_date;
	size_t n, counted; /* runs: as announced, as seen; 0: not known */
	int rank;	   /* of the load before in this run of kernbench; 0: none */

	/* the block that is being read */
	bool active, mixed, says_sd;
	struct slice jobs, names[MOST_COLUMNS + 1];
	size_t columns, line;	  /* columns: 0 until the first row */
	size_t records;		  /* index of the first of them */
	struct time_label header; /* lines that may name the columns */
};

/* ---- the head of a block ---- */

static int rank_of(struct slice text)
{
	static const char *const loads[] = { "half", "optimal", "maximal" };
	struct slice word = slice_next_word(&text);

	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		if (slice_is_nocase(word, loads[i]))
			return (int)i + 1;
	return 0;
}

/* What stands behind "-j", which is nothing for as many jobs as make likes. */
static struct slice jobs_of(struct slice text)
{
	struct slice word;
	double count;

	while ((word = slice_next_word(&text)).len) {
		if (!slice_starts(word, "-j"))
			continue;
		word = word.len > 2 ? slice_from(word, word.s + 2) : slice_next_word(&text);
		if (slice_count(word, &count))
			return word;
		break;
	}
	return (struct slice){ "unlimited", strlen("unlimited") };
}

/* "Average Half load -j 8 Run (std deviation):" */
static bool read_head(struct reader *reader, const struct line *line, struct slice text)
{
	struct slice rest = text;
	int rank;

	if (!slice_is(slice_next_word(&rest), "Average") || !slice_find(rest, "-j"))
		return false;
	rank = rank_of(rest);
	if (!rank)
		return false;
	reader->active = true;
	reader->mixed = reader->rank && rank > reader->rank;
	reader->says_sd = slice_find(rest, "(std deviation)") != NULL;
	reader->rank = rank;
	reader->jobs = jobs_of(rest);
	reader->columns = 0;
	reader->line = line->number;
	memset(&reader->header, 0, sizeof(reader->header));
	return true;
}

/* ---- rows ---- */

/* The row that the line is, with text cut to its cells. */
static const struct row *row_of(struct slice *text)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice rest = *text;

		if (!slice_is(slice_next_word(&rest), rows[i].words[0]))
			continue;
		if (rows[i].words[1] && !slice_is(slice_next_word(&rest), rows[i].words[1]))
			continue;
		*text = rest;
		return &rows[i];
	}
	return NULL;
}

/* A mean and, where there is one, its sd. False: something else, or cut off. */
static bool read_cell(struct slice *rest, struct cell *cell)
{
	struct slice word = slice_next_word(rest), after = *rest, next;
	const char *close;

	*cell = (struct cell){ .mean = word };
	if (!number_word(word, &cell->value) || cell->value.value < 0)
		return false;
	next = slice_trim(after);
	if (!next.len || next.s[0] != '(')
		return true;
	close = slice_find(next, ")");
	if (!close)
		return false;
	cell->sd = slice_trim(slice_until(slice_from(next, next.s + 1), close));
	*rest = slice_from(next, close + 1);
	return number_word(cell->sd, &cell->spread) && cell->spread.value >= 0;
}

/* A last word "0.50%" is the change between two columns. */
static void drop_change(struct slice *text)
{
	struct slice rest = *text, word = slice_last_word(&rest);

	if (slice_ends(word, "%"))
		*text = rest;
}

static int note(struct reader *reader, const struct line *line, struct slice at, const char *text)
{
	return parsed_add_note(reader->out, line->number, line_column(line, at.s), "%s", text);
}

/* ---- records ---- */

static size_t runs_of(const struct reader *reader)
{
	return reader->counted ? reader->counted : reader->n;
}

static int begin_records(struct reader *reader)
{
	char heading[TIME_LABEL_PART];
	struct slice label = reader->kernel;
	int rc = 0;

	if (!label.len && reader->label.heading.len)
		label = (struct slice){ heading, time_label_part(reader->label.heading, heading) };
	reader->records = reader->out->n;
	for (size_t i = 0; !rc && i < reader->columns; i++) {
		struct slice name = reader->columns > 1 ? reader->names[i] : label;
		struct parsed_record *record =
			figure_record(reader->out, name, "kernbench", reader->line);

		if (!record)
			return -errno;
		rc = parsed_add_point(record, "jobs", reader->jobs.s, reader->jobs.len);
	}
	time_label_used(&reader->label);
	return rc;
}

static int add_cell(struct reader *reader, const struct line *line, const struct row *row,
		    const struct cell *cell, size_t column)
{
	struct parsed_record *record = &reader->out->records[reader->records + column];
	bool mixed = reader->mixed && !row->counts_alone;
	char metric[NAME_SIZE];
	struct figure figure = {
		.metric = metric,
		.unit = row->unit,
		.value = cell->value.value,
		.half_step = cell->value.half_step,
		.better = row->headline ? PARSED_LOWER : PARSED_NO_DIRECTION,
		.headline = row->headline && !mixed,
		.text = cell->mean,
		.line = line->number,
		.column = line_column(line, cell->mean.s),
	};
	static const char why[] = "over the runs of all loads up to this one, as kernbench does "
				  "it: not to be compared";
	int rc;

	strcpy(metric, row->metric);
	if (mixed)
		strcat(metric, ".mixed");
	/* of a single run it prints no sd, though the head says so */
	if (!cell->sd.len && reader->says_sd && runs_of(reader) <= 1)
		rc = figure_add(record, &figure);
	else
		rc = figure_add_summary(record, &figure, mixed ? 0 : runs_of(reader), PARSED_SD,
					mixed || !cell->sd.len ? NULL : &cell->spread, cell->sd);
	if (!rc && mixed)
		rc = parsed_set_text(&parsed_last_value(record)->note, why, strlen(why));
	return rc;
}

static int name_columns(struct reader *reader, const struct line *line, size_t n)
{
	if (n == 1 || time_label_columns(&reader->header, false, false, n, reader->names)) {
		reader->columns = n;
		return begin_records(reader);
	}
	reader->active = false;
	return parsed_add_note(reader->out, line->number, 1,
			       "%zu columns whose names cannot be told: left out", n);
}

static int read_row(struct reader *reader, const struct line *line, struct slice text)
{
	struct cell cells[MOST_COLUMNS];
	const struct row *row = row_of(&text);
	size_t n = 0;
	int rc = 0;

	if (!row)
		return 0;
	drop_change(&text);
	while (slice_trim(text).len) {
		if (n == MOST_COLUMNS || !read_cell(&text, &cells[n]))
			return note(reader, line, n < MOST_COLUMNS ? cells[n].mean : line->text,
				    "a row of kernbench that is cut off or has something else in "
				    "it: left out");
		n++;
	}
	if (!n)
		return note(reader, line, line->text, "a row without figures: left out");
	for (size_t i = 1; i < n; i++)
		if (!cells[i].sd.len != !cells[0].sd.len)
			return note(reader, line, cells[i].mean,
				    "deviations for a part of the figures, as where a line was "
				    "cut: left out");
	if (!reader->columns)
		rc = name_columns(reader, line, n);
	if (rc || !reader->active)
		return rc;
	if (n != reader->columns)
		return note(reader, line, cells[0].mean,
			    "another number of columns than above: left out");
	for (size_t i = 0; !rc && i < n; i++)
		rc = add_cell(reader, line, row, &cells[i], i);
	return rc;
}

static int end_block(struct reader *reader)
{
	if (!reader->active)
		return 0;
	reader->active = false;
	reader->counted = 0;
	if (!reader->mixed || !reader->columns)
		return 0;
	return parsed_add_note(reader->out, reader->line, 1,
			       "a load after another one: kernbench's user and system time and "
			       "counts mix the runs of all loads; they are kept as '.mixed', "
			       "without their deviation");
}

/* ---- the text around ---- */

/* "Fri Oct 13 06:22:09 PM EDT 2023" */
static bool is_date(struct slice text)
{
	static const char *const days[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };
	struct slice rest = text, year = slice_last_word(&rest), day = slice_next_word(&rest);
	double count;

	if (year.len != 4 || !slice_count(year, &count) || !slice_find(rest, ":"))
		return false;
	for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++)
		if (slice_is(day, days[i]))
			return true;
	return false;
}

/* A new start of kernbench: its loads count from the first again. */
static void begin_kernbench(struct reader *reader)
{
	reader->rank = 0;
	reader->n = reader->counted = 0;
}

/* "Half load -j 8 run number 1..." */
static bool is_progress(struct reader *reader, struct slice text)
{
	struct slice rest = text;
	double count;

	if (rank_of(text) && slice_find(text, " run number ")) {
		rest = slice_from(text, slice_find(text, " run number ") + strlen(" run number "));
		while (slice_ends(rest, "."))
			rest.len--;
		if (slice_count(rest, &count) && count >= 1 && count < 1e6)
			reader->counted = (size_t)count;
		return true;
	}
	if (slice_starts(text, "Performing ")) {
		begin_kernbench(reader);
		slice_next_word(&rest);
		if (slice_count(slice_next_word(&rest), &count) && count < 1e6)
			reader->n = (size_t)count;
		return true;
	}
	return slice_ends(text, "...") || slice_starts(text, "make -j") ||
	       slice_ends(text, " cpus found") || slice_starts(text, "All data logged") ||
	       slice_starts(text, "No old config found");
}

static void read_text(struct reader *reader, const struct line *line, struct slice text)
{
	struct slice rest = text, word;

	if (is_date(text)) {
		reader->after_date = true;
		return;
	}
	if (reader->after_date) {
		word = slice_next_word(&rest);
		if (!slice_trim(rest).len) {
			begin_kernbench(reader);
			reader->kernel = word;
		}
		reader->after_date = false;
		return;
	}
	if (is_progress(reader, text))
		return;
	if (time_label_line(&reader->label, line, text))
		reader->kernel = (struct slice){ 0 };
}

static int read_line(struct reader *reader, const struct line *line)
{
	struct slice body = line_unquoted(line), text;
	int rc;

	/* as a mail archive may have kept the end of a line */
	if (slice_ends(body, "=0A="))
		body.len -= strlen("=0A=");
	text = slice_trim(body);
	if (!text.len)
		return 0;
	if (slice_starts(text, "Average ")) {
		rc = end_block(reader);
		if (rc || read_head(reader, line, text))
			return rc;
	}
	if (reader->active) {
		struct slice cells = text;

		if (row_of(&cells))
			return read_row(reader, line, text);
		if (slice_find(text, "(std deviation)")) {
			reader->says_sd = true;
			return 0;
		}
		if (!reader->columns) {
			time_label_line(&reader->header, line, body);
			return 0;
		}
		rc = end_block(reader);
		if (rc)
			return rc;
	}
	read_text(reader, line, text);
	return 0;
}

static int kernbench_parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	struct lines lines = { .rest = { text, len } };
	struct reader reader = { .out = out };
	size_t first = out->n;
	struct line line = { .number = 0 };
	int rc = 0;

	while (!rc && lines_next(&lines, &line))
		rc = read_line(&reader, &line);
	if (!rc)
		rc = end_block(&reader);
	if (!rc)
		rc = figure_tell_apart(out, first, "result", false,
					 "results of one kernel and one number of jobs, which "
					 "the text does not tell apart");
	return rc ? parsed_error(err, rc, line.number) : 0;
}

static int kernbench_recognise(const char *text, size_t len)
{
	struct lines lines = { .rest = { text, len } };
	struct reader reader = { 0 };
	struct line line;

	while (lines_next(&lines, &line))
		if (read_head(&reader, &line, slice_trim(line_unquoted(&line))))
			return 90;
	return 0;
}

const struct parser parser_kernbench = {
	.name = "kernbench",
	.summary = "kernbench: means and deviations of each load, one kernel or several",
	.recognise = kernbench_recognise,
	.parse = kernbench_parse,
};
