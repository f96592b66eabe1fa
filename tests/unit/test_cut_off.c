// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Texts that break off anywhere: what is read then is what the whole text says too. A number that
 * lost its last digits, a block that lost its last row, is left out.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

static bool has(const struct figures *figures, const struct parsed_value *value)
{
	for (size_t i = 0; i < figures->n; i++)
		if (figures->v[i].value == value->value &&
		    figures->v[i].summary == value->summary &&
		    !strcmp(figures->v[i].metric, value->metric))
			return true;
	return false;
}

/* As brunt import does it. */
static struct parse_parts read_text(const char *text, size_t len)
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

static void add_all(struct figures *figures, const struct parsed *parsed)
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

static void check_all(const struct figures *whole, const struct parsed *parsed, const char *name,
		      size_t cut)
{
	for (size_t i = 0; i < parsed->n; i++)
		for (size_t k = 0; k < parsed->records[i].n; k++) {
			const struct parsed_value *value = &parsed->records[i].values[k];

			if (!isnan(value->value) && !has(whole, value))
				fail_msg("%s, cut off after %zu bytes: %s is %s, which the whole "
					 "does not say", name, cut, value->metric, value->text);
		}
}

static void check_fixture(const char *name)
{
	const char *tests = getenv("BRUNT_TESTS");
	auto_free char *path = xasprintf("%s/fixtures/%s", tests ? tests : "tests", name);
	auto_buf struct buf text = BUF_INIT;
	struct figures whole = { .n = 0 };
	struct parse_parts parts;

	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 20, &text), 0);
	parts = read_text(text.s, text.len);
	for (size_t i = 0; i < parts.n; i++)
		add_all(&whole, &parts.v[i].parsed);
	parse_parts_release(&parts);
	assert_true(whole.n > 0);
	for (size_t cut = 0; cut < text.len; cut++) {
		parts = read_text(text.s, cut);
		for (size_t i = 0; i < parts.n; i++)
			check_all(&whole, &parts.v[i].parsed, name, cut);
		parse_parts_release(&parts);
	}
	for (size_t i = 0; i < whole.n; i++)
		free(whole.v[i].metric);
	free(whole.v);
}

static void no_figure_is_half_of_another(void **state)
{
	static const char *const names[] = {
		"time/bash.txt", "time/bsd.txt", "time/busybox.txt", "time/comma-columns.txt",
		"time/csh.txt", "time/failed.txt", "time/gnu.txt", "time/gnu-verbose.txt",
		"time/mail.txt", "time/nested.txt", "time/posix.txt", "time/side-by-side.txt",
		"time/table.txt", "time/takes.txt", "time/timeformat.txt", "time/zsh.txt",
		"kernbench/kcbench.log", "kernbench/three-loads.txt", "kernbench/two-kernels.txt",
		"lmbench/labels.txt", "lmbench/raw.txt", "means/markers.txt", "means/units.txt",
		"perf-stat/repeated.txt", "perf-stat/in-a-mail.txt", "fio/normal-3.txt",
		"fio/terse-3.txt", "hyperfine/parameters.csv", "fio/one-job.json",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check_fixture(names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_figure_is_half_of_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
