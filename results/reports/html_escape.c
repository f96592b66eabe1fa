// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reports/html_escape.h"

#include "results/reports/layout.h"

void html_escape(struct buf *out, const char *text)
{
	auto_buf struct buf plain = BUF_INIT;

	layout_escape(&plain, text);
	buf_add(out, "");
	for (const char *s = plain.s; *s; s++) {
		switch (*s) {
		case '&':
			buf_add(out, "&amp;");
			break;
		case '<':
			buf_add(out, "&lt;");
			break;
		case '>':
			buf_add(out, "&gt;");
			break;
		case '"':
			buf_add(out, "&quot;");
			break;
		case '\'':
			buf_add(out, "&#39;");
			break;
		default:
			buf_addc(out, *s);
		}
	}
}

void html_add_words(struct buf *out, const char *words)
{
	for (; *words; words++) {
		if (*words == *HARD_BLANK)
			buf_add(out, "&nbsp;");
		else if (words[0] == '-' && words[1] == '>')
			buf_add(out, "\xe2\x86\x92"), words++; /* an arrow */
		else
			buf_addc(out, *words);
	}
}
