// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Any bytes through every parser of the table: nothing crashes, the limits hold, and what comes
 * out is whole. Built by clang with -fsanitize=fuzzer; the unit test of the corpus replays the
 * fixtures through the same function.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLD(condition)                                                                  \
	do {                                                                             \
		if (!(condition)) {                                                      \
			fprintf(stderr, "parser %s: not so: %s\n", parser->name,         \
				#condition);                                             \
			abort();                                                         \
		}                                                                        \
	} while (0)

static void check_value(const struct parser *parser, const struct parsed_value *value)
{
	HOLD(value->metric && *value->metric && value->unit && value->text);
	HOLD(!isinf(value->value) && !isinf(value->spread));
	HOLD(value->half_step >= 0 && value->spread_half_step >= 0);
	HOLD(value->line >= 1 && value->column >= 1);
	HOLD(value->summary || (!value->n && !value->spread_text && isnan(value->spread)));
	HOLD(!(value->spread < 0));
	HOLD(value->spread_kind == PARSED_NO_SPREAD || !isnan(value->spread));
}

static void check_record(const struct parser *parser, const struct parsed_record *record)
{
	HOLD(record->label != NULL);
	HOLD(record->n <= record->cap && record->npoint <= record->point_cap);
	HOLD(record->failed == (record->reason != NULL));
	HOLD(record->line >= 1);
	HOLD(record->n || record->failed);
	for (size_t i = 0; i < record->npoint; i++)
		HOLD(record->point[i].key && *record->point[i].key && record->point[i].value);
	for (size_t i = 0; i < record->n; i++)
		check_value(parser, &record->values[i]);
}

static void check_parser(const struct parser *parser, const char *text, size_t len)
{
	struct parsed parsed = { 0 };
	struct err err = { 0 };
	int sure, rc;

	sure = parser->recognise(text, len);
	HOLD(sure >= 0 && sure <= 100);
	rc = parser->parse(text, len, &parsed, &err);
	HOLD(rc == 0 || rc == -ENOMEM || rc == -E2BIG);
	HOLD(rc == 0 || err.text[0]);
	HOLD(parsed.n <= PARSED_MAX_RECORDS && parsed.nnotes <= PARSED_MAX_NOTES);
	for (size_t i = 0; i < parsed.n; i++)
		check_record(parser, &parsed.records[i]);
	for (size_t i = 0; i < parsed.nnotes; i++)
		HOLD(parsed.notes[i].line >= 1 && parsed.notes[i].text);
	parsed_release(&parsed);
	HOLD(!parsed.records && !parsed.notes && !parsed.n && !parsed.nnotes);
}

/* A copy of just that size, so that a sanitizer sees each byte that is read beyond it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	for (const struct parser *const *parser = parsers; *parser; parser++)
		check_parser(*parser, copy, size);
	free(copy);
	return 0;
}
