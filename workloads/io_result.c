// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "workloads/io_result_parts.h"

#define TIME(name_, headline_, summary_)                                                     \
	{ .name = name_, .unit = "s", .better = BETTER_LOWER, .headline = headline_,         \
	  .summary = summary_ }
#define OPERATION(op)                                                                        \
	{ .name = op ".iops", .unit = "1/s", .better = BETTER_HIGHER, .headline = true,      \
	  .summary = op "s completed a second" },                                            \
	{ .name = op ".bw", .unit = "B/s", .better = BETTER_HIGHER,                          \
	  .summary = "bytes of them a second" },                                             \
	TIME(op ".lat.mean", false, "latency, from queueing to completion: mean"),           \
	TIME(op ".lat.sd", false, "its standard deviation over the IOs"),                    \
	TIME(op ".lat.min", false, "least"), TIME(op ".lat.max", false, "most"),             \
	TIME(op ".lat.p50", false, "half were no longer"),                                   \
	TIME(op ".lat.p90", false, "90 % were no longer"),                                   \
	TIME(op ".lat.p95", false, "95 %"), TIME(op ".lat.p99", true, "99 %"),               \
	TIME(op ".lat.p99.9", false, "99.9 %"), TIME(op ".lat.p99.99", false, "99.99 %"),    \
	TIME(op ".slat.mean", false, "to the return of the call that handed it over: mean"), \
	TIME(op ".slat.p99", false, "99 %"),                                                 \
	TIME(op ".clat.mean", false, "from there to completion: mean"),                      \
	TIME(op ".clat.p99", false, "99 %")

const struct metric_spec io_metrics[] = {
	OPERATION("read"),
	OPERATION("write"),
	OPERATION("sync"),
	TIME("cpu_per_io", true, "CPU of the workers an IO"),
	TIME("system_per_io", true, "CPU of the whole machine an IO: kernel threads, interrupts "
	     "and whatever else ran; sampled by tick"),
	TIME("user", false, "user time of the workers"),
	TIME("sys", false, "system time of the workers"),
	TIME("cpu", false, "user and system time"),
	TIME("system.cpu", false, "CPU of the whole machine"),
	{ .name = "switches", .unit = "", .better = BETTER_LOWER,
	  .summary = "context switches of the workers" },
	{ .name = "ios", .unit = "", .better = BETTER_NONE,
	  .summary = "IOs of the whole run, ramp and drain included" },
	TIME("real", false, "from the release to the last completion, ramp and drain included"),
	{ .name = NULL },
};

static const struct metric_spec *spec_of(const char *name)
{
	const struct metric_spec *spec = io_metrics;

	while (spec->name && strcmp(spec->name, name) != 0)
		spec++;
	return spec;
}

static bool has_op(const struct io_options *options, enum io_op op)
{
	switch (op) {
	case IO_READ:
		return options->reads;
	case IO_WRITE:
		return options->writes;
	default:
		return options->pattern.fsync_every > 0;
	}
}

bool io_result_has(const struct io_options *options, const char *metric)
{
	const char *dot = strchr(metric, '.');

	if (!spec_of(metric)->name)
		return false;
	for (int op = 0; dot && op < IO_OPS; op++) {
		if (strncmp(metric, io_op_name(op), (size_t)(dot - metric)) != 0)
			continue;
		return has_op(options, op) && !(op == IO_SYNC && !strcmp(dot, ".bw")) &&
		       !(options->engine->synchronous && (!strncmp(dot, ".slat", 5) ||
							  !strncmp(dot, ".clat", 5)));
	}
	return true;
}

static const char *device_name(const struct io_result *result, size_t device)
{
	return result->ndevices ? result->devices[device].name : result->folder;
}

/* ---- failures ---- */

static void add_error(const struct io_job_record *record, struct buf *out)
{
	const struct io_failure *failure = &record->failure;
	const char *name = strerrorname_np(failure->error);
	uint64_t times = 0;

	for (int i = 0; i < IO_ERROR_KINDS; i++)
		if (record->errors[i].error == failure->error)
			times += record->errors[i].count;
	if (failure->op == IO_SYNC)
		buf_add(out, "sync: ");
	else
		buf_addf(out, "%s of %u bytes at offset %" PRIu64 ": ", io_op_name(failure->op),
			 failure->length, failure->offset);
	if (failure->error)
		buf_addf(out, "%s (%s)", strerror(failure->error), name ? name : "?");
	else
		buf_addf(out, "only %" PRId64 " bytes", failure->result);
	if (times > 1)
		buf_addf(out, ", %" PRIu64 " times", times);
}

