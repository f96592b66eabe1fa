// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_PLAIN_PARTS_H
#define BRUNT_PARSERS_PLAIN_PARTS_H

#include <stdbool.h>

#include "parsers/lines.h"
#include "parsers/plain.h"

/* The parts of plain_read(); 0 or -ENOMEM. line: of the bytes, from 1. */

/* Adds a byte of own, which is of that line. */
int plain_add(struct plain *plain, char byte, size_t line);

bool plain_is_html(struct slice bytes);
int plain_read_html(struct slice bytes, struct plain *out);

/* Is any of it quoted-printable, as a head says or as all of its lines look? */
bool plain_is_quoted(struct slice bytes);
int plain_read_quoted(struct slice bytes, struct plain *out);

/* Takes escapes of terminals, the mark of UTF-8 and no-break spaces off the text. */
int plain_clean(struct plain *plain);

int plain_read_head(struct plain *plain);

#endif
