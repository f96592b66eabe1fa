// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_JSON_LINE_H
#define BRUNT_BASE_JSON_LINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A JSON text as a flat array of its values, for lines by the hundred thousand: the array is used
 * again for the next line, so that nothing is allocated for a value. Takes and refuses what
 * json_parse() does (repeated keys, too, are refused), but says not why. Two differences: half of a
 * surrogate pair is read as '?', and arrays and objects may be 512 deep.
 */
enum json_kind { JSON_KIND_NULL, JSON_KIND_FALSE, JSON_KIND_TRUE, JSON_KIND_INTEGER,
		 JSON_KIND_REAL, JSON_KIND_STRING, JSON_KIND_ARRAY, JSON_KIND_OBJECT };

/* Behind an array or object stand its members, each with what is inside of it. */
struct json_item {
	enum json_kind kind;
	const char *key; /* of a member of an object; else NULL */
	size_t n;	 /* members */
	size_t span;	 /* items, this one and all inside */
	union {
		const char *text;
		int64_t integer;
		double real;
	};
};

struct json_line {
	struct json_item *items; /* the first is the whole */
	size_t n, cap;
	char *strings; /* of the items */
	size_t strings_cap;
};
#define JSON_LINE_INIT { NULL, 0, 0, NULL, 0 }
void json_line_release(struct json_line *line);

/* text[len] must be NUL. Items hold until line is used again. -EINVAL where it is no JSON. */
int json_line_parse(struct json_line *line, const char *text, size_t len);

/* for (member = json_item_first(item); member; member = json_item_next(item, member)) */
const struct json_item *json_item_first(const struct json_item *item);
const struct json_item *json_item_next(const struct json_item *item,
				       const struct json_item *member);

/* A member of an object; NULL where there is none, or no object. */
const struct json_item *json_item_get(const struct json_item *object, const char *key);

/* The same, or what to take where it is missing or of another type, as json_get_text(). */
const char *json_item_text(const struct json_item *object, const char *key,
			   const char *otherwise);
double json_item_number(const struct json_item *object, const char *key); /* NAN where unknown */
int64_t json_item_int(const struct json_item *object, const char *key, int64_t otherwise);

/* The item as jansson has it; null for NULL. */
json_t *json_item_to_json(const struct json_item *item);

#endif