static bool find_worker_failure(const struct io_result *result, struct buf *out)
{
	const struct io_crew *crew = result->crew;

	for (uint32_t i = 0; i < crew->work.workers; i++) {
		const struct io_worker_record *record = &crew->work.worker_records[i];
		const struct crew_member *member = &crew->processes.members[i];

		if (record->error) {
			buf_add(out, record->text);
			return true;
		}
		if (!member->pid && member->status) {
			buf_add(out, "a worker ended: ");
			process_add_status(out, member->status);
			return true;
		}
	}
	return false;
}

bool io_result_failure(const struct io_result *result, struct buf *out)
{
	const struct io_work *work = &result->crew->work;
	auto_free bool *failed = xcalloc(result->ndevices + 1, sizeof(*failed));
	size_t n = 0;

	for (size_t i = 0; i < work->ntasks; i++) {
		const struct io_job_record *record = &work->job_records[i];
		size_t device = work->tasks[i].device;

		if (!record->failure.failed || failed[device])
			continue;
		failed[device] = true;
		if (n++)
			continue;
		buf_addf(out, "%s: ", device_name(result, device));
		add_error(record, out);
	}
	if (n > 1)
		buf_addf(out, " (and %zu more)", n - 1);
	return n ? true : find_worker_failure(result, out);
}

void io_result_add_hanging(const struct io_result *result, struct buf *out)
{
	const struct io_work *work = &result->crew->work;
	size_t named = 0, more = 0;

	for (size_t i = 0; i < work->ntasks; i++) {
		uint32_t in_flight = work->job_records[i].in_flight;

		if (!in_flight || !result->crew->processes.members[i % work->workers].pid)
			continue;
		if (named == 3) {
			more++;
			continue;
		}
		buf_addf(out, "%s%s (%u in flight)", named++ ? ", " : "",
			 device_name(result, work->tasks[i].device), in_flight);
	}
	if (more)
		buf_addf(out, " and %zu more", more);
}

/* ---- figures ---- */

void io_result_sum(const struct io_result *result, struct io_sum *sum)
{
	const struct io_work *work = &result->crew->work;

	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < work->ntasks; i++) {
		const struct io_job_record *record = &work->job_records[i];

		for (int op = 0; op < IO_OPS; op++) {
			histogram_merge(&sum->lat[op], &record->lat[op]);
			sum->bytes[op] += record->bytes[op];
			sum->ios += record->lat[op].count;
		}
		sum->ramp += record->ramp;
		sum->drained += record->drained;
	}
	for (uint32_t i = 0; i < work->workers; i++) {
		const struct io_worker_record *record = &work->worker_records[i];

		for (int op = 0; op < IO_OPS; op++) {
			histogram_merge(&sum->submission[op], &record->submission[op]);
			histogram_merge(&sum->completion[op], &record->completion[op]);
		}
		sum->user_ns += record->user_ns;
		sum->sys_ns += record->sys_ns;
		sum->switches += record->voluntary + record->involuntary;
		sum->involuntary += record->involuntary;
		sum->submits += record->submits;
		sum->reaps += record->reaps;
		sum->memory_bytes += record->memory_bytes;
		sum->wake_ns = record->wake_ns > sum->wake_ns ? record->wake_ns : sum->wake_ns;
		sum->end_ns = record->end_ns > sum->end_ns ? record->end_ns : sum->end_ns;
	}
}

static void publish(const struct io_options *options, struct run *run, const char *name,
		    double value)
{
	if (io_result_has(options, name))
		run_metric(run, spec_of(name), value);
}

