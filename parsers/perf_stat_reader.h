// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_PERF_STAT_READER_H
#define BRUNT_PARSERS_PERF_STAT_READER_H

#include "parsers/figure.h"
#include "parsers/lines.h"
#include "parsers/parser.h"
#include "parsers/time_label.h"

/*
 * The parts of the parser "perf-stat". An event is a metric under its own name, but for the times:
 * duration_time, user_time and system_time are real, user and sys. Times are in seconds. With -r
 * perf prints the mean of the runs and, as "+-", its standard error; of events in per cent.
 *
 * Functions return 1 where the line was theirs, 0 where it was not, and a negative errno as
 * parsed_add_note() does.
 */
struct perf_count {
	struct slice event, unit;
	struct number value, percent; /* percent: of the standard error */
	bool known, has_percent;      /* known: false for <not counted>, <not supported> */
	struct slice text, percent_text;
	double enabled_pct; /* how much of the time it was counted; NAN: not said */
	size_t line, column;
};

struct perf_reader {
	struct parsed *out;
	struct time_label label;
	struct slice command, failure; /* what was measured; a line that says that it failed */
	size_t n;		       /* runs that what follows is the mean of; 0: not known */
	bool repeated;		       /* -r: what follows are means */
	bool in_command;	       /* a command line whose command is still to come */
	bool in_block;		       /* between "Performance counter stats for" and the time */

	bool in_record;
	size_t record;		  /* index of the one that counts go to */
	struct slice first_event; /* of it: when it comes again, the next record begins */
	bool elapsed;		  /* its elapsed time was read */
	size_t scaled;		  /* events of it that were not counted all the time */
	bool said_parts;	  /* that intervals or CPUs are left out */
	size_t first_run, runs;	  /* records of --table that wait for their mean */
};

/* Ends the record that counts go to. 0 or a negative errno. */
int perf_end_record(struct perf_reader *reader);

/* The record that counts go to, a new one where there is none. NULL with errno. */
struct parsed_record *perf_record(struct perf_reader *reader, size_t line);

/* Adds an event. 0 or a negative errno. */
int perf_add_count(struct perf_reader *reader, const struct perf_count *count);

/* What only parts of a run or machine were counted for, is said once and left out. */
int perf_note_parts(struct perf_reader *reader, const struct line *line, const char *what);

/* -x: any separator, decimal point or comma. */
int perf_csv_line(struct perf_reader *reader, const struct line *line);

/* -j: objects, one or several on a line. */
int perf_json_line(struct perf_reader *reader, const struct line *line);

/* The output for people. */
int perf_text_line(struct perf_reader *reader, const struct line *line);

/* Lines that name what was measured: "Performance counter stats for", "perf stat -r 5 -- make". */
int perf_head_line(struct perf_reader *reader, struct slice body);

#endif
