// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "results/stats.h"
#include "workloads/micro/memory_latency.h"

enum { BATCHES_LEAST = 3, PREEMPTED_PART = 5 };
#define TOO_FEW "too few batches in the time that a run may take"

static void add_value(struct run *run, const char *name, const double *values, unsigned int n)
{
	const struct metric_spec *spec = micro_metric(name);
	struct sample_order order;

	if (sample_order(values, n, &order)) {
		run_metric_missing(run, spec, "out of memory");
		return;
	}
	run_metric(run, spec, order.median);
	run_metric_within(run, name,
			  json_pack("{s:I,s:o,s:o,s:o,s:o}", "n", (json_int_t)n, "median",
				    json_number(order.median), "mad", json_number(order.mad),
				    "min", json_number(order.min), "p95", json_number(order.p95)));
}

static void add_missing(struct run *run, const struct micro_bench *bench, const char *reason)
{
	run_metric_missing(run, micro_metric(bench->name), reason);
	if (bench->is_net)
		run_metric_missing(run, micro_metric(bench->raw_name), reason);
}

/* True where it has a value; else why not. */
static bool add_bench(struct run *run, const struct micro_bench *bench,
		      const struct micro_result *result, char reason[MICRO_REASON_MAX])
{
	struct sample_order net;

	if (*result->reason || result->batches < BATCHES_LEAST) {
		snprintf(reason, MICRO_REASON_MAX, "%s",
			 *result->reason ? result->reason : TOO_FEW);
		add_missing(run, bench, reason);
		return false;
	}
	if (bench->is_net)
		add_value(run, bench->raw_name, result->raw, result->batches);
	if (sample_order(result->values, result->batches, &net) || net.median > 0) {
		add_value(run, bench->name, result->values, result->batches);
		return true;
	}
	snprintf(reason, MICRO_REASON_MAX, "what is subtracted takes as long: %.3g %s are left",
		 net.median, bench->unit);
	run_metric_missing(run, micro_metric(bench->name), reason);
	return false;
}

void micro_report_metrics(const struct micro_job *job, size_t n,
			  const struct micro_outcome *outcome, struct run *run)
{
	char first[MICRO_REASON_MAX], reason[MICRO_REASON_MAX];
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += add_bench(run, job->benches[i], &outcome->results[i], i ? reason : first);
	if (!found && n)
		run_fail(run, "nothing could be measured: %s: %s", job->benches[0]->name, first);
}

static json_t *operations(const struct micro_job *job, const struct micro_outcome *outcome)
{
	json_t *object = json_object();

	for (size_t i = 0; i < job->n; i++)
		if (outcome->results[i].operations && micro_metric(job->benches[i]->name))
			json_object_set_new(object, job->benches[i]->name,
					    json_integer((json_int_t)outcome->results[i].operations));
	return object;
}

static json_t *cpu_or_null(int cpu)
{
	return cpu < 0 ? json_null() : json_integer(cpu);
}

void micro_report_evidence(const struct micro_job *job, const struct micro_outcome *outcome,
			   struct run *run)
{
	const struct micro_evidence *seen = &outcome->evidence;
	double measured_s = (double)(outcome->end_ns - outcome->start_ns) / 1e9;

	run_detail(run, "micro",
		   json_pack("{s:o,s:o,s:o,s:o,s:I,s:I,s:o}", "cpu", cpu_or_null(job->site->cpu),
			     "partner_cpu", cpu_or_null(job->site->partner_cpu), "measured_s",
			     json_number(measured_s), "migrations",
			     seen->migrations < 0 ? json_null() :
						    json_integer((json_int_t)seen->migrations),
			     "batches", (json_int_t)seen->batches, "preempted_batches",
			     (json_int_t)seen->preempted, "operations", operations(job, outcome)));
	if (seen->migrations > 0)
		run_mark(run, "migrations", "the measuring process changed its CPU %lld times",
			 (long long)seen->migrations);
	if (seen->stopped)
		run_mark(run, "few_batches", "stopped after %.0f s, before each metric had its %u "
			 "batches", measured_s, job->schedule.least);
	if (PREEMPTED_PART * seen->preempted > seen->batches)
		run_mark(run, "involuntary_switches",
			 "the CPU was taken away in %u of %u batches that have no partner",
			 seen->preempted, seen->batches);
}

static json_t *curve_object(const struct micro_job *job, size_t n, const uint64_t *bytes,
			    const struct micro_outcome *outcome)
{
	json_t *sizes = json_array(), *latencies = json_array();

	for (size_t i = n; i < job->n; i++) {
		const struct micro_result *result = &outcome->results[i];
		struct sample_order order = { .median = NAN };

		if (result->batches)
			sample_order(result->values, result->batches, &order);
		json_array_append_new(sizes, json_integer((json_int_t)bytes[i - n]));
		json_array_append_new(latencies, json_number(order.median));
	}
	return json_pack("{s:{s:i,s:o,s:o}}", "memory_latency", "stride_bytes", MICRO_STRIDE,
			 "size_bytes", sizes, "latency_ns", latencies);
}

int micro_report_curve(const struct micro_job *job, size_t n, const uint64_t *bytes,
		       const struct micro_outcome *outcome, const struct run_context *context,
		       struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	auto_json json_t *series = NULL;
	auto_close int fd = -1;
	int rc;

	if (job->n == n)
		return 0;
	series = curve_object(job, n, bytes, outcome);
	json_write(&text, series, 0);
	buf_addc(&text, '\n');
	fd = openat(context->folder_fd, "series.json", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		    0644);
	rc = fd < 0 ? -errno : files_write_all(fd, text.s, text.len);
	return rc ? err_sys(err, -rc, "%s/series.json", context->folder) : 0;
}