static void publish_times(const struct io_options *options, struct run *run, const char *op,
			  const char *what, const struct histogram *histogram)
{
	const struct {
		const char *name;
		double ns;
	} values[] = {
		{ "mean", histogram_mean(histogram) },
		{ "sd", histogram_sd(histogram) },
		{ "min", histogram_min(histogram) },
		{ "max", histogram_max(histogram) },
		{ "p50", histogram_quantile(histogram, .5) },
		{ "p90", histogram_quantile(histogram, .9) },
		{ "p95", histogram_quantile(histogram, .95) },
		{ "p99", histogram_quantile(histogram, .99) },
		{ "p99.9", histogram_quantile(histogram, .999) },
		{ "p99.99", histogram_quantile(histogram, .9999) },
	};
	char name[48];

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		snprintf(name, sizeof(name), "%s.%s.%s", op, what, values[i].name);
		publish(options, run, name, values[i].ns / 1e9);
	}
}

static void publish_operation(const struct io_result *result, const struct io_sum *sum,
			      enum io_op op, struct run *run)
{
	const struct io_options *options = result->crew->work.options;
	double seconds = (double)options->runtime_ns / 1e9;
	const char *name = io_op_name(op);
	char metric[32];

	snprintf(metric, sizeof(metric), "%s.iops", name);
	publish(options, run, metric, (double)sum->lat[op].count / seconds);
	snprintf(metric, sizeof(metric), "%s.bw", name);
	publish(options, run, metric, (double)sum->bytes[op] / seconds);
	publish_times(options, run, name, "lat", &sum->lat[op]);
	publish_times(options, run, name, "slat", &sum->submission[op]);
	publish_times(options, run, name, "clat", &sum->completion[op]);
}

static void publish_metrics(const struct io_result *result, const struct io_sum *sum,
			    struct run *run)
{
	const struct io_options *options = result->crew->work.options;
	double cpu_s = (double)(sum->user_ns + sum->sys_ns) / 1e9, ios = (double)sum->ios;
	double busy_s = result->busy_ns < 0 ? NAN : (double)result->busy_ns / 1e9;

	for (enum io_op op = 0; op < IO_OPS; op++)
		publish_operation(result, sum, op, run);
	publish(options, run, "cpu_per_io", ios > 0 ? cpu_s / ios : NAN);
	publish(options, run, "system_per_io", ios > 0 ? busy_s / ios : NAN);
	publish(options, run, "user", (double)sum->user_ns / 1e9);
	publish(options, run, "sys", (double)sum->sys_ns / 1e9);
	publish(options, run, "cpu", cpu_s);
	publish(options, run, "system.cpu", busy_s);
	publish(options, run, "switches", (double)sum->switches);
	publish(options, run, "ios", (double)(sum->ios + sum->ramp + sum->drained));
	publish(options, run, "real", (double)(sum->end_ns - result->crew->start_ns) / 1e9);
}

static void publish_details(const struct io_result *result, const struct io_sum *sum,
			    struct run *run)
{
	const struct io_work *work = &result->crew->work;
	json_t *io = json_object();

	json_object_set_new(io, "workers", json_integer(work->workers));
	json_object_set_new(io, "jobs", json_integer((json_int_t)work->ntasks));
	json_object_set_new(io, "engine", json_text(work->worker_records[0].engine));
	json_object_set_new(io, "ios", json_integer((json_int_t)sum->ios));
	json_object_set_new(io, "ramp_ios", json_integer((json_int_t)sum->ramp));
	json_object_set_new(io, "drained_ios", json_integer((json_int_t)sum->drained));
	json_object_set_new(io, "submits", json_integer((json_int_t)sum->submits));
	json_object_set_new(io, "reaps", json_integer((json_int_t)sum->reaps));
	json_object_set_new(io, "involuntary_switches", json_integer(sum->involuntary));
	json_object_set_new(io, "memory_bytes", json_integer((json_int_t)sum->memory_bytes));
	run_detail(run, "io", io);
	run_detail(run, "start_skew_s",
		   json_number((double)(sum->wake_ns - result->crew->start_ns) / 1e9));
}

void io_result_publish(const struct io_result *result, bool failed, struct run_context *context)
{
	const struct io_options *options = result->crew->work.options;
	struct io_sum *sum = xcalloc(1, sizeof(*sum));

	io_result_sum(result, sum);
	if (failed) {
		for (const struct metric_spec *spec = io_metrics; spec->name; spec++)
			if (io_result_has(options, spec->name))
				run_metric_missing(context->run, spec, "the run failed");
	} else {
		publish_metrics(result, sum, context->run);
	}
	publish_details(result, sum, context->run);
	io_result_devices(result, context->run);
	io_result_series(sum, context);
	free(sum);
}
