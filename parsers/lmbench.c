// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Results of lmbench, versions 2 and 3: the tables of its summaries as people post them, and the
 * raw files.
 *
 *	lmbench_table.c		the tables, by the words above their columns
 *	lmbench_row.c		names and figures of a row
 *	lmbench_batch.c		rows of several tables to runs
 *	lmbench_raw.c		raw files
 *	lmbench_number.c	what stands in a cell
 */
#include <errno.h>
#include <string.h>

#include "parsers/lmbench.h"

enum { LONG_RULER = 50, LONG_DASHES = 30 };

struct reader {
	struct parsed *out;
	struct err *err;
	struct lmbench_batches batches;
	struct lmbench_raw raw;
	struct lmbench_above above;
	struct lmbench_head head; /* .table NULL: no table is being read */
	struct time_label label;
	struct slice row_label, before; /* before: the line above, if it can be a label */
	size_t group, rows;
	size_t joined; /* up to this line all were read with the row above it */
	bool gap;      /* something stood between this row and the last */
};

static bool is_ruler(struct slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.s[i] != '-' && text.s[i] != ' ' && text.s[i] != '=')
			return false;
	return text.len > 0;
}

/* Dashes below a title, which have no gaps, and are longer than any column is wide. */
static bool is_title_ruler(struct slice text)
{
	return text.len >= LONG_RULER ||
	       (text.len >= LONG_DASHES && !memchr(text.s, ' ', text.len));
}

