// SPDX-License-Identifier: GPL-3.0-or-later
/* Texts through a parser, and what came out of them. Include after cmocka.h. */
#ifndef BRUNT_TESTS_PARSED_FIGURES_H
#define BRUNT_TESTS_PARSED_FIGURES_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "parsers/parser.h"
#include "tests/unit/assert_double.h"

/* The caller releases it. */
static inline struct parsed parsed_bytes(const char *format, const char *text, size_t len)
{
	struct parsed parsed = { 0 };
	struct err err = { 0 };

	if (parser_find(format)->parse(text, len, &parsed, &err))
		fail_msg("%s", err.text);
	return parsed;
}

static inline struct parsed parsed_text(const char *format, const char *text)
{
	return parsed_bytes(format, text, strlen(text));
}

/* A file of tests/fixtures, which its format recognises. */
static inline struct parsed parsed_file(const char *format, const char *name)
{
	const char *tests = getenv("BRUNT_TESTS");
	auto_free char *path = xasprintf("%s/fixtures/%s", tests ? tests : "tests", name);
	auto_buf struct buf text = BUF_INIT;

	if (files_read_at(AT_FDCWD, path, 1 << 20, &text))
		fail_msg("%s cannot be read", path);
	assert_true(parser_find(format)->recognise(text.s, text.len) >= 40);
	return parsed_bytes(format, text.s, text.len);
}

/* NULL: the record has no such metric. */
static inline const struct parsed_value *parsed_metric(const struct parsed *parsed, size_t record,
						       const char *metric)
{
	const struct parsed_record *r = &parsed->records[record];

	assert_true(record < parsed->n);
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->values[i].metric, metric))
			return &r->values[i];
	return NULL;
}

static inline const struct parsed_value *parsed_need(const struct parsed *parsed, size_t record,
						     const char *metric)
{
	const struct parsed_value *value = parsed_metric(parsed, record, metric);

	if (!value)
		fail_msg("record %zu has no %s", record, metric);
	return value;
}

/* The value of a run. */
static inline void assert_run(const struct parsed *parsed, size_t record, const char *metric,
			      const char *unit, double expected)
{
	const struct parsed_value *value = parsed_need(parsed, record, metric);

	assert_false(value->summary);
	assert_string_equal(value->unit, unit);
	assert_double(value->value, expected, 1e-15);
}

static inline void assert_mean(const struct parsed *parsed, size_t record, const char *metric,
			       double expected, size_t n, enum parsed_spread kind, double spread)
{
	const struct parsed_value *value = parsed_need(parsed, record, metric);

	assert_true(value->summary);
	assert_double(value->value, expected, 1e-15);
	assert_int_equal(value->n, n);
	assert_int_equal(value->spread_kind, kind);
	if (kind == PARSED_NO_SPREAD)
		assert_nan(value->spread);
	else
		assert_double(value->spread, spread, 1e-12);
}

static inline void assert_point(const struct parsed *parsed, size_t record, const char *key,
				const char *expected)
{
	const struct parsed_record *r = &parsed->records[record];
	const char *found = NULL;

	assert_true(record < parsed->n);
	for (size_t i = 0; i < r->npoint; i++)
		if (!strcmp(r->point[i].key, key))
			found = r->point[i].value;
	if (!expected) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, expected);
}

static inline void assert_failed(const struct parsed *parsed, size_t record, const char *says)
{
	const struct parsed_record *r = &parsed->records[record];

	assert_true(record < parsed->n);
	assert_true(r->failed);
	if (!strstr(r->reason, says))
		fail_msg("'%s' does not say '%s'", r->reason, says);
}

/* Some note at this line has these words. */
static inline void assert_note(const struct parsed *parsed, size_t line, const char *says)
{
	for (size_t i = 0; i < parsed->nnotes; i++)
		if (parsed->notes[i].line == line && strstr(parsed->notes[i].text, says))
			return;
	for (size_t i = 0; i < parsed->nnotes; i++)
		print_error("%zu: %s\n", parsed->notes[i].line, parsed->notes[i].text);
	fail_msg("no note of line %zu says '%s'", line, says);
}

#endif
