// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The tables of one summary become records: the rows of one run stand in each table in the same
 * place, or alone have their names. What tells the runs apart is their label: a bare line above
 * them, the description in the table of systems, the kernel, the host; and where there is only an
 * empty line between them, their number.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/lmbench.h"

enum { OS_WIDTH = 13, MOST_BY_NAME = 64 };

struct run {
	struct slice host, os, label, description;
	size_t group, line;
	size_t values;
	size_t record;
};

struct runs {
	struct run *v;
	size_t n;
	size_t *of_row;
};

static bool same(struct slice a, struct slice b)
{
	return a.len == b.len && (!a.len || !memcmp(a.s, b.s, a.len));
}

int lmbench_batch_add(struct lmbench_batches *batches, const struct lmbench_row *row)
{
	struct lmbench_batch *batch = &batches->now;

	if (batch->n == batch->cap) {
		size_t cap = batch->cap ? 2 * batch->cap : 8;
		struct lmbench_row *grown;

		if (batch->n >= PARSED_MAX_RECORDS)
			return parsed_error(batches->err, E2BIG, row->line);
		grown = reallocarray(batch->rows, cap, sizeof(*grown));
		if (!grown)
			return parsed_error(batches->err, ENOMEM, row->line);
		batch->rows = grown;
		batch->cap = cap;
	}
	batch->rows[batch->n++] = *row;
	return 0;
}

bool lmbench_batch_has(const struct lmbench_batches *batches, const struct lmbench_table *table)
{
	const struct lmbench_batch *batch = &batches->now;

	/* a table's rows follow each other */
	for (size_t i = 0; i < batch->n; i++)
		if ((!i || batch->rows[i].table != batch->rows[i - 1].table) &&
		    !strcmp(batch->rows[i].table->family, table->family))
			return true;
	return false;
}

/* ---- rows to runs ---- */

static bool same_names(const struct run *run, const struct lmbench_row *row)
{
	return same(run->host, row->host) && same(run->os, row->os) &&
	       (!run->label.len || !row->label.len || same(run->label, row->label));
}

static const struct run *find_run(const struct runs *runs, const struct lmbench_row *row)
{
	const struct run *found = NULL;

	for (size_t i = 0; i < runs->n; i++) {
		if (!same_names(&runs->v[i], row))
			continue;
		if (found)
			return NULL;
		found = &runs->v[i];
	}
	return found;
}

/* Row i of this table is run i. */
static bool in_step(const struct runs *runs, const struct lmbench_row *rows, size_t n)
{
	if (n != runs->n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_names(&runs->v[i], &rows[i]) ||
		    (!rows[i].label.len && runs->v[i].group != rows[i].group))
			return false;
	return true;
}

static void add_run(struct runs *runs, const struct lmbench_row *row)
{
	runs->v[runs->n++] = (struct run){ .host = row->host, .os = row->os, .group = row->group,
					   .line = row->line };
}

/* Each row has the names of one run, each of another one; of gets which. */
static bool by_name(const struct runs *runs, const struct lmbench_row *rows, size_t n, size_t *of)
{
	if (runs->n > MOST_BY_NAME || n > MOST_BY_NAME)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct run *run = find_run(runs, &rows[i]);

		if (!run)
			return false;
		of[i] = (size_t)(run - runs->v);
		for (size_t k = 0; k < i; k++)
			if (of[k] == of[i])
				return false;
	}
	return true;
}

static void take_table(struct runs *runs, const struct lmbench_row *rows, size_t first, size_t n)
{
	bool steps = in_step(runs, rows + first, n);
	size_t *of = runs->of_row + first;
	bool names = !steps && by_name(runs, rows + first, n, of);

	for (size_t i = 0; i < n; i++) {
		const struct lmbench_row *row = &rows[first + i];
		struct run *run;

		if (steps)
			of[i] = i;
		else if (!names)
			of[i] = runs->n;
		if (of[i] == runs->n)
			add_run(runs, row);
		run = &runs->v[of[i]];
		if (row->label.len)
			run->label = row->label;
		if (row->description.len)
			run->description = row->description;
	}
}

static bool is_figure(const struct lmbench_row *row, size_t column, struct lmbench_number *out)
{
	const struct lmbench_cell *cell = &row->cells[column];

	return lmbench_cell_read(cell->text, row->table->columns[column].widths[0], out) ==
	       LMBENCH_NUMBER;
}

static int make_runs(struct lmbench_batches *batches, struct runs *runs)
{
	const struct lmbench_batch *batch = &batches->now;
	struct lmbench_number number;
	size_t last;

	runs->v = calloc(batch->n, sizeof(*runs->v));
	runs->of_row = calloc(batch->n, sizeof(*runs->of_row));
	if (!runs->v || !runs->of_row)
		return parsed_error(batches->err, ENOMEM, 0);
	for (size_t first = 0; first < batch->n; first = last) {
		for (last = first; last < batch->n &&
				   batch->rows[last].table == batch->rows[first].table; last++)
			;
		take_table(runs, batch->rows, first, last - first);
	}
	for (size_t i = 0; i < batch->n; i++)
		for (size_t c = 0; c < LMBENCH_COLUMNS; c++)
			if (is_figure(&batch->rows[i], c, &number) && !number.unclear)
				runs->v[runs->of_row[i]].values++;
	return 0;
}

