// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_IMPORT_H
#define BRUNT_RESULTS_IMPORT_H

#include <jansson.h>
#include <stddef.h>

#include "base/sha256.h"
#include "base/words.h"
#include "parsers/parser.h"

/*
 * From what parsers read to the sessions, runs and summaries of a set (docs/format.md). Nothing
 * is derived and nothing that the text tells apart is put together.
 */
struct import_source {
	const char *path; /* of the file, as it was given */
	const char *title, *author, *date; /* NULL: not known */
	char sha256[SHA256_HEX_SIZE];	   /* of the file */
};

/* What the user calls it; NULL: what the text says. */
struct import_names {
	const char *label, *config;
};

struct import {
	json_t *sessions, *runs, *summaries; /* as set_import() takes them */
	json_t *places;			     /* of the summaries so far */
};

void import_init(struct import *import);
void import_release(struct import *import);

/*
 * Adds what a parser of that name read in a source. remarks gets a line for each thing that is
 * not as the text has it: names that were replaced, a summary there is already.
 *
 * Labels: names->label replaces the label of a text that has one or none. Where it has several,
 * they become configurations, or with names->config as well part of the workload's name. Without
 * either, results that have no label get the file's name without its last suffix.
 */
void import_add(struct import *import, const struct import_source *source, const char *parser,
		const struct parsed *parsed, const struct import_names *names,
		struct words *remarks);

#endif
