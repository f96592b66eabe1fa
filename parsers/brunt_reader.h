// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_BRUNT_READER_H
#define BRUNT_PARSERS_BRUNT_READER_H

#include "parsers/figure.h"
#include "parsers/json_places.h"
#include "parsers/lines.h"
#include "parsers/parser.h"

/*
 * The parts of the parser "brunt", which reads the JSON and CSV reports (docs/format.md). Functions
 * return 0 or a negative errno as parsed_add_note() does.
 *
 * Sets are never pooled: where a report is of several, the label has the set's name behind it.
 */
bool brunt_json_is_report(const struct jp_doc *doc);
int brunt_json_read(struct parsed *out, const struct jp_doc *doc);

bool brunt_csv_is_head(struct slice text);

/* Reads the rows below the head; lines is behind them afterwards. */
int brunt_csv_read(struct parsed *out, struct lines *lines);

enum parsed_better brunt_better(struct slice word);

#endif
