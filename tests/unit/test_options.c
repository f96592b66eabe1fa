// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/xalloc.h"
#include "runner/options.h"
#include "tests/unit/assert_double.h"

static const struct option_spec specs[] = {
	{ "rounds", 'n', "N", "rounds to run" },
	{ "tracer", 't', "TRACER[,KEY=VALUE]...", "attach a tracer", true },
	{ "margin", 0, "PCT", "what is equivalent" },
	{ "quiet", 'q', NULL, "say less" },
	{ "verbose", 'v', NULL, "say more" },
	{ "aa", 0, NULL, "the baseline twice" },
	{ NULL },
};

/* Parses the words of this line; the words must outlive the options. */
static int parse(const char *line, struct words *words, struct options *options, struct err *err)
{
	assert_int_equal(words_split_shell(line, words, err), 0);
	return options_parse("run", specs, (int)words->n, words->v, options, err);
}

static void assert_refused(const char *line, const char *message)
{
	auto_words struct words words = WORDS_INIT;
	struct options options = { .n = 77 };
	struct err err = { 0 };

	assert_int_equal(parse(line, &words, &options, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_string_equal(err.text, message);
	assert_int_equal(options.n, 77); /* outputs only on success */
}

#define WITH(line, ...)                                                   \
	do {                                                              \
		auto_words struct words words = WORDS_INIT;               \
		struct options options = { 0 };                           \
		struct err err = { 0 };                                   \
                                                                          \
		assert_int_equal(parse(line, &words, &options, &err), 0); \
		__VA_ARGS__                                               \
		options_release(&options);                                \
	} while (0)

static void test_all_forms_of_a_value_are_the_same(void **state)
{
	static const char *const lines[] = { "--rounds 20", "--rounds=20", "-n 20",
					     "-n20",	    "-qn20",	   "-qvn 20" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		WITH(lines[i], {
			assert_string_equal(options_get(&options, "rounds"), "20");
			assert_int_equal(options.arguments.n, 0);
		});
}

static void test_a_value_is_taken_as_it_is(void **state)
{
	(void)state;
	WITH("--tracer=blktrace,a=b",
	     { assert_string_equal(options_get(&options, "tracer"), "blktrace,a=b"); });
	WITH("--rounds=", { assert_string_equal(options_get(&options, "rounds"), ""); });
	WITH("--rounds -q", {
		assert_string_equal(options_get(&options, "rounds"), "-q");
		assert_false(options_has(&options, "quiet"));
	});
	WITH("-n --", {
		assert_string_equal(options_get(&options, "rounds"), "--");
		assert_false(options.has_rest);
	});
}

static void test_options_without_value(void **state)
{
	(void)state;
	WITH("-qv --aa", {
		assert_true(options_has(&options, "quiet"));
		assert_true(options_has(&options, "verbose"));
		assert_true(options_has(&options, "aa"));
		assert_string_equal(options_get(&options, "aa"), "");
		assert_false(options_has(&options, "rounds"));
		assert_null(options_get(&options, "rounds"));
	});
	assert_refused("--quiet=yes", "--quiet takes no value");
}

static void test_repeated_options_are_kept_in_order(void **state)
{
	(void)state;
	WITH("-t a --tracer b -n 1 -tc", {
		assert_int_equal(options.n, 4);
		assert_string_equal(options.v[0].value, "a");
		assert_string_equal(options.v[1].value, "b");
		assert_string_equal(options.v[3].value, "c");
		assert_string_equal(options_get(&options, "rounds"), "1");
		assert_string_equal(options_get(&options, "tracer"), "c");
	});
}

static void test_the_last_of_two_values_is_not_taken_silently(void **state)
{
	(void)state;
	assert_refused("-n 1 -n 2", "--rounds is given twice: 1 and 2");
	assert_refused("--rounds=1 -qn2", "--rounds is given twice: 1 and 2");
	assert_refused("--margin 1 storm --margin=1", "--margin is given twice: 1 and 1");
	WITH("-q --quiet -vv", { assert_true(options_has(&options, "quiet")); });
}

static void test_arguments_stand_anywhere(void **state)
{
	(void)state;
	WITH("storm -n 3 fs=ext4 - ''", {
		assert_int_equal(options.arguments.n, 4);
		assert_string_equal(options.arguments.v[0], "storm");
		assert_string_equal(options.arguments.v[1], "fs=ext4");
		assert_string_equal(options.arguments.v[2], "-");
		assert_string_equal(options.arguments.v[3], "");
		assert_false(options.has_rest);
	});
}

static void test_what_stands_behind_two_dashes(void **state)
{
	(void)state;
	WITH("command -q -- ls -n --foo -- x", {
		assert_true(options.has_rest);
		assert_int_equal(options.arguments.n, 1);
		assert_int_equal(options.rest.n, 5);
		assert_string_equal(options.rest.v[0], "ls");
		assert_string_equal(options.rest.v[2], "--foo");
		assert_string_equal(options.rest.v[3], "--");
		assert_null(options.rest.v[5]);
		assert_false(options_has(&options, "rounds"));
	});
	WITH("command --", {
		assert_true(options.has_rest);
		assert_int_equal(options.rest.n, 0);
	});
}

static void test_unknown_options_get_a_suggestion(void **state)
{
	(void)state;
	assert_refused("--round 3", "run has no option --round; did you mean --rounds?");
	assert_refused("--tracr=x", "run has no option --tracr; did you mean --tracer?");
	assert_refused("--something-else",
		       "run has no option --something-else; see brunt run --help");
	assert_refused("-x", "run has no option -x; see brunt run --help");
	assert_refused("-qx", "run has no option -x; see brunt run --help");
}

static void test_a_prefix_is_no_match(void **state)
{
	(void)state;
	assert_refused("--verb", "run has no option --verb; see brunt run --help");
}

static void test_missing_values(void **state)
{
	(void)state;
	assert_refused("--rounds", "--rounds needs a value: N");
	assert_refused("-qn", "-n needs a value: N");
}

static void test_numbers_have_bounds(void **state)
{
	static const char *const wrong[] = {
		"-n 0", "-n 101", "-n x", "-n -1", "--rounds=", "-n 1.5", "-n 99999999999999999999"
	};
	unsigned int n = 10;

	(void)state;
	WITH("", { assert_int_equal(options_number(&options, "rounds", 1, 100, &n, &err), 0); });
	assert_int_equal(n, 10);
	WITH("-n 100",
	     { assert_int_equal(options_number(&options, "rounds", 1, 100, &n, &err), 0); });
	assert_int_equal(n, 100);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		WITH(wrong[i], {
			assert_int_equal(options_number(&options, "rounds", 1, 100, &n, &err),
					 -EINVAL);
			assert_int_equal(err.status, EXIT_USAGE);
			assert_non_null(strstr(err.text, "give a whole number, 1 to 100"));
		});
	assert_int_equal(n, 100);
}

static void test_percentages_have_bounds(void **state)
{
	static const char *const wrong[] = { "--margin -1",  "--margin 100", "--margin x",
					     "--margin 1,5", "--margin nan", "--margin 1%" };
	double percent = 1;

	(void)state;
	WITH("", { assert_int_equal(options_percent(&options, "margin", 100, &percent, &err), 0); });
	assert_double(percent, 1, 0);
	WITH("--margin 2.5",
	     { assert_int_equal(options_percent(&options, "margin", 100, &percent, &err), 0); });
	assert_double(percent, 2.5, 0);
	WITH("--margin 0",
	     { assert_int_equal(options_percent(&options, "margin", 100, &percent, &err), 0); });
	assert_double(percent, 0, 0);
	/* a slowdown has no end at 100 % */
	WITH("--margin 250", {
		assert_int_equal(options_percent(&options, "margin", PERCENT_MAX, &percent, &err),
				 0);
	});
	assert_double(percent, 250, 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		WITH(wrong[i], {
			assert_int_equal(options_percent(&options, "margin", 100, &percent,
							 &err), -EINVAL);
			assert_int_equal(err.status, EXIT_USAGE);
		});
	assert_double(percent, 250, 0);
}

static void test_help_lists_every_option_in_columns(void **state)
{
	auto_buf struct buf text = BUF_INIT;

	(void)state;
	options_help(specs, &text);
	assert_string_equal(text.s, "  -n, --rounds N              rounds to run\n"
				    "  -t, --tracer TRACER[,KEY=VALUE]...\n"
				    "                              attach a tracer\n"
				    "      --margin PCT            what is equivalent\n"
				    "  -q, --quiet                 say less\n"
				    "  -v, --verbose               say more\n"
				    "      --aa                    the baseline twice\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_forms_of_a_value_are_the_same),
		cmocka_unit_test(test_a_value_is_taken_as_it_is),
		cmocka_unit_test(test_options_without_value),
		cmocka_unit_test(test_repeated_options_are_kept_in_order),
		cmocka_unit_test(test_the_last_of_two_values_is_not_taken_silently),
		cmocka_unit_test(test_arguments_stand_anywhere),
		cmocka_unit_test(test_what_stands_behind_two_dashes),
		cmocka_unit_test(test_unknown_options_get_a_suggestion),
		cmocka_unit_test(test_a_prefix_is_no_match),
		cmocka_unit_test(test_missing_values),
		cmocka_unit_test(test_numbers_have_bounds),
		cmocka_unit_test(test_percentages_have_bounds),
		cmocka_unit_test(test_help_lists_every_option_in_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
