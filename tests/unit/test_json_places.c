// SPDX-License-Identifier: GPL-3.0-or-later
/* JSON with places, and numbers as they were printed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "parsers/json_places.h"
#include "tests/unit/assert_double.h"

static int read_text(const char *text, struct jp_doc *doc, struct jp_place *place)
{
	jp_place_init(place, text, strlen(text));
	return jp_read(place, doc);
}

static void values_know_where_they_stand(void **state)
{
	struct jp_doc doc = { 0 };
	struct jp_place place;
	const struct jp_node *a, *b;
	struct number number;

	(void)state;
	assert_int_equal(
		read_text("{\"a\" : 1.50,\n  \"b\": [true, \"x\\\"y\"]}\nrest", &doc, &place), 0);
	a = jp_get(&doc, doc.v, "a");
	assert_int_equal(a->line, 1);
	assert_int_equal(a->column, 8);
	assert_true(slice_is(a->text, "1.50"));
	assert_true(jp_number(a, &number));
	assert_double(number.half_step, .005, 1e-12);
	b = jp_first(&doc, jp_get_kind(&doc, doc.v, "b", JP_ARRAY));
	assert_int_equal(b->kind, JP_TRUE);
	b = jp_next(&doc, b);
	assert_int_equal(b->line, 2);
	assert_true(slice_is(b->text, "x\\\"y"));
	assert_null(jp_next(&doc, b));
	assert_string_equal(place.at, "\nrest");
	jp_release(&doc);
}

static void a_member_that_comes_twice_is_not_taken(void **state)
{
	struct jp_doc doc = { 0 };
	struct jp_place place;

	(void)state;
	assert_int_equal(read_text("{\"a\":1,\"a\":2,\"b\":3}", &doc, &place), 0);
	assert_null(jp_get(&doc, doc.v, "a"));
	assert_int_equal(jp_count(&doc, doc.v, "a"), 2);
	assert_non_null(jp_get(&doc, doc.v, "b"));
	assert_null(jp_get_kind(&doc, doc.v, "b", JP_STRING));
	assert_null(jp_get(&doc, jp_get(&doc, doc.v, "b"), "c"));
	jp_release(&doc);
}

static void what_is_no_json_is_refused(void **state)
{
	static const char *const texts[] = {
		"",	      "{",	     "{\"a\"}",	    "{\"a\":}",	  "{\"a\":1,}", "{\"a\":1",
		"[1,]",	      "[1 2]",	     "{\"a\":01x}", "{\"a\":1.}", "{a:1}",	"\"open",
		"\"line\n\"", "{\"a\":tru}", "{\"a\":-}",   "{\"a\":1e}", "[\"\\",	"{]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct jp_doc doc = { 0 };
		struct jp_place place;

		assert_int_equal(read_text(texts[i], &doc, &place), 1);
		assert_null(doc.v);
	}
}

static void numbers_that_are_none_are_null(void **state)
{
	struct jp_doc doc = { 0 };
	struct jp_place place;
	struct number number;

	(void)state;
	assert_int_equal(read_text("[nan,-nan,inf,null,\"<x>\",-1]", &doc, &place), 0);
	for (const struct jp_node *n = jp_first(&doc, doc.v); n; n = jp_next(&doc, n))
		assert_int_equal(jp_number(n, &number), n->kind == JP_NUMBER);
	jp_release(&doc);
}

static void deep_nesting_ends(void **state)
{
	auto_buf struct buf text = BUF_INIT;
	struct jp_doc doc = { 0 };
	struct jp_place place;

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_add(&text, "{\"a\":\n");
	assert_int_equal(read_text(text.s, &doc, &place), 1);
	jp_place_init(&place, text.s, text.len);
	for (size_t i = 0; jp_place_find(&place); i++) {
		struct jp_place start = place;

		assert_true(i < 100000);
		assert_int_equal(jp_read(&place, &doc), 1);
		place = start;
		jp_place_skip_line(&place);
	}
	assert_int_equal(place.line, 100001);
}

static void escapes_become_characters(void **state)
{
	static const struct {
		const char *text, *plain;
	} cases[] = {
		{ "a\\\"b\\\\c\\/d\\n", "a\"b\\c/d\n" },
		{ "\\u0041\\u00e9\\u20ac", "A\xc3\xa9\xe2\x82\xac" },
		{ "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
		{ "\\ud83d", "?" },
		{ "\\u0000x", "?x" },
		{ "\\uZZ", "ZZ" },
		{ "end\\", "end\\" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len;
		char *plain =
			jp_unescape((struct slice){ cases[i].text, strlen(cases[i].text) }, &len);

		assert_non_null(plain);
		assert_string_equal(plain, cases[i].plain);
		assert_int_equal(len, strlen(cases[i].plain));
		free(plain);
	}
}

/* ---- numbers ---- */

