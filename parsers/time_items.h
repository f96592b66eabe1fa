// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_TIME_ITEMS_H
#define BRUNT_PARSERS_TIME_ITEMS_H

#include "parsers/time_reader.h"

/* A line as words "real", "user", "sys", times, '|' and what else there is. */
enum time_item_kind { ITEM_OTHER, ITEM_WORD, ITEM_TIME, ITEM_BAR };

enum { TIME_ITEMS = 4 * TIME_COLUMNS };

struct time_item {
	enum time_item_kind kind;
	enum time_metric metric; /* of a word */
	struct duration duration;
	const char *at;
	size_t cell; /* of the table's row, from 0 */
};

struct time_items {
	struct time_item v[TIME_ITEMS];
	size_t n, words, times, cells;
	bool bars, spread; /* spread: "+-" or the like stands in it */
	bool too_many;	   /* v does not hold all of it */
};

/* Neighbouring other words are one item; bars at the edges are none. */
void time_items_read(struct slice body, struct time_items *items);

#endif
