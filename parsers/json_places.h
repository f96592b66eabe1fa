// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_JSON_PLACES_H
#define BRUNT_PARSERS_JSON_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/lines.h"
#include "parsers/number.h"

/*
 * JSON of other programs, with what a library takes away: where each value stands, numbers as
 * they were printed, members that come twice, and where a document among other text ends. yajl,
 * which reads our own lines, has most of that, but ends at nan and inf, which fio prints, and does
 * not outlive a lack of memory, which parsers have to.
 * A document becomes an array of nodes; number 0 is the document itself.
 */
enum { JP_MAX_NODES = 4000000, JP_MAX_DEPTH = 32 };

enum jp_kind {
	JP_OBJECT,
	JP_ARRAY,
	JP_STRING,
	JP_NUMBER,
	JP_TRUE,
	JP_FALSE,
	JP_NULL /* also nan and inf, which some programs print */
};

struct jp_node {
	enum jp_kind kind;
	uint32_t child, next; /* the first one inside, the next one beside; 0: none */
	uint32_t column;      /* from 1, in bytes */
	size_t line;	      /* from 1 */
	struct slice key;     /* of a member: between the quotes, escapes as they stand */
	struct slice text;    /* of a string: between the quotes; of a number: its digits */
};

struct jp_doc {
	struct jp_node *v;
	size_t n, cap;
};

/* Where in a text to go on. */
struct jp_place {
	const char *at, *end;	/* what is left */
	const char *line_start; /* of the line that at stands in */
	size_t line;		/* its number */
};

void jp_place_init(struct jp_place *place, const char *text, size_t len);

/* The next '{' that only blanks stand in front of, on its line or since place. */
bool jp_place_find(struct jp_place *place);

void jp_place_skip_line(struct jp_place *place);

/* The line that this stands in first; 0: nowhere. */
size_t jp_line_of(const char *text, size_t len, const char *word);

/* Skips blanks. False: the text is at its end. */
bool jp_place_blanks(struct jp_place *place);

/*
 * Reads the value that begins at place. 0: place is behind it. 1: it is no JSON; place is where
 * that shows. -ENOMEM, or -E2BIG beyond JP_MAX_NODES. The document's slices point into the text;
 * jp_release() lets go of the nodes and may be called on a zeroed one.
 */
int jp_read(struct jp_place *place, struct jp_doc *out);
void jp_release(struct jp_doc *doc);

/* A member of the object; NULL where there is none, or several. */
const struct jp_node *jp_get(const struct jp_doc *doc, const struct jp_node *object,
			     const char *key);

/* How many members have this key. */
size_t jp_count(const struct jp_doc *doc, const struct jp_node *object, const char *key);

/* The same with a value of that kind only. */
const struct jp_node *jp_get_kind(const struct jp_doc *doc, const struct jp_node *object,
				  const char *key, enum jp_kind kind);

const struct jp_node *jp_first(const struct jp_doc *doc, const struct jp_node *node);
const struct jp_node *jp_next(const struct jp_doc *doc, const struct jp_node *node);

/* A number, also one in quotes. False for NULL and all else. */
bool jp_number(const struct jp_node *node, struct number *out);

/* A string or key with its escapes undone, ended by NUL; the caller frees it. NULL: no memory. */
char *jp_unescape(struct slice text, size_t *len);

#endif
