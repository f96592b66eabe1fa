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

#include "base/words.h"
#include "base/xalloc.h"

static void assert_words(const struct words *words, const char *const *expected, size_t n)
{
	assert_int_equal(words->n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(words->v[i], expected[i]);
	if (n)
		assert_null(words->v[n]);
}

#define SPLIT(text, ...)                                                    \
	do {                                                                \
		static const char *const expected[] = { __VA_ARGS__ };      \
		auto_words struct words words = WORDS_INIT;                 \
		struct err err = { 0 };                                     \
                                                                            \
		assert_int_equal(words_split_shell(text, &words, &err), 0); \
		assert_words(&words, expected, ARRAY_SIZE(expected));       \
	} while (0)

static void test_splits_as_sh_does(void **state)
{
	(void)state;
	SPLIT("make -j 4", "make", "-j", "4");
	SPLIT("  a \t b\n c  ", "a", "b", "c");
	SPLIT("'a b' \"c d\" e\\ f", "a b", "c d", "e f");
	SPLIT("a'b'\"c\"d", "abcd");
	SPLIT("'' \"\" x", "", "", "x");
	SPLIT("'a\"b\\n' \"it's\"", "a\"b\\n", "it's");
	SPLIT("\\' \\\" \\\\", "'", "\"", "\\");
	SPLIT("\"\\$x \\` \\\" \\\\ \\n\"", "$x ` \" \\ \\n");
	SPLIT("$HOME *.c ~ a;b|c&", "$HOME", "*.c", "~", "a;b|c&");
	SPLIT("end\\", "end\\");
}

static void test_nothing_but_blanks_gives_no_words(void **state)
{
	auto_words struct words words = WORDS_INIT;
	struct err err = { 0 };

	(void)state;
	words_add(&words, "old");
	assert_int_equal(words_split_shell(" \t\n", &words, &err), 0);
	assert_int_equal(words.n, 0);
}

static void test_open_quotes_are_refused(void **state)
{
	static const char *const wrong[] = { "'a", "a \"b", "a'", "\"a\\\"", "'it''s" };
	static const char *const old[] = { "old" };
	auto_words struct words words = WORDS_INIT;
	struct err err = { 0 };

	(void)state;
	words_add(&words, "old");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(words_split_shell(wrong[i], &words, &err), -EINVAL);
		assert_int_equal(err.status, EXIT_USAGE);
		assert_non_null(strstr(err.text, wrong[i]));
	}
	assert_words(&words, old, 1);
}

static void assert_round_trip(const char *const *words, size_t n)
{
	auto_free char *text = words_quote_shell(words, n);
	auto_words struct words back = WORDS_INIT;
	struct err err = { 0 };

	assert_int_equal(words_split_shell(text, &back, &err), 0);
	assert_words(&back, words, n);
}

static void test_quoting_is_the_inverse_of_splitting(void **state)
{
	static const char *const odd[] = {
		"",    "plain", "a b",	"\t",	    "\n",	   "'",	       "''",
		"\"",  "\\",	"\\\\", "\\'",	    "it's \"it\"", "a\\",      "$(x) `y` *?[",
		"#no", "a=b",	"",	"\xc3\xbc", "-n",	   "\x01\x7f",
	};
	static const char *const alphabet[] = { "'", "\"", "\\", " ", "a" };
	char word[5] = "";
	const char *pair[2] = { word, "x" };

	(void)state;
	assert_round_trip(odd, ARRAY_SIZE(odd));
	assert_round_trip(NULL, 0);
	/* Every word of four of the characters that matter. */
	for (size_t code = 0; code < 5 * 5 * 5 * 5; code++) {
		for (size_t i = 0, rest = code; i < 4; i++, rest /= 5)
			word[i] = *alphabet[rest % 5];
		assert_round_trip(pair, 2);
	}
}

static void test_plain_words_are_not_quoted(void **state)
{
	static const char *const words[] = { "dd", "if=/dev/zero", "bs=4k", "--x=a,b" };
	auto_free char *text = words_quote_shell(words, 4);

	(void)state;
	assert_string_equal(text, "dd if=/dev/zero bs=4k --x=a,b");
}

