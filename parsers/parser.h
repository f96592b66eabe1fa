// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_PARSER_H
#define BRUNT_PARSERS_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * A format of results that other programs print: bytes in, records out. Pure: no files, no
 * globals, no locale, nothing printed; bounded in time and memory whatever the bytes, and
 * -ENOMEM where memory is short. One const struct in a file of its own, one line in parsers.def.
 */
#define PARSED_MAX_RECORDS 1000000
#define PARSED_MAX_NOTES 100000

struct parsed_value {
	char *metric;	  /* "real" */
	char *unit;	  /* "s" */
	double value;	  /* NAN: printed as unknown */
	double half_step; /* half of the last printed digit's step, in unit; 0: exact */
	char *text;	  /* as printed */
	size_t line, column; /* where, from 1; columns count bytes */
};

/* One run, or one summary, with the label that stood beside it ("" for none). */
struct parsed_record {
	char *label;
	struct parsed_value *values;
	size_t n, cap;
	bool failed;   /* the text itself says that the program failed */
	char *reason;
};

/* What was left out, and why. */
struct parsed_note {
	size_t line, column;
	char *text;
};

struct parsed {
	struct parsed_record *records;
	size_t n, cap;
	struct parsed_note *notes;
	size_t nnotes, notes_cap;
};

void parsed_release(struct parsed *parsed);

struct parser {
	const char *name, *summary;
	/* How sure the format is of these bytes, 0 (not mine) to 100. */
	int (*recognise)(const char *text, size_t len);
	/* Appends to out. 0, also when nothing was found; -ENOMEM; -E2BIG beyond the limits. */
	int (*parse)(const char *text, size_t len, struct parsed *out, struct err *err);
};

extern const struct parser *const parsers[]; /* ended by NULL */
const struct parser *parser_find(const char *name);

/*
 * For parsers. Text is copied, control characters in it become blanks. parsed_add_record() gives
 * NULL with errno ENOMEM or, beyond PARSED_MAX_RECORDS, E2BIG; its record may move when the next
 * one is added. The others return 0 or -ENOMEM, parsed_add_note() also -E2BIG.
 */
struct parsed_record *parsed_add_record(struct parsed *out, const char *label, size_t len);
int parsed_add_value(struct parsed_record *record, const char *metric, const char *unit,
		     double value, double half_step, const char *text, size_t len, size_t line,
		     size_t column);
int parsed_add_note(struct parsed *out, size_t line, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
