// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_LMBENCH_H
#define BRUNT_PARSERS_LMBENCH_H

#include "parsers/lines.h"
#include "parsers/parser.h"
#include "parsers/time_label.h"

/* The parts of the parser "lmbench": what it prints as tables, and the raw files behind them. */

/* ---- numbers ---- */

enum lmbench_cell_kind { LMBENCH_NO_CELL, LMBENCH_MISSING, LMBENCH_NUMBER };

struct lmbench_number {
	double value, half_step;
	const char *unclear; /* why this text may stand for two numbers, else NULL */
};

/*
 * A cell of a table, printed into so many characters: "0.25", "199.", "17K", "1.2M", "1e-4", or
 * "na" and dashes for a missing one. A number cut off in mid-digits ("199." is 198.95 to 199.95)
 * has the step of what was left; cut instead of rounded, all cells of a column move alike, so
 * that differences are still right to half a step on either side.
 */
enum lmbench_cell_kind lmbench_cell_read(struct slice text, unsigned int width,
					 struct lmbench_number *out);

/* A number of a raw file: digits and a point. */
bool lmbench_number_read(struct slice text, struct lmbench_number *out);

/* ---- the tables that are known ---- */

enum { LMBENCH_COLUMNS = 10 };

struct lmbench_column {
	const char *metric;
	unsigned int widths[2]; /* of version 3 and version 2; 0: the same */
};

struct lmbench_table {
	const char *first, *second; /* words of the lines above the columns; a|b: either */
	const char *unit;
	enum parsed_better better;
	bool headline;
	bool describes; /* the table of systems: a word that describes each row */
	const char *family; /* tables of one family are alternatives of each other */
	struct lmbench_column columns[LMBENCH_COLUMNS];
};

/* Where cells end, in bytes from the start of the line, and how wide they are. */
struct lmbench_layout {
	size_t ends[LMBENCH_COLUMNS], widths[LMBENCH_COLUMNS];
};

/* What a header says: the table, the columns in front of the figures, where all of them are. */
struct lmbench_head {
	const struct lmbench_table *table;
	size_t ncolumns;
	bool host, os, mhz;
	size_t others; /* columns of other names */
	bool ruled;    /* dashes below the header say where the cells are */
	struct lmbench_layout ruler;
};

enum { LMBENCH_LINES = 64 };

/* The lines since the last empty one; of many the last ones, which have more words than any head. */
struct lmbench_above {
	struct slice text[LMBENCH_LINES];
	size_t line[LMBENCH_LINES];
	size_t n; /* so far */
};

void lmbench_above_add(struct lmbench_above *above, struct slice text, size_t line);

/* Do the lines end in the names of a known table's columns? */
bool lmbench_head_find(const struct lmbench_above *above, struct lmbench_head *out);

/* Takes a line of dashes, if it has a run of them for each column. */
void lmbench_head_ruler(struct lmbench_head *head, struct slice body);

/* ---- rows ---- */

struct lmbench_cell {
	struct slice text; /* len 0: missing */
	size_t line, column;
};

struct lmbench_row {
	const struct lmbench_table *table;
	size_t line, group; /* group: of rows between empty lines, from 0 */
	struct slice label; /* the bare line above the rows */
	struct slice host, os, description;
	struct lmbench_cell cells[LMBENCH_COLUMNS];
	struct lmbench_cell cut; /* the half of a figure that a wrapped line left; in no cell */
};

enum lmbench_row_kind {
	LMBENCH_NO_ROW,
	LMBENCH_ROW,
	LMBENCH_EMPTY_ROW, /* a row without a figure */
	LMBENCH_SHORT_ROW, /* other figures than columns, and it is not clear whose they are */
};

/*
 * Reads body, the line without the marks of quoted mail. ahead stands behind it: a row that was
 * wrapped goes on there. joined: so many of these lines are the row's, also where it cannot be
 * read.
 */
enum lmbench_row_kind lmbench_row_read(const struct lmbench_head *head, const struct line *line,
				       struct slice body, const struct lines *ahead,
				       struct lmbench_row *out, size_t *joined);

/* ---- rows to records ---- */

/* The tables of one summary. */
struct lmbench_batch {
	struct lmbench_row *rows;
	size_t n, cap;
	struct slice heading; /* what stood above all of it */
};

/* What is known of all batches of a text. */
struct lmbench_batches {
	struct parsed *out;
	struct err *err;
	struct lmbench_batch now;
	struct {
		size_t first, n; /* records */
		struct slice heading;
		unsigned int hash;
	} done[64];
	size_t ndone;
};

/* 0, or a negative errno with text in err. */
int lmbench_batch_add(struct lmbench_batches *batches, const struct lmbench_row *row);
bool lmbench_batch_has(const struct lmbench_batches *batches, const struct lmbench_table *table);
int lmbench_batch_end(struct lmbench_batches *batches);
int lmbench_batches_end(struct lmbench_batches *batches); /* the last one, too */
void lmbench_batches_release(struct lmbench_batches *batches);

/* ---- raw files ---- */

struct lmbench_raw {
	struct parsed *out;
	struct err *err;
	bool active;	  /* a record is being filled: the last of out */
	bool headed;	  /* it began with "[lmbench...]" */
	size_t taken;	  /* lines that were raw lmbench */
	int block;	  /* which block of size and value; -1: none */
	bool torn;	  /* something else stood behind its rows, first in torn_line */
	size_t torn_line;
	struct slice last; /* the last row of the block that counts */
	double last_size;
	size_t last_line, last_column;
	size_t text_end; /* the text's last line, once it has been read; 0: not yet */
	double read, read_half, write, write_half;
	struct slice size, operation; /* of bw_mem, whose result stands in the next line */
	size_t operation_line;
	size_t stride;
	bool best; /* this stride's is the latency that counts */
	struct slice host, release;
};

/* 1: the line was its own. */
int lmbench_raw_line(struct lmbench_raw *raw, const struct line *line, struct slice body);
int lmbench_raw_end(struct lmbench_raw *raw);

#endif
