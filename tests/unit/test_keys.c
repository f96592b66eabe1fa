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

#include "base/keys.h"
#include "base/xalloc.h"

static int refuse_odd(const char *value, struct err *err)
{
	return (value[strlen(value) - 1] - '0') % 2 ? err_usage(err, "even=%s is odd", value) : 0;
}

static const struct key_spec specs[] = {
	{ .name = "text", .type = KEY_STRING, .fallback = "hello" },
	{ .name = "flag", .type = KEY_BOOL, .fallback = "yes" },
	{ .name = "count", .type = KEY_INT, .fallback = "3", .min = 1, .max = 10 },
	{ .name = "any", .type = KEY_INT },
	{ .name = "size", .type = KEY_SIZE, .fallback = "16M", .min = 4096, .max = 1 << 30 },
	{ .name = "time", .type = KEY_TIME, .fallback = "1.5s", .min = 1000, .max = 60000000000 },
	{ .name = "fs", .type = KEY_ENUM, .fallback = "ext3", .values = "ext2|ext3|ext4" },
	{ .name = "events", .type = KEY_LIST, .fallback = "all" },
	{ .name = "argv", .type = KEY_ARGV },
	{ .name = "even", .type = KEY_INT, .check = refuse_odd },
	{ .name = NULL },
};

static int check(const char *name, const char *value, struct err *err)
{
	*err = (struct err){ 0 };
	return key_check(key_spec_find(specs, name), value, err);
}

