// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Tables of means with their standard deviation beside them, as people make them:
 *
 *	Kernel     without   STDDEV   with     STDDEV
 *	---------  --------  ------   -------  ------
 *	6.1        14.25       0.50   20.125     1.25
 *
 * A row is what differs (a label), a column a configuration or a metric. Only columns whose name
 * says standard deviation or standard error are a spread. How many runs the means are of is taken
 * from the text where it says one number ("10 runs") and no other.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parsers/means.h"
#include "parsers/number.h"
#include "parsers/time_label.h"

static bool is_ruler(struct slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!text.s[i] || !strchr("-=+|: ", text.s[i]))
			return false;
	return text.len > 0;
}

/* ---- rows ---- */

static bool is_missing(struct slice word)
{
	return slice_is(word, "-") || slice_is(word, "--") || slice_is_nocase(word, "n/a") ||
	       slice_is_nocase(word, "na");
}

static bool is_figure(struct slice word, struct duration *out)
{
	return duration_read(word, out) && out->form == DURATION_BARE && out->len == word.len &&
	       !out->wrong;
}

struct row {
	struct slice name, v[MEANS_COLUMNS];
	size_t n;
	bool bars; /* cells stand between '|' */
};

/* A cell a column. A row of more or fewer cells, or with two figures in one, is short. */
static void read_cells(const struct means_head *head, struct slice body, struct row *out)
{
	struct slice cells[MEANS_COLUMNS + 1];
	size_t n = time_label_cells(body, cells, MEANS_COLUMNS + 1);
	struct duration figure;

	for (size_t i = 1; i < n && i <= head->n; i++) {
		bool known = is_figure(cells[i], &figure);

		if (!known && cells[i].len && !is_missing(cells[i]))
			break;
		out->v[out->n++] = cells[i];
	}
	if (n != head->n + 1 && out->n == head->n)
		out->n--;
	out->name = time_label_clean(cells[0]);
}

/* Figures from the end of the line, and the name in front of them. */
static void read_row(const struct means_head *head, struct slice body, struct row *out)
{
	struct slice rest = slice_trim(body), before, word;
	struct duration figure;

	*out = (struct row){ .bars = slice_has(rest, '|') };
	if (out->bars) {
		read_cells(head, rest, out);
		return;
	}
	while (out->n < head->n) {
		before = rest;
		word = slice_last_word(&before);
		if (!word.len || (!is_figure(word, &figure) && !is_missing(word)))
			break;
		memmove(out->v + 1, out->v, out->n * sizeof(out->v[0]));
		out->v[0] = word;
		out->n++;
		rest = before;
	}
	out->name = time_label_clean(rest);
}

static struct parsed_record *record_of(struct means_reader *reader, const struct row *row,
				       const struct means_column *column, size_t first)
{
	struct parsed *out = reader->out;
	char label[TIME_LABEL_PART], config[TIME_LABEL_PART];
	size_t n = column->is_metric ? 0 : time_label_part(column->name, config);
	struct parsed_record *record;

	/* metrics beside each other are of one record */
	for (size_t i = first; !n && i < out->n; i++)
		if (!out->records[i].config)
			return &out->records[i];
	record = parsed_add_record(out, label, time_label_part(row->name, label));
	if (record && n && parsed_set_text(&record->config, config, n)) {
		errno = ENOMEM;
		return NULL;
	}
	return record;
}

static int note(struct means_reader *reader, const struct line *line, const char *at,
		const char *text)
{
	int rc = parsed_add_note(reader->out, line->number, at ? line_column(line, at) : 0, "%s",
				 text);

	return rc ? parsed_error(reader->err, rc, line->number) : 0;
}

static int add_spread(struct means_reader *reader, struct parsed_record *record,
		      const struct row *row, size_t column, size_t n)
{
	const struct means_head *head = &reader->head;
	const struct means_column *next = column + 1 < head->n ? &head->v[column + 1] : NULL;
	struct duration spread;
	struct slice word;

	if (!next || next->kind != MEANS_SPREAD || !is_figure(row->v[column + 1], &spread) ||
	    spread.grouped)
		return parsed_set_summary(record, n, PARSED_NO_SPREAD, NAN, 0, NULL, 0);
	word = row->v[column + 1];
	return parsed_set_summary(record, n, next->spread, spread.seconds, spread.half_step,
				  word.s, word.len);
}