/* ---- labels ---- */

enum teller { BY_NOTHING, BY_LABEL, BY_DESCRIPTION, BY_OS, BY_HOST, BY_GROUP };

static struct slice text_of(const struct run *run, enum teller teller)
{
	switch (teller) {
	case BY_LABEL:
		return run->label;
	case BY_DESCRIPTION:
		return run->description;
	case BY_OS:
		return run->os;
	case BY_HOST:
		return run->host;
	case BY_NOTHING:
	case BY_GROUP:
		break;
	}
	return (struct slice){ "", 0 };
}

static enum teller find_teller(const struct runs *runs)
{
	static const enum teller texts[] = { BY_LABEL, BY_DESCRIPTION, BY_OS, BY_HOST };

	for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++)
		for (size_t i = 1; i < runs->n; i++)
			if (!same(text_of(&runs->v[0], texts[t]), text_of(&runs->v[i], texts[t])))
				return texts[t];
	if (runs->n && runs->v[0].label.len)
		return BY_LABEL;
	for (size_t i = 1; i < runs->n; i++)
		if (runs->v[i].group != runs->v[0].group)
			return BY_GROUP;
	return BY_NOTHING;
}

static struct slice kernel_of(struct slice os)
{
	struct slice rest = os, first = slice_next_word(&rest);

	rest = slice_trim(rest);
	return slice_is(first, "Linux") && rest.len ? rest : os;
}

/* What was cut off to fit the column names no kernel for sure. */
static size_t write_label(const struct run *run, enum teller teller, char out[TIME_LABEL_PART])
{
	struct slice text = text_of(run, teller);

	if (teller == BY_GROUP)
		return (size_t)snprintf(out, TIME_LABEL_PART, "group %zu", run->group + 1);
	if (teller == BY_NOTHING && run->os.len < OS_WIDTH)
		text = run->os;
	if (teller == BY_NOTHING || teller == BY_OS)
		text = kernel_of(text);
	return time_label_part(text, out);
}

static int note_groups(struct lmbench_batches *batches, const struct runs *runs)
{
	int rc = parsed_add_note(batches->out, runs->v[0].line, 0,
				 "only empty lines tell the rows apart: what is between them is "
				 "called 'group 1', 'group 2' and so on");

	return rc ? parsed_error(batches->err, rc, 0) : 0;
}

static int add_records(struct lmbench_batches *batches, struct runs *runs)
{
	enum teller teller = find_teller(runs);
	char label[TIME_LABEL_PART];

	if (teller == BY_GROUP && note_groups(batches, runs))
		return -ENOMEM;
	for (size_t i = 0; i < runs->n; i++) {
		struct run *run = &runs->v[i];
		struct parsed_record *record;

		if (!run->values)
			continue;
		run->record = batches->out->n;
		record = parsed_add_record(batches->out, label, write_label(run, teller, label));
		if (!record)
			return parsed_error(batches->err, errno, run->line);
		record->line = run->line;
		/* hosts that are labels are names of what was compared */
		if (run->host.len && teller != BY_HOST &&
		    parsed_set_text(&record->host, run->host.s, run->host.len))
			return parsed_error(batches->err, ENOMEM, run->line);
	}
	return 0;
}

/* ---- values ---- */

static const struct parsed_value *find_value(const struct parsed_record *record,
					     const char *metric)
{
	for (size_t i = 0; i < record->n; i++)
		if (!strcmp(record->values[i].metric, metric))
			return &record->values[i];
	return NULL;
}

/* The context switch stands in two tables. */
static int note_second(struct lmbench_batches *batches, const struct lmbench_cell *cell,
		       const struct lmbench_number *number, const struct parsed_value *first)
{
	if (fabs(first->value - number->value) <= first->half_step + number->half_step)
		return 0;
	return parsed_add_note(batches->out, cell->line, cell->column,
			       "'%.*s' is '%s' in line %zu: that one counts",
			       (int)cell->text.len, cell->text.s, first->text, first->line);
}

/* What stands in a cell and is neither a figure nor a mark of a missing one. */
static int note_odd(struct lmbench_batches *batches, const struct lmbench_row *row, size_t column)
{
	const struct lmbench_cell *cell = &row->cells[column];
	struct lmbench_number number;

	if (!cell->text.len || lmbench_cell_read(cell->text, 0, &number) != LMBENCH_NO_CELL)
		return 0;
	return parsed_add_note(batches->out, cell->line, cell->column,
			       "'%.*s' is no figure of lmbench: left out",
			       cell->text.len < 40 ? (int)cell->text.len : 40, cell->text.s);
}

