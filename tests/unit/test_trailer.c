// SPDX-License-Identifier: GPL-3.0-or-later
/* The line for a commit message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runner/trailer.h"
#include "tests/unit/compare_tests.h"

static void the_trailer_is_one_line_whatever_the_names(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };
	struct buf line = BUF_INIT;

	add_runs(made, "none", fast, 6);
	add_runs(made, "a\nSigned-off-by: x \x1b[31m", slow, 6);
	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", "");
	add_runs(made, "third", slow, 6);
	assert_int_equal(pick(&p, made, "/", NULL, NULL), 0);
	trailer_add(&p.analysis, &line);
	assert_ptr_equal(strchr(line.s, '\n'), line.s + line.len - 1);
	assert_null(strchr(line.s, '\x1b'));
	assert_int_equal(strncmp(line.s, "Benchmarked: brunt ", 19), 0);
	assert_non_null(strstr(line.s, ", set sha256:"));
	if (!strstr(line.s, "real +18.63% [18.36, 18.90]"))
		print_error("%s", line.s);
	assert_non_null(strstr(line.s, "real +18.63% [18.36, 18.90]"));
	buf_release(&line);
	release(&p);
}

static char *trailer_of(struct picked *p)
{
	struct buf line = BUF_INIT;

	trailer_add(&p->analysis, &line);
	release(p);
	return buf_steal(&line);
}

static void assert_ends(const char *line, const char *end)
{
	if (strlen(line) < strlen(end) || strcmp(line + strlen(line) - strlen(end), end) != 0)
		fail_msg("%s does not end in %s", line, end);
}

/* Of two sets it says which is which. */
static void two_sets_are_named(void **state)
{
	struct made_set *made = *state, other;
	struct picked p = { .options = defaults };
	auto_free char *end = NULL, *line = NULL;

	add_runs(made, "none", fast, 6);
	made_set_init(&other);
	add_runs(&other, "none", slow, 6);
	assert_int_equal(pick(&p, made, "/", &other, "/"), 0);
	line = trailer_of(&p);
	end = xasprintf(", none: %s -> %s, real +18.6%% [16.7, 20.6]\n", made->path, other.path);
	assert_ends(line, end);
	made_set_release(&other);
}

static void what_is_not_shown_has_its_verdict(void **state)
{
	struct picked p = { .options = defaults };
	auto_free char *line = NULL;

	add_runs(*state, "none", fast, 2);
	add_runs(*state, "trace", slow, 2);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	line = trailer_of(&p);
	assert_ends(line, " (inconclusive)\n");
}

static void a_change_without_a_percentage_is_in_units(void **state)
{
	static const double none[] = { 0, 0, 0, 0 }, more[] = { 2, 2.1, 1.9, 2 };
	struct picked p = { .options = defaults };
	auto_free char *line = NULL;

	add_runs(*state, "none", none, 4);
	add_runs(*state, "trace", more, 4);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	line = trailer_of(&p);
	assert_ends(line, ", real +2.00 s [+1.87, +2.13]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(the_trailer_is_one_line_whatever_the_names),
		MADE_TEST(two_sets_are_named),
		MADE_TEST(what_is_not_shown_has_its_verdict),
		MADE_TEST(a_change_without_a_percentage_is_in_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
