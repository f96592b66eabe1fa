// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Any bytes through every parser of the table, and as the mail or page that they may be: nothing
 * crashes, the limits hold, and what comes out is whole. Built by clang with -fsanitize=fuzzer; the
 * unit test of the corpus replays the fixtures through the same function.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/parse_all.h"
#include "parsers/parser.h"
#include "parsers/plain.h"

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

/* Decoded text is never longer than three bytes for one; its lines are those of the bytes. */
static void check_plain(const char *text, size_t len)
{
	const struct parser *const parser = parsers[0];
	size_t lines = 1, number = 0;
	struct plain plain;

	HOLD(plain_read(text, len, &plain) == 0);
	HOLD(plain.own ? plain.len <= 3 * len + 3 : plain.text == text);
	HOLD(plain.own || plain.len == len || !plain.len); /* a page of nothing but tags */
	HOLD(!memchr(plain.text, '\x1b', plain.len));
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	for (size_t i = 0; plain.lines && i < plain.len; i++)
		number += plain.own[i] == '\n' || i + 1 == plain.len;
	HOLD(!plain.lines || (plain.nlines <= number && plain.nlines + 1 >= number));
	for (size_t i = 1; i <= plain.nlines; i++) {
		HOLD(plain_line(&plain, i) >= 1 && plain_line(&plain, i) <= lines);
		HOLD(i < 2 || plain_line(&plain, i) >= plain_line(&plain, i - 1));
	}
	plain_release(&plain);
}

/* No line is in two parts. */
static void check_all(const char *text, size_t len)
{
	struct parse_parts parts = { .n = 0 };
	struct err err = { 0 };
	size_t records = 0;
	int rc = parse_all(text, len, NULL, &parts, &err);

	for (size_t i = 0; rc == 0 && i < parts.n; i++)
		records += parts.v[i].parsed.n;
	for (size_t i = 0; rc == 0 && i < parts.n; i++) {
		const struct parser *parser = parts.v[i].parser;

		HOLD(!records || parts.v[i].parsed.n);
		for (size_t k = 0; k < parts.v[i].parsed.n; k++)
			check_record(parser, &parts.v[i].parsed.records[k]);
	}
	parse_parts_release(&parts);
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
	check_plain(copy, size);
	if (size < 1024) /* it costs as much as all before */
		check_all(copy, size);
	free(copy);
	return 0;
}
