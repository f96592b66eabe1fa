// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_CSV_FIELDS_H
#define BRUNT_PARSERS_CSV_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/lines.h"

/* Comma separated values as RFC 4180 has them: a quoted field may hold commas, quotes, lines. */
enum { CSV_FIELDS = 64 };

struct csv_fields {
	struct slice v[CSV_FIELDS]; /* as they stand, with their quotes */
	size_t n;		    /* CSV_FIELDS + 1: more than there is room for */
};

/* The next row, which may take several lines; out->number is that of the first. */
bool csv_next_row(struct lines *lines, struct line *out);

void csv_split(struct slice row, struct csv_fields *out);

/* Without quotes around it, "" inside made one; ended by NUL, the caller frees it. NULL: no memory.
 */
char *csv_unquote(struct slice field, size_t *len);

#endif
