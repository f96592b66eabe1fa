// SPDX-License-Identifier: GPL-3.0-or-later
/* What stands around times in logs and mails, and is none of their figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "parsers/parser.h"

static void read_times(const char *text, struct parsed *out)
{
	struct err err = { 0 };

	assert_int_equal(parser_find("time")->parse(text, strlen(text), out, &err), 0);
}

/* Two words above two columns, but what both are of. */
static void a_heading_is_no_names_of_columns(void **state)
{
	static const char text[] = "Kernel build:\n\nreal 7m2.313s real 7m1.542s\n"
				   "user 6m25.012s user 6m25.484s\n";
	struct parsed parsed = { 0 };

	(void)state;
	read_times(text, &parsed);
	assert_int_equal(parsed.n, 2);
	assert_string_equal(parsed.records[0].label, "Kernel build: column 1");
	assert_string_equal(parsed.records[1].label, "Kernel build: column 2");
	parsed_release(&parsed);
}

static void a_moment_does_not_tell_runs_apart(void **state)
{
	static const char text[] = "2024-02-26 06:47:29 make -j8\nreal 0m1.5s\nuser 0m1s\n"
				   "2024-02-26 06:48:09 make -j8\nreal 0m1.6s\nuser 0m1s\n"
				   "2024-02-26:\nreal 0m1.7s\nuser 0m1s\n";
	struct parsed parsed = { 0 };

	(void)state;
	read_times(text, &parsed);
	assert_int_equal(parsed.n, 3);
	assert_string_equal(parsed.records[0].label, "make -j8");
	assert_string_equal(parsed.records[1].label, "make -j8");
	assert_string_equal(parsed.records[2].label, "2024-02-26");
	parsed_release(&parsed);
}

/* A mail program cut the lines to some width: half of a time is none. */
static void a_time_that_goes_on_in_the_next_line_is_left_out(void **state)
{
	static const char *const texts[] = {
		"> real 7m21.756s user 0m2.021s sys 0\nm22.190s\n",
		"real 0m1,3\n73s\n",
		"\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:00.1\n1\n",
		"python some/long/path/of/a/program.py --with=options 1\n"
		"2.53s user 1.09s system 77% cpu 1.652 total\n",
		"python some/long/path/of/a/program.py --with=options 12.\n"
		"53s user 1.09s system 77% cpu 1.652 total\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct parsed parsed = { 0 };
		read_times(texts[i], &parsed);
		assert_int_equal(parsed.n, 0);
		assert_int_equal(parsed.nnotes, 1);
		parsed_release(&parsed);
	}
}

static void a_number_below_the_times_is_no_half_of_one(void **state)
{
	static const char text[] = "$ time ./a.out 32\n"
				   "    1.25s real     0.50s user     0.25s system\n"
				   "real 1.25\nuser 0.50\nsys 0.25\n0\n";
	struct parsed parsed = { 0 };

	(void)state;
	read_times(text, &parsed);
	assert_int_equal(parsed.n, 2);
	assert_int_equal(parsed.nnotes, 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(parsed.records[i].n, 3);
	parsed_release(&parsed);
}

static void what_shells_say_of_a_missing_program_makes_its_time_failed(void **state)
{
	static const char *const says[] = { "bash: x: command not found",
					    "zsh: command not found: x",
					    "sh: 1: x: not found",
					    "x: Command not found.",
					    "Terminated",
					    "ninja: build stopped: subcommand failed." };

	(void)state;
	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++) {
		auto_free char *text = xasprintf("%s\nreal 0.05\nuser 0.01\nsys 0.02\n"
						 "fine\nreal 0.05\nuser 0.01\nsys 0.02\n",
						 says[i]);
		struct parsed parsed = { 0 };
		read_times(text, &parsed);
		assert_int_equal(parsed.n, 2);
		assert_true(parsed.records[0].failed);
		assert_string_equal(parsed.records[0].reason, says[i]);
		assert_false(parsed.records[1].failed);
		parsed_release(&parsed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_heading_is_no_names_of_columns),
		cmocka_unit_test(a_moment_does_not_tell_runs_apart),
		cmocka_unit_test(a_time_that_goes_on_in_the_next_line_is_left_out),
		cmocka_unit_test(a_number_below_the_times_is_no_half_of_one),
		cmocka_unit_test(what_shells_say_of_a_missing_program_makes_its_time_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
