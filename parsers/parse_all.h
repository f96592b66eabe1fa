// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_PARSE_ALL_H
#define BRUNT_PARSERS_PARSE_ALL_H

#include "parsers/parser.h"

/* What one of several parsers read in a text. */
struct parse_part {
	const struct parser *parser;
	struct parsed parsed;
};

struct parse_parts {
	struct parse_part *v;
	size_t n;
};

/*
 * A text through all parsers that recognise it, or through only, the surest first. A record with
 * a figure in a line where a surer parser has one is dropped. Parts that hold no record stay
 * only where no parser has found any: their notes say why. -ENOMEM, -E2BIG, with text in err.
 */
int parse_all(const char *text, size_t len, const struct parser *only, struct parse_parts *out,
	      struct err *err);
void parse_parts_release(struct parse_parts *parts);

#endif
