// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "base/xalloc.h"
#include "results/reports/layout.h"

struct column {
	char *title, *head, *before, *after;
	bool right, glued;
	size_t gap, width; /* width without gap, before and after */
};

struct layout {
	struct column *columns;
	size_t n;
	struct words cells; /* row by row */
	bool rule;
};

static char *copy_or_empty(const char *text)
{
	return xstrdup(text ? text : "");
}

struct layout *layout_new(const struct layout_column *columns, size_t n, bool rule)
{
	struct layout *layout = xcalloc(1, sizeof(*layout));

	layout->columns = xcalloc(n, sizeof(*layout->columns));
	layout->n = n;
	layout->rule = rule;
	for (size_t i = 0; i < n; i++)
		layout->columns[i] = (struct column){
			.title = copy_or_empty(columns[i].title),
			.head = copy_or_empty(columns[i].head),
			.before = copy_or_empty(columns[i].before),
			.after = copy_or_empty(columns[i].after),
			.right = columns[i].right, .glued = columns[i].glued,
			.gap = columns[i].gap,
		};
	return layout;
}

void layout_row(struct layout *layout, const char *const *cells)
{
	for (size_t i = 0; i < layout->n; i++)
		words_add(&layout->cells, cells[i] ? cells[i] : "");
}

static void layout_free(struct layout *layout)
{
	for (size_t i = 0; i < layout->n; i++) {
		free(layout->columns[i].title);
		free(layout->columns[i].head);
		free(layout->columns[i].before);
		free(layout->columns[i].after);
	}
	free(layout->columns);
	words_release(&layout->cells);
	free(layout);
}

/* ---- widths ---- */

static size_t around(const struct column *column)
{
	return layout_width(column->before) + layout_width(column->after);
}

static size_t full_width(const struct column *column)
{
	return column->width + around(column);
}

/* Where the columns that are glued to first end. */
static size_t span_end(const struct layout *layout, size_t first)
{
	size_t end = first + 1;

	while (end < layout->n && layout->columns[end].glued)
		end++;
	return end;
}

/* Without the gap before the first. */
static size_t span_width(const struct layout *layout, size_t first, size_t end)
{
	size_t width = full_width(&layout->columns[first]);

	for (size_t i = first + 1; i < end; i++)
		width += layout->columns[i].gap + full_width(&layout->columns[i]);
	return width;
}

static void measure(struct layout *layout)
{
	for (size_t i = 0; i < layout->n; i++) {
		struct column *column = &layout->columns[i];
		size_t head = layout_width(column->head);

		for (size_t c = i; c < layout->cells.n; c += layout->n) {
			size_t width = layout_width(layout->cells.v[c]);

			column->width = width > column->width ? width : column->width;
		}
		if (head > full_width(column))
			column->width = head - around(column);
	}
	for (size_t first = 0, end; first < layout->n; first = end) {
		size_t title = layout_width(layout->columns[first].title), width;

		end = span_end(layout, first);
		width = span_width(layout, first, end);
		if (title > width)
			layout->columns[end - 1].width += title - width;
	}
}

/* ---- lines ---- */

static void pad(struct buf *out, size_t n)
{
	while (n--)
		buf_addc(out, ' ');
}

static void end_line(struct buf *out)
{
	while (out->len && out->s[out->len - 1] == ' ')
		out->len--;
	buf_addc(out, '\n');
}

static void add_cell(const struct column *column, const char *text, bool head, struct buf *out)
{
	bool bare = head || !*text;
	size_t width = bare ? full_width(column) : column->width, used = layout_width(text);
	size_t blanks = width > used ? width - used : 0;

	if (!bare)
		buf_add(out, column->before);
	if (column->right)
		pad(out, blanks);
	buf_add(out, text);
	if (!column->right)
		pad(out, blanks);
	if (!bare)
		buf_add(out, column->after);
}

/* The columns of one block: the first span, and those from first to last. */
struct block {
	size_t key_end, first, last;
};

static bool in_block(const struct block *block, size_t column)
{
	return column < block->key_end || (column >= block->first && column < block->last);
}

static bool has_titles(const struct layout *layout, const struct block *block)
{
	for (size_t i = 0; i < layout->n; i++)
		if (in_block(block, i) && *layout->columns[i].title)
			return true;
	return false;
}

static bool has_heads(const struct layout *layout, const struct block *block)
{
	for (size_t i = 0; i < layout->n; i++)
		if (in_block(block, i) && *layout->columns[i].head)
			return true;
	return false;
}

static void add_titles(const struct layout *layout, const struct block *block, struct buf *out)
{
	for (size_t first = 0, end; first < layout->n; first = end) {
		const char *title = layout->columns[first].title;

		end = span_end(layout, first);
		if (!in_block(block, first))
			continue;
		pad(out, first ? layout->columns[first].gap : 0);
		buf_add(out, title);
		pad(out, span_width(layout, first, end) - layout_width(title));
	}
	end_line(out);
}

static void add_rule(const struct layout *layout, const struct block *block, struct buf *out)
{
	for (size_t i = 0; i < layout->n; i++) {
		if (!in_block(block, i))
			continue;
		pad(out, i ? layout->columns[i].gap : 0);
		for (size_t k = 0; k < full_width(&layout->columns[i]); k++)
			buf_addc(out, '-');
	}
	end_line(out);
}

static void add_line(const struct layout *layout, const struct block *block,
		     char *const *cells, struct buf *out)
{
	for (size_t i = 0; i < layout->n; i++) {
		const struct column *column = &layout->columns[i];

		if (!in_block(block, i))
			continue;
		pad(out, i ? column->gap : 0);
		add_cell(column, cells ? cells[i] : column->head, !cells, out);
	}
	end_line(out);
}

static void write_block(const struct layout *layout, const struct block *block, struct buf *out)
{
	if (has_titles(layout, block))
		add_titles(layout, block, out);
	if (has_heads(layout, block))
		add_line(layout, block, NULL, out);
	if (layout->rule)
		add_rule(layout, block, out);
	for (size_t c = 0; c < layout->cells.n; c += layout->n)
		add_line(layout, block, &layout->cells.v[c], out);
}

void layout_write(struct layout *layout, unsigned int width, struct buf *out)
{
	struct block block = { .key_end = span_end(layout, 0) };
	size_t key_width, used, end;

	measure(layout);
	key_width = span_width(layout, 0, block.key_end);
	block.first = block.key_end;
	do {
		used = key_width;
		block.last = block.first;
		while (block.last < layout->n) {
			end = span_end(layout, block.last);
			used += layout->columns[block.last].gap +
				span_width(layout, block.last, end);
			if (used > width && block.last > block.first)
				break;
			block.last = end;
		}
		if (block.first > block.key_end)
			buf_addc(out, '\n');
		write_block(layout, &block, out);
		block.first = block.last;
	} while (block.last < layout->n);
	layout_free(layout);
}
