// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/process.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "workloads/storm_words.h"

#define TIME(name_, headline_, summary_)                                                     \
	{ .name = name_, .unit = "s", .better = BETTER_LOWER, .headline = headline_,         \
	  .summary = summary_ }
#define PHASE(name)                                                                          \
	TIME(name ".real", false, "first start to last end of " name " over the devices"),   \
	TIME(name ".cpu", false, "user and system time in " name),                           \
	TIME(name ".dev.mean", false, "time in " name " a device, mean of the devices"),     \
	TIME(name ".dev.max", false, "time in " name " of the slowest device")

#define TOTALS 4
#define PHASE_METRICS 4

const struct metric_spec storm_metrics[] = {
	TIME("real", true, "from the release to the return of the last umount"),
	TIME("user", true, "user time of workers and programs"),
	TIME("sys", true, "system time of workers and programs"),
	TIME("cpu", true, "user and system time"),
	PHASE("mkfs"),
	PHASE("mount"),
	PHASE("fill"),
	PHASE("umount"),
	{ .name = NULL },
};

static double seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

static const struct storm_record *record_of(const struct storm_result *result, size_t i)
{
	return &result->crew->records[i];
}

static void add_phase_failure(const struct storm_result *result,
			      const struct storm_record *record, struct buf *out)
{
	const struct storm_failure *failure = &record->failure;

	if (failure->preparing)
		buf_add(out, "getting ready for ");
	buf_add(out, storm_phase_name(failure->phase));
	if (result->repeat > 1 && !failure->preparing)
		buf_addf(out, " of cycle %" PRIu32, record->cycles + 1);
	buf_add(out, ": ");
	if (failure->error)
		buf_add(out, strerror(failure->error));
	else
		process_add_status(out, failure->wait_status);
	storm_words_add_reason(record->words, out);
	if (failure->phase == STORM_MKFS && failure->error == ESTALE)
		buf_add(out, " (it is another disk now)");
	if (failure->phase == STORM_MOUNT && failure->error == EINVAL)
		buf_add(out, " (a mount option that the kernel does not know?)");
}

bool storm_result_failure(const struct storm_result *result, size_t i, struct buf *out)
{
	const struct storm_record *record = record_of(result, i);
	const struct crew_member *member = &result->crew->processes.members[i];

	if (!record->failure.failed && !member->pid && member->status == 0 &&
	    record->cycles == result->repeat)
		return false;
	buf_addf(out, "%s: ", result->devices[i].name);
	if (record->failure.failed) {
		add_phase_failure(result, record, out);
		return true;
	}
	buf_addf(out, "%s: ", storm_phase_name(record->phase));
	if (member->pid) {
		buf_add(out, "the worker did not end");
		return true;
	}
	buf_add(out, "the worker ended: ");
	process_add_status(out, member->status);
	return true;
}

static bool all_done(const struct storm_result *result)
{
	for (size_t i = 0; i < result->crew->count; i++)
		if (record_of(result, i)->cycles != result->repeat)
			return false;
	return true;
}

static void publish_totals(const struct storm_result *result, struct run *run)
{
	int64_t last = 0, user = 0, sys = 0, end;
	const struct storm_record *record;

	for (size_t i = 0; i < result->crew->count; i++) {
		record = record_of(result, i);
		end = record->times[STORM_UMOUNT].last_end_ns;
		last = end > last ? end : last;
		user += rusage_user_ns(&result->crew->processes.members[i].usage) - record->ready_user_ns;
		sys += rusage_sys_ns(&result->crew->processes.members[i].usage) - record->ready_sys_ns;
	}
	run_metric(run, &storm_metrics[0], seconds(last - result->crew->start_ns));
	run_metric(run, &storm_metrics[1], seconds(user));
	run_metric(run, &storm_metrics[2], seconds(sys));
	run_metric(run, &storm_metrics[3], seconds(user + sys));
}

static void publish_phase(const struct storm_result *result, enum storm_phase phase,
			  struct run *run)
{
	const struct metric_spec *specs = &storm_metrics[TOTALS + PHASE_METRICS * phase];
	int64_t first = INT64_MAX, last = 0, cpu = 0, sum = 0, most = 0;
	const struct storm_phase_times *times;

