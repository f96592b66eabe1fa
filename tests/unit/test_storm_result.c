// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "assert_double.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "workloads/storm_result.h"

/* Two devices that went through two cycles; a record each is filled in by hand, in ms. */
#define MS 1000000LL

static struct storm_record records[2];
static struct crew_member members[2];
static struct storm_crew crew;
static const struct target_device devices[2] = { { .name = "loop3" }, { .name = "loop4" } };

static void set_phase(size_t i, enum storm_phase phase, int first, int last, int sum, int cpu)
{
	records[i].times[phase] = (struct storm_phase_times){
		.first_start_ns = first * MS,
		.last_end_ns = last * MS,
		.sum_ns = sum * MS,
		.cpu_ns = cpu * MS,
	};
}

static struct storm_result make_result(void)
{
	memset(records, 0, sizeof(records));
	memset(members, 0, sizeof(members));
	crew = (struct storm_crew){
		.processes = { .members = members, .count = 2 },
		.records = records, .count = 2, .start_ns = 1000 * MS,
	};
	for (size_t i = 0; i < 2; i++) {
		records[i].cycles = 2;
		records[i].wake_ns = (1001 + (int)i) * MS;
		records[i].ready_user_ns = 10 * MS;
		records[i].ready_sys_ns = 20 * MS;
		members[i].usage.ru_utime.tv_usec = 30000;
		members[i].usage.ru_stime.tv_usec = 70000;
		set_phase(i, STORM_MOUNT, 1100, 1450, 20, 2);
		set_phase(i, STORM_FILL, 1120, 1500, 40, 30);
	}
	set_phase(0, STORM_MKFS, 1002, 1400, 150, 60);
	set_phase(1, STORM_MKFS, 1003, 1480, 190, 70);
	set_phase(0, STORM_UMOUNT, 1200, 1600, 30, 5);
	set_phase(1, STORM_UMOUNT, 1210, 1650, 50, 6);
	return (struct storm_result){
		.crew = &crew, .devices = devices, .repeat = 2, .filled = true,
	};
}

static void figures_follow_from_the_records(void **state)
{
	struct storm_result result = make_result();
	struct run *run = run_new();

	(void)state;
	storm_result_metrics(&result, run);
	assert_double(run_value(run, "real"), .650, 1e-12);
	assert_double(run_value(run, "user"), .040, 1e-12);
	assert_double(run_value(run, "sys"), .100, 1e-12);
	assert_double(run_value(run, "cpu"), .140, 1e-12);
	assert_double(run_value(run, "mkfs.real"), .478, 1e-12);
	assert_double(run_value(run, "mkfs.cpu"), .130, 1e-12);
	assert_double(run_value(run, "mkfs.dev.mean"), .170, 1e-12);
	assert_double(run_value(run, "mkfs.dev.max"), .190, 1e-12);
	assert_double(run_value(run, "fill.cpu"), .060, 1e-12);
	assert_double(run_value(run, "umount.real"), .450, 1e-12);
	assert_double(run_value(run, "umount.dev.max"), .050, 1e-12);
	run_free(run);
}

static json_t *finished(struct run *run)
{
	json_t *line = json_object();

	run_finish(run, line);
	run_free(run);
	return line;
}

static void every_metric_is_given_or_missing_with_a_reason(void **state)
{
	struct storm_result result = make_result();
	struct run *run = run_new();
	auto_json json_t *line = NULL;
	const json_t *metric;

	(void)state;
	result.filled = false;
	storm_result_metrics(&result, run);
	line = finished(run);
	for (const struct metric_spec *spec = storm_metrics; spec->name; spec++) {
		metric = json_object_get(json_object_get(line, "metrics"), spec->name);
		assert_non_null(metric);
		if (!strncmp(spec->name, "fill.", 5)) {
			assert_true(json_is_null(json_object_get(metric, "value")));
			assert_string_equal(json_get_text(metric, "reason", ""), "fill=0");
		} else {
			assert_true(json_is_number(json_object_get(metric, "value")));
		}
	}
}

