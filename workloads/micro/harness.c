// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/harness.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Operations before a batch that are not timed: this part of a batch, at least one. */
enum { LEAD_IN_PART = 8 };
/* Above the wanted length, so that batches which run faster than any before are long enough. */
#define LONGER 1.15
#define MAX_OPERATIONS (1ULL << 40)
#define GROWTH_MOST 8
#define GROWTH_LEAST 1.25

/* ---- evidence ---- */

/* -1 where the kernel does not count them for us. */
static int open_migrations(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_MIGRATIONS };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int64_t read_migrations(int fd)
{
	int64_t count;

	return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count) ? count : -1;
}

static int64_t involuntary_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

/* ---- one bench ---- */

static bool is_open(const struct micro_result *result)
{
	return !*result->reason;
}

/* False: it has failed, and the reason is written down. */
static bool run_batch(const struct micro_bench *bench, void *state, uint64_t n,
		      struct micro_sample *sample, struct micro_result *result)
{
	int rc;

	memset(sample, 0, sizeof(*sample));
	rc = bench->ops->batch(state, n, sample);
	if (rc == -EADDRNOTAVAIL)
		snprintf(result->reason, sizeof(result->reason),
			 "too few ports: net.ipv4.ip_local_port_range is used up");
	else if (rc)
		snprintf(result->reason, sizeof(result->reason), "%s", strerror(-rc));
	else if (!sample->n || sample->ns <= 0)
		snprintf(result->reason, sizeof(result->reason), "nothing was timed");
	return is_open(result);
}

static uint64_t limit_operations(const struct micro_bench *bench, double n)
{
	uint64_t most = bench->most ? bench->most : MAX_OPERATIONS;

	return n < 1 ? 1 : n > (double)most ? most : (uint64_t)n;
}

/*
 * Finds the number of operations and warms up. The time of one operation is that of the fastest
 * batch: short ones hold the clock's own time, first ones cold caches.
 */
static void calibrate(const struct micro_schedule *schedule, const struct micro_bench *bench,
		      void *state, struct micro_result *result)
{
	int64_t end_ns = clock_mono_ns() + schedule->warmup_ns;
	double wanted_ns = (double)schedule->batch_ns * LONGER, fastest_ns = 0, next;
	struct micro_sample sample;
	uint64_t n = 1;

	while (run_batch(bench, state, n, &sample, result)) {
		double took_ns = (double)sample.ns / (double)n;
		bool long_enough = sample.ns >= schedule->batch_ns ||
				   n == limit_operations(bench, INFINITY);

		if (!fastest_ns || took_ns < fastest_ns)
			fastest_ns = took_ns;
		next = wanted_ns / fastest_ns;
		if (long_enough && clock_mono_ns() >= end_ns)
			break;
		/* One operation can take far longer the first time: no great steps. */
		next = next > GROWTH_MOST * (double)n ? GROWTH_MOST * (double)n : next;
		if (!long_enough && next < GROWTH_LEAST * (double)n)
			next = GROWTH_LEAST * (double)n + 1;
		n = limit_operations(bench, next);
	}
	result->operations = limit_operations(bench, fastest_ns > 0 ? wanted_ns / fastest_ns : 1);
}

static void keep(const struct micro_bench *bench, const struct micro_sample *sample,
		 struct micro_result *result)
{
	double scale = !strcmp(bench->unit, "us") ? 1e-3 : 1, n = (double)sample->n;
	unsigned int i = result->batches++;

	if (sample->bytes) {
		/* bytes a ns are GB/s */
		result->values[i] = (double)sample->bytes * 1e3 / (double)sample->ns;
		return;
	}
	result->raw[i] = (double)sample->ns / n * scale;
	result->values[i] = (double)(sample->ns - sample->minus_ns) / n * scale;
}

static void measure_batch(const struct micro_bench *bench, void *state,
			  struct micro_result *result, struct micro_evidence *evidence)
{
	uint64_t lead_in = result->operations / LEAD_IN_PART;
	struct micro_sample sample;
	int64_t switches;

	if (!run_batch(bench, state, lead_in ? lead_in : 1, &sample, result))
		return;
	switches = involuntary_switches();
	if (!run_batch(bench, state, result->operations, &sample, result))
		return;
	keep(bench, &sample, result);
	if (bench->has_partner) /* which takes it away, as it should */
		return;
	evidence->batches++;
	evidence->preempted += involuntary_switches() > switches;
}

/* ---- all ---- */

void micro_open(const struct micro_site *site, const struct micro_bench *const *benches, size_t n,
		struct micro_result *results, void **states, struct micro_evidence *evidence)
{
	for (size_t i = 0; i < n; i++) {
		struct err err = { .text = "" };

		evidence->now = (int32_t)i;
		if (benches[i]->has_partner && site->wants_two_cpus)
			snprintf(results[i].reason, sizeof(results[i].reason),
				 "place=other-cpu needs two CPUs, and there is one");
		else if (benches[i]->ops->open(site, benches[i]->variant, &states[i], &err))
			snprintf(results[i].reason, sizeof(results[i].reason), "%.*s",
				 MICRO_REASON_MAX - 1, *err.text ? err.text : "failed");
	}
	evidence->now = -1;
}

void micro_measure(const struct micro_schedule *schedule,
		   const struct micro_bench *const *benches, size_t n,
		   struct micro_result *results, void **states, struct micro_evidence *evidence)
{
	int64_t start_ns = clock_mono_ns();
	int migrations = open_migrations();

	for (size_t i = 0; i < n; i++) {
		evidence->now = (int32_t)i;
		if (is_open(&results[i]))
			calibrate(schedule, benches[i], states[i], &results[i]);
	}
	for (unsigned int batch = 0; batch < schedule->batches; batch++) {
		if (batch >= schedule->least && schedule->limit_ns &&
		    clock_mono_ns() - start_ns > schedule->limit_ns)
			break;
		for (size_t i = 0; i < n; i++) {
			evidence->now = (int32_t)i;
			if (is_open(&results[i]) &&
			    !(benches[i]->most_batches && batch >= benches[i]->most_batches))
				measure_batch(benches[i], states[i], &results[i], evidence);
		}
	}
	evidence->now = -1;
	evidence->migrations = read_migrations(migrations);
	if (migrations >= 0)
		close(migrations);
}

void micro_close(const struct micro_bench *const *benches, size_t n, void **states)
{
	for (size_t i = 0; i < n; i++) {
		if (!states[i])
			continue;
		if (benches[i]->ops->close)
			benches[i]->ops->close(states[i]);
		else
			free(states[i]);
		states[i] = NULL;
	}
}