/* Asks the whole text, so only where there is a table. */
static const struct means_runs *runs_in_text(struct means_reader *reader)
{
	if (!reader->runs_known)
		means_runs_find(reader->all, &reader->runs);
	reader->runs_known = true;
	return &reader->runs;
}

/* The n of a column of its own, else that of the text. */
static size_t runs_of(struct means_reader *reader, const struct row *row)
{
	double count;

	for (size_t i = 0; i < reader->head.n; i++)
		if (reader->head.v[i].kind == MEANS_RUNS && slice_count(row->v[i], &count) &&
		    count >= 1 && count < 1e9)
			return (size_t)count;
	return runs_in_text(reader)->conflict ? 0 : runs_in_text(reader)->n;
}

static bool has_metric(const struct parsed_record *record, const char *metric)
{
	for (size_t i = 0; i < record->n; i++)
		if (!strcmp(record->values[i].metric, metric))
			return true;
	return false;
}

static int add_mean(struct means_reader *reader, const struct line *line, const struct row *row,
		    size_t i, size_t first)
{
	const struct means_column *column = &reader->head.v[i];
	struct parsed_record *record;
	struct parsed_value *value;
	struct duration mean;
	char metric[TIME_LABEL_PART + 1];
	size_t len;
	int rc;

	if (!row->v[i].len || is_missing(row->v[i]))
		return 0;
	is_figure(row->v[i], &mean);
	if (mean.grouped)
		return note(reader, line, row->v[i].s, "a decimal comma or thousands? Left out");
	record = record_of(reader, row, column, first);
	if (!record)
		return parsed_error(reader->err, errno, line->number);
	len = column->is_metric ? time_label_part(column->name, metric) : 0;
	if (!len)
		len = (size_t)snprintf(metric, sizeof(metric), "%s",
				       reader->head.times ? "time" : "value");
	metric[len] = '\0';
	for (size_t k = 0; k < len; k++)
		if ((unsigned char)metric[k] < ' ')
			metric[k] = '_';
	if (has_metric(record, metric))
		return note(reader, line, row->v[i].s,
			    "a second column of that name: left out");
	rc = parsed_add_value(record, metric, column->unit, mean.seconds, mean.half_step,
			      row->v[i].s, row->v[i].len, line->number,
			      line_column(line, row->v[i].s));
	if (!rc) {
		value = parsed_last_value(record);
		value->headline = true;
		value->better = column->better != PARSED_NO_DIRECTION ? column->better :
				reader->head.times && !column->is_metric ? PARSED_LOWER :
									   PARSED_NO_DIRECTION;
		rc = add_spread(reader, record, row, i, runs_of(reader, row));
	}
	return rc ? parsed_error(reader->err, rc, line->number) : 0;
}

/* "diff", "change (%)", "mean": no measurement of its own. */
static bool is_derived(struct slice name)
{
	static const char *const words[] = { "diff",   "difference", "delta", "change", "changes",
					     "ratio",  "improvement", "speedup", "overhead",
					     "mean",   "average",    "avg",   "median", "%",
					     "(%)" };
	struct slice word;

	while ((word = slice_next_word(&name)).len) {
		bool derived = false;

		if (word.len > 1 && slice_ends(word, ":"))
			word.len--;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !derived; i++)
			derived = slice_is_nocase(word, words[i]);
		if (!derived)
			return false;
	}
	return true;
}

/* Nothing but a figure in the next line, or half of one: a row without a name it is not. */
static bool goes_on(const struct line *next)
{
	struct slice rest = next ? line_unquoted(next) : (struct slice){ "", 0 }, word;
	struct number number;
	size_t n = 0;

	while ((word = slice_next_word(&rest)).len) {
		if (slice_starts(word, "."))
			word = slice_from(word, word.s + 1);
		if (word.len && (!number_read(word, &number) || number.len != word.len))
			return false;
		n++;
	}
	return n == 1;
}

