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

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(the_trailer_is_one_line_whatever_the_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