static void nothing_is_measured_where_one_failed(void **state)
{
	struct storm_result result = make_result();
	struct run *run = run_new();

	(void)state;
	records[1].cycles = 1;
	storm_result_metrics(&result, run);
	for (const struct metric_spec *spec = storm_metrics; spec->name; spec++)
		assert_nan(run_value(run, spec->name));
	run_free(run);
}

static void details_hold_each_device(void **state)
{
	struct storm_result result = make_result();
	struct run *run = run_new();
	auto_json json_t *line = NULL;
	const json_t *device, *mark;

	(void)state;
	records[0].retries = 3;
	records[0].retry_ns = 40 * MS;
	records[1].times[STORM_UMOUNT] = (struct storm_phase_times){ 0 };
	storm_result_details(&result, run);
	line = finished(run);
	assert_double(json_get_number(line, "start_skew_s"), .002, 1e-12);
	assert_int_equal(json_get_int(line, "repeat", 0), 2);

	device = json_array_get(json_object_get(line, "devices"), 0);
	assert_string_equal(json_get_text(device, "name", ""), "loop3");
	assert_double(json_get_number(device, "real_s"), .600, 1e-12);
	assert_double(json_get_number(device, "mkfs_s"), .150, 1e-12);
	assert_double(json_get_number(device, "skew_s"), .001, 1e-12);
	assert_int_equal(json_get_int(device, "cycles", 0), 2);
	assert_int_equal(json_get_int(device, "retries", 0), 3);

	device = json_array_get(json_object_get(line, "devices"), 1);
	assert_true(json_is_null(json_object_get(device, "real_s")));
	assert_true(json_is_null(json_object_get(device, "umount_s")));
	assert_null(json_object_get(device, "retries"));

	mark = json_array_get(json_object_get(line, "marks"), 0);
	assert_string_equal(json_get_text(mark, "name", ""), "retries");
	assert_non_null(strstr(json_get_text(mark, "text", ""), "loop3"));
}

static void check_failure(const struct storm_result *result, const char *expected)
{
	auto_buf struct buf out = BUF_INIT;

	assert_int_equal(storm_result_failure(result, 0, &out), expected != NULL);
	if (expected)
		assert_string_equal(out.s, expected);
	else
		assert_int_equal(out.len, 0);
}

static void failures_name_device_phase_and_reason(void **state)
{
	struct storm_result result = make_result();
	struct storm_failure *failure = &records[0].failure;

	(void)state;
	check_failure(&result, NULL);

	records[0].cycles = 1;
	*failure = (struct storm_failure){ .failed = true, .phase = STORM_MKFS,
					   .wait_status = 1 << 8 };
	strcpy(records[0].words, "mke2fs 1.47.0 (5-Feb-2023)\nInvalid option.\n");
	check_failure(&result, "loop3: mkfs of cycle 2: exit status 1: Invalid option");

	result.repeat = 1;
	records[0].cycles = 0;
	check_failure(&result, "loop3: mkfs: exit status 1: Invalid option");

	records[0].words[0] = '\0';
	*failure = (struct storm_failure){ .failed = true, .phase = STORM_UMOUNT,
					   .error = EBUSY };
	check_failure(&result, "loop3: umount: Device or resource busy");
	failure->preparing = true;
	check_failure(&result, "loop3: getting ready for umount: Device or resource busy");

	*failure = (struct storm_failure){ .failed = false };
	records[0].phase = STORM_FILL;
	members[0].status = 9;
	check_failure(&result, "loop3: fill: the worker ended: signal 9 (Killed)");
	members[0].pid = 4;
	check_failure(&result, "loop3: fill: the worker did not end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_follow_from_the_records),
		cmocka_unit_test(every_metric_is_given_or_missing_with_a_reason),
		cmocka_unit_test(nothing_is_measured_where_one_failed),
		cmocka_unit_test(details_hold_each_device),
		cmocka_unit_test(failures_name_device_phase_and_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