static int add_value(struct lmbench_batches *batches, struct parsed_record *record,
		     const struct lmbench_row *row, size_t column)
{
	const struct lmbench_table *table = row->table;
	const struct lmbench_cell *cell = &row->cells[column];
	const char *metric = table->columns[column].metric;
	const struct parsed_value *first;
	struct parsed_value *added;
	struct lmbench_number number;
	int rc;

	if (!is_figure(row, column, &number))
		return note_odd(batches, row, column);
	if (number.unclear)
		return parsed_add_note(batches->out, cell->line, cell->column,
				       "'%.*s' %s: left out", (int)cell->text.len, cell->text.s,
				       number.unclear);
	first = find_value(record, metric);
	if (first)
		return note_second(batches, cell, &number, first);
	rc = parsed_add_value(record, metric, table->unit, number.value, number.half_step,
			      cell->text.s, cell->text.len, cell->line, cell->column);
	if (rc)
		return rc;
	added = parsed_last_value(record);
	added->better = table->better;
	added->headline = table->headline;
	return 0;
}

static int add_values(struct lmbench_batches *batches, const struct runs *runs)
{
	const struct lmbench_batch *batch = &batches->now;
	struct parsed_record unused = { .n = 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < batch->n; i++) {
		const struct run *run = &runs->v[runs->of_row[i]];
		struct parsed_record *record =
			run->values ? &batches->out->records[run->record] : &unused;

		for (size_t c = 0; !rc && c < LMBENCH_COLUMNS; c++)
			rc = add_value(batches, record, &batch->rows[i], c);
	}
	return rc ? parsed_error(batches->err, rc, 0) : 0;
}

/* ---- batches ---- */

/* FNV-1a of all figures: a reply may hold the tables that it answers once more. */
static unsigned int hash_of(const struct lmbench_batch *batch)
{
	unsigned int hash = 2166136261u;

	for (size_t i = 0; i < batch->n; i++)
		for (size_t c = 0; c < LMBENCH_COLUMNS; c++)
			for (size_t k = 0; k <= batch->rows[i].cells[c].text.len; k++) {
				bool end = k == batch->rows[i].cells[c].text.len;
				char byte = end ? ' ' : batch->rows[i].cells[c].text.s[k];

				hash = (hash ^ (unsigned char)byte) * 16777619u;
			}
	return hash;
}

static bool is_copy(const struct lmbench_batches *batches, unsigned int hash)
{
	for (size_t i = 0; i < batches->ndone; i++)
		if (batches->done[i].hash == hash)
			return true;
	return false;
}

int lmbench_batch_end(struct lmbench_batches *batches)
{
	struct lmbench_batch *batch = &batches->now;
	const size_t most = sizeof(batches->done) / sizeof(batches->done[0]);
	unsigned int hash = hash_of(batch);
	size_t first = batches->out->n;
	struct runs runs = { .n = 0 };
	int rc = 0;

	if (!batch->n)
		return 0;
	if (is_copy(batches, hash)) {
		rc = parsed_add_note(batches->out, batch->rows[0].line, 0,
				     "the same tables once more: left out");
		rc = rc ? parsed_error(batches->err, rc, 0) : 0;
	} else {
		rc = make_runs(batches, &runs);
		if (!rc)
			rc = add_records(batches, &runs);
		if (!rc)
			rc = add_values(batches, &runs);
	}
	if (!rc && batches->out->n > first && batches->ndone < most) {
		batches->done[batches->ndone].first = first;
		batches->done[batches->ndone].n = batches->out->n - first;
		batches->done[batches->ndone].heading = batch->heading;
		batches->done[batches->ndone++].hash = hash;
	}
	free(runs.v);
	free(runs.of_row);
	free(batch->rows);
	*batch = (struct lmbench_batch){ .n = 0 };
	return rc;
}

static int prepend(struct parsed_record *record, struct slice heading)
{
	char part[TIME_LABEL_PART], text[2 * TIME_LABEL_PART + 16];
	int n = (int)time_label_part(heading, part);

	if (!n)
		return 0;
	n = snprintf(text, sizeof(text), "%.*s%s%s", n, part, *record->label ? ": " : "",
		     record->label);
	if (n >= (int)sizeof(text))
		n = (int)sizeof(text) - 1;
	return parsed_set_text(&record->label, text, (size_t)n);
}

/* Several summaries in one text: what stood above each is part of its labels. */
int lmbench_batches_end(struct lmbench_batches *batches)
{
	int rc = lmbench_batch_end(batches);

	for (size_t b = 0; !rc && batches->ndone > 1 && b < batches->ndone; b++)
		for (size_t i = 0; !rc && i < batches->done[b].n; i++)
			rc = prepend(&batches->out->records[batches->done[b].first + i],
				     batches->done[b].heading);
	return rc ? parsed_error(batches->err, rc, 0) : 0;
}

void lmbench_batches_release(struct lmbench_batches *batches)
{
	free(batches->now.rows);
	batches->now = (struct lmbench_batch){ .n = 0 };
}