#define SPLIT_AT(text, separator, ...)                                 \
	do {                                                           \
		static const char *const expected[] = { __VA_ARGS__ }; \
		auto_words struct words words = WORDS_INIT;            \
                                                                       \
		words_split_at(text, separator, &words);               \
		assert_words(&words, expected, ARRAY_SIZE(expected));  \
	} while (0)

static void test_splits_at_separators(void **state)
{
	(void)state;
	SPLIT_AT("a,b,c", ',', "a", "b", "c");
	SPLIT_AT("", ',', "");
	SPLIT_AT(",", ',', "", "");
	SPLIT_AT("a,,b,", ',', "a", "", "b", "");
	SPLIT_AT("a+b,c", '+', "a", "b,c");
}

static void test_a_backslash_keeps_the_separator(void **state)
{
	(void)state;
	SPLIT_AT("a\\,b,c", ',', "a,b", "c");
	SPLIT_AT("\\,", ',', ",");
	SPLIT_AT("a\\b,\\n", ',', "a\\b", "\\n");
	SPLIT_AT("a\\", ',', "a\\");
	SPLIT_AT("argv=sh -c 'a\\,b',x=1", ',', "argv=sh -c 'a,b'", "x=1");
}

static void test_nearest_name(void **state)
{
	static const char *const names[] = { "storm", "command", "blktrace", "fs",
					     "mount_options" };

	(void)state;
	assert_string_equal(words_nearest("strom", names, 5), "storm");
	assert_string_equal(words_nearest("storm", names, 5), "storm");
	assert_string_equal(words_nearest("comand", names, 5), "command");
	assert_string_equal(words_nearest("blktrac", names, 5), "blktrace");
	assert_string_equal(words_nearest("mount-options", names, 5), "mount_options");
	assert_null(words_nearest("kbuild", names, 5));
	assert_null(words_nearest("", names, 5));
	assert_null(words_nearest("storm", names, 0));
}

static void test_a_very_long_word_is_near_to_nothing(void **state)
{
	static const char *const names[] = { "storm", "command" };
	char word[200] = "";

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	assert_null(words_nearest(word, names, 2));
}

static void test_a_variable_is_set_once(void **state)
{
	auto_words struct words env = WORDS_INIT;

	(void)state;
	words_add(&env, "A=1");
	words_add(&env, "AB=2");
	words_set_variable(&env, "A=");
	words_set_variable(&env, "B=3=4");
	words_set_variable(&env, "B=5");
	assert_int_equal(env.n, 3);
	assert_string_equal(env.v[0], "A=");
	assert_string_equal(env.v[1], "AB=2");
	assert_string_equal(env.v[2], "B=5");
	assert_null(env.v[3]);
}

static void assert_line(const char *text, const char *expected)
{
	auto_free char *line = words_shell_line(text);

	if (!expected)
		assert_null(line);
	else
		assert_string_equal(line, expected);
}

static void test_a_line_for_the_shell(void **state)
{
	(void)state;
	assert_line("'a && b'", "a && b"); /* as a list of one word is stored */
	assert_line("a && 'b c'", "a && 'b c'");
	assert_line("a", "a");
	assert_line("echo \"open", "echo \"open"); /* sh will tell */
	assert_line("", NULL);
	assert_line(" \t\n", NULL);
	assert_line("' '", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_for_the_shell),
		cmocka_unit_test(test_a_variable_is_set_once),
		cmocka_unit_test(test_splits_as_sh_does),
		cmocka_unit_test(test_nothing_but_blanks_gives_no_words),
		cmocka_unit_test(test_open_quotes_are_refused),
		cmocka_unit_test(test_quoting_is_the_inverse_of_splitting),
		cmocka_unit_test(test_plain_words_are_not_quoted),
		cmocka_unit_test(test_splits_at_separators),
		cmocka_unit_test(test_a_backslash_keeps_the_separator),
		cmocka_unit_test(test_nearest_name),
		cmocka_unit_test(test_a_very_long_word_is_near_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
