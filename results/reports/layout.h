// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_LAYOUT_H
#define BRUNT_RESULTS_REPORTS_LAYOUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Text in columns that never gets wider than it may: tables are split into blocks that repeat the
 * first column, paragraphs are wrapped. Text is UTF-8 that layout_escape() let through.
 */

/* A blank at which layout_wrap() does not break. */
#define HARD_BLANK "\x1f"

/*
 * Appends text from users or machines: control characters (also those of Unicode that have no
 * width or turn the direction) and bytes that are no UTF-8 as \xNN.
 */
void layout_escape(struct buf *out, const char *text);

/* The same in ASCII alone: other characters as \uXXXX or \UXXXXXXXX. */
void layout_escape_ascii(struct buf *out, const char *text);

/* Columns that text takes on a terminal. */
size_t layout_width(const char *text);

/*
 * Appends text as lines of at most width columns; the lines behind the first begin with indent
 * blanks, and start columns of the first are taken already. Words that are too long are split.
 * Ends with a newline.
 */
void layout_wrap(struct buf *out, unsigned int width, unsigned int start, unsigned int indent,
		 const char *text);

/*
 * Names that fit into columns. A longer one becomes its beginning and "~N", and stands in a list
 * of what was shortened.
 */
struct layout_names {
	json_t *shown; /* object: name -> what is shown */
	size_t max, n;
	void (*escape)(struct buf *out, const char *text);
};
void layout_names_init(struct layout_names *names, size_t max,
		       void (*escape)(struct buf *out, const char *text));
void layout_names_release(struct layout_names *names);
const char *layout_name(struct layout_names *names, const char *name);
void layout_names_list(const struct layout_names *names, unsigned int width, struct buf *out);

struct layout_column {
	const char *title; /* above this column and the glued ones behind it; NULL: none */
	const char *head;
	bool right;	   /* aligned */
	bool glued;	   /* stays on one line with the column before */
	unsigned int gap;  /* blanks before it */
	const char *before, *after; /* put around cells that are not empty; NULL: nothing */
};

/* The strings of columns and cells are copied. The first column and those glued to it repeat. */
struct layout;
struct layout *layout_new(const struct layout_column *columns, size_t n, bool rule);
void layout_row(struct layout *layout, const char *const *cells); /* NULL: empty */
void layout_write(struct layout *layout, unsigned int width, struct buf *out); /* and frees */

#endif
