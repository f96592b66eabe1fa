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
#include <math.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "tests/unit/assert_double.h"

static json_t *parsed(const char *text)
{
	struct err err = { 0 };
	json_t *value = NULL;

	if (json_parse(text, strlen(text), "test", &value, &err))
		print_error("%s\n", err.text);
	assert_non_null(value);
	return value;
}

static void assert_refused(const char *text, size_t len)
{
	struct err err = { 0 };
	json_t *value = NULL;

	assert_int_equal(json_parse(text, len, "file.json", &value, &err), -EINVAL);
	assert_null(value);
	assert_int_equal(strncmp(err.text, "file.json: line ", 16), 0);
}

static void assert_number_text(double number, const char *expected)
{
	auto_json json_t *value = json_number(number);
	auto_buf struct buf text = BUF_INIT;

	json_write(&text, value, 0);
	assert_string_equal(text.s, expected);
}

static void test_numbers_take_15_digits_where_those_suffice(void **state)
{
	(void)state;
	assert_number_text(0.1, "0.1");
	assert_number_text(3.38, "3.38");
	assert_number_text(-0.25, "-0.25");
	assert_number_text(1e-9, "1e-09");
	assert_number_text(3, "3.0");
	assert_number_text(-0.0, "-0.0");
	assert_number_text(0.1 + 0.2, "0.30000000000000004");
	assert_number_text(1.0 / 3.0, "0.33333333333333331");
}

/* Whichever way they are written: the fewer of 15 and 17 digits that read back equal. */
static void test_numbers_are_written_as_printf_does(void **state)
{
	static const double sizes[] = { 1e-6, 1e-4, 1e-3, 1, 60, 1e5, 999999.9, 1e6, 1e7, 1e15 };
	char expected[48];

	(void)state;
	srand48(1);
	for (int i = 0; i < 100000; i++) {
		double value = (drand48() - .3) * sizes[i % (int)ARRAY_SIZE(sizes)];

		if (i % 3)
			value = round(value * pow(10, 1 + i % 12)) / pow(10, 1 + i % 12);
		snprintf(expected, sizeof(expected), "%.15g", value);
		if (strtod(expected, NULL) != value)
			snprintf(expected, sizeof(expected), "%.17g", value);
		if (!strpbrk(expected, ".e"))
			strcat(expected, ".0");
		assert_number_text(value, expected);
	}
}

static void test_numbers_read_back_equal(void **state)
{
	static const double fixed[] = {
		5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993.0, 1e22,
		1e23,	123456789012345680.0
	};
	uint64_t bits = 88172645463325252ULL;

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		auto_json json_t *value = NULL, *back = NULL;
		auto_buf struct buf text = BUF_INIT;
		double number;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&number, &bits, sizeof(number));
		if (i < ARRAY_SIZE(fixed))
			number = fixed[i];
		if (!isfinite(number))
			continue;
		value = json_number(number);
		json_write(&text, value, 0);
		back = parsed(text.s);
		assert_true(json_is_real(back));
		assert_true(json_real_value(back) == number);
		assert_true(text.len <= 24);
	}
}

static void test_unknown_numbers_are_null(void **state)
{
	auto_json json_t *object = json_object(), *back = NULL;
	auto_buf struct buf text = BUF_INIT;

	(void)state;
	json_object_set_new(object, "nan", json_number(NAN));
	json_object_set_new(object, "inf", json_number(INFINITY));
	json_object_set_new(object, "text", json_text(NULL));
	json_write(&text, object, 0);
	assert_string_equal(text.s, "{\"nan\":null,\"inf\":null,\"text\":null}");
	back = parsed(text.s);
	assert_nan(json_get_number(back, "nan"));
}

static void test_layout(void **state)
{
	static const char compact[] = "{\"b\":[1,[],{}],\"a\":{\"x\":true},\"t\":\"q\\\"\\n\"}";
	auto_json json_t *value = parsed(compact);
	auto_buf struct buf text = BUF_INIT;

	(void)state;
	json_write(&text, value, 0);
	assert_string_equal(text.s, compact);
	buf_clear(&text);
	json_write(&text, value, 2);
	assert_string_equal(text.s, "{\n"
				    "  \"b\": [\n    1,\n    [],\n    {}\n  ],\n"
				    "  \"a\": {\n    \"x\": true\n  },\n"
				    "  \"t\": \"q\\\"\\n\"\n"
				    "}\n");
}

static void test_repeated_keys_are_refused(void **state)
{
	static const char twice[] = "{\"a\":1,\"b\":{\"c\":1,\"c\":1}}";

	(void)state;
	assert_refused(twice, strlen(twice));
}

