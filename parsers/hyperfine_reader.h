// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_HYPERFINE_READER_H
#define BRUNT_PARSERS_HYPERFINE_READER_H

#include "parsers/figure.h"
#include "parsers/json_places.h"
#include "parsers/lines.h"
#include "parsers/parser.h"

/*
 * The parts of the parser "hyperfine". A command is a configuration, and stands as it was given to
 * hyperfine. Functions return 0 or a negative errno as parsed_add_note() does.
 */
struct hyperfine_figure {
	struct number number; /* in seconds once it was scaled */
	struct slice text;
	size_t line, column;
	bool known;
};

/* Times of one command: means, or with n 1 the times of its only run. */
struct hyperfine_result {
	struct slice command;
	size_t line;
	size_t n; /* of runs; 0: not known */
	struct hyperfine_figure real, sd, user, sys;
	const char *failed; /* why, NULL: it did not */
};

/* Reads a number, in units of scale seconds, at the head of text. False: there is none. */
bool hyperfine_read(const struct line *line, struct slice text, double scale,
		    struct hyperfine_figure *out);
int hyperfine_add(struct parsed *out, const struct hyperfine_result *result);

/* Seconds of one "ms", "s" or the like at the head of text; 0: no unit of hyperfine's. */
double hyperfine_unit(struct slice text);

bool hyperfine_json_is_one(const struct jp_doc *doc);
int hyperfine_json_read(struct parsed *out, const struct jp_doc *doc);

bool hyperfine_csv_is_head(struct slice text);

/* Reads the table whose head is line; lines is behind it, and behind the table afterwards. */
int hyperfine_csv_read(struct parsed *out, struct lines *lines, const struct line *line);

/* "| Command | Mean [s] | ..." */
bool hyperfine_markdown_is_head(struct slice text);
int hyperfine_markdown_read(struct parsed *out, struct lines *lines, const struct line *line);

/* What hyperfine prints while it runs, line by line. */
struct hyperfine_text {
	struct parsed *out;
	struct hyperfine_result result; /* real not known: nothing was read yet */
};

int hyperfine_text_line(struct hyperfine_text *text, const struct line *line);
int hyperfine_text_end(struct hyperfine_text *text);

#endif
