// SPDX-License-Identifier: GPL-3.0-or-later
/* What all parsers share: records of any kind are kept as they were given, and let go of. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "parsers/parser.h"
#include "tests/unit/assert_double.h"

static struct parsed_record *one_value(struct parsed *parsed)
{
	struct parsed_record *record = parsed_add_record(parsed, "6.1 and more", 3);

	assert_non_null(record);
	assert_string_equal(record->label, "6.1");
	assert_int_equal(parsed_add_value(record, "real", "s", 12.5, .05, "12.5 s", 4, 7, 3), 0);
	return record;
}

static void a_run_says_nothing_that_was_not_given(void **state)
{
	struct parsed parsed = { 0 };
	const struct parsed_record *record = one_value(&parsed);
	const struct parsed_value *value = &record->values[0];

	(void)state;
	assert_null(record->config);
	assert_null(record->workload);
	assert_null(record->host);
	assert_null(record->reason);
	assert_false(record->failed);
	assert_int_equal(record->line, 7);
	assert_int_equal(record->run, 0);
	assert_string_equal(value->text, "12.5");
	assert_int_equal(value->better, PARSED_NO_DIRECTION);
	assert_false(value->headline);
	assert_false(value->summary);
	assert_int_equal(value->n, 0);
	assert_int_equal(value->spread_kind, PARSED_NO_SPREAD);
	assert_nan(value->spread);
	assert_null(value->spread_text);
	assert_null(value->note);
	parsed_release(&parsed);
}

static void a_summary_has_mean_spread_and_number(void **state)
{
	struct parsed parsed = { 0 };
	struct parsed_record *record = one_value(&parsed);
	const struct parsed_value *value = parsed_last_value(record);

	(void)state;
	assert_int_equal(parsed_set_summary(record, 10, PARSED_SE_PCT, .23, .005, "0.23%", 4), 0);
	assert_true(value->summary);
	assert_int_equal(value->n, 10);
	assert_int_equal(value->spread_kind, PARSED_SE_PCT);
	assert_double(value->spread, .23, 0);
	assert_double(value->spread_half_step, .005, 0);
	assert_string_equal(value->spread_text, "0.23");
	assert_int_equal(parsed_set_summary(record, 0, PARSED_NO_SPREAD, NAN, 0, NULL, 0), 0);
	assert_int_equal(value->n, 0);
	assert_nan(value->spread);
	parsed_release(&parsed);
}

static void texts_are_replaced_and_points_added(void **state)
{
	struct parsed parsed = { 0 };
	struct parsed_record *record = one_value(&parsed);

	(void)state;
	assert_int_equal(parsed_set_text(&record->config, "a\tb\nc", 5), 0);
	assert_string_equal(record->config, "a b c");
	assert_int_equal(parsed_set_text(&record->config, "other", 5), 0);
	assert_string_equal(record->config, "other");
	for (int i = 0; i < 5; i++)
		assert_int_equal(parsed_add_point(record, "jobs", "816", 1), 0);
	assert_int_equal(record->npoint, 5);
	assert_string_equal(record->point[4].key, "jobs");
	assert_string_equal(record->point[4].value, "8");
	assert_int_equal(parsed_set_text(&parsed_last_value(record)->note, "odd", 3), 0);
	parsed_release(&parsed);
}

static void a_failed_run_has_a_reason(void **state)
{
	struct parsed parsed = { 0 };
	struct parsed_record *record = parsed_add_record(&parsed, "", 0);

	(void)state;
	assert_int_equal(parsed_fail(record, "exit status 2", 13), 0);
	assert_true(record->failed);
	assert_string_equal(record->reason, "exit status 2");
	parsed_release(&parsed);
}

static void figures_without_end_are_no_run(void **state)
{
	struct parsed parsed = { 0 };
	struct parsed_record *record = one_value(&parsed);
	int rc = 0;

	(void)state;
	while (!rc && record->n < 100000)
		rc = parsed_add_value(record, "x", "", 1, 0, "1", 1, 1, 1);
	assert_int_equal(rc, -E2BIG);
	assert_int_equal(record->n, PARSED_MAX_VALUES);
	parsed_release(&parsed);
}

static void limits_and_lack_of_memory_are_told_apart(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(parsed_error(&err, -E2BIG, 12), -E2BIG);
	assert_non_null(strstr(err.text, "line 12: more in one text than 100000"));
	assert_int_equal(parsed_error(&err, ENOMEM, 0), -ENOMEM);
	assert_non_null(strstr(err.text, "out of memory"));
	assert_int_equal(parsed_error(NULL, E2BIG, 0), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_says_nothing_that_was_not_given),
		cmocka_unit_test(a_summary_has_mean_spread_and_number),
		cmocka_unit_test(texts_are_replaced_and_points_added),
		cmocka_unit_test(a_failed_run_has_a_reason),
		cmocka_unit_test(figures_without_end_are_no_run),
		cmocka_unit_test(limits_and_lack_of_memory_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
