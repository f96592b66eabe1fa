// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Names in markdown stand in code, where nothing has a meaning: neither HTML nor emphasis, links,
 * mentions of people or numbers of tickets. A backtick would end a code span, a pipe the cell of a
 * table and a backslash can take either from it, so a name with one of those is written as an
 * element of HTML with references for all that is no letter or digit.
 */
#include <string.h>

#include "results/reports/markdown_escape.h"
#include "results/reports/layout.h"

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c & 0x80) != 0;
}

static void add_element(struct buf *out, const char *text)
{
	buf_add(out, "<code>");
	for (; *text; text++) {
		if (is_plain(*text))
			buf_addc(out, *text);
		else
			buf_addf(out, "&#%d;", *text);
	}
	buf_add(out, "</code>");
}

void markdown_escape(struct buf *out, const char *text)
{
	auto_buf struct buf escaped = BUF_INIT;
	size_t last;

	layout_escape(&escaped, text);
	buf_add(out, "");
	if (!escaped.len)
		return;
	last = escaped.len - 1;
	if (strpbrk(escaped.s, "`|\\") || escaped.s[0] == ' ' || escaped.s[last] == ' ')
		add_element(out, escaped.s);
	else
		buf_addf(out, "`%s`", escaped.s);
}

void markdown_prose(struct buf *out, const char *text)
{
	bool plain = !strstr(text, "www.");

	for (const char *s = text; *s && plain; s++)
		plain = (is_plain(*s) && !(*s & 0x80)) || strchr(" .,;()%", *s);
	if (plain)
		buf_add(out, text);
	else
		markdown_escape(out, text);
}