	for (size_t i = 0; i < result->crew->count; i++) {
		times = &record_of(result, i)->times[phase];
		first = times->first_start_ns < first ? times->first_start_ns : first;
		last = times->last_end_ns > last ? times->last_end_ns : last;
		most = times->sum_ns > most ? times->sum_ns : most;
		sum += times->sum_ns;
		cpu += times->cpu_ns;
	}
	run_metric(run, &specs[0], seconds(last - first));
	run_metric(run, &specs[1], seconds(cpu));
	run_metric(run, &specs[2], seconds(sum) / (double)result->crew->count);
	run_metric(run, &specs[3], seconds(most));
}

void storm_result_metrics(const struct storm_result *result, struct run *run)
{
	if (!all_done(result)) {
		for (const struct metric_spec *spec = storm_metrics; spec->name; spec++)
			run_metric_missing(run, spec, "a device did not get through");
		return;
	}
	publish_totals(result, run);
	for (enum storm_phase phase = 0; phase < STORM_PHASES; phase++) {
		if (phase != STORM_FILL || result->filled) {
			publish_phase(result, phase, run);
			continue;
		}
		for (int i = 0; i < PHASE_METRICS; i++)
			run_metric_missing(run, &storm_metrics[TOTALS + PHASE_METRICS * phase + i],
					   "fill=0");
	}
}

static double phase_seconds(const struct storm_result *result, size_t i, enum storm_phase phase)
{
	const struct storm_phase_times *times = &record_of(result, i)->times[phase];

	if (!times->first_start_ns || (phase == STORM_FILL && !result->filled))
		return NAN;
	return seconds(times->sum_ns);
}

/* From the release; NAN where the stamp was never taken. */
static double since_start(const struct storm_result *result, int64_t stamp_ns)
{
	return stamp_ns ? seconds(stamp_ns - result->crew->start_ns) : NAN;
}

/* All phases together, without what it waited for others. */
static double work_seconds(const struct storm_record *record)
{
	int64_t sum = 0;

	for (enum storm_phase phase = 0; phase < STORM_PHASES; phase++)
		sum += record->times[phase].sum_ns;
	return record->times[STORM_UMOUNT].last_end_ns ? seconds(sum) : NAN;
}

static json_t *device_object(const struct storm_result *result, size_t i)
{
	const struct storm_record *record = record_of(result, i);
	json_t *device = json_object();
	char key[32];

	json_object_set_new(device, "name", json_text(result->devices[i].name));
	json_object_set_new(device, "real_s",
			    json_number(since_start(result,
						    record->times[STORM_UMOUNT].last_end_ns)));
	for (enum storm_phase phase = 0; phase < STORM_PHASES; phase++) {
		snprintf(key, sizeof(key), "%s_s", storm_phase_name(phase));
		json_object_set_new(device, key, json_number(phase_seconds(result, i, phase)));
	}
	json_object_set_new(device, "work_s", json_number(work_seconds(record)));
	if (record->wake_ns) {
		json_object_set_new(device, "cpu", json_integer(record->cpu));
		json_object_set_new(device, "node", json_integer(record->node));
	}
	json_object_set_new(device, "skew_s", json_number(since_start(result, record->wake_ns)));
	json_object_set_new(device, "cycles", json_integer(record->cycles));
	if (record->retries) {
		json_object_set_new(device, "retries", json_integer(record->retries));
		json_object_set_new(device, "retry_s", json_number(seconds(record->retry_ns)));
	}
	return device;
}

static void mark_retries(const struct storm_result *result, struct run *run)
{
	auto_buf struct buf names = BUF_INIT, time = BUF_INIT;
	const struct storm_record *record;
	uint64_t retries = 0;
	int64_t ns = 0;

	for (size_t i = 0; i < result->crew->count; i++) {
		record = record_of(result, i);
		if (!record->retries)
			continue;
		retries += record->retries;
		ns += record->retry_ns;
		buf_addf(&names, "%s%s", names.len ? ", " : "", result->devices[i].name);
	}
	if (!retries)
		return;
	units_add_duration(&time, ns);
	run_mark(run, "retries", "%" PRIu64 " tries met a busy device (%s); the times hold %s of "
		 "them", retries, names.s, time.s);
}

void storm_result_details(const struct storm_result *result, struct run *run)
{
	int64_t wake = 0;

	for (size_t i = 0; i < result->crew->count; i++) {
		run_device(run, device_object(result, i));
		if (record_of(result, i)->wake_ns > wake)
			wake = record_of(result, i)->wake_ns;
	}
	run_detail(run, "start_skew_s", json_number(since_start(result, wake)));
	run_detail(run, "repeat", json_integer(result->repeat));
	mark_retries(result, run);
}
