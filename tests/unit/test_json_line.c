// SPDX-License-Identifier: GPL-3.0-or-later
/* What a line reads as is what jansson reads, for good lines and for bad ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>

#include "base/json.h"
#include "base/json_line.h"
#include "base/xalloc.h"
#include "tests/unit/assert_double.h"

/* Both take it, as the same value, or both refuse it. */
static void assert_as_jansson(const char *text, size_t len)
{
	struct json_line line = JSON_LINE_INIT;
	auto_json json_t *expected = NULL, *read = NULL;
	char *copy = xmalloc(len + 1);
	bool refused = json_parse(text, len, "", &expected, NULL) != 0;

	memcpy(copy, text, len);
	if ((json_line_parse(&line, copy, len) != 0) != refused)
		fail_msg("jansson %s: %.*s", refused ? "refuses" : "takes", (int)len, text);
	if (!refused) {
		read = json_item_to_json(line.items);
		if (!json_equal(read, expected))
			fail_msg("read as another value: %.*s", (int)len, text);
		assert_int_equal(line.items->span, line.n);
	}
	json_line_release(&line);
	free(copy);
}

static const char *const texts[] = {
	"", " ", "{}", "[]", " [ ] ", "null", "true", "false", "nul", "truex", "nullnull", "1 2",
	"0", "-0", "-", "01", "-01", "1.", ".5", "1.5", "1.5e", "1e5", "1E+5", "1e-5", "1e+", "+1",
	"1e400", "-1e400", "1e-400", "1e99999999999", "0e99999999999", "0.0e-99999999999",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808",
	"-9223372036854775809", "99999999999999999999999", "123456789012345678901234567890.5",
	"0.1", "0.30000000000000004", "5.00000000000000000000001", "1e22", "1e23", "9007199254740993.0",
	"2.2250738585072014e-308", "4.9e-324", "1.7976931348623157e308", "123456.7890123456789",
	"\"\"", "\"a", "\"a\"b", "\"\\n\\t\\\\\\/\\\"\\b\\f\\r\"", "\"\\x\"", "\"\\u00e9\"", "\"\\u00E9\"",
	"\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\u12\"",
	"\"\\u12g4\"", "\"\x01\"", "\"\t\"", "\"\x7f\"", "\"\xc3\xa9\"", "\"\xc3\"", "\"\xc0\x80\"",
	"\"\xe0\x80\x80\"", "\"\xed\xa0\x80\"", "\"\xf0\x9f\x98\x80\"", "\"\xf0\x80\x80\x80\"",
	"\"\xf4\x90\x80\x80\"", "\"\xf8\x88\x80\x80\x80\"", "\"\xff\"", "\"a\\u00e9b\xc3\xa9" "c\"",
	"\xef\xbb\xbf{}", "{\"a\":1}", "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\":}", "{a:1}", "{1:1}",
	"[1,]", "[,1]", "[1 2]", "[1", "{\"a\":1", "]", "}", "[}", "{]", "[[[[]]]]", "{\"\":{}}",
	"{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{\"a\":{\"a\":1},\"b\":{\"a\":1}}",
	"{\"a\\u0000b\":1}", "[NaN]", "[Infinity]", "['a']", "[1]//", "{\"a\" : [ 1 , 2 ] }\r\n",
	"{\"b\":[true,false,null,\"x\",-1,1.5,{},[]],\"c\":{\"d\":{\"e\":[{\"f\":1}]}}}",
};

static void what_it_takes_is_what_jansson_takes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_as_jansson(texts[i], strlen(texts[i]));
}

/* jansson steps over some of them; a file that lost power in mid-write can end in them. */
static void zero_bytes_are_no_json(void **state)
{
	static const char line[] = "{\"run\":12,\"a\":[true,\"x\"]}";

	(void)state;
	for (size_t i = 0; i < sizeof(line); i++) {
		struct json_line read = JSON_LINE_INIT;
		char text[sizeof(line) + 2];

		memcpy(text, line, i);
		text[i] = '\0';
		memcpy(text + i + 1, line + i, sizeof(line) - i);
		assert_int_equal(json_line_parse(&read, text, sizeof(line)), -EINVAL);
		json_line_release(&read);
	}
}

