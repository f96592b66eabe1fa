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
#include <locale.h>

#include "tests/unit/assert_double.h"
#include "base/buf.h"
#include "base/units.h"

static void test_whole_numbers(void **state)
{
	static const char *const wrong[] = {
		"", " 1", "1 ", "-1", "+1", "0x10", "1.0", "1e3", "one"
	};
	uint64_t value = 7;

	(void)state;
	assert_int_equal(units_parse_u64("0", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(units_parse_u64("0018", &value), 0);
	assert_int_equal(value, 18);
	assert_int_equal(units_parse_u64("18446744073709551615", &value), 0);
	assert_true(value == UINT64_MAX);
	value = 7;
	assert_int_equal(units_parse_u64("18446744073709551616", &value), -ERANGE);
	assert_int_equal(units_parse_u64("99999999999999999999999", &value), -ERANGE);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(units_parse_u64(wrong[i], &value), -EINVAL);
	assert_int_equal(value, 7);
}

static void test_decimal_numbers(void **state)
{
	static const struct {
		const char *text;
		double value;
	} right[] = {
		{ "1", 1 },	   { "-1.5", -1.5 },
		{ "+2.25", 2.25 }, { ".5", .5 },
		{ "5.", 5 },	   { "1e3", 1e3 },
		{ "1E-3", 1e-3 },  { "2.5e+2", 250 },
		{ "0.1", 0.1 },	   { "1.7976931348623157e308", 1.7976931348623157e308 },
	};
	static const char *const wrong[] = {
		"",   "nan", "inf", "-infinity", "0x1p3", "1,5",   "1.5 ",
		" 1", "1e",  "1e+", ".",	 "-",	  "1.2.3", "1_000",
	};
	double value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		assert_int_equal(units_parse_double(right[i].text, &value), 0);
		assert_double(value, right[i].value, 0);
	}
	value = 7;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(units_parse_double(wrong[i], &value), -EINVAL);
	assert_int_equal(units_parse_double("1e309", &value), -ERANGE);
	assert_int_equal(units_parse_double("-1e309", &value), -ERANGE);
	assert_double(value, 7, 0);
}

static void test_sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} right[] = {
		{ "0", 0 },	     { "4096", 4096 },	{ "4k", 4096 },	      { "4K", 4096 },
		{ "16M", 16 << 20 }, { "1G", 1 << 30 }, { "2T", 2ULL << 40 }, { "1P", 1ULL << 50 },
		{ "1.5k", 1536 },    { "4KiB", 4096 },	{ "4ki", 4096 },      { "0.5M", 512 << 10 },
	};
	static const char *const wrong[] = {
		"",   "k",    "4x",  "4kk", "4kB", "4 k",  "-4k",
		"-1", "0.3k", "1.5", "4k ", "nan", "0x10",
	};
	uint64_t bytes = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		assert_int_equal(units_parse_size(right[i].text, &bytes), 0);
		assert_true(bytes == right[i].bytes);
	}
	bytes = 7;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(units_parse_size(wrong[i], &bytes), -EINVAL);
	assert_int_equal(units_parse_size("8192P", &bytes), -ERANGE);
	assert_int_equal(units_parse_size("1e300G", &bytes), -ERANGE);
	assert_int_equal(units_parse_size("9223372036854775808", &bytes), -ERANGE);
	assert_int_equal(bytes, 7);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} right[] = {
		{ "0", 0 },
		{ "10", 10000000000 },
		{ "10s", 10000000000 },
		{ "500ms", 500000000 },
		{ "1.5s", 1500000000 },
		{ "2m", 120000000000 },
		{ "2min", 120000000000 },
		{ "1h", 3600000000000 },
		{ "7us", 7000 },
		{ "9ns", 9 },
		{ "0.1s", 100000000 },
		{ "0.4ns", 0 },
	};
	static const char *const wrong[] = {
		"", "s", "-1s", "-0.001ns", "1 s", "1sec", "1s ", "1S", "5M", "1,5s", "inf", "1d",
	};
	int64_t ns = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		assert_int_equal(units_parse_time(right[i].text, &ns), 0);
		assert_true(ns == right[i].ns);
	}
	ns = 7;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(units_parse_time(wrong[i], &ns), -EINVAL);
	assert_int_equal(units_parse_time("9223372037s", &ns), -ERANGE);
	assert_int_equal(units_parse_time("1e300h", &ns), -ERANGE);
	assert_int_equal(ns, 7);
}

