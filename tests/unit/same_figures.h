// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Texts that were changed on their way, and the figures that they may give: none but those of the
 * text as it was. Include after cmocka.h.
 */
#ifndef BRUNT_TESTS_SAME_FIGURES_H
#define BRUNT_TESTS_SAME_FIGURES_H

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "parsers/parse_all.h"
#include "parsers/plain.h"

struct figures {
	struct figure {
		char *metric;
		double value;
		bool summary;
	} *v;
	size_t n;
};

static inline bool figures_have(const struct figures *figures, const struct parsed_value *value)
{
	for (size_t i = 0; i < figures->n; i++)
		if (figures->v[i].value == value->value &&
		    figures->v[i].summary == value->summary &&
		    !strcmp(figures->v[i].metric, value->metric))
			return true;
	return false;
}

/* As brunt import does it. */
static inline struct parse_parts read_text(const char *text, size_t len)
{
	struct parse_parts parts = { .n = 0 };
	struct err err = { 0 };
	struct plain plain;

	assert_int_equal(plain_read(text, len, &plain), 0);
	plain.len -= plain_cut_off(plain.text, plain.len);
	assert_int_equal(parse_all(plain.text, plain.len, NULL, &parts, &err), 0);
	plain_release(&plain);
	return parts;
}

static inline void figures_add(struct figures *figures, const struct parsed *parsed)
{
	for (size_t i = 0; i < parsed->n; i++)
		for (size_t k = 0; k < parsed->records[i].n; k++) {
			const struct parsed_value *value = &parsed->records[i].values[k];

			figures->v = xreallocarray(figures->v, figures->n + 1,
						   sizeof(*figures->v));
			figures->v[figures->n++] = (struct figure){
				xstrdup(value->metric), value->value, value->summary
			};
		}
}

/* what: how the text was changed */
static inline void figures_check(const struct figures *whole, const struct parsed *parsed,
				 const char *name, const char *what)
{
	for (size_t i = 0; i < parsed->n; i++)
		for (size_t k = 0; k < parsed->records[i].n; k++) {
			const struct parsed_value *value = &parsed->records[i].values[k];

			if (!isnan(value->value) && !figures_have(whole, value))
				fail_msg("%s, %s: %s is %s, which the text does not say", name,
					 what, value->metric, value->text);
		}
}

/* A file of tests/fixtures, and what is read of it. */
static inline void figures_of_fixture(const char *name, struct buf *text, struct figures *out)
{
	const char *tests = getenv("BRUNT_TESTS");
	auto_free char *path = xasprintf("%s/fixtures/%s", tests ? tests : "tests", name);
	struct parse_parts parts;

	*out = (struct figures){ .n = 0 };
	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 20, text), 0);
	parts = read_text(text->s, text->len);
	for (size_t i = 0; i < parts.n; i++)
		figures_add(out, &parts.v[i].parsed);
	parse_parts_release(&parts);
	assert_true(out->n > 0);
}

/* Gives how many figures were read. */
static inline size_t figures_check_text(const struct figures *whole, const char *text, size_t len,
					const char *name, const char *what)
{
	struct parse_parts parts = read_text(text, len);
	size_t n = 0;

	for (size_t i = 0; i < parts.n; i++) {
		figures_check(whole, &parts.v[i].parsed, name, what);
		for (size_t k = 0; k < parts.v[i].parsed.n; k++)
			n += parts.v[i].parsed.records[k].n;
	}
	parse_parts_release(&parts);
	return n;
}

static inline void figures_release(struct figures *figures)
{
	for (size_t i = 0; i < figures->n; i++)
		free(figures->v[i].metric);
	free(figures->v);
}

#endif
