// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_MEANS_H
#define BRUNT_PARSERS_MEANS_H

#include "parsers/lines.h"
#include "parsers/parser.h"
#include "parsers/time_duration.h"

/* The parts of the parser "means". */
enum { MEANS_COLUMNS = 24, MEANS_NEAR = 60 /* lines */ };

enum means_kind { MEANS_MEAN, MEANS_SPREAD, MEANS_RUNS, MEANS_OTHER };

struct means_column {
	struct slice name; /* without its unit */
	enum means_kind kind;
	enum parsed_spread spread;
	bool is_metric; /* by its name or unit; else it names a configuration, or nothing */
	const char *unit;
	enum parsed_better better;
};

/* The columns behind the one that names the rows; n 0: no table is being read. */
struct means_head {
	struct means_column v[MEANS_COLUMNS];
	size_t n;
	bool times; /* the text above speaks of times and not of rates */
	bool told;  /* rows were read */
	bool framed; /* '|' at both ends of the line, as of the rows then */
};

/* The lines of text above: what they speak of is asked where a table begins. */
struct means_above {
	struct slice text[MEANS_NEAR];
	size_t line[MEANS_NEAR];
	size_t n; /* so far; the last MEANS_NEAR are kept */
};

/* "10 runs": the number that the text says, 0 for none; conflict: it says several. */
struct means_runs {
	size_t n;
	bool conflict;
};

struct means_reader {
	struct parsed *out;
	struct err *err;
	struct slice all; /* the text */
	struct means_head head;
	size_t head_line; /* of the last head; 0: none yet */
	struct means_above above;
	struct means_runs runs;
	bool runs_known; /* runs was looked for */
};

/* A line of names with a spread among them; ruler: the dashes below it, or empty. */
bool means_head_read(struct slice body, struct slice ruler, struct means_head *out);

void means_above_add(struct means_above *above, struct slice text, size_t line);

/* Do the lines near this one speak of times, and none of rates? */
bool means_above_times(const struct means_above *above, size_t line);

void means_runs_find(struct slice text, struct means_runs *out);

#endif
