// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_LINES_H
#define BRUNT_PARSERS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Texts of others, line by line and word by word, without a copy: slices point into the bytes
 * that were given, which may hold anything, also NUL. What is asked of every line of a large text
 * stands here, so that the compiler sees the words that it is asked for.
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
static inline size_t slice_blank(struct slice text)
{
	unsigned char c = text.len ? (unsigned char)text.s[0] : 'x';

	if (c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'))
		return 1;
	return c == 0xc2 && text.len > 1 && text.s[1] == '\xa0' ? 2 : 0;
}

/* What is left from at on. An empty text may be NULL, to which nothing may be added. */
static inline struct slice slice_from(struct slice text, const char *at)
{
	return (struct slice){ at, text.len ? (size_t)(text.s + text.len - at) : 0 };
}

static inline struct slice slice_until(struct slice text, const char *at)
{
	return (struct slice){ text.s, (size_t)(at - text.s) };
}

static inline bool slice_starts(struct slice text, const char *head)
{
	size_t n;

	if (text.len && text.s[0] != head[0])
		return !head[0];
	n = strlen(head);
	return text.len >= n && !memcmp(text.s, head, n);
}

static inline bool slice_ends(struct slice text, const char *tail)
{
	size_t n = strlen(tail);

	if (text.len < n || !n || text.s[text.len - 1] != tail[n - 1])
		return !n;
	return !memcmp(text.s + text.len - n, tail, n);
}

static inline bool slice_is(struct slice text, const char *word)
{
	if (text.len && text.s[0] != word[0])
		return false;
	return text.len == strlen(word) && !memcmp(text.s, word, text.len);
}

static inline bool slice_has(struct slice text, char byte)
{
	return text.len && memchr(text.s, byte, text.len);
}

struct slice slice_trim(struct slice text); /* no blanks at either end */
bool slice_is_nocase(struct slice text, const char *word);
const char *slice_find(struct slice text, const char *word); /* NULL: not there */

/* The next or last word between blanks, taken off the rest; len 0: there is none. */
struct slice slice_next_word(struct slice *rest);
struct slice slice_last_word(struct slice *rest);

/* Digits only, and small enough for 15 of them. */
bool slice_count(struct slice text, double *out);

#endif
