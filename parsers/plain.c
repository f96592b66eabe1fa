// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/plain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/contents.h"
#include "parsers/plain_parts.h"

static int grow(void **array, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? 2 * *cap : 256;
	void *grown;

	if (n < *cap)
		return 0;
	grown = reallocarray(*array, more, size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*cap = more;
	return 0;
}

int plain_add(struct plain *plain, char byte, size_t line)
{
	void *own = plain->own, *lines = plain->lines;

	if (grow(&own, plain->len, &plain->cap, 1))
		return -ENOMEM;
	plain->own = own;
	if (!plain->len || plain->own[plain->len - 1] == '\n') {
		if (grow(&lines, plain->nlines, &plain->lines_cap, sizeof(*plain->lines)))
			return -ENOMEM;
		plain->lines = lines;
		plain->lines[plain->nlines++] = line;
	}
	plain->own[plain->len++] = byte;
	return 0;
}

size_t plain_line(const struct plain *plain, size_t line)
{
	if (!plain->nlines || !line)
		return line;
	return line <= plain->nlines ? plain->lines[line - 1] : 0;
}

/*
 * Does a line of figures end so that nothing of them can be missing? Where a figure stands in front,
 * its name may end the line.
 */
static bool ends_whole(struct slice text)
{
	struct slice front = slice_trim(line_unquoted(&(struct line){ .text = text }));
	static const char *const words[] = { "elapsed", "user", "sys", "system", "total",
					     "seconds", "swaps" };
	struct slice rest = text, word = slice_last_word(&rest);
	size_t n = word.len;

	if (!n || strchr(")]}|%\"'`", word.s[n - 1]))
		return true;
	/* 0m1.25s */
	if (n > 1 && word.s[n - 1] == 's' && word.s[n - 2] >= '0' && word.s[n - 2] <= '9')
		return true;
	if (front.len && (front.s[0] < '0' || front.s[0] > '9'))
		return contents_of((struct slice){ word.s + n - 1, 1 }) & HAS_LETTER;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_is(word, words[i]))
			return true;
	return false;
}

size_t plain_cut_off(const char *text, size_t len)
{
	const char *eol = len ? memrchr(text, '\n', len) : NULL;
	struct slice last = { eol ? eol + 1 : text, len };

	last.len = (size_t)(text + len - last.s);
	if (!last.len || !(contents_of(last) & HAS_DIGIT))
		return 0;
	/* blanks at the end stand before what is missing */
	if (slice_trim(last).s + slice_trim(last).len == text + len && ends_whole(last))
		return 0;
	return last.len;
}

/* ---- who, when and about what ---- */

static int keep(char **member, struct slice text)
{
	text = slice_trim(text);
	if (!text.len || *member)
		return 0;
	*member = strndup(text.s, text.len < 300 ? text.len : 300);
	return *member ? 0 : -ENOMEM;
}

/* Without the address: "Ann Other <ann@example.org>", "Ann Other (ann@xxx)", "\"Ann\" <...>". */
static struct slice name_of(struct slice text)
{
	const char *address = slice_find(text, "<");
	struct slice name;

	if (!address)
		address = slice_find(text, "(");
	name = slice_trim(address ? slice_until(text, address) : text);
	if (name.len > 1 && name.s[0] == '"' && name.s[name.len - 1] == '"')
		name = (struct slice){ name.s + 1, name.len - 2 };
	return name.len ? name : text;
}

/* The rest of the line behind "Subject:", and of the line after it where it was folded. */
static bool field(struct slice text, const char *name, struct slice *out)
{
	size_t n = strlen(name);

	if (text.len < n || !slice_is_nocase((struct slice){ text.s, n }, name))
		return false;
	*out = slice_trim((struct slice){ text.s + n, text.len - n });
	return out->len > 0;
}

static int keep_subject(struct plain *plain, struct slice subject, const struct lines *after)
{
	struct lines rest = *after;
	char folded[400];
	struct line next;
	size_t n;

	if (subject.len > 300 || !lines_next(&rest, &next) || !next.text.len ||
	    !slice_blank(next.text) || !slice_trim(next.text).len)
		return keep(&plain->title, subject);
	next.text = slice_trim(next.text);
	n = subject.len;
	memcpy(folded, subject.s, n);
	folded[n++] = ' ';
	if (next.text.len > sizeof(folded) - n)
		next.text.len = sizeof(folded) - n;
	memcpy(folded + n, next.text.s, next.text.len);
	return keep(&plain->title, (struct slice){ folded, n + next.text.len });
}

int plain_read_head(struct plain *plain)
{
	enum { HEAD_LINES = 60 };
	struct lines lines = { .rest = { plain->text, plain->len } };
	struct slice first = { 0 }, value;
	struct line line;
	int rc = 0;

	while (!rc && lines_next(&lines, &line) && line.number <= HEAD_LINES) {
		struct slice text = slice_trim(line.text);

		if (!first.len)
			first = text;
		if (field(text, "From:", &value))
			rc = keep(&plain->author, name_of(value));
		else if (field(text, "Date:", &value))
			rc = keep(&plain->date, value);
		else if (field(text, "Subject:", &value) && !plain->title)
			rc = keep_subject(plain, value, &lines);
	}
	/* archives have the subject as their heading */
	if (!rc && plain->author && plain->date && !slice_find(first, ":\t"))
		rc = keep(&plain->title, first);
	return rc;
}

/* ---- all of it ---- */

int plain_read(const char *bytes, size_t len, struct plain *out)
{
	struct slice all = { bytes, len };
	struct plain plain = { .text = NULL };
	int rc = 0;

	if (plain_is_html(all))
		rc = plain_read_html(all, &plain);
	else if (plain_is_quoted(all))
		rc = plain_read_quoted(all, &plain);
	else
		plain.len = len;
	plain.text = plain.own ? plain.own : bytes;
	if (!rc)
		rc = plain_clean(&plain);
	if (!rc)
		rc = plain_read_head(&plain);
	if (rc)
		plain_release(&plain);
	else
		*out = plain;
	return rc;
}

void plain_release(struct plain *plain)
{
	free(plain->own);
	free(plain->lines);
	free(plain->title);
	free(plain->author);
	free(plain->date);
	*plain = (struct plain){ .text = NULL };
}
