// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_FIGURE_H
#define BRUNT_PARSERS_FIGURE_H

#include "parsers/lines.h"
#include "parsers/number.h"
#include "parsers/parser.h"

/* One figure with all that is said of it, for parsers of programs that print many. */
struct figure {
	const char *metric, *unit;
	double value, half_step; /* in unit */
	enum parsed_better better;
	bool headline;
	struct slice text; /* as printed */
	size_t line, column;
};

/* As parsed_add_value(). */
int figure_add(struct parsed_record *record, const struct figure *figure);

/*
 * The same as a mean of n runs (0: not known); spread NULL: none was printed. A record that failed
 * gets none: it would be a mean of what is no result.
 */
int figure_add_summary(struct parsed_record *record, const struct figure *figure, size_t n,
		       enum parsed_spread kind, const struct number *spread, struct slice text);

/* A record of this workload; line is where it begins. NULL with errno as parsed_add_record(). */
struct parsed_record *figure_record(struct parsed *out, struct slice label, const char *workload,
				    size_t line);

int figure_fail(struct parsed_record *record, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Some programs' texts name several results alike, and do not tell whether they are repetitions of
 * one measurement. From record number first on, such results get a point that counts them:
 * KEY=1, KEY=2, and a note says so of what ("results of ..."). summaries: only those that hold
 * means, since a place has one mean. 0 or -ENOMEM.
 */
int figure_tell_apart(struct parsed *out, size_t first, const char *key, bool summaries,
		      const char *what);

#endif