/* 1: a row of the table. */
static int take_row(struct means_reader *reader, const struct line *line, struct slice body,
		    const struct line *next)
{
	size_t first = reader->out->n;
	struct row row;
	int rc = 0;

	body = slice_trim(body);
	if (reader->head.framed && (body.s[0] != '|' || body.s[body.len - 1] != '|')) {
		if (!slice_has(body, '|'))
			return 0;
		rc = note(reader, line, NULL, "a part of a row, as where a line was wrapped: left "
					      "out");
		return rc ? rc : 1;
	}
	read_row(&reader->head, body, &row);
	if (row.n < reader->head.n) {
		if (!row.bars && (!row.n || 2 * row.n < reader->head.n))
			return 0;
		rc = note(reader, line, row.n ? row.v[0].s : body.s,
			  "fewer figures than columns, and it is not clear whose they are: left "
			  "out");
		return rc ? rc : 1;
	}
	if (!row.name.len)
		return 0;
	if (goes_on(next)) {
		rc = note(reader, line, row.v[row.n - 1].s,
			  "a row that goes on in the next line: left out");
		return rc ? rc : 1;
	}
	if (is_derived(row.name)) {
		rc = note(reader, line, row.name.s,
			  "a row that is computed from others by its name is left out");
		return rc ? rc : 1;
	}
	for (size_t i = 0; !rc && i < row.n; i++)
		if (reader->head.v[i].kind == MEANS_MEAN)
			rc = add_mean(reader, line, &row, i, first);
	return rc ? rc : 1;
}

/* ---- the text ---- */

static int begin_table(struct means_reader *reader, const struct line *line)
{
	struct means_head *head = &reader->head;
	int rc = 0;

	head->times = means_above_times(&reader->above, line->number);
	for (size_t i = 0; !rc && i < head->n; i++)
		if (head->v[i].kind == MEANS_OTHER)
			rc = note(reader, line, head->v[i].name.s,
				  "a column that is no mean by its name is left out");
	return rc;
}

static int note_head(struct means_reader *reader, const struct line *line)
{
	struct means_head *head = &reader->head;
	bool told = false;
	int rc = 0;

	if (head->told)
		return 0;
	head->told = true;
	for (size_t i = 0; i < head->n; i++)
		told |= head->v[i].kind == MEANS_RUNS;
	if (!told && runs_in_text(reader)->conflict)
		rc = note(reader, line, NULL,
			  "the text speaks of several numbers of runs: it is not known how many "
			  "these means are of");
	else if (!told && !runs_in_text(reader)->n)
		rc = note(reader, line, NULL,
			  "the text does not say how many runs these means are of");
	if (!rc && head->times)
		rc = note(reader, line, NULL,
			  "taken for times, as the text above says; it names no unit of them");
	return rc;
}

static int read_line(struct means_reader *reader, const struct line *line,
		     const struct line *next)
{
	struct slice body = line_unquoted(line), text = slice_trim(body), ruler = { 0 };
	int rc = 0;

	if (reader->head.n && !is_ruler(text)) {
		rc = text.len ? take_row(reader, line, body, next) : 0;
		if (rc > 0)
			return note_head(reader, line);
		if (rc < 0)
			return rc;
		if (text.len || reader->head.told)
			reader->head.n = 0;
	}
	if (!text.len || is_ruler(text))
		return 0;
	if (next && is_ruler(slice_trim(line_unquoted(next))))
		ruler = line_unquoted(next);
	if (means_head_read(body, ruler, &reader->head)) {
		bool wrapped = reader->head_line && reader->head_line + 1 == line->number;

		reader->head_line = line->number;
		if (!wrapped)
			return begin_table(reader, line);
		reader->head.n = 0;
		return note(reader, line, NULL, "names of columns in two lines: left out");
	}
	means_above_add(&reader->above, text, line->number);
	return 0;
}

/* enough: the first row says that the text is ours. */
static int read_all(const char *text, size_t len, bool enough, struct parsed *out,
		    struct err *err)
{
	struct means_reader reader = { .out = out, .err = err, .all = { text, len } };
	struct lines lines = { .rest = reader.all };
	struct line line, next;
	bool more = lines_next(&lines, &line);
	int rc = 0;

	while (!rc && more && !(enough && out->n)) {
		more = lines_next(&lines, &next);
		rc = read_line(&reader, &line, more ? &next : NULL);
		line = next;
	}
	return rc;
}

static int means_parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	return read_all(text, len, false, out, err);
}

static int means_recognise(const char *text, size_t len)
{
	struct parsed parsed = { 0 };
	int rc = read_all(text, len, true, &parsed, NULL);
	int sure = rc == -ENOMEM ? 0 : parsed.n ? 50 : 0;

	parsed_release(&parsed);
	return sure;
}

const struct parser parser_means = {
	.name = "means",
	.summary = "tables of means with their standard deviation beside them",
	.recognise = means_recognise,
	.parse = means_parse,
};
