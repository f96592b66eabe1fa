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
#define PARSED_MAX_RECORDS 100000
#define PARSED_MAX_NOTES 100000
#define PARSED_MAX_VALUES 4096 /* of a record */

enum parsed_better { PARSED_NO_DIRECTION, PARSED_LOWER, PARSED_HIGHER };

/* What a spread is. sd has the divisor n - 1, se is of the mean; _pct: in per cent of the mean. */
enum parsed_spread {
	PARSED_NO_SPREAD, /* none was printed, or it says nothing that can be compared */
	PARSED_SD,
	PARSED_SE,
	PARSED_SD_PCT,
	PARSED_SE_PCT,
};

/*
 * One figure: the value of one run or, with summary set, the mean of several. What is not known
 * is NAN, n 0 and a text NULL. Nothing is derived: a figure that was not printed is not there.
 */
struct parsed_value {
	char *metric;	  /* "real" */
	char *unit;	  /* "s"; "" for a count */
	double value;	  /* NAN: printed as unknown, and note says why */
	double half_step; /* half of the last printed digit's step, in unit; 0: exact, not known */
	char *text;	  /* as printed */
	size_t line, column; /* where, from 1; columns count bytes */
	enum parsed_better better;
	bool headline; /* one of those that its format is there for: gets a verdict */
	char *note;    /* what a reader has to know of just this figure; NULL: nothing */

	bool summary;
	size_t n;	  /* of runs; 0: not known */
	enum parsed_spread spread_kind;
	double spread;	  /* in unit, or per cent by its kind */
	double spread_half_step;
	char *spread_text; /* as printed; NULL: there is none */
};

struct parsed_key {
	char *key, *value;
};

/*
 * One run, or one summary. Records of equal label, host, config, workload and point are one
 * group. A text is NULL where nothing is said of it; what to call it then is the caller's affair.
 */
struct parsed_record {
	char *label;	/* what stood beside it, "" for nothing: as a rule the kernel */
	char *config;	/* what was compared inside a label: a command, a tracer */
	char *workload, *host;
	struct parsed_key *point; /* what was swept: "jobs", "8" */
	size_t npoint, point_cap;
	size_t line;	/* where it begins, from 1 */
	struct parsed_value *values;
	size_t n, cap;
	bool failed;	/* the text itself says that the work failed or did not end */
	char *reason;	/* why, NULL unless failed */

	/* What only brunt's own reports say; NULL and 0 elsewhere. */
	char *session, *boot_id, *aa_of;
	unsigned int run, round, position;
};

/* What was left out, and why; or how something that can be doubted was read. */
struct parsed_note {
	size_t line, column; /* from 1; column 0: the line as a whole */
	char *text;
};

struct parsed {
	struct parsed_record *records;
	size_t n, cap;
	struct parsed_note *notes;
	size_t nnotes, notes_cap;
	bool in_order; /* the format itself says that the runs were made in the order of records */
};

void parsed_release(struct parsed *parsed);
void parsed_record_release(struct parsed_record *record); /* one that is left out */

/*
 * recognise() tells how sure the format is of these bytes, 0 (not mine) to 100: 90 where the
 * format names itself, 50 where it can hardly be anything else, less where it is the best guess
 * of a general layout. A text may hold several formats: each that recognises it is asked, the
 * surest first, and lines whose figures one has taken are no longer the others'.
 *
 * parse() appends to out. 0, also when nothing was found; -ENOMEM; -E2BIG beyond the limits; with
 * text in err, and what was read up to there in out. err may be NULL.
 */
struct parser {
	const char *name, *summary;
	int (*recognise)(const char *text, size_t len);
	int (*parse)(const char *text, size_t len, struct parsed *out, struct err *err);
};

extern const struct parser *const parsers[]; /* ended by NULL */
const struct parser *parser_find(const char *name);

/*
 * For parsers. All texts are copied, control characters in them become blanks.
 *
 * parsed_add_record() gives NULL with errno ENOMEM or, beyond PARSED_MAX_RECORDS, E2BIG; its
 * record may move when the next one is added. The others return 0 or -ENOMEM, parsed_add_value()
 * and parsed_add_note() also -E2BIG. parsed_error() turns such an errno into text in err (line:
 * where it happened, 0: not known) and returns it negative.
 */
struct parsed_record *parsed_add_record(struct parsed *out, const char *label, size_t len);
int parsed_add_value(struct parsed_record *record, const char *metric, const char *unit,
		     double value, double half_step, const char *text, size_t len, size_t line,
		     size_t column);
int parsed_add_point(struct parsed_record *record, const char *key, const char *value, size_t len);
int parsed_add_note(struct parsed *out, size_t line, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int parsed_error(struct err *err, int error, size_t line);

/* Sets a text of a record or value: parsed_set_text(&record->config, s, len). */
int parsed_set_text(char **member, const char *s, size_t len);

int parsed_fail(struct parsed_record *record, const char *reason, size_t len);

/* The value that was added last, for what parsed_add_value() leaves at its default. */
struct parsed_value *parsed_last_value(struct parsed_record *record);

/* Makes the last value a mean of n runs; a spread that is not known is NAN with text NULL. */
int parsed_set_summary(struct parsed_record *record, size_t n, enum parsed_spread kind,
		       double spread, double spread_half_step, const char *text, size_t len);

#endif
