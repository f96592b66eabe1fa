// SPDX-License-Identifier: GPL-3.0-or-later
/* What batches become in the line of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "tests/unit/assert_double.h"
#include "workloads/micro/report.h"

struct made {
	const struct micro_bench *benches[2];
	struct micro_site site;
	struct micro_job job;
	struct micro_outcome *outcome;
	struct run *run;
	json_t *line;
};

static const struct micro_bench *bench(const char *name)
{
	for (const struct micro_bench *b = micro_benches; b->name; b++)
		if (!strcmp(b->name, name))
			return b;
	fail_msg("no bench %s", name);
	return NULL;
}

static int make(void **state)
{
	struct made *made = xcalloc(1, sizeof(*made));

	made->benches[0] = bench("null_call");
	made->benches[1] = bench("sig_handle");
	made->site = (struct micro_site){ .cpu = 1, .partner_cpu = 0 };
	made->job = (struct micro_job){ .site = &made->site, .benches = made->benches, .n = 2 };
	made->outcome = xcalloc(1, sizeof(*made->outcome) + 2 * sizeof(struct micro_result));
	made->outcome->end_ns = 1500000000;
	made->run = run_new();
	made->line = json_object();
	*state = made;
	return 0;
}

static int unmake(void **state)
{
	struct made *made = *state;

	json_decref(made->line);
	run_free(made->run);
	free(made->outcome);
	free(made);
	return 0;
}

static void give(struct micro_result *result, unsigned int n, const double *values, double more)
{
	result->batches = n;
	result->operations = 1000;
	for (unsigned int i = 0; i < n; i++) {
		result->values[i] = values[i];
		result->raw[i] = values[i] + more;
	}
}

static const json_t *report(struct made *made, const char *metric)
{
	micro_report_metrics(&made->job, 2, made->outcome, made->run);
	micro_report_evidence(&made->job, made->outcome, made->run);
	run_finish(made->run, made->line);
	return json_object_get(json_object_get(made->line, "metrics"), metric);
}

static const double five[] = { 300, 280, 290, 9000, 310 };

static void the_value_is_the_median_and_the_spread_is_within(void **state)
{
	struct made *made = *state;
	const json_t *metric, *within;

	give(&made->outcome->results[0], 5, five, 0);
	give(&made->outcome->results[1], 5, five, 50);
	metric = report(made, "null_call");
	within = json_object_get(metric, "within");
	assert_double(json_get_number(metric, "value"), 300, 0);
	assert_double(json_get_number(within, "n"), 5, 0);
	assert_double(json_get_number(within, "median"), 300, 0);
	assert_double(json_get_number(within, "mad"), 10, 0);
	assert_double(json_get_number(within, "min"), 280, 0);
	assert_true(json_get_number(within, "p95") > 310);
	assert_int_equal(run_status(made->run), RUN_OK);
}

static void what_is_net_has_its_raw_value_beside_it(void **state)
{
	struct made *made = *state;

	give(&made->outcome->results[0], 5, five, 0);
	give(&made->outcome->results[1], 5, five, 50);
	assert_double(json_get_number(report(made, "sig_handle.raw"), "value"), 350, 0);
	assert_double(run_value(made->run, "sig_handle"), 300, 0);
	assert_nan(run_value(made->run, "null_call.raw"));
}

static void a_difference_that_is_not_above_0_is_no_value(void **state)
{
	static const double negative[] = { -5, -3, -4, 2, -1 };
	struct made *made = *state;
	const json_t *metric;

	give(&made->outcome->results[0], 5, five, 0);
	give(&made->outcome->results[1], 5, negative, 350);
	metric = report(made, "sig_handle");
	assert_true(json_is_null(json_object_get(metric, "value")));
	assert_non_null(strstr(json_get_text(metric, "reason", ""), "subtracted"));
	assert_double(run_value(made->run, "sig_handle.raw"), 347, 0);
}

static void what_was_not_measured_is_null_with_its_reason(void **state)
{
	struct made *made = *state;
	const json_t *metric;

	give(&made->outcome->results[0], 5, five, 0);
	strcpy(made->outcome->results[1].reason, "no luck");
	metric = report(made, "sig_handle");
	assert_true(json_is_null(json_object_get(metric, "value")));
	assert_string_equal(json_get_text(metric, "reason", ""), "no luck");
	assert_string_equal(json_get_text(json_object_get(json_object_get(made->line, "metrics"),
							  "sig_handle.raw"), "reason", ""),
			    "no luck");
	assert_int_equal(run_status(made->run), RUN_OK);
}

static void a_run_without_any_value_has_failed(void **state)
{
	struct made *made = *state;

	strcpy(made->outcome->results[0].reason, "forbidden");
	report(made, "null_call");
	assert_int_equal(run_status(made->run), RUN_FAILED);
	assert_non_null(strstr(run_reason(made->run), "null_call: forbidden"));
}

static void the_reason_of_a_failed_run_is_that_of_its_first_metric(void **state)
{
	static const double negative[] = { -5, -3, -4, 2, -1 };
	struct made *made = *state;

	made->benches[0] = bench("sig_handle");
	give(&made->outcome->results[0], 5, negative, 350);
	report(made, "sig_handle");
	assert_int_equal(run_status(made->run), RUN_FAILED);
	assert_non_null(strstr(run_reason(made->run), "sig_handle: what is subtracted"));
}

static void the_placement_is_on_record(void **state)
{
	struct made *made = *state;
	const json_t *micro;

	give(&made->outcome->results[0], 5, five, 0);
	made->outcome->evidence.migrations = -1;
	report(made, "null_call");
	micro = json_object_get(made->line, "micro");
	assert_int_equal(json_get_int(micro, "cpu", -1), 1);
	assert_int_equal(json_get_int(micro, "partner_cpu", -1), 0);
	assert_true(json_is_null(json_object_get(micro, "migrations")));
	assert_double(json_get_number(micro, "measured_s"), 1.5, 0);
	assert_int_equal(json_get_int(json_object_get(micro, "operations"), "null_call", 0), 1000);
	assert_int_equal(json_array_size(json_object_get(made->line, "marks")), 0);
}

static void migrations_and_preempted_batches_are_marks(void **state)
{
	struct made *made = *state;
	const json_t *marks;

	give(&made->outcome->results[0], 5, five, 0);
	made->outcome->evidence = (struct micro_evidence){ .migrations = 3, .batches = 100,
							   .preempted = 21 };
	report(made, "null_call");
	marks = json_object_get(made->line, "marks");
	assert_int_equal(json_array_size(marks), 2);
	assert_string_equal(json_get_text(json_array_get(marks, 0), "name", ""), "migrations");
	assert_string_equal(json_get_text(json_array_get(marks, 1), "name", ""),
			    "involuntary_switches");
}

static void a_run_that_was_stopped_early_is_marked(void **state)
{
	struct made *made = *state;
	const json_t *marks, *metric;

	give(&made->outcome->results[0], 5, five, 0);
	give(&made->outcome->results[1], 2, five, 0);
	made->job.schedule.least = 30;
	made->outcome->evidence.stopped = true;
	metric = report(made, "sig_handle");
	assert_true(json_is_null(json_object_get(metric, "value")));
	assert_non_null(strstr(json_get_text(metric, "reason", ""), "too few batches"));
	marks = json_object_get(made->line, "marks");
	assert_int_equal(json_array_size(marks), 1);
	assert_string_equal(json_get_text(json_array_get(marks, 0), "name", ""), "few_batches");
	assert_string_equal(json_get_text(json_array_get(marks, 0), "text", ""),
			    "stopped after 2 s, before each metric had its 30 batches");
	assert_int_equal(run_status(made->run), RUN_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_value_is_the_median_and_the_spread_is_within),
		TEST(what_is_net_has_its_raw_value_beside_it),
		TEST(a_difference_that_is_not_above_0_is_no_value),
		TEST(what_was_not_measured_is_null_with_its_reason),
		TEST(a_run_without_any_value_has_failed),
		TEST(the_reason_of_a_failed_run_is_that_of_its_first_metric),
		TEST(the_placement_is_on_record),
		TEST(migrations_and_preempted_batches_are_marks),
		TEST(a_run_that_was_stopped_early_is_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