static bool read_number(const char *text, struct number *out)
{
	return number_word((struct slice){ text, strlen(text) }, out);
}

static void numbers_keep_the_step_of_their_last_digit(void **state)
{
	static const struct {
		const char *text;
		double value, half_step;
	} cases[] = {
		{ "12", 12, .5 },	   { "-0.50", -.5, .005 },  { "1.24949e+06", 1249490, 5 },
		{ ".5", .5, .05 },	   { "1e-3", .001, .0005 }, { "0.000", 0, .0005 },
		{ "1708.5", 1708.5, .05 }, { "5E2", 500, 50 },
	};
	static const char *const no_numbers[] = { "",	 "-",	"+1", "1.",	 "nan", "inf",
						  "0x1", "1,5", "1e", "1e99999", "1 ",	"--1" };
	struct number number;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(read_number(cases[i].text, &number));
		assert_double(number.value, cases[i].value, 1e-15);
		assert_double(number.half_step, cases[i].half_step, 1e-12);
	}
	for (size_t i = 0; i < ARRAY_SIZE(no_numbers); i++)
		assert_false(read_number(no_numbers[i], &number));
}

static void scaled_numbers_are_the_nearest_there_are(void **state)
{
	static const struct {
		const char *text;
		double scale, value;
	} cases[] = {
		{ "305.2", 1e-3, .3052 },	 { "4.1", 1e-3, .0041 },
		{ "1286.465566", 1e-9, 1.286465566e-6 }, { "-0.3", 1e-6, -3e-7 },
		{ "1.5e2", 1e-3, .15 },		 { "14.4", 1048576, 14.4 * 1048576 },
		{ "5e30", 1e-9, 5e21 },		 { "0.000", 1e-9, 0 },
	};
	struct number number;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(read_number(cases[i].text, &number));
		assert_double(number_scale(&number, cases[i].scale), cases[i].value, 0);
	}
	assert_true(read_number("12345678901234567.5", &number));
	assert_double(number_scale(&number, 1e-9), 12345678.9012345675, 1e-15);
}

static void grouped_numbers_are_read_in_one_way_or_not(void **state)
{
	static const struct {
		const char *text;
		bool count;
		double value; /* NAN: not read */
	} cases[] = {
		{ "1,234,567", true, 1234567 },
		{ "1.234.567", true, 1234567 },
		{ "1,234", true, 1234 },
		{ "12,34", true, NAN },
		{ "1234,567", true, NAN },
		{ "1,234.5", false, 1234.5 },
		{ "1.234,5", false, 1234.5 },
		{ "1,234", false, NAN },
		{ "0,234", false, .234 },
		{ "1234,56", false, 1234.56 },
		{ "1,234,567", false, 1234567 },
		{ "1,,2", true, NAN },
		{ "1,234.567.890", false, NAN },
		{ "1\xc2\xa0"
		  "234",
		  true, 1234 },
		{ "", true, NAN },
		{ "1,234,", true, NAN },
	};
	struct number number;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slice word = { cases[i].text, strlen(cases[i].text) };
		bool read = number_grouped(word, cases[i].count, &number);

		if (read == isnan(cases[i].value))
			fail_msg("'%s'", cases[i].text);
		if (read)
			assert_double(number.value, cases[i].value, 1e-15);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_know_where_they_stand),
		cmocka_unit_test(a_member_that_comes_twice_is_not_taken),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(numbers_that_are_none_are_null),
		cmocka_unit_test(deep_nesting_ends),
		cmocka_unit_test(escapes_become_characters),
		cmocka_unit_test(numbers_keep_the_step_of_their_last_digit),
		cmocka_unit_test(scaled_numbers_are_the_nearest_there_are),
		cmocka_unit_test(grouped_numbers_are_read_in_one_way_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
