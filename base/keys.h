// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_KEYS_H
#define BRUNT_BASE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/words.h"

/*
 * KEY=VALUE, as workloads, tracers and configurations take them. A module declares its keys in
 * a table; values are kept as the text that the user gave, checked once against the table, and
 * read by type afterwards.
 */
enum key_type {
	KEY_STRING,
	KEY_BOOL,
	KEY_INT,  /* a whole number in min..max */
	KEY_SIZE, /* bytes in min..max */
	KEY_TIME, /* min and max in nanoseconds */
	KEY_ENUM, /* one of values, "a|b|c" */
	KEY_LIST, /* split at '+' */
	KEY_ARGV, /* a line for sh, or split as sh does: whoever reads it judges its quotes */
};

struct key_spec {
	const char *name;
	enum key_type type;
	const char *fallback; /* used when the key is not given; NULL: there is none */
	const char *values;   /* KEY_ENUM: the allowed ones; else a word for help, as "SIZE" */
	int64_t min, max;     /* both 0: no bound but >= 0 */
	const char *summary;
	int (*check)(const char *value, struct err *err); /* more than the type says; may be NULL */
	/* Of a value that names a file: the same from any folder, to be freed. NULL: none does. */
	char *(*absolute)(const char *value);
};

/* Tables of keys end with an element whose name is NULL. */
const struct key_spec *key_spec_find(const struct key_spec *specs, const char *name);

struct key {
	char *name, *value;
};

/* An ordered map with unique names. */
struct keys {
	struct key *v;
	size_t n, cap;
};

#define KEYS_INIT { NULL, 0, 0 }
#define auto_keys __attribute__((cleanup(keys_release)))

void keys_release(struct keys *keys);
const char *keys_get(const struct keys *keys, const char *name); /* NULL: not given */
void keys_set(struct keys *keys, const char *name, const char *value); /* adds or replaces */
void keys_copy(struct keys *to, const struct keys *from); /* sets each key of from in to */
bool keys_equal(const struct keys *a, const struct keys *b); /* in any order */

/* Is this value right for the key? */
int key_check(const struct key_spec *spec, const char *value, struct err *err);

/*
 * Every key is in the table (else "did you mean") and its value right. owner names whose keys
 * they are in messages, as "storm" or "tracer blktrace".
 */
int keys_check(const struct keys *keys, const struct key_spec *specs, const char *owner,
	       struct err *err);

/* Makes values that name files independent of the current folder; keys without a spec stay. */
void keys_make_absolute(struct keys *keys, const struct key_spec *specs);

/* The error for an unknown key. */
int keys_unknown(const struct key_spec *specs, const char *owner, const char *name,
		 struct err *err);

/* Values of checked keys by type; the fallback of the table where the key is not given. */
const char *keys_text(const struct keys *keys, const struct key_spec *specs, const char *name);
bool keys_bool(const struct keys *keys, const struct key_spec *specs, const char *name);
int64_t keys_int(const struct keys *keys, const struct key_spec *specs, const char *name);
uint64_t keys_size(const struct keys *keys, const struct key_spec *specs, const char *name);
int64_t keys_time_ns(const struct keys *keys, const struct key_spec *specs, const char *name);

#endif
