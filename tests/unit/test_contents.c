// SPDX-License-Identifier: GPL-3.0-or-later
/* What a line contains, from one look: a word that is missed here is a result that is not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parsers/contents.h"

/* A copy of just that size, so that a sanitizer sees what is read beyond it. */
static unsigned int contents(const char *text)
{
	size_t len = strlen(text);
	char *copy = malloc(len ? len : 1);
	unsigned int has;

	assert_non_null(copy);
	memcpy(copy, text, len);
	has = contents_of((struct slice){ copy, len });
	free(copy);
	return has;
}

static void words_are_found_at_any_place_and_in_any_case(void **state)
{
	(void)state;
	assert_int_equal(contents("real"), HAS_LETTER | HAS_REAL);
	assert_int_equal(contents("0.1user"), HAS_LETTER | HAS_DIGIT | HAS_USER);
	assert_int_equal(contents("SYS"), HAS_LETTER | HAS_SYS);
	assert_int_equal(contents("System"), HAS_LETTER | HAS_SYS);
	assert_int_equal(contents("sTiMe Real"), HAS_LETTER | HAS_TIME | HAS_REAL);
	assert_int_equal(contents("ssys"), HAS_LETTER | HAS_SYS);
	assert_int_equal(contents("rreal"), HAS_LETTER | HAS_REAL);
}

static void what_is_cut_off_is_no_word(void **state)
{
	(void)state;
	assert_int_equal(contents("rea"), HAS_LETTER);
	assert_int_equal(contents("sy"), HAS_LETTER);
	assert_int_equal(contents("use r"), HAS_LETTER);
	assert_int_equal(contents("t\0ime"), HAS_LETTER);
	assert_int_equal(contents(""), 0);
}

static void marks_digits_and_other_bytes(void **state)
{
	(void)state;
	assert_int_equal(contents(" -+/."), 0);
	assert_int_equal(contents("7"), HAS_DIGIT);
	assert_int_equal(contents("a: *"), HAS_LETTER | HAS_COLON | HAS_STAR);
	assert_int_equal(contents("="), HAS_COLON);
	assert_int_equal(contents("\xc2\xb1"), HAS_LETTER);
	/* with 0x20 set these would be letters of the words */
	assert_int_equal(contents("\x12\x05\x01\x0c"), 0);
	assert_int_equal(contents("\x13\x19\x13"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_found_at_any_place_and_in_any_case),
		cmocka_unit_test(what_is_cut_off_is_no_word),
		cmocka_unit_test(marks_digits_and_other_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
