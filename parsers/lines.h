// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_LINES_H
#define BRUNT_PARSERS_LINES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Texts of others, line by line and word by word, without a copy: slices point into the bytes
 * that were given, which may hold anything, also NUL.
 */
struct slice {
	const char *s;
	size_t len;
};

struct line {
	struct slice text; /* without its end */
	size_t number;	   /* from 1 */
};

struct lines {
	struct slice rest;
	size_t number;
};

bool lines_next(struct lines *lines, struct line *out);

/* From 1, in bytes. at points into the line. */
size_t line_column(const struct line *line, const char *at);

/*
 * The line without the marks of quoted mail in front ("> ", ">> ", "AB> "): what the writer
 * copied, blanks before it kept.
 */
struct slice line_unquoted(const struct line *line);

/* How many bytes of a blank stand at the head: 0 for none, 2 for a no-break space in UTF-8. */
size_t slice_blank(struct slice text);

struct slice slice_from(struct slice text, const char *at); /* what is left from at on */
struct slice slice_until(struct slice text, const char *at);
struct slice slice_trim(struct slice text); /* no blanks at either end */
bool slice_is(struct slice text, const char *word);
bool slice_is_nocase(struct slice text, const char *word);
bool slice_starts(struct slice text, const char *head);
bool slice_ends(struct slice text, const char *tail);
const char *slice_find(struct slice text, const char *word); /* NULL: not there */

/* The next or last word between blanks, taken off the rest; len 0: there is none. */
struct slice slice_next_word(struct slice *rest);
struct slice slice_last_word(struct slice *rest);

/* Digits only, and small enough for 15 of them. */
bool slice_count(struct slice text, double *out);

#endif
