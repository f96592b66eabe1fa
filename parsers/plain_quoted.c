// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Quoted-printable (RFC 2045): "=3D" is a byte, "=" at the end of a line joins it with the next.
 * Where a mail has a head, or its parts have one, that says where it holds; pieces of mails that
 * lost it are told by their lines: all '=' stand as they have to, and lines are joined.
 */
#include <string.h>

#include "parsers/plain_parts.h"

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static struct slice strip_end(struct slice text)
{
	while (text.len && strchr(" \t\r", text.s[text.len - 1]) && text.s[text.len - 1])
		text.len--;
	return text;
}

static bool is_encoding(struct slice text, bool *quoted)
{
	static const char name[] = "Content-Transfer-Encoding:";
	size_t n = sizeof(name) - 1;

	if (text.len < n || !slice_is_nocase((struct slice){ text.s, n }, name))
		return false;
	*quoted = slice_is_nocase(slice_trim((struct slice){ text.s + n, text.len - n }),
				  "quoted-printable");
	return true;
}

/* Every '=' of the line begins an escape or ends the line. */
static bool is_well_formed(struct slice text, bool *joined)
{
	text = strip_end(text);
	for (size_t i = 0; i < text.len; i++) {
		if (text.s[i] != '=')
			continue;
		if (i + 1 == text.len) {
			*joined |= text.len > 60 || slice_ends(text, "=0A=");
			return text.len < 80;
		}
		if (i + 2 >= text.len || hex(text.s[i + 1]) < 0 || hex(text.s[i + 2]) < 0)
			return false;
		i += 2;
	}
	return true;
}

bool plain_is_quoted(struct slice bytes)
{
	struct lines lines = { .rest = bytes };
	bool quoted = false, joined = false, formed = true;
	struct line line;

	while (lines_next(&lines, &line)) {
		if (is_encoding(line.text, &quoted) && quoted)
			return true;
		formed = formed && is_well_formed(line.text, &joined);
	}
	return formed && joined;
}

static int add_line(struct plain *out, const struct line *line, bool decode)
{
	struct slice text = decode ? strip_end(line->text) : line->text;
	int rc = 0;

	for (size_t i = 0; !rc && i < text.len; i++) {
		if (!decode || text.s[i] != '=') {
			rc = plain_add(out, text.s[i], line->number);
			continue;
		}
		if (i + 1 == text.len)
			return 0;
		if (i + 2 >= text.len || hex(text.s[i + 1]) < 0 || hex(text.s[i + 2]) < 0) {
			rc = plain_add(out, '=', line->number);
			continue;
		}
		rc = plain_add(out, (char)(hex(text.s[i + 1]) << 4 | hex(text.s[i + 2])),
			       line->number);
		i += 2;
	}
	return rc ? rc : plain_add(out, '\n', line->number);
}

int plain_read_quoted(struct slice bytes, struct plain *out)
{
	struct lines lines = { .rest = bytes };
	bool said = false, quoted = false, in_head = false, any = false;
	struct line line;
	int rc = 0;

	while (!any && lines_next(&lines, &line))
		any = is_encoding(line.text, &said) && said;
	lines = (struct lines){ .rest = bytes };
	while (!rc && lines_next(&lines, &line)) {
		if (is_encoding(line.text, &said)) {
			in_head = true;
			quoted = false;
		} else if (in_head && !slice_trim(line.text).len) {
			in_head = false;
			quoted = said;
		}
		rc = add_line(out, &line, any ? quoted : true);
	}
	return rc;
}