/* The title of a table, or a part of it where lines were wrapped. Its head may not be known. */
static bool is_title(struct slice text)
{
	static const char *const heads[] = { "*Local* Communication", "*Remote* Communication",
					     "File & VM system",      "Context switching - ",
					     "Processor, Processes",  "Memory latencies in",
					     "Basic system parameters", "Basic integer operations",
					     "Basic uint64 operations", "Basic int64 operations",
					     "Basic float operations",  "Basic double operations" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (slice_starts(text, heads[i]))
			return true;
	return slice_ends(text, " is better") || slice_is(text, "is better") ||
	       slice_is(text, "better");
}

static int begin_table(struct reader *reader, const struct lmbench_head *head)
{
	int rc = 0;

	if (lmbench_batch_has(&reader->batches, head->table))
		rc = lmbench_batch_end(&reader->batches);
	if (!reader->batches.now.n)
		reader->batches.now.heading = reader->label.heading;
	reader->head = *head;
	reader->above.n = 0;
	reader->group = reader->rows = 0;
	reader->gap = false;
	reader->row_label = reader->before = (struct slice){ 0 };
	return rc;
}

static int take_row(struct reader *reader, struct lmbench_row *row)
{
	if (reader->before.len)
		reader->row_label = reader->before;
	if (reader->rows && (reader->gap || reader->before.len))
		reader->group++;
	reader->rows++;
	reader->gap = false;
	reader->before = (struct slice){ 0 };
	row->label = reader->row_label;
	row->group = reader->group;
	return lmbench_batch_add(&reader->batches, row);
}

static int note_short(struct reader *reader, const struct line *line, struct slice text)
{
	int rc = parsed_add_note(reader->out, line->number, line_column(line, text.s),
				 "a row of %zu columns has other figures than that, and it is not "
				 "clear which are whose: left out", reader->head.ncolumns);

	reader->gap = false;
	reader->before = (struct slice){ 0 };
	return rc ? parsed_error(reader->err, rc, line->number) : 0;
}

static int note_cut(struct reader *reader, const struct lmbench_cell *cut)
{
	int rc = parsed_add_note(reader->out, cut->line, cut->column,
				 "'%.*s' goes on in the next line: a figure that was cut in two "
				 "is left out", (int)cut->text.len, cut->text.s);

	return rc ? parsed_error(reader->err, rc, cut->line) : 0;
}

/* 1: a row of the table. */
static int read_row(struct reader *reader, const struct line *line, struct slice body,
		    const struct lines *ahead)
{
	struct lmbench_row row;
	size_t joined;
	int rc = 0;

	if (!reader->head.table)
		return 0;
	switch (lmbench_row_read(&reader->head, line, body, ahead, &row, &joined)) {
	case LMBENCH_NO_ROW:
		return 0;
	case LMBENCH_EMPTY_ROW:
		reader->before = (struct slice){ 0 };
		return 1;
	case LMBENCH_SHORT_ROW:
		rc = note_short(reader, line, slice_trim(body));
		break;
	case LMBENCH_ROW:
		rc = take_row(reader, &row);
		if (!rc && row.cut.text.len)
			rc = note_cut(reader, &row.cut);
		break;
	}
	reader->joined = line->number + joined;
	return rc ? rc : 1;
}

static void read_empty(struct reader *reader)
{
	reader->above.n = 0;
	reader->gap = true;
	reader->before = (struct slice){ 0 };
}

/* A line that is no row: a header, or something between rows. */
static int read_other(struct reader *reader, const struct line *line, struct slice text)
{
	struct lmbench_head head;

	if (slice_starts(text, "L M B E N C H ")) {
		reader->head.table = NULL;
		return lmbench_batch_end(&reader->batches);
	}
	if (is_title(text))
		reader->head.table = NULL;
	lmbench_above_add(&reader->above, text, line->number);
	if (lmbench_head_find(&reader->above, &head))
		return begin_table(reader, &head);
	if (reader->head.table && !reader->rows && slice_starts(text, "("))
		return 0;
	reader->before = text;
	reader->gap = true;
	time_label_line(&reader->label, line, text);
	return 0;
}

static int read_line(struct reader *reader, const struct line *line, const struct lines *ahead)
{
	struct slice body = line_unquoted(line), text = slice_trim(body);
	int rc;

	if (line->number <= reader->joined)
		return 0;
	if (!text.len) {
		read_empty(reader);
		return 0;
	}
	if (is_ruler(text)) {
		if (reader->head.table && !reader->rows &&
		    !(reader->gap && is_title_ruler(text) && !slice_has(text, ' ')))
			lmbench_head_ruler(&reader->head, body);
		else if (is_title_ruler(text))
			reader->head.table = NULL; /* below the title of another table */
		return 0;
	}
	rc = lmbench_raw_line(&reader->raw, line, body);
	if (!rc)
		rc = read_row(reader, line, body, ahead);
	if (!rc)
		rc = read_other(reader, line, text);
	return rc < 0 ? rc : 0;
}

static int lmbench_read(struct reader *reader, const char *text, size_t len)
{
	struct lines lines = { .rest = { text, len } };
	struct line line;
	int rc = 0;

	while (!rc && lines_next(&lines, &line))
		rc = read_line(reader, &line, &lines);
	reader->raw.text_end = lines.number;
	if (!rc)
		rc = lmbench_raw_end(&reader->raw);
	if (!rc)
		rc = lmbench_batches_end(&reader->batches);
	lmbench_batches_release(&reader->batches);
	return rc;
}

static void reader_init(struct reader *reader, struct parsed *out, struct err *err)
{
	*reader = (struct reader){ .out = out, .err = err };
	reader->batches.out = reader->raw.out = out;
	reader->batches.err = reader->raw.err = err;
	reader->raw.block = -1;
}

static int lmbench_parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	struct reader reader;

	reader_init(&reader, out, err);
	return lmbench_read(&reader, text, len);
}

static int lmbench_recognise(const char *text, size_t len)
{
	struct parsed parsed = { 0 };
	struct reader reader;
	int rc, sure = 0;

	reader_init(&reader, &parsed, NULL);
	rc = lmbench_read(&reader, text, len);
	if (rc != -ENOMEM && (parsed.n || parsed.nnotes))
		sure = 90;
	parsed_release(&parsed);
	return sure;
}

const struct parser parser_lmbench = {
	.name = "lmbench",
	.summary = "lmbench 2 and 3: tables as they are posted, and raw files",
	.recognise = lmbench_recognise,
	.parse = lmbench_parse,
};
