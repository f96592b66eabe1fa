// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "workloads/io_result_parts.h"

/* A device is slow when it does less than a third of the median's work, at 3 times its latency. */
#define SLOW 3
#define SLOW_LEAST 3 /* devices: of two nobody knows which one is odd */

struct device_sum {
	struct histogram lat[IO_OPS], all;
	uint64_t bytes[IO_OPS], drained;
};

static void sum_device(const struct io_work *work, size_t device, struct device_sum *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < work->ntasks; i++) {
		const struct io_job_record *record = &work->job_records[i];

		if (work->tasks[i].device != device)
			continue;
		for (int op = 0; op < IO_OPS; op++) {
			histogram_merge(&sum->lat[op], &record->lat[op]);
			sum->bytes[op] += record->bytes[op];
		}
		sum->drained += record->drained;
	}
	for (int op = 0; op < IO_SYNC; op++)
		histogram_merge(&sum->all, &sum->lat[op]);
}

static json_t *times_object(const struct histogram *lat)
{
	json_t *times = json_object();

	json_object_set_new(times, "mean_s", json_number(histogram_mean(lat) / 1e9));
	json_object_set_new(times, "sd_s", json_number(histogram_sd(lat) / 1e9));
	json_object_set_new(times, "min_s", json_number(histogram_min(lat) / 1e9));
	json_object_set_new(times, "max_s", json_number(histogram_max(lat) / 1e9));
	json_object_set_new(times, "p50_s", json_number(histogram_quantile(lat, .5) / 1e9));
	json_object_set_new(times, "p99_s", json_number(histogram_quantile(lat, .99) / 1e9));
	json_object_set_new(times, "p99.9_s", json_number(histogram_quantile(lat, .999) / 1e9));
	return times;
}

static json_t *operation_object(const struct device_sum *sum, enum io_op op, double seconds)
{
	json_t *object = json_object();

	json_object_set_new(object, "ios", json_integer((json_int_t)sum->lat[op].count));
	json_object_set_new(object, "iops", json_number((double)sum->lat[op].count / seconds));
	json_object_set_new(object, "bytes", json_integer((json_int_t)sum->bytes[op]));
	json_object_set_new(object, "lat", times_object(&sum->lat[op]));
	return object;
}

/* {"EIO": 3}; fewer bytes than asked for: "short" */
static json_t *errors_object(const struct io_work *work, size_t device)
{
	json_t *errors = json_object();

	for (size_t i = 0; i < work->ntasks; i++) {
		const struct io_job_record *record = &work->job_records[i];

		for (int k = 0; work->tasks[i].device == device && k < IO_ERROR_KINDS; k++) {
			const char *name = strerrorname_np(record->errors[k].error);
			json_int_t n = (json_int_t)record->errors[k].count;

			if (!n)
				continue;
			name = record->errors[k].error ? name : "short";
			name = name ? name : "unknown";
			n += json_get_int(errors, name, 0);
			json_object_set_new(errors, name, json_integer(n));
		}
	}
	return errors;
}

static void add_failure(const struct io_work *work, size_t device, json_t *object)
{
	const struct io_failure *failure;
	json_t *errors;

	for (size_t i = 0; i < work->ntasks; i++) {
		failure = &work->job_records[i].failure;
		if (work->tasks[i].device != device || !failure->failed)
			continue;
		errors = errors_object(work, device);
		json_object_set_new(object, "errors", errors);
		json_object_set_new(object, "error_op", json_string(io_op_name(failure->op)));
		json_object_set_new(object, "error_offset_bytes",
				    json_integer((json_int_t)failure->offset));
		return;
	}
}

static json_t *device_object(const struct io_result *result, size_t device,
			     const struct device_sum *sum)
{
	const struct io_work *work = &result->crew->work;
	double seconds = (double)work->options->runtime_ns / 1e9;
	json_t *object = json_object();

	json_object_set_new(object, "name", json_text(result->devices[device].name));
	for (enum io_op op = 0; op < IO_OPS; op++)
		if (sum->lat[op].count)
			json_object_set_new(object, io_op_name(op),
					    operation_object(sum, op, seconds));
	json_object_set_new(object, "drained_ios", json_integer((json_int_t)sum->drained));
	add_failure(work, device, object);
	return object;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *values, size_t n)
{
	double *sorted = xcalloc(n, sizeof(*sorted)), middle;

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	middle = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
	free(sorted);
	return middle;
}

static void mark_slow(const struct io_result *result, const double *ios, const double *p50,
		      struct run *run)
{
	double usual_ios = median(ios, result->ndevices), usual_p50 = median(p50, result->ndevices);
	auto_buf struct buf text = BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < result->ndevices; i++) {
		if (!(ios[i] * SLOW < usual_ios && p50[i] > usual_p50 * SLOW) || ++n > 3)
			continue;
		buf_addf(&text, "%s%s: half of its IO took more than %.3g ms, of the median device "
			 "%.3g ms", n > 1 ? "; " : "", result->devices[i].name, p50[i] / 1e6,
			 usual_p50 / 1e6);
	}
	if (n > 3)
		buf_addf(&text, " (and %zu more)", n - 3);
	if (n)
		run_mark(run, "slow-device", "%s", text.s);
}

void io_result_devices(const struct io_result *result, struct run *run)
{
	struct device_sum *sum = xcalloc(1, sizeof(*sum));
	double *ios = xcalloc(result->ndevices + 1, sizeof(*ios));
	double *p50 = xcalloc(result->ndevices + 1, sizeof(*p50));
	bool all_worked = true;

	for (size_t i = 0; i < result->ndevices; i++) {
		sum_device(&result->crew->work, i, sum);
		run_device(run, device_object(result, i, sum));
		ios[i] = (double)sum->all.count;
		p50[i] = histogram_quantile(&sum->all, .5);
		all_worked &= sum->all.count > 0;
	}
	if (result->ndevices >= SLOW_LEAST && all_worked)
		mark_slow(result, ios, p50, run);
	free(ios);
	free(p50);
	free(sum);
}
