// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TESTS_PARSED_TEXT_H
#define BRUNT_TESTS_PARSED_TEXT_H

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "parsers/parser.h"

/* What a parser read, as text that a test can hold beside what it should be. */

static inline void parsed_of_text(const char *parser, const char *text, size_t len,
				  struct parsed *out)
{
	struct err err = { 0 };

	memset(out, 0, sizeof(*out));
	assert_int_equal(parser_find(parser)->parse(text, len, out, &err), 0);
}

static inline void fixture_read(const char *name, struct buf *out)
{
	const char *tests = getenv("BRUNT_TESTS");
	auto_free char *folder = files_join(tests ? tests : "tests", "fixtures");
	auto_free char *path = files_join(folder, name);

	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 20, out), 0);
}

/* Name of the parser, and of a file of tests/fixtures/. */
static inline void parsed_of_file(const char *parser, const char *name, struct parsed *out)
{
	auto_buf struct buf text = BUF_INIT;

	fixture_read(name, &text);
	parsed_of_text(parser, text.s, text.len, out);
}

/* "null_call=0.5us ", a mean as "time=14.25s(10,sd=0.5) " */
static inline void value_text(const struct parsed_value *value, struct buf *out)
{
	static const char *const kinds[] = { "?", "sd", "se", "sd_pct", "se_pct" };

	if (isnan(value->value))
		buf_addf(out, "%s=unknown", value->metric);
	else
		buf_addf(out, "%s=%.10g%s", value->metric, value->value, value->unit);
	if (value->summary) {
		buf_addf(out, "(%zu", value->n);
		if (!isnan(value->spread))
			buf_addf(out, ",%s=%.10g", kinds[value->spread_kind], value->spread);
		buf_add(out, ")");
	}
	buf_addc(out, ' ');
}

/* A line a record: "label|host|config: values", a failed one with " FAILED: reason". */
static inline void parsed_text(const struct parsed *parsed, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < parsed->n; i++) {
		const struct parsed_record *record = &parsed->records[i];

		buf_addf(out, "%s|%s|%s: ", record->label, record->host ? record->host : "",
			 record->config ? record->config : "");
		for (size_t k = 0; k < record->n; k++)
			value_text(&record->values[k], out);
		if (record->failed)
			buf_addf(out, "FAILED: %s ", record->reason);
		out->s[out->len - 1] = '\n';
	}
}

/* "6:1 a row of ..." a line */
static inline void notes_text(const struct parsed *parsed, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < parsed->nnotes; i++)
		buf_addf(out, "%zu:%zu %s\n", parsed->notes[i].line, parsed->notes[i].column,
			 parsed->notes[i].text);
}

/* All of it: records, then notes. */
static inline void parsed_all_text(const struct parsed *parsed, struct buf *out)
{
	auto_buf struct buf records = BUF_INIT, notes = BUF_INIT;

	parsed_text(parsed, &records);
	notes_text(parsed, &notes);
	buf_clear(out);
	buf_addf(out, "%snotes:\n%s", records.len ? records.s : "", notes.len ? notes.s : "");
}

static inline void assert_parsed(const struct parsed *parsed, const char *records,
				 const char *notes)
{
	auto_buf struct buf text = BUF_INIT;

	parsed_text(parsed, &text);
	assert_string_equal(text.len ? text.s : "", records);
	notes_text(parsed, &text);
	assert_string_equal(text.len ? text.s : "", notes);
}

/* tests/fixtures/NAME.txt is read as tests/fixtures/NAME.expect says. */
static inline void assert_fixture(const char *parser, const char *name)
{
	auto_free char *input = xasprintf("%s.txt", name), *expect = xasprintf("%s.expect", name);
	auto_buf struct buf text = BUF_INIT, expected = BUF_INIT;
	struct parsed parsed;

	parsed_of_file(parser, input, &parsed);
	parsed_all_text(&parsed, &text);
	fixture_read(expect, &expected);
	assert_string_equal(text.s, expected.s);
	parsed_release(&parsed);
}

#endif
