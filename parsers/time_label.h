// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_TIME_LABEL_H
#define BRUNT_PARSERS_TIME_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/lines.h"

/*
 * What the text around a time says it is of. A heading ("Before:", "* after", "### ext3") holds
 * until the next one; below it the command that was timed, or else the last line of text, holds
 * until something else is said. Lines that only count ("pgpgin: 4711") name a time only where
 * nothing better does.
 *
 * A heading right under another one ("ext3:", "before:") has that as its parent, which the headings
 * after it share. Parents are no part of the label that is put together: most are sentences such as
 * "The numbers of today:". Where a text has several of them, they tell its times apart.
 *
 * Date and time of day, and the number of a repetition, are no part of a name: "Executing round 2"
 * is called "Executing round", "3rd attempt" and "run 1" nothing.
 */
struct time_label {
	struct slice heading, parent, detail;
	bool fresh;	       /* no time was read under the heading yet */
	int weight;	       /* how good a name detail is, 0: it is from before the last time */
	struct slice row;      /* the last line of text as it stands, perhaps names of columns */
	const char *row_start; /* and where its line starts */
	struct slice ruler;    /* the line of dashes right under it, from the line's start */
};

/* A line that is no time. True: a heading or a command, so that something new begins. */
bool time_label_line(struct time_label *label, const struct line *line, struct slice body);

/* A time was read: what is said from now on is of the next one. */
void time_label_used(struct time_label *label);

enum { TIME_LABEL_PART = 150, TIME_LABEL_SIZE = 640 };

/*
 * Puts the label together: heading, detail or what stood beside the time on its line, the
 * column's name. without_row: the last line named the columns, so it is no name of all of them.
 */
size_t time_label_compose(const struct time_label *label, bool without_row, struct slice beside,
			  struct slice column, char out[TIME_LABEL_SIZE]);

/* One text as it stands in a label; 0 where nothing is left of it. */
size_t time_label_part(struct slice text, char out[TIME_LABEL_PART]);

/* Without marks of lists, headings and prompts around it. */
struct slice time_label_clean(struct slice text);

/*
 * The names of n columns that stand in the last line of text: cells between '|' where bars is
 * set, else above the ruler's dashes, else between tabs or several blanks, else words. False:
 * there are not that many. names has room for n + 1. corner: the first column only names the
 * rows, so that its own name may be missing.
 */
bool time_label_columns(const struct time_label *label, bool bars, bool corner, size_t n,
			struct slice *names);

/* Does this column hold a mean, a spread or a change instead of runs? */
bool time_label_is_statistic(struct slice name);

/* Cells of a row of a table: what its '|' separate, those at the edges not counted. */
size_t time_label_cells(struct slice row, struct slice *cells, size_t most);

#endif
