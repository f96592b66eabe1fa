// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Rows of real, user and sys: "real 0m1.2s" in lines of their own, all on one line, the number
 * before the word (BSD), and several runs side by side. "0m1.2s" behind such a word is a time
 * wherever it stands; other forms count only where the line has nothing else, since "user 5"
 * is also what sentences say.
 */
#include <stdio.h>
#include <string.h>

#include "parsers/time_items.h"

enum order { NO_ROW, WORD_FIRST, TIME_FIRST, UNCLEAR };

struct cell {
	enum time_metric metric;
	size_t column;
	const struct time_item *time;
};

struct row {
	struct slice beside;
	struct cell cells[TIME_ITEMS];
	size_t n, columns, filled;     /* filled: columns that hold a time */
	bool bars, corner;	       /* corner: the first column only names the rows */
	bool needs_names;	       /* several times behind one word */
	bool doubled;		       /* two times of one kind in a cell of a table */
	const struct time_item *stray; /* a time that belongs to no word for sure */
};

static const struct time_item *first_word(const struct time_items *items)
{
	const struct time_item *item = items->v;

	while (item->kind != ITEM_WORD)
		item++;
	return item;
}

static const struct time_item *last_word(const struct time_items *items)
{
	const struct time_item *item = &items->v[items->n - 1];

	while (item->kind != ITEM_WORD)
		item--;
	return item;
}

static bool time_follows(const struct time_items *items, const struct time_item *item)
{
	const struct time_item *end = items->v + items->n;

	do
		item++;
	while (item < end && item->kind == ITEM_BAR);
	return item < end && item->kind == ITEM_TIME;
}

/* TIME WORD TIME WORD ... up to the end of the line, at least two of them. */
static bool alternates(const struct time_items *items, const struct time_item *item)
{
	size_t n = 0;

	for (; item + 1 < items->v + items->n; item += 2, n++)
		if (item[0].kind != ITEM_TIME || item[1].kind != ITEM_WORD)
			return false;
	return n > 1 && item == items->v + items->n;
}

static bool is_count(const struct time_item *item)
{
	return item->duration.form == DURATION_BARE && !item->duration.decimals;
}

/* Of "run 3 real 1.2 user 1.1": the 3 is no time, as all others have decimals. */
static bool is_only_count(const struct time_items *items, const struct time_item *leading)
{
	if (!is_count(leading))
		return false;
	for (size_t i = 0; i < items->n; i++)
		if (items->v[i].kind == ITEM_TIME && &items->v[i] != leading &&
		    is_count(&items->v[i]))
			return false;
	return true;
}

static bool all_minutes(const struct time_items *items)
{
	for (size_t i = 0; i < items->n; i++)
		if (items->v[i].kind == ITEM_TIME && items->v[i].duration.form != DURATION_MINUTES)
			return false;
	return true;
}

static enum order find_order(const struct time_items *items, const struct time_item **first)
{
	const struct time_item *word = first_word(items), *item;

	*first = word;
	if (word > items->v && word[-1].kind == ITEM_TIME) {
		if (!time_follows(items, last_word(items))) {
			*first = word - 1;
			return alternates(items, word - 1) ? TIME_FIRST : NO_ROW;
		}
		if (!is_only_count(items, word - 1))
			return items->words > 1 || all_minutes(items) ? UNCLEAR : NO_ROW;
	}
	for (item = word; item < items->v + items->n; item++)
		if (item->kind == ITEM_WORD && time_follows(items, item))
			return WORD_FIRST;
	return items->bars && items->v[items->n - 1].kind == ITEM_TIME ? WORD_FIRST : NO_ROW;
}

/* Is the line a row of times, or a sentence with such a word in it? */
static bool is_row(const struct time_items *items, const struct time_item *first,
		   struct slice beside)
{
	bool all = true;

	for (const struct time_item *item = first; item < items->v + items->n; item++) {
		if (item->kind == ITEM_TIME && item->duration.form != DURATION_MINUTES)
			all = false;
	}
	if (all)
		return true;
	for (const struct time_item *item = first; item < items->v + items->n; item++)
		if (item->kind == ITEM_OTHER && !items->spread)
			return false;
	return !beside.len || items->words > 1 || strchr(":>|", beside.s[beside.len - 1]);
}

