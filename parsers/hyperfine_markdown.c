// SPDX-License-Identifier: GPL-3.0-or-later
/*
 *	| Command | Mean [s] | Min [s] | Max [s] | Relative |
 *	|:---|---:|---:|---:|---:|
 *	| `sleep 1` | 1.003 ± 0.001 | 1.002 | 1.004 | 1.00 |
 *
 * The unit stands in the head only. People put rows of several tables under one head, so each row's
 * mean is held against its Relative, which is over the mean of the row with 1.00.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/hyperfine_reader.h"

enum { CELLS = 16, MOST_ROWS = 1 << 18 };

#define PLUS_MINUS "\xc2\xb1"

struct cells {
	struct slice v[CELLS];
	size_t n;
};

struct row {
	struct hyperfine_result result;
	struct number relative;
	bool compared, base; /* compared: has a Relative; base: it is 1.00 of itself */
	bool fits;
};

struct table {
	struct parsed *out;
	size_t mean, relative; /* columns; relative 0: there is none */
	double unit;
	struct row *v;
	size_t n, cap;
};

/* Cells between bars that no backslash stands before. */
static bool split(struct slice text, struct cells *out)
{
	struct slice rest = slice_trim(text);
	size_t start = 1;

	out->n = 0;
	if (rest.len < 2 || rest.s[0] != '|')
		return false;
	for (size_t i = 1; i < rest.len; i++) {
		if (rest.s[i] != '|' || rest.s[i - 1] == '\\')
			continue;
		if (out->n == CELLS)
			return false;
		out->v[out->n++] = slice_trim((struct slice){ rest.s + start, i - start });
		start = i + 1;
	}
	return out->n > 0;
}

static size_t find_column(const struct cells *cells, const char *name)
{
	for (size_t i = 0; i < cells->n; i++)
		if (slice_starts(cells->v[i], name))
			return i;
	return 0;
}

/* "Mean [ms]" */
static double unit_of(struct slice cell)
{
	const char *open = slice_find(cell, "[");

	return open ? hyperfine_unit(slice_from(cell, open + 1)) : 0;
}

bool hyperfine_markdown_is_head(struct slice text)
{
	struct cells cells;

	/* a head without its end was wrapped: which columns it has more is not known */
	return split(text, &cells) && slice_ends(slice_trim(text), "|") &&
	       slice_is(cells.v[0], "Command") && find_column(&cells, "Mean [");
}

/* Without the backticks around it. */
static struct slice command_of(struct slice cell)
{
	if (cell.len > 1 && cell.s[0] == '`' && cell.s[cell.len - 1] == '`')
		return (struct slice){ cell.s + 1, cell.len - 2 };
	return cell;
}