/* Every beginning of a line, and every line with one byte changed. */
static void torn_and_damaged_lines_are_taken_as_jansson_takes_them(void **state)
{
	static const char line[] =
		"{\"run\":12,\"m\":{\"real\":{\"value\":-1.25e-1,\"unit\":\"s\\u00b5\"},\"n\":null},"
		"\"marks\":[{\"name\":\"steal\"},true],\"t\":\"\xc3\xa9\"}";
	static const char bytes[] = "\"\\{}[]:,09-.eEtn \x01\x80\xc3\xf0";
	char damaged[sizeof(line)];

	(void)state;
	for (size_t n = 0; n < sizeof(line); n++)
		assert_as_jansson(line, n);
	for (size_t i = 0; i + 1 < sizeof(line); i++) {
		for (size_t b = 0; bytes[b]; b++) {
			memcpy(damaged, line, sizeof(line));
			damaged[i] = bytes[b];
			assert_as_jansson(damaged, sizeof(line) - 1);
		}
	}
}

/* In strict UTF-8 the two would be no text at all; no program of ours writes them. */
static void half_of_a_surrogate_pair_is_a_question_mark(void **state)
{
	static const char text[] = "[\"a\\ud83d\",\"b\"]";
	struct json_line line = JSON_LINE_INIT;

	(void)state;
	assert_int_equal(json_line_parse(&line, text, strlen(text)), 0);
	assert_string_equal(line.items[1].text, "a?");
	assert_string_equal(line.items[2].text, "b");
	json_line_release(&line);
}

static int parse_nested(size_t depth)
{
	struct json_line line = JSON_LINE_INIT;
	auto_buf struct buf text = BUF_INIT;
	int rc;

	for (size_t i = 0; i < depth; i++)
		buf_addc(&text, '[');
	for (size_t i = 0; i < depth; i++)
		buf_addc(&text, ']');
	rc = json_line_parse(&line, text.s, text.len);
	json_line_release(&line);
	return rc;
}

static void depth_has_an_end(void **state)
{
	(void)state;
	assert_int_equal(parse_nested(512), 0);
	assert_int_equal(parse_nested(513), -EINVAL);
	assert_int_equal(parse_nested(1000000), -EINVAL);
}

static void many_keys_are_looked_through_for_repeats(void **state)
{
	auto_buf struct buf text = BUF_INIT;
	size_t at = 0;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		at = text.len;
		buf_addf(&text, "%s\"key%d\":%d", i ? "," : "{", i, i);
	}
	buf_addc(&text, '}');
	assert_as_jansson(text.s, text.len);
	memcpy(text.s + at + 2, "key00001", 8); /* the last, unlike the others */
	assert_as_jansson(text.s, text.len);
	memcpy(text.s + at + 2, "key49998", 8);
	assert_as_jansson(text.s, text.len);
}

static void members_are_found_with_a_default(void **state)
{
	char text[] = "{\"t\":\"x\",\"i\":3,\"r\":2.5,\"n\":null,\"o\":{\"t\":\"inner\"},\"a\":[1,[2],3]}";
	struct json_line line = JSON_LINE_INIT;
	const struct json_item *object, *item;

	(void)state;
	assert_int_equal(json_line_parse(&line, text, strlen(text)), 0);
	object = line.items;
	assert_string_equal(json_item_text(object, "t", "no"), "x");
	assert_string_equal(json_item_text(object, "i", "no"), "no");
	assert_null(json_item_text(object, "missing", NULL));
	assert_double(json_item_number(object, "i"), 3, 0);
	assert_double(json_item_number(object, "r"), 2.5, 0);
	assert_true(isnan(json_item_number(object, "n")));
	assert_int_equal(json_item_int(object, "i", -1), 3);
	assert_int_equal(json_item_int(object, "r", -1), -1);
	assert_string_equal(json_item_text(json_item_get(object, "o"), "t", ""), "inner");
	assert_null(json_item_get(json_item_get(object, "a"), "t"));
	assert_null(json_item_get(NULL, "t"));
	item = json_item_get(object, "a");
	assert_int_equal(item->n, 3);
	item = json_item_next(item, json_item_next(item, json_item_first(item)));
	assert_int_equal(item->integer, 3);
	assert_null(json_item_next(json_item_get(object, "a"), item));
	json_line_release(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_takes_is_what_jansson_takes),
		cmocka_unit_test(torn_and_damaged_lines_are_taken_as_jansson_takes_them),
		cmocka_unit_test(zero_bytes_are_no_json),
		cmocka_unit_test(half_of_a_surrogate_pair_is_a_question_mark),
		cmocka_unit_test(depth_has_an_end),
		cmocka_unit_test(many_keys_are_looked_through_for_repeats),
		cmocka_unit_test(members_are_found_with_a_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
