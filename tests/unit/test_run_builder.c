// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "results/run.h"
#include "tests/unit/assert_double.h"

static const struct metric_spec real = { "real", "s", BETTER_LOWER, true, "wall time" };
static const struct metric_spec iops = { "read.iops", "1/s", BETTER_HIGHER, false, "reads" };

static const json_t *metric(const json_t *line, const char *name)
{
	return json_object_get(json_object_get(line, "metrics"), name);
}

static void an_empty_run_is_ok(void **state)
{
	struct run *run = run_new();
	json_t *line = json_object();

	(void)state;
	assert_int_equal(run_status(run), RUN_OK);
	assert_null(run_reason(run));
	run_finish(run, line);
	assert_string_equal(json_get_text(line, "status", ""), "ok");
	assert_null(json_object_get(line, "reason"));
	assert_int_equal(json_array_size(json_object_get(line, "marks")), 0);
	assert_true(json_is_array(json_object_get(line, "marks")));
	assert_int_equal(json_object_size(json_object_get(line, "metrics")), 0);
	assert_null(json_object_get(line, "devices"));
	assert_null(json_object_get(line, "tracer"));
	assert_null(json_object_get(line, "system"));
	json_decref(line);
	run_free(run);
}

static void metrics_have_value_unit_and_direction(void **state)
{
	struct run *run = run_new();
	json_t *line = json_object();

	(void)state;
	run_metric(run, &real, 1.5);
	run_metric(run, &iops, 2000);
	assert_double(run_value(run, "real"), 1.5, 0);
	assert_nan(run_value(run, "sys"));
	run_finish(run, line);
	assert_double(json_get_number(metric(line, "real"), "value"), 1.5, 0);
	assert_string_equal(json_get_text(metric(line, "real"), "unit", ""), "s");
	assert_string_equal(json_get_text(metric(line, "real"), "better", ""), "lower");
	assert_true(json_is_true(json_object_get(metric(line, "real"), "headline")));
	assert_string_equal(json_get_text(metric(line, "read.iops"), "better", ""), "higher");
	assert_null(json_object_get(metric(line, "read.iops"), "headline"));
	assert_null(json_object_get(metric(line, "real"), "reason"));
	json_decref(line);
	run_free(run);
}

static void unknown_is_null_with_a_reason(void **state)
{
	struct run *run = run_new();
	json_t *line = json_object();

	(void)state;
	run_metric(run, &real, NAN);
	run_metric(run, &iops, 5);
	run_metric_missing(run, &iops, "no reads");
	run_finish(run, line);
	assert_true(json_is_null(json_object_get(metric(line, "real"), "value")));
	assert_string_equal(json_get_text(metric(line, "real"), "reason", ""), "not measured");
	assert_true(json_is_null(json_object_get(metric(line, "read.iops"), "value")));
	assert_string_equal(json_get_text(metric(line, "read.iops"), "reason", ""), "no reads");
	run_metric(run, &real, INFINITY);
	assert_nan(run_value(run, "real"));
	/* measured after all: the reason goes */
	run_metric(run, &real, 2);
	assert_null(json_object_get(metric(line, "real"), "reason"));
	json_decref(line);
	run_free(run);
}

static void samples_inside_a_run_stand_with_their_metric(void **state)
{
	struct run *run = run_new();
	json_t *line = json_object();

	(void)state;
	run_metric(run, &real, 1);
	run_metric_within(run, "real", json_pack("{s:i}", "n", 11));
	run_metric_within(run, "unknown", json_object());
	run_finish(run, line);
	assert_int_equal(json_get_int(json_object_get(metric(line, "real"), "within"), "n", 0), 11);
	assert_null(metric(line, "unknown"));
	json_decref(line);
	run_free(run);
}

static void the_first_reason_stays_and_failed_outweighs_invalid(void **state)
{
	struct run *run = run_new();
	json_t *line = json_object();

	(void)state;
	run_invalid(run, "%d events lost", 3);
	run_invalid(run, "tracer off");
	assert_int_equal(run_status(run), RUN_INVALID);
	assert_string_equal(run_reason(run), "3 events lost");
	run_fail(run, "umount of %s: busy", "loop3");
	run_fail(run, "later");
	run_invalid(run, "later still");
	assert_int_equal(run_status(run), RUN_FAILED);
	assert_string_equal(run_reason(run), "umount of loop3: busy");
	run_finish(run, line);
	assert_string_equal(json_get_text(line, "status", ""), "failed");
	assert_string_equal(json_get_text(line, "reason", ""), "umount of loop3: busy");
	json_decref(line);
	run_free(run);
}

static void marks_do_not_change_the_status(void **state)
{
	struct run *run = run_new();
	json_t *line = json_object(), *marks;

	(void)state;
	run_mark(run, "steal", "%.1f s of CPU", .25);
	run_mark(run, "throttled", "hot\x01");
	run_finish(run, line);
	marks = json_object_get(line, "marks");
	assert_int_equal(run_status(run), RUN_OK);
	assert_int_equal(json_array_size(marks), 2);
	assert_string_equal(json_get_text(json_array_get(marks, 0), "name", ""), "steal");
	assert_string_equal(json_get_text(json_array_get(marks, 0), "text", ""), "0.2 s of CPU");
	json_decref(line);
	run_free(run);
}

static void parts_that_there_are_come_into_the_line(void **state)
{
	struct run *run = run_new();
	json_t *line = json_pack("{s:i}", "run", 7);

	(void)state;
	run_device(run, json_pack("{s:s}", "name", "loop0"));
	run_device(run, json_pack("{s:s}", "name", "loop1"));
	run_tracer(run, "events", json_integer(12));
	run_tracer(run, "events", json_integer(13));
	run_system(run, "kthread_s", json_real(.5));
	run_detail(run, "start_skew_s", json_real(.001));
	run_detail(run, "run", json_integer(99));
	run_detail(run, "status", json_string("fine"));
	run_finish(run, line);
	assert_int_equal(json_array_size(json_object_get(line, "devices")), 2);
	assert_int_equal(json_get_int(json_object_get(line, "tracer"), "events", 0), 13);
	assert_double(json_get_number(json_object_get(line, "system"), "kthread_s"), .5, 0);
	assert_double(json_get_number(line, "start_skew_s"), .001, 0);
	assert_int_equal(json_get_int(line, "run", 0), 7);
	assert_string_equal(json_get_text(line, "status", ""), "ok");
	json_decref(line);
	run_free(run);
}

static void words_for_status_and_direction(void **state)
{
	(void)state;
	assert_string_equal(run_status_name(RUN_OK), "ok");
	assert_string_equal(run_status_name(RUN_FAILED), "failed");
	assert_string_equal(run_status_name(RUN_INVALID), "invalid");
	assert_string_equal(better_name(BETTER_LOWER), "lower");
	assert_string_equal(better_name(BETTER_HIGHER), "higher");
	assert_string_equal(better_name(BETTER_NONE), "none");
	run_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_run_is_ok),
		cmocka_unit_test(metrics_have_value_unit_and_direction),
		cmocka_unit_test(unknown_is_null_with_a_reason),
		cmocka_unit_test(samples_inside_a_run_stand_with_their_metric),
		cmocka_unit_test(the_first_reason_stays_and_failed_outweighs_invalid),
		cmocka_unit_test(marks_do_not_change_the_status),
		cmocka_unit_test(parts_that_there_are_come_into_the_line),
		cmocka_unit_test(words_for_status_and_direction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
