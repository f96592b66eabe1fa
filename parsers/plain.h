// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_PLAIN_H
#define BRUNT_PARSERS_PLAIN_H

#include <stddef.h>

/*
 * The plain text of what may be a mail or a page of a mail archive: quoted-printable is decoded,
 * HTML is taken off, colours of terminals and no-break spaces, and who wrote it, when and about what
 * is read from its head. Pure, bounded in time and memory like the parsers.
 */
struct plain {
	const char *text; /* of the bytes given, or of own */
	size_t len;
	char *own;     /* NULL: the bytes stand as they were */
	size_t *lines; /* line i + 1 stood in line lines[i] of the bytes; NULL: as it is */
	size_t nlines, lines_cap, cap;
	char *title, *author, *date; /* as they were written; NULL: not known */
};

/* 0 or -ENOMEM. The bytes have to live as long as out; plain_release() frees the rest. */
int plain_read(const char *bytes, size_t len, struct plain *out);
void plain_release(struct plain *plain);

/*
 * Bytes at the end of the text that may be half of a line of figures: it has no newline, and does
 * not end as such lines do, so that "1" can be what was left of "12.5". 0: it ends as a whole.
 */
size_t plain_cut_off(const char *text, size_t len);

/* The line of the bytes that line (from 1) of the text is of. */
size_t plain_line(const struct plain *plain, size_t line);

#endif
