// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/lines.h"

#include <string.h>
#include <strings.h>

bool lines_next(struct lines *lines, struct line *out)
{
	struct slice *rest = &lines->rest;
	const char *end;

	if (!rest->len)
		return false;
	end = memchr(rest->s, '\n', rest->len);
	out->number = ++lines->number;
	out->text = (struct slice){ rest->s, end ? (size_t)(end - rest->s) : rest->len };
	rest->s += out->text.len + (end != NULL);
	rest->len -= out->text.len + (end != NULL);
	while (out->text.len && out->text.s[out->text.len - 1] == '\r')
		out->text.len--;
	return true;
}

size_t line_column(const struct line *line, const char *at)
{
	return (size_t)(at - line->text.s) + 1;
}

static struct slice skip(struct slice text, size_t n)
{
	if (!n)
		return text;
	return (struct slice){ text.s + n, text.len - n };
}

static struct slice trim_left(struct slice text)
{
	size_t n;

	while ((n = slice_blank(text)))
		text = skip(text, n);
	return text;
}

/* Bytes of the blank at the end. */
static size_t blank_at_end(struct slice text)
{
	if (text.len && slice_blank(skip(text, text.len - 1)))
		return 1;
	return text.len > 1 && slice_blank(skip(text, text.len - 2)) == 2 ? 2 : 0;
}

struct slice slice_trim(struct slice text)
{
	size_t n;

	text = trim_left(text);
	while ((n = blank_at_end(text)))
		text.len -= n;
	return text;
}

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

struct slice line_unquoted(const struct line *line)
{
	struct slice text = line->text;

	for (;;) {
		struct slice head = trim_left(text);
		size_t n = 0;

		while (n < head.len && n < 5 && is_alnum(head.s[n]))
			n++;
		if (n >= head.len || head.s[n] != '>')
			return text;
		text = skip(head, n + 1);
		if (text.len && text.s[0] != '>' && !slice_blank(text))
			return slice_from(line->text, head.s);
	}
}

bool slice_is_nocase(struct slice text, const char *word)
{
	if (text.len && ((text.s[0] ^ word[0]) & ~0x20)) /* not even alike but for the case */
		return false;
	return text.len == strlen(word) && !strncasecmp(text.s, word, text.len);
}

const char *slice_find(struct slice text, const char *word)
{
	return text.len ? memmem(text.s, text.len, word, strlen(word)) : NULL;
}

struct slice slice_next_word(struct slice *rest)
{
	struct slice word = trim_left(*rest);
	const char *at = word.s, *end = word.len ? word.s + word.len : word.s;

	while (at < end && !slice_blank((struct slice){ at, (size_t)(end - at) }))
		at++;
	*rest = slice_from(word, at);
	word.len = (size_t)(at - word.s);
	return word;
}

struct slice slice_last_word(struct slice *rest)
{
	struct slice text = slice_trim(*rest);
	size_t n = 0;

	while (n < text.len && !blank_at_end((struct slice){ text.s, text.len - n }))
		n++;
	*rest = (struct slice){ text.s, text.len - n };
	return skip(text, text.len - n);
}

bool slice_count(struct slice text, double *out)
{
	double value = 0;

	if (!text.len || text.len > 15)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.s[i] < '0' || text.s[i] > '9')
			return false;
		value = 10 * value + (text.s[i] - '0');
	}
	*out = value;
	return true;
}