static void add_cell(struct row *row, size_t *counts, enum time_metric metric,
		     const struct time_item *item)
{
	size_t column = row->bars ? item->cell : counts[metric]++;

	if (column + 1 > row->columns)
		row->columns = column + 1;
	if (item->kind == ITEM_TIME && row->n && row->cells[row->n - 1].metric == metric &&
	    row->cells[row->n - 1].column == column)
		row->doubled = true;
	if (item->kind == ITEM_TIME)
		row->cells[row->n++] = (struct cell){ metric, column, item };
}

static void take_word_first(const struct time_items *items, const struct time_item *item,
			    struct row *row, size_t *counts)
{
	int metric = -1, word = -1;
	size_t after_word = 0;

	for (; item < items->v + items->n; item++) {
		switch (item->kind) {
		case ITEM_WORD:
			metric = word = (int)item->metric;
			after_word = 0;
			break;
		case ITEM_BAR:
			metric = word;
			break;
		case ITEM_TIME:
			if (metric < 0) {
				row->stray = item;
				break;
			}
			row->needs_names |= after_word++ && !row->bars;
			add_cell(row, counts, (enum time_metric)metric, item);
			break;
		case ITEM_OTHER:
			if (metric >= 0 && !after_word)
				add_cell(row, counts, (enum time_metric)metric, item);
			metric = -1;
			break;
		}
	}
}

/* A table whose columns are the metrics: one run. */
static void merge_columns(const struct time_items *items, struct row *row, const size_t *words)
{
	if (!row->bars || items->words < 2 || row->n != items->words)
		return;
	for (size_t i = 0; i < TIME_METRICS; i++)
		if (words[i] > 1)
			return;
	for (size_t i = 0; i < row->n; i++)
		row->cells[i].column = 0;
	row->columns = 1;
	row->bars = false;
}

static void take_cells(const struct time_items *items, const struct time_item *first,
		       enum order order, struct row *row)
{
	size_t counts[TIME_METRICS] = { 0 }, words[TIME_METRICS] = { 0 };
	bool filled[TIME_ITEMS] = { false };

	row->bars = items->bars;
	if (order == TIME_FIRST)
		for (const struct time_item *item = first; item < items->v + items->n; item += 2)
			add_cell(row, counts, item[1].metric, item);
	else
		take_word_first(items, first, row, counts);
	if (row->bars)
		row->columns = items->cells;
	for (const struct time_item *item = first; item < items->v + items->n; item++)
		if (item->kind == ITEM_WORD)
			words[item->metric]++;
	merge_columns(items, row, words);
	for (size_t i = 0; i < row->n; i++) {
		row->filled += !filled[row->cells[i].column];
		filled[row->cells[i].column] = true;
	}
	row->corner = row->bars && !filled[0];
}

static int begin_block(struct time_reader *reader, const struct line *line, const struct row *row)
{
	struct time_block *block = &reader->block;
	int rc;

	block->active = true;
	block->bars = row->bars;
	block->columns = row->columns;
	block->line = line->number;
	block->beside = row->beside;
	block->headed =
		row->filled > 1 && time_label_columns(&reader->label, row->bars, row->corner,
						      row->columns, block->names);
	for (size_t i = 0; block->headed && i < row->columns; i++) {
		block->statistic[i] = time_label_is_statistic(block->names[i]);
		if (!block->statistic[i])
			continue;
		rc = time_note(reader, line->number, 1,
			       "a column that holds no runs by its name is left out");
		if (rc)
			return rc;
	}
	if (row->needs_names && !block->headed) {
		block->active = false;
		return time_note(reader, line->number, line_column(line, row->cells[0].time->at),
				 "several times behind one word and no names of columns above: "
				 "runs, or a mean and its spread? Left out");
	}
	return 0;
}

static int add_time(struct time_reader *reader, const struct line *line, const struct cell *cell)
{
	static const char *const names[TIME_METRICS] = { "real", "user", "sys" };
	struct time_block *block = &reader->block;
	const struct duration *duration = &cell->time->duration;
	int rc;

	block->seen[cell->metric] = true;
	if (block->statistic[cell->column])
		return 0;
	rc = time_check(reader, duration, cell->time->at, line);
	if (!rc && duration->grouped)
		rc = time_note(reader, line->number, line_column(line, cell->time->at),
			       "a decimal comma or thousands? Left out");
	else if (!rc) {
		time_values_add_duration(&block->values[cell->column], names[cell->metric],
					 duration, cell->time->at, line);
		return 0;
	}
	if (cell->metric == TIME_REAL)
		block->bad_real[cell->column] = true;
	return rc < 0 ? rc : 0;
}

