// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reports/layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"

/* ---- characters ---- */

/* Length of the character at text, 0 where it is no UTF-8. */
static size_t decode(const char *text, uint32_t *point)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80	? 1 :
		     s[0] >> 5 == 0x06	? 2 :
		     s[0] >> 4 == 0x0e	? 3 :
		     s[0] >> 3 == 0x1e	? 4 :
					  0;

	if (len < 2) {
		*point = s[0];
		return len;
	}
	*point = s[0] & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (s[i] & 0x3f);
	}
	if (*point < least[len] || *point > 0x10ffff || (*point >= 0xd800 && *point < 0xe000))
		return 0;
	return len;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t n, uint32_t point)
{
	for (size_t i = 0; i < n; i++)
		if (point >= ranges[i].first && point <= ranges[i].last)
			return true;
	return false;
}

/* Controls, marks without width, joiners, and what is or makes text from right to left. */
static bool is_harmful(uint32_t point)
{
	static const struct range ranges[] = {
		{ 0, 0x1f },	    { 0x7f, 0x9f },	{ 0xad, 0xad },	    { 0x300, 0x36f },
		{ 0x483, 0x489 },   { 0x590, 0x8ff },	{ 0x200b, 0x200f }, { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0x20d0, 0x20ff }, { 0xe000, 0xf8ff }, { 0xfb1d, 0xfdff },
		{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfe70, 0xfeff }, { 0xfff0, 0xffff },
		{ 0xe0000, 0x10ffff },
	};

	return in_ranges(ranges, ARRAY_SIZE(ranges), point);
}

static bool is_wide(uint32_t point)
{
	static const struct range ranges[] = {
		{ 0x1100, 0x115f },   { 0x2e80, 0xa4cf },   { 0xac00, 0xd7a3 },
		{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1faff }, { 0x20000, 0x3fffd },
	};

	return in_ranges(ranges, ARRAY_SIZE(ranges), point);
}

void layout_escape(struct buf *out, const char *text)
{
	uint32_t point;
	size_t len;

	for (; *text; text += len) {
		len = decode(text, &point);
		if (len && !is_harmful(point)) {
			buf_addn(out, text, len);
			continue;
		}
		len = len ? len : 1;
		for (size_t i = 0; i < len; i++)
			buf_addf(out, "\\x%02x", (unsigned char)text[i]);
	}
	if (!out->s)
		buf_clear(out);
}

void layout_escape_ascii(struct buf *out, const char *text)
{
	auto_buf struct buf escaped = BUF_INIT;
	uint32_t point;
	size_t len;

	layout_escape(&escaped, text);
	for (const char *s = escaped.s; *s; s += len) {
		len = decode(s, &point);
		if (point < 0x80)
			buf_addc(out, *s);
		else
			buf_addf(out, point > 0xffff ? "\\U%08x" : "\\u%04x", point);
	}
	if (!out->s)
		buf_clear(out);
}

/* Bytes and columns of the next character. */
static size_t next_character(const char *text, size_t *columns)
{
	uint32_t point;
	size_t len = decode(text, &point);

	*columns = len && is_wide(point) ? 2 : 1;
	return len ? len : 1;
}

size_t layout_width(const char *text)
{
	size_t width = 0, columns;

	while (*text) {
		text += next_character(text, &columns);
		width += columns;
	}
	return width;
}

/* How many bytes of text fit into width columns. */
static size_t bytes_in(const char *text, size_t width)
{
	size_t bytes = 0, used = 0, columns, len;

	while (text[bytes]) {
		len = next_character(text + bytes, &columns);
		if (used + columns > width)
			break;
		used += columns;
		bytes += len;
	}
	return bytes;
}

/* ---- paragraphs ---- */

static void add_blanks(struct buf *out, size_t n)
{
	while (n--)
		buf_addc(out, ' ');
}

struct line {
	struct buf *out;
	size_t width, indent, used;
	bool empty; /* nothing but the indentation so far */
};

static void line_break(struct line *line)
{
	buf_addc(line->out, '\n');
	add_blanks(line->out, line->indent);
	line->used = line->indent;
	line->empty = true;
}

static void add_piece(struct line *line, const char *piece, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addc(line->out, piece[i] == *HARD_BLANK ? ' ' : piece[i]);
	line->empty = false;
}

static void add_word(struct line *line, const char *word)
{
	size_t width = layout_width(word), n;

	if (!line->empty && line->used + 1 + width > line->width) {
		line_break(line);
	} else if (!line->empty) {
		buf_addc(line->out, ' ');
		line->used++;
	}
	while (line->used + width > line->width && line->width > line->indent + 1) {
		n = bytes_in(word, line->width - line->used);
		add_piece(line, word, n);
		word += n;
		width = layout_width(word);
		line_break(line);
	}
	add_piece(line, word, strlen(word));
	line->used += width;
}

void layout_wrap(struct buf *out, unsigned int width, unsigned int start, unsigned int indent,
		 const char *text)
{
	struct line line = { out, width, indent, start, true };
	auto_free char *copy = xstrdup(text);
	char *rest, *word;

	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		add_word(&line, word);
	buf_addc(out, '\n');
}

/* ---- names ---- */

void layout_names_init(struct layout_names *names, size_t max,
		       void (*escape)(struct buf *out, const char *text))
{
	*names = (struct layout_names){ json_object(), max, 0, escape };
}

void layout_names_release(struct layout_names *names)
{
	json_decref(names->shown);
}

const char *layout_name(struct layout_names *names, const char *name)
{
	auto_buf struct buf text = BUF_INIT;
	const char *known = json_get_text(names->shown, name, NULL);

	if (known)
		return known;
	names->escape(&text, *name ? name : "(none)");
	if (layout_width(text.s) > names->max) {
		text.len = bytes_in(text.s, names->max - 4);
		buf_addf(&text, "~%zu", ++names->n);
	}
	json_object_set_new(names->shown, name, json_text(text.s));
	return json_get_text(names->shown, name, "?");
}

void layout_names_list(const struct layout_names *names, unsigned int width, struct buf *out)
{
	const char *name;
	json_t *shown;

	json_object_foreach(names->shown, name, shown) {
		auto_buf struct buf text = BUF_INIT, full = BUF_INIT;

		names->escape(&full, name);
		if (!full.len || !strcmp(full.s, json_string_value(shown)))
			continue;
		buf_addf(&text, "%s = %s", json_string_value(shown), full.s);
		layout_wrap(out, width, 0, 2, text.s);
	}
}