static void test_what_is_no_json_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",	 "{",	    "{\"a\":1} x", "{\"a\":1}{\"b\":2}", "nul",
		"[1,]",	 "{'a':1}", "\"\xff\"",	   "\"\xed\xa0\x80\"",	 "\"\\ud800\"",
		"1e999", "NaN",	    "01"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_refused(wrong[i], strlen(wrong[i]));
}

static void test_nul_is_refused(void **state)
{
	static const char escaped[] = "\"a\\u0000b\"", raw[] = "\"a\0b\"", behind[] = "{}\0{}";

	(void)state;
	assert_refused(escaped, sizeof(escaped) - 1);
	assert_refused(raw, sizeof(raw) - 1);
	assert_refused(behind, sizeof(behind) - 1);
}

static void test_any_value_may_stand_alone(void **state)
{
	auto_json json_t *number = parsed("1.5"), *text = parsed("\"x\""), *null = parsed(" null ");

	(void)state;
	assert_double(json_real_value(number), 1.5, 0);
	assert_string_equal(json_string_value(text), "x");
	assert_true(json_is_null(null));
}

static void assert_text(const char *given, const char *expected)
{
	auto_json json_t *value = json_text(given);

	assert_string_equal(json_string_value(value), expected);
}

static void test_bytes_that_are_no_utf8_become_question_marks(void **state)
{
	(void)state;
	assert_text("", "");
	assert_text("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	assert_text("\xff", "?");
	assert_text("a\xe4z", "a?z");
	assert_text("cut \xe2\x82", "cut ??");
	assert_text("\xc0\xaf", "??");
	assert_text("\xed\xa0\x80", "???");
}

static void test_a_wrong_byte_leaves_its_neighbours_alone(void **state)
{
	(void)state;
	assert_text("\xc3\xbc\xff\xe2\x82\xac", "\xc3\xbc?\xe2\x82\xac");
	assert_text("\xff\xf0\x9f\x90\xa7!", "?\xf0\x9f\x90\xa7!");
}

static void test_text_is_written_as_utf8(void **state)
{
	auto_json json_t *value = json_text("\xc3\xbc \xf0\x9f\x90\xa7 \x01 /");
	auto_buf struct buf text = BUF_INIT;

	(void)state;
	json_write(&text, value, 0);
	assert_string_equal(text.s, "\"\xc3\xbc \xf0\x9f\x90\xa7 \\u0001 /\"");
}

static void test_what_yaml_cannot_hold_is_escaped(void **state)
{
	static const char odd[] = "\x7f\xc2\x80\xc2\x85\xc2\x9f\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9"
				  "\xef\xbb\xbf\xef\xbf\xbe\xef\xbf\xbd";
	auto_json json_t *value = json_text(odd), *back = NULL;
	auto_buf struct buf text = BUF_INIT;

	(void)state;
	json_write(&text, value, 0);
	assert_string_equal(text.s, "\"\\u007f\\u0080\\u0085\\u009f\xc2\xa0\\u2028\\u2029"
				    "\\ufeff\\ufffe\xef\xbf\xbd\"");
	back = parsed(text.s);
	assert_string_equal(json_string_value(back), odd);
}

static void test_members_by_type_or_a_default(void **state)
{
	auto_json json_t *object = parsed("{\"t\":\"x\",\"i\":-5,\"r\":2.5,\"n\":null}");

	(void)state;
	assert_string_equal(json_get_text(object, "t", "d"), "x");
	assert_string_equal(json_get_text(object, "i", "d"), "d");
	assert_string_equal(json_get_text(object, "n", "d"), "d");
	assert_null(json_get_text(object, "missing", NULL));
	assert_string_equal(json_get_text(NULL, "t", "d"), "d");
	assert_double(json_get_number(object, "r"), 2.5, 0);
	assert_double(json_get_number(object, "i"), -5, 0);
	assert_nan(json_get_number(object, "t"));
	assert_nan(json_get_number(object, "missing"));
	assert_nan(json_get_number(NULL, "r"));
	assert_int_equal(json_get_int(object, "i", 9), -5);
	assert_int_equal(json_get_int(object, "r", 9), 9);
	assert_int_equal(json_get_int(object, "missing", 9), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_take_15_digits_where_those_suffice),
		cmocka_unit_test(test_numbers_are_written_as_printf_does),
		cmocka_unit_test(test_numbers_read_back_equal),
		cmocka_unit_test(test_unknown_numbers_are_null),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_repeated_keys_are_refused),
		cmocka_unit_test(test_what_is_no_json_is_refused),
		cmocka_unit_test(test_nul_is_refused),
		cmocka_unit_test(test_any_value_may_stand_alone),
		cmocka_unit_test(test_bytes_that_are_no_utf8_become_question_marks),
		cmocka_unit_test(test_a_wrong_byte_leaves_its_neighbours_alone),
		cmocka_unit_test(test_text_is_written_as_utf8),
		cmocka_unit_test(test_what_yaml_cannot_hold_is_escaped),
		cmocka_unit_test(test_members_by_type_or_a_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
