// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * HTML as archives of mails write it: tags are taken off, those of blocks and rows end a line,
 * cells of a table are set apart by blanks, entities are what they stand for. Lines stay lines, so
 * that preformatted tables keep their columns.
 */
#include <string.h>
#include <strings.h>

#include "parsers/plain_parts.h"

struct html {
	struct plain *out;
	struct slice rest;
	size_t line;
	bool fresh; /* at the start of a line of out */
};

static bool starts_nocase(struct slice text, const char *head)
{
	size_t n = strlen(head);

	return text.len >= n && !strncasecmp(text.s, head, n);
}

bool plain_is_html(struct slice bytes)
{
	enum { LOOK = 2048 };
	struct slice head = slice_trim((struct slice){ bytes.s, bytes.len < LOOK ? bytes.len :
										  LOOK });

	/* the mark of UTF-8 */
	if (slice_starts(head, "\xef\xbb\xbf"))
		head = slice_from(head, head.s + 3);
	while (head.len && strchr(" \t\r\n", head.s[0]) && head.s[0])
		head = slice_from(head, head.s + 1);
	if (!head.len || head.s[0] != '<')
		return false;
	for (; head.len; head = slice_from(head, head.s + 1))
		if (starts_nocase(head, "<html") || starts_nocase(head, "<!doctype html") ||
		    starts_nocase(head, "<pre") || starts_nocase(head, "<body"))
			return true;
	return false;
}

static int put(struct html *html, char byte)
{
	html->fresh = byte == '\n';
	return plain_add(html->out, byte, html->line);
}

static int put_text(struct html *html, const char *text)
{
	int rc = 0;

	for (; !rc && *text; text++)
		rc = put(html, *text);
	return rc;
}

static void skip(struct html *html, size_t n)
{
	for (size_t i = 0; i < n; i++)
		html->line += html->rest.s[i] == '\n';
	html->rest = slice_from(html->rest, html->rest.s + n);
}

/* Up to and with the text, or all there is. */
static void skip_past(struct html *html, const char *text)
{
	size_t n = 0;

	while (n < html->rest.len && !starts_nocase(slice_from(html->rest, html->rest.s + n), text))
		n++;
	n += n < html->rest.len ? strlen(text) : 0;
	skip(html, n);
}

/* ---- entities ---- */

static int put_utf8(struct html *html, unsigned long code)
{
	char bytes[5] = "";

	if (code == 160)
		code = ' ';
	if (code < 0x20 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		code = code == '\t' ? '\t' : ' ';
	if (code < 0x80) {
		bytes[0] = (char)code;
	} else if (code < 0x800) {
		bytes[0] = (char)(0xc0 | code >> 6);
		bytes[1] = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		bytes[0] = (char)(0xe0 | code >> 12);
		bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (code & 0x3f));
	} else {
		bytes[0] = (char)(0xf0 | code >> 18);
		bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
		bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[3] = (char)(0x80 | (code & 0x3f));
	}
	return put_text(html, bytes);
}

static bool read_number(struct slice name, unsigned long *out)
{
	bool hexadecimal = name.len > 1 && (name.s[1] == 'x' || name.s[1] == 'X');
	size_t i = hexadecimal ? 2 : 1;

	*out = 0;
	if (i >= name.len || name.len > 8)
		return false;
	for (; i < name.len; i++) {
		char c = name.s[i] | ' ';
		int digit = 99;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (c >= 'a' && c <= 'f')
			digit = c - 'a' + 10;

		if (digit >= (hexadecimal ? 16 : 10))
			return false;
		*out = *out * (hexadecimal ? 16 : 10) + (unsigned long)digit;
	}
	return true;
}

static int read_entity(struct html *html)
{
	static const struct {
		const char *name, *text;
	} names[] = { { "lt", "<" },	   { "gt", ">" },     { "amp", "&" },
		      { "quot", "\"" },	   { "apos", "'" },   { "nbsp", " " },
		      { "plusmn", "\xc2\xb1" }, { "micro", "\xc2\xb5" } };
	struct slice name = { html->rest.s + 1, 0 };
	unsigned long code;

	while (name.len < 10 && 1 + name.len < html->rest.len && name.s[name.len] != ';' &&
	       name.s[name.len] != '\n')
		name.len++;
	if (1 + name.len < html->rest.len && name.s[name.len] == ';') {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (!slice_is(name, names[i].name))
				continue;
			skip(html, name.len + 2);
			return put_text(html, names[i].text);
		}
		if (name.len && name.s[0] == '#' && read_number(name, &code)) {
			skip(html, name.len + 2);
			return put_utf8(html, code);
		}
	}
	skip(html, 1);
	return put(html, '&');
}

/* ---- tags ---- */

static bool is_any(struct slice name, const char *const *names)
{
	for (; *names; names++)
		if (slice_is_nocase(name, *names))
			return true;
	return false;
}

static int read_tag(struct html *html)
{
	static const char *const blocks[] = { "br", "p",     "div",   "tr", "li", "ul", "ol", "h1",
					      "h2", "h3",    "h4",    "h5", "hr", "dt", "dd", "pre",
					      "table", "blockquote", "title", NULL };
	static const char *const cells[] = { "td", "th", NULL };
	struct slice name = slice_from(html->rest, html->rest.s + 1);
	bool end = name.len && name.s[0] == '/';
	size_t n = 0;

	if (slice_starts(html->rest, "<!--")) {
		skip_past(html, "-->");
		return 0;
	}
	if (end)
		name = slice_from(name, name.s + 1);
	while (n < name.len && ((name.s[n] | ' ') >= 'a' && (name.s[n] | ' ') <= 'z'))
		n++;
	while (n < name.len && n && name.s[n] >= '0' && name.s[n] <= '9')
		n++;
	name.len = n;
	if (!end && (slice_is_nocase(name, "script") || slice_is_nocase(name, "style"))) {
		skip_past(html, slice_is_nocase(name, "script") ? "</script" : "</style");
		skip_past(html, ">");
		return 0;
	}
	skip_past(html, ">");
	if (is_any(name, blocks) && !html->fresh)
		return put(html, '\n');
	if (!end && is_any(name, cells))
		return put_text(html, "  ");
	return 0;
}

static bool is_tag(struct slice rest)
{
	char c = rest.len > 1 ? rest.s[1] : ' ';

	return c == '/' || c == '!' || c == '?' || ((c | ' ') >= 'a' && (c | ' ') <= 'z');
}

int plain_read_html(struct slice bytes, struct plain *out)
{
	struct html html = { .out = out, .rest = bytes, .line = 1, .fresh = true };
	int rc = 0;

	while (!rc && html.rest.len) {
		char c = html.rest.s[0];

		if (c == '<' && is_tag(html.rest)) {
			rc = read_tag(&html);
		} else if (c == '&') {
			rc = read_entity(&html);
		} else {
			rc = c == '\r' ? 0 : put(&html, c);
			skip(&html, 1);
		}
	}
	return rc;
}
