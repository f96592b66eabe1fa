// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/csv_fields.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the field at the head of row. A quoted one ends with the quote that is not doubled. */
static size_t field_length(struct slice row)
{
	const char *comma;
	size_t n = 1;

	if (row.len && row.s[0] == '"') {
		while (n < row.len) {
			const char *quote = memchr(row.s + n, '"', row.len - n);

			if (!quote)
				return row.len;
			n = (size_t)(quote - row.s) + 1;
			if (n == row.len || row.s[n] != '"')
				break;
			n++;
		}
		row = slice_from(row, row.s + (n < row.len ? n : row.len));
	} else {
		n = 0;
	}
	comma = row.len ? memchr(row.s, ',', row.len) : NULL;
	return n + (comma ? (size_t)(comma - row.s) : row.len);
}

void csv_split(struct slice row, struct csv_fields *out)
{
	out->n = 0;
	for (;;) {
		size_t len = field_length(row);

		if (out->n == CSV_FIELDS) {
			out->n++;
			return;
		}
		out->v[out->n++] = (struct slice){ row.s, len };
		if (len == row.len)
			return;
		row = slice_from(row, row.s + len + 1);
	}
}

/* Does a quoted field go on at the end of the row? */
static bool is_open(struct slice row)
{
	bool open = false;

	for (size_t i = 0; i < row.len; i++)
		open ^= row.s[i] == '"';
	return open;
}

bool csv_next_row(struct lines *lines, struct line *out)
{
	struct lines after;
	struct line more;
	bool open;

	if (!lines_next(lines, out))
		return false;
	open = is_open(out->text);
	after = *lines;
	for (size_t n = 0; open && n < 100 && lines_next(&after, &more); n++) {
		if (!is_open(more.text))
			continue;
		out->text.len = (size_t)(more.text.s + more.text.len - out->text.s);
		*lines = after;
		break;
	}
	return true;
}

char *csv_unquote(struct slice field, size_t *len)
{
	char *out = malloc(field.len + 1);
	size_t n = 0;

	if (!out)
		return NULL;
	if (field.len > 1 && field.s[0] == '"' && field.s[field.len - 1] == '"') {
		for (size_t i = 1; i + 1 < field.len; i++) {
			out[n++] = field.s[i];
			if (field.s[i] == '"' && i + 2 < field.len && field.s[i + 1] == '"')
				i++;
		}
	} else if (field.len) {
		memcpy(out, field.s, field.len);
		n = field.len;
	}
	out[n] = '\0';
	*len = n;
	return out;
}