static bool joins(const struct time_block *block, const struct row *row)
{
	if (!block->active || block->columns != row->columns || block->bars != row->bars ||
	    block->beside.len != row->beside.len ||
	    (row->beside.len && memcmp(block->beside.s, row->beside.s, row->beside.len)))
		return false;
	for (size_t i = 0; i < row->n; i++)
		if (block->seen[row->cells[i].metric])
			return false;
	return true;
}

/* The row is ours, but not to be had. */
static int refuse(struct time_reader *reader, const struct line *line, const char *at,
		  const char *why)
{
	int rc = time_end_block(reader);

	if (!rc)
		rc = time_note(reader, line->number, line_column(line, at), why);
	return rc ? rc : 1;
}

static int take_row(struct time_reader *reader, const struct line *line, const struct row *row)
{
	int rc;

	if (!joins(&reader->block, row)) {
		rc = time_end_block(reader);
		if (!rc)
			rc = begin_block(reader, line, row);
		if (rc || !reader->block.active)
			return rc ? rc : 1;
	}
	for (size_t i = 0; i < row->n; i++) {
		rc = add_time(reader, line, &row->cells[i]);
		if (rc)
			return rc;
	}
	if (!row->stray)
		return 1;
	rc = time_note(reader, line->number, line_column(line, row->stray->at),
		       "a time behind other words is left out");
	return rc ? rc : 1;
}

int time_read_row(struct time_reader *reader, const struct line *line, struct slice body)
{
	const struct time_item *first;
	struct time_items items;
	struct row row = { 0 };
	enum order order;

	if (!(reader->has & HAS_DIGIT) || !(reader->has & (HAS_REAL | HAS_USER | HAS_SYS)))
		return 0;
	time_items_read(body, &items);
	if (!items.words || !items.times)
		return 0;
	order = find_order(&items, &first);
	row.beside = slice_trim(slice_until(body, first->at));
	if (order == NO_ROW || !is_row(&items, first, row.beside))
		return 0;
	row.beside = time_label_clean(row.beside);
	if (items.spread)
		return refuse(reader, line, first->at, "a mean with its spread, no run: left out");
	if (order == UNCLEAR)
		return refuse(reader, line, first->at,
			      "times before and behind the words: left out");
	if (!items.too_many)
		take_cells(&items, first, order, &row);
	if (row.doubled)
		return refuse(reader, line, first->at,
			      "several times of one kind in one cell: left out");
	if (items.too_many || row.columns > TIME_COLUMNS)
		return refuse(reader, line, first->at, "too many columns: left out");
	return take_row(reader, line, &row);
}

static bool has_real(const struct time_values *values)
{
	for (size_t i = 0; i < values->n; i++)
		if (!strcmp(values->v[i].metric, "real"))
			return true;
	return false;
}

static bool only_whole(const struct time_values *values)
{
	for (size_t i = 0; i < values->n; i++)
		if (memchr(values->v[i].text.s, 's', values->v[i].text.len) ||
		    values->v[i].half_step < .5)
			return false;
	return true;
}

static int end_column(struct time_reader *reader, size_t column, bool several)
{
	struct time_block *block = &reader->block;
	const struct time_values *values = &block->values[column];
	struct slice name = { 0 };
	char number[32];

	if (!values->n)
		return 0;
	if (!has_real(values) && !block->bad_real[column]) {
		if (only_whole(values))
			return 0; /* "user 5" of some other program's text */
		return time_note(reader, values->v[0].line, values->v[0].column,
				 "user or sys without a real that belongs to it is left out");
	}
	if (several && block->headed) {
		name = block->names[column];
	} else if (several) {
		name.s = number;
		name.len = (size_t)snprintf(number, sizeof(number), "column %zu", column + 1);
	}
	return time_add_record(reader, values, block->beside, several ? &name : NULL,
			       block->headed);
}

int time_end_block(struct time_reader *reader)
{
	struct time_block *block = &reader->block;
	size_t filled = 0, before = reader->out->n;
	int rc = 0;

	if (!block->active)
		return 0;
	for (size_t i = 0; i < block->columns; i++)
		filled += block->values[i].n > 0 || block->bad_real[i] || block->statistic[i];
	for (size_t i = 0; !rc && i < block->columns; i++)
		rc = end_column(reader, i, filled > 1);
	if (!rc && reader->out->n > before)
		time_record_done(reader,
				 reader->out->n == before + 1 ? ATTACH_USAGE : ATTACH_NOTHING);
	memset(block, 0, sizeof(*block));
	return rc;
}
