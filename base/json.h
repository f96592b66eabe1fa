// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_JSON_H
#define BRUNT_BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * jansson with what it leaves open: numbers in the fewest of 15 or 17 digits that read back
 * equal, unknown as null, and reading by key with a default.
 */
#define auto_json __attribute__((cleanup(json_cleanup)))
void json_cleanup(json_t **value);

/* Refuses repeated keys. The value belongs to the caller; name stands in the error text. */
int json_parse(const char *text, size_t len, const char *name, json_t **out, struct err *err);

/* indent 0: one line, as in runs.jsonl; else that many blanks a level. Keys keep their order. */
void json_write(struct buf *out, const json_t *value, int indent);

json_t *json_number(double value); /* null where value is not finite */
json_t *json_text(const char *s);  /* null where s is NULL; bytes that are no UTF-8 become '?' */

/* A member of an object, or what to take where it is missing or of another type. */
const char *json_get_text(const json_t *object, const char *key, const char *otherwise);
double json_get_number(const json_t *object, const char *key); /* NAN where unknown */
int64_t json_get_int(const json_t *object, const char *key, int64_t otherwise);

#endif