static void test_values_in_bounds_are_taken(void **state)
{
	static const char *const right[][2] = {
		{ "text", "" },	       { "text", "any thing" },
		{ "flag", "on" },      { "flag", "0" },
		{ "count", "1" },      { "count", "10" },
		{ "any", "0" },	       { "any", "9223372036854775807" },
		{ "size", "4096" },    { "size", "1G" },
		{ "time", "1us" },     { "time", "1m" },
		{ "fs", "ext2" },      { "fs", "ext4" },
		{ "events", "" },      { "events", "a+b" },
		{ "argv", "a 'b c'" }, { "argv", "echo it's" }, { "even", "4" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++)
		assert_int_equal(check(right[i][0], right[i][1], &err), 0);
}

static void test_values_out_of_bounds_are_usage_errors(void **state)
{
	static const char *const wrong[][2] = {
		{ "flag", "maybe" },
		{ "flag", "" },
		{ "count", "0" },
		{ "count", "11" },
		{ "count", "-1" },
		{ "count", "2x" },
		{ "count", "" },
		{ "count", "1.5" },
		{ "any", "-1" },
		{ "any", "9223372036854775808" },
		{ "any", "18446744073709551616" },
		{ "size", "4095" },
		{ "size", "1025M" },
		{ "size", "-4k" },
		{ "size", "big" },
		{ "time", "999ns" },
		{ "time", "61s" },
		{ "time", "soon" },
		{ "fs", "ext" },
		{ "fs", "ext2|ext3" },
		{ "fs", "" },
		{ "fs", "ext44" },
		{ "argv", "" },
		{ "argv", "  " },
		{ "even", "3" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(check(wrong[i][0], wrong[i][1], &err), -EINVAL);
		assert_int_equal(err.status, EXIT_USAGE);
		assert_true(*err.text);
	}
}

static void test_messages_say_what_to_give(void **state)
{
	struct err err;

	(void)state;
	check("count", "11", &err);
	assert_string_equal(err.text, "count=11: give 1 to 10");
	check("fs", "xfs", &err);
	assert_string_equal(err.text, "fs=xfs: give one of ext2|ext3|ext4");
	check("flag", "x", &err);
	assert_string_equal(err.text, "flag=x: give yes or no");
}

static void test_unknown_keys_get_a_suggestion(void **state)
{
	auto_keys struct keys keys = KEYS_INIT;
	struct err err = { 0 };

	(void)state;
	keys_set(&keys, "fs", "ext4");
	keys_set(&keys, "cuont", "3");
	assert_int_equal(keys_check(&keys, specs, "storm", &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_string_equal(err.text, "storm has no key 'cuont'; did you mean 'count'?");
	assert_int_equal(keys_unknown(specs, "storm", "nothing_like_it", &err), -EINVAL);
	assert_string_equal(err.text, "storm has no key 'nothing_like_it'");
	assert_int_equal(keys_unknown(NULL, "tracer none", "x", &err), -EINVAL);
	assert_string_equal(err.text, "tracer none has no key 'x'");
}

static void test_wrong_values_name_the_owner(void **state)
{
	auto_keys struct keys keys = KEYS_INIT;
	struct err err = { 0 };

	(void)state;
	keys_set(&keys, "count", "3");
	assert_int_equal(keys_check(&keys, specs, "storm", &err), 0);
	keys_set(&keys, "fs", "xfs");
	assert_int_equal(keys_check(&keys, specs, "storm", &err), -EINVAL);
	assert_string_equal(err.text, "storm: fs=xfs: give one of ext2|ext3|ext4");
}

static void test_reading_falls_back_to_the_table(void **state)
{
	auto_keys struct keys keys = KEYS_INIT;

	(void)state;
	assert_string_equal(keys_text(&keys, specs, "text"), "hello");
	assert_null(keys_text(&keys, specs, "argv"));
	assert_true(keys_bool(&keys, specs, "flag"));
	assert_int_equal(keys_int(&keys, specs, "count"), 3);
	assert_int_equal(keys_int(&keys, specs, "any"), 0);
	assert_int_equal(keys_size(&keys, specs, "size"), 16 << 20);
	assert_int_equal(keys_time_ns(&keys, specs, "time"), 1500000000);
	keys_set(&keys, "text", "");
	keys_set(&keys, "flag", "no");
	keys_set(&keys, "count", "7");
	keys_set(&keys, "size", "8k");
	keys_set(&keys, "time", "2ms");
	assert_string_equal(keys_text(&keys, specs, "text"), "");
	assert_false(keys_bool(&keys, specs, "flag"));
	assert_int_equal(keys_int(&keys, specs, "count"), 7);
	assert_int_equal(keys_size(&keys, specs, "size"), 8192);
	assert_int_equal(keys_time_ns(&keys, specs, "time"), 2000000);
}

static void test_keys_are_an_ordered_map(void **state)
{
	auto_keys struct keys a = KEYS_INIT, b = KEYS_INIT;

	(void)state;
	keys_set(&a, "x", "1");
	keys_set(&a, "y", "2");
	keys_set(&a, "x", "3");
	assert_int_equal(a.n, 2);
	assert_string_equal(a.v[0].name, "x");
	assert_string_equal(keys_get(&a, "x"), "3");
	assert_null(keys_get(&a, "z"));
	keys_set(&b, "y", "2");
	assert_false(keys_equal(&a, &b));
	keys_set(&b, "x", "1");
	assert_false(keys_equal(&a, &b));
	keys_copy(&b, &a);
	assert_true(keys_equal(&a, &b));
	assert_string_equal(b.v[0].name, "y");
	keys_set(&b, "z", "");
	assert_false(keys_equal(&a, &b));
}

static void test_a_value_may_come_from_the_map_itself(void **state)
{
	auto_keys struct keys keys = KEYS_INIT;

	(void)state;
	keys_set(&keys, "x", "old");
	keys_set(&keys, "x", keys_get(&keys, "x"));
	assert_string_equal(keys_get(&keys, "x"), "old");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_in_bounds_are_taken),
		cmocka_unit_test(test_values_out_of_bounds_are_usage_errors),
		cmocka_unit_test(test_messages_say_what_to_give),
		cmocka_unit_test(test_unknown_keys_get_a_suggestion),
		cmocka_unit_test(test_wrong_values_name_the_owner),
		cmocka_unit_test(test_reading_falls_back_to_the_table),
		cmocka_unit_test(test_keys_are_an_ordered_map),
		cmocka_unit_test(test_a_value_may_come_from_the_map_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