static int keep_row(struct table *table, const struct row *row)
{
	if (table->n == table->cap) {
		size_t cap = table->cap ? 2 * table->cap : 16;
		struct row *grown;

		if (table->n >= MOST_ROWS)
			return -E2BIG;
		grown = reallocarray(table->v, cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		table->v = grown;
		table->cap = cap;
	}
	table->v[table->n++] = *row;
	return 0;
}

/* The first word of the cell, if all of it is a number. */
static bool read_time(const struct table *table, const struct line *line, struct slice cell,
		      struct hyperfine_figure *out)
{
	struct slice word = slice_next_word(&cell);

	if (hyperfine_read(line, word, table->unit, out) && out->number.len == word.len)
		return true;
	*out = (struct hyperfine_figure){ 0 };
	return false;
}

static int read_row(struct table *table, const struct line *line, const struct cells *cells)
{
	struct row row = { .result.line = line->number, .fits = true };
	struct slice mean, relative;
	const char *spread;

	if (table->mean >= cells->n ||
	    !read_time(table, line, cells->v[table->mean], &row.result.real))
		return parsed_add_note(table->out, line->number, 1,
				       "a row without a mean: left out");
	mean = cells->v[table->mean];
	spread = slice_find(mean, PLUS_MINUS);
	if (spread)
		read_time(table, line, slice_from(mean, spread + strlen(PLUS_MINUS)),
			  &row.result.sd);
	row.result.command = command_of(cells->v[0]);
	if (table->relative) {
		relative = table->relative < cells->n ? cells->v[table->relative] :
							(struct slice){ "", 0 };
		row.compared = number_read(relative, &row.relative) && row.relative.value > 0;
		row.base = slice_is(relative, "1.00");
		if (!row.compared)
			return parsed_add_note(table->out, line->number, 1,
					       "a row without its Relative, as where a line was "
					       "wrapped: left out");
	}
	return keep_row(table, &row);
}

/* ---- do the rows belong together? ---- */

/* Can a / b be r, with what rounding allows? */
static bool can_be(const struct number *a, const struct number *b, const struct number *r)
{
	double low = b->value - b->half_step, high = b->value + b->half_step;
	double most = low > 0 ? (a->value + a->half_step) / low : INFINITY;
	double least = (a->value - a->half_step) / high;

	return least <= r->value + r->half_step && most >= r->value - r->half_step;
}

static bool fits_a_base(const struct table *table, const struct row *row)
{
	const struct number *mean = &row->result.real.number;

	/* with a reference, faster commands have the ratio the other way round */
	for (size_t i = 0; i < table->n && i < 100; i++) {
		const struct number *base = &table->v[i].result.real.number;

		if (table->v[i].base &&
		    (can_be(mean, base, &row->relative) || can_be(base, mean, &row->relative)))
			return true;
	}
	return false;
}

/* The mean that has 1.00 in a row that is not there: is there one that fits all rows? */
static bool one_base_fits(const struct table *table)
{
	double low = 0, high = INFINITY;

	for (size_t i = 0; i < table->n; i++) {
		const struct row *row = &table->v[i];
		const struct number *mean = &row->result.real.number, *r = &row->relative;

		if (!row->compared)
			continue;
		low = fmax(low, (mean->value - mean->half_step) / (r->value + r->half_step));
		if (r->value > r->half_step)
			high = fmin(high,
				    (mean->value + mean->half_step) / (r->value - r->half_step));
	}
	return low <= high;
}

static void judge_rows(struct table *table)
{
	bool has_base = false, together = true;

	for (size_t i = 0; i < table->n; i++)
		has_base |= table->v[i].base;
	if (!has_base)
		together = one_base_fits(table);
	for (size_t i = 0; i < table->n; i++) {
		struct row *row = &table->v[i];

		if (row->compared)
			row->fits = has_base ? fits_a_base(table, row) : together;
	}
}

/* "\|" stands for a bar in a table. */
static int add_row(struct parsed *out, struct row *row)
{
	struct slice command = row->result.command;
	char *copy = malloc(command.len + 1);
	size_t n = 0;
	int rc;

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < command.len; i++)
		if (command.s[i] != '\\' || i + 1 == command.len || command.s[i + 1] != '|')
			copy[n++] = command.s[i];
	row->result.command = (struct slice){ copy, n };
	rc = hyperfine_add(out, &row->result);
	free(copy);
	return rc;
}

static int end_table(struct table *table)
{
	int rc = 0;

	judge_rows(table);
	for (size_t i = 0; !rc && i < table->n; i++) {
		struct row *row = &table->v[i];

		if (row->fits)
			rc = add_row(table->out, row);
		else
			rc = parsed_add_note(table->out, row->result.line, row->result.real.column,
					     "the mean does not fit its Relative, so the row is of "
					     "another table and its unit is not known: left out");
	}
	return rc;
}

static bool is_ruler(const struct cells *cells)
{
	for (size_t i = 0; i < cells->v[0].len; i++)
		if (!cells->v[0].s[i] || !strchr(":-+", cells->v[0].s[i]))
			return false;
	return true;
}

int hyperfine_markdown_read(struct parsed *out, struct lines *lines, const struct line *line)
{
	struct table table = { .out = out };
	struct cells cells;
	struct line at;
	int rc = 0;

	split(line_unquoted(line), &cells);
	table.mean = find_column(&cells, "Mean [");
	table.relative = find_column(&cells, "Relative");
	table.unit = unit_of(cells.v[table.mean]);
	if (table.unit <= 0)
		return parsed_add_note(
			out, line->number, 1,
			"a table of hyperfine in a unit that is not known: left out");
	while (!rc) {
		struct lines before = *lines;

		if (!lines_next(lines, &at))
			break;
		if (!split(line_unquoted(&at), &cells)) {
			*lines = before; /* the table has ended */
			break;
		}
		if (!is_ruler(&cells))
			rc = read_row(&table, &at, &cells);
	}
	if (!rc)
		rc = end_table(&table);
	free(table.v);
	return rc;
}
