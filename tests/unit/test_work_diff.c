// SPDX-License-Identifier: GPL-3.0-or-later
/* Sessions whose workloads and configurations have one name and other keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/json.h"
#include "results/work_diff.h"

static json_t *session(const char *experiment, const char *point)
{
	json_t *value = json_pack("{s:o, s:[{s:[{s:o}]}]}", "experiment",
				  json_loads(experiment, 0, NULL), "workloads", "cells", "point",
				  json_loads(point, 0, NULL));

	assert_non_null(value);
	return value;
}

/* "key base new; ..." with "-" for what is not there. */
static void assert_diff(const char *base, const char *new, const char *point, const char *expected)
{
	auto_json json_t *a = session(base, point), *b = session(new, point);
	auto_json json_t *found = work_diff(a, b);
	auto_buf struct buf text = BUF_INIT;
	const json_t *change;
	size_t i;

	buf_clear(&text);
	json_array_foreach(found, i, change)
		buf_addf(&text, "%s%s %s %s", i ? "; " : "", json_get_text(change, "key", "?"),
			 json_get_text(change, "base", "-"), json_get_text(change, "new", "-"));
	assert_string_equal(text.s, expected);
}

#define COMMAND(keys) "{\"workloads\":[{\"workload\":\"command\"" keys "}]}"
#define CONFIG(keys) "{\"configs\":[{\"name\":\"a\"" keys "}]}"

static void keys_that_differ_are_named(void **state)
{
	(void)state;
	assert_diff(COMMAND(",\"argv\":\"true\""), COMMAND(",\"argv\":\"true\""), "{}", "");
	assert_diff(COMMAND(",\"argv\":\"true\""), COMMAND(",\"argv\":\"false\""), "{}",
		    "command argv true false");
	assert_diff(COMMAND(",\"argv\":\"true\""), COMMAND(""), "{}", "command argv true -");
	assert_diff(COMMAND(""), COMMAND(",\"expect\":\"x\""), "{}", "command expect - x");
	assert_diff(CONFIG(",\"tracer\":\"none\""), CONFIG(",\"tracer\":\"blktrace\""), "{}",
		    "a tracer none blktrace");
}

static void points_and_other_names_are_no_difference(void **state)
{
	(void)state;
	assert_diff(COMMAND(",\"jobs\":[1,2]"), COMMAND(",\"jobs\":[1,2,4]"), "{\"jobs\":1}", "");
	assert_diff(COMMAND(",\"argv\":\"a\""),
		    "{\"workloads\":[{\"workload\":\"storm\",\"argv\":\"b\"}]}", "{}", "");
	assert_diff("{}", COMMAND(",\"argv\":\"a\""), "{}", "");
	assert_diff("[]", "{\"workloads\":3}", "{}", "");
}

static void sessions_without_an_experiment_say_nothing(void **state)
{
	auto_json json_t *found = work_diff(NULL, NULL);

	(void)state;
	assert_int_equal(json_array_size(found), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_that_differ_are_named),
		cmocka_unit_test(points_and_other_names_are_no_difference),
		cmocka_unit_test(sessions_without_an_experiment_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
