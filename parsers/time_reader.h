// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_TIME_READER_H
#define BRUNT_PARSERS_TIME_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/contents.h"
#include "parsers/lines.h"
#include "parsers/parser.h"
#include "parsers/time_duration.h"
#include "parsers/time_label.h"

/*
 * The parts of the parser "time". Each line is offered to the layouts in turn; a reader function
 * returns 1 when the line was its own, 0 when not, and a negative errno with text in err.
 */
enum { TIME_COLUMNS = 32, TIME_VALUES = 16 };

enum time_metric { TIME_REAL, TIME_USER, TIME_SYS, TIME_METRICS };

struct time_value {
	const char *metric, *unit;
	double value, half_step;
	struct slice text;
	size_t line, column;
};

/* Values of one run that are collected before its record is made. */
struct time_values {
	struct time_value v[TIME_VALUES];
	size_t n;
};

/* Rows of "real", "user" and "sys" that belong together, with a run in each column. */
struct time_block {
	bool active, bars, headed;
	size_t columns, line;
	struct slice beside;		      /* what stands in front of the rows */
	struct slice names[TIME_COLUMNS + 1]; /* of the columns */
	bool statistic[TIME_COLUMNS];	      /* holds no run */
	bool seen[TIME_METRICS], bad_real[TIME_COLUMNS];
	struct time_values values[TIME_COLUMNS];
};

/* GNU time -v and BusyBox time -v. */
struct time_verbose {
	bool active, has_elapsed, busybox, failed;
	struct slice command, status;
	size_t line, max_rss; /* max_rss: its place in values, from 1 */
	struct time_values values;
};

enum time_attach { ATTACH_NOTHING, ATTACH_FAULTS, ATTACH_USAGE };

/* The parent of each record's heading, for records from first on. */
struct time_parents {
	struct slice *v;
	size_t n, cap, first;
	bool several;
};

struct time_reader {
	struct parsed *out;
	struct err *err;
	unsigned int has; /* what the line contains, see contents.h */
	struct time_parents parents;
	struct time_label label;
	struct time_block block;
	struct time_verbose verbose;
	struct slice failure; /* the line that says that what comes next is of a failed program */
	bool failed;
	enum time_attach attach; /* what may still come for the last record */
	size_t last_total_line;	 /* zsh: line and total of the member of a pipeline before */
	double last_total;
};

int time_note(struct time_reader *reader, size_t line, size_t column, const char *text);

/*
 * Adds a record of these values, with the label of the text around. column: NULL or the name of
 * the column; without_row as in time_label_compose().
 */
int time_add_record(struct time_reader *reader, const struct time_values *values,
		    struct slice beside, const struct slice *column, bool without_row);

/* Adds values to the last record. */
int time_add_values(struct time_reader *reader, const struct time_values *values);

/* The times of a record are out: the next one has to say anew that it failed and what it is. */
void time_record_done(struct time_reader *reader, enum time_attach attach);

void time_values_add(struct time_values *values, const char *metric, const char *unit, double value,
		     double half_step, struct slice text, const struct line *line);
void time_values_add_duration(struct time_values *values, const char *metric,
			      const struct duration *duration, const char *at,
			      const struct line *line);

/* "97%CPU", "98.6%", "?%": with cpu_percent NAN where it is unknown. False: no percentage. */
bool time_values_add_percent(struct time_values *values, struct slice word,
			     const struct line *line);

/* Adds a note and returns 1 when the time is impossible, else 0. */
int time_check(struct time_reader *reader, const struct duration *duration, const char *at,
	       const struct line *line);

/* Layouts of one line: csh, zsh, GNU time's default, "Time at ... takes 5 seconds". */
int time_read_one_line(struct time_reader *reader, const struct line *line, struct slice body);

/* What follows GNU time's default line, or BSD time -l's. */
int time_read_attached(struct time_reader *reader, const struct line *line, struct slice body);

/* Rows of real, user and sys, in either order, in columns or not. */
int time_read_row(struct time_reader *reader, const struct line *line, struct slice body);
int time_end_block(struct time_reader *reader);

/* parents: 0 or -ENOMEM. Put in front of the labels where the text has several. */
int time_parents_add(struct time_parents *parents, struct slice parent);
int time_parents_apply(const struct time_parents *parents, struct parsed *out);
void time_parents_release(struct time_parents *parents);

int time_read_verbose(struct time_reader *reader, const struct line *line, struct slice body);
int time_end_verbose(struct time_reader *reader);

#endif