static void test_bools(void **state)
{
	static const char *const yes[] = { "yes", "true", "on", "1" };
	static const char *const no[] = { "no", "false", "off", "0" };
	static const char *const wrong[] = { "", "y", "YES", "yes ", "2", "01", "enabled" };
	bool value;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		value = false;
		assert_int_equal(units_parse_bool(yes[i], &value), 0);
		assert_true(value);
		assert_int_equal(units_parse_bool(no[i], &value), 0);
		assert_false(value);
	}
	value = true;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(units_parse_bool(wrong[i], &value), -EINVAL);
	assert_true(value);
}

static void assert_size_text(uint64_t bytes, const char *expected)
{
	auto_buf struct buf text = BUF_INIT;

	units_add_size(&text, bytes);
	assert_string_equal(text.s, expected);
}

static void test_sizes_as_text(void **state)
{
	(void)state;
	assert_size_text(0, "0 B");
	assert_size_text(512, "512 B");
	assert_size_text(1023, "1023 B");
	assert_size_text(1024, "1 KiB");
	assert_size_text(16 << 20, "16 MiB");
	assert_size_text(1 << 30, "1 GiB");
	assert_size_text(3ULL << 29, "1.5 GiB");
	assert_size_text(1ULL << 62, "4096 PiB");
}

static void assert_duration_text(int64_t ns, const char *expected)
{
	auto_buf struct buf text = BUF_INIT;

	units_add_duration(&text, ns);
	assert_string_equal(text.s, expected);
}

static void test_durations_as_text(void **state)
{
	(void)state;
	assert_duration_text(0, "0 us");
	assert_duration_text(1500, "1.5 us");
	assert_duration_text(3000000, "3 ms");
	assert_duration_text(1250000000, "1.25 s");
	assert_duration_text(125000000000, "2 min 05 s");
	assert_duration_text(3599600000000, "1 h 00 min");
	assert_duration_text(4800000000000, "1 h 20 min");
}

static void test_durations_just_below_a_unit_have_no_exponent(void **state)
{
	(void)state;
	assert_duration_text(999400, "999 us");
	assert_duration_text(999600, "1 ms");
	assert_duration_text(999400000, "999 ms");
	assert_duration_text(999999999, "1 s");
	assert_duration_text(59999000000, "60 s");
}

static void test_a_comma_locale_changes_nothing(void **state)
{
	double value = 0;
	uint64_t bytes = 0;
	int64_t ns = 0;

	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8") || strcmp(localeconv()->decimal_point, ",") != 0) {
		setlocale(LC_ALL, "C");
		print_message("no locale de_DE.UTF-8 here\n");
		skip();
	}
	assert_int_equal(units_parse_double("1.5", &value), 0);
	assert_double(value, 1.5, 0);
	assert_int_equal(units_parse_double("1,5", &value), -EINVAL);
	assert_int_equal(units_parse_size("1.5k", &bytes), 0);
	assert_int_equal(bytes, 1536);
	assert_int_equal(units_parse_time("1.5s", &ns), 0);
	assert_int_equal(ns, 1500000000);
	assert_int_equal(units_parse_time("1,5s", &ns), -EINVAL);
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_numbers),
		cmocka_unit_test(test_decimal_numbers),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_bools),
		cmocka_unit_test(test_sizes_as_text),
		cmocka_unit_test(test_durations_as_text),
		cmocka_unit_test(test_durations_just_below_a_unit_have_no_exponent),
		cmocka_unit_test(test_a_comma_locale_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
