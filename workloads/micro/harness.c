// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/files.h"
#include "workloads/micro/watchdog.h"

/* Operations before a batch that are not timed: this part of a batch, at least one. */
enum { LEAD_IN_PART = 8 };
/* Above the wanted length, so that batches which run faster than any before are long enough. */
#define LONGER 1.15
#define MAX_OPERATIONS (1ULL << 40)
#define GROWTH_MOST 8
#define GROWTH_LEAST 1.25

/* ---- evidence ---- */

/*
 * So far, of this process; -1 where the kernel does not tell (CONFIG_SCHED_DEBUG). A perf event
 * would count them, too, and make every switch to this process and away from it slower.
 */
static int64_t count_migrations(void)
{
	static const char name[] = "nr_migrations";
	auto_buf struct buf text = BUF_INIT;
	const char *at = NULL;
	int64_t count;

	if (!files_read_at(AT_FDCWD, "/proc/self/sched", 1 << 16, &text))
		at = strstr(text.s, name);
	if (!at || sscanf(at + strlen(name), " : %" SCNd64, &count) != 1)
		return -1;
	return count;
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

/* What all batches of a run have in common. */
struct measuring {
	const struct micro_schedule *schedule;
	struct micro_evidence *evidence;
	int64_t start_ns;
};

static void give_reason(struct micro_result *result, const struct micro_schedule *schedule, int rc)
{
	char *reason = result->reason;

	if (micro_watchdog_is_over())
		snprintf(reason, MICRO_REASON_MAX, "it hangs: not done within %.3g s",
			 (double)schedule->stuck_ns / NS_PER_S);
	else if (rc == -EADDRNOTAVAIL)
		snprintf(reason, MICRO_REASON_MAX,
			 "too few ports: net.ipv4.ip_local_port_range is used up");
	else if (rc == -EPIPE)
		snprintf(reason, MICRO_REASON_MAX, "its partner has ended");
	else
		snprintf(reason, MICRO_REASON_MAX, "%s", strerror(-rc));
}

/* False: it has failed, and the reason is written down. */
static bool run_batch(const struct measuring *measuring, const struct micro_bench *bench,
		      void *state, uint64_t n, struct micro_sample *sample,
		      struct micro_result *result)
{
	int rc;

	memset(sample, 0, sizeof(*sample));
	measuring->evidence->steps++;
	micro_watchdog_set(measuring->schedule->stuck_ns);
	rc = bench->ops->batch(state, n, sample);
	if (rc)
		give_reason(result, measuring->schedule, rc);
	else if (!sample->n || sample->ns <= 0)
		snprintf(result->reason, sizeof(result->reason), "nothing was timed");
	return is_open(result);
}

/* Is the time over in which any batches may be run? */
static bool must_stop(const struct measuring *measuring)
{
	return measuring->schedule->stop_ns &&
	       clock_mono_ns() - measuring->start_ns > measuring->schedule->stop_ns;
}

static uint64_t limit_operations(double n)
{
	return n < 1 ? 1 : n > (double)MAX_OPERATIONS ? MAX_OPERATIONS : (uint64_t)n;
}

/*
 * Finds the number of operations and warms up. The time of one operation is that of the fastest
 * batch: short ones hold the clock's own time, first ones cold caches.
 */
static void calibrate(const struct measuring *measuring, const struct micro_bench *bench,
		      void *state, struct micro_result *result)
{
	const struct micro_schedule *schedule = measuring->schedule;
	int64_t end_ns = clock_mono_ns() + schedule->warmup_ns;
	double wanted_ns = (double)schedule->batch_ns * LONGER, fastest_ns = 0, next;
	struct micro_sample sample;
	uint64_t n = 1;

	while (run_batch(measuring, bench, state, n, &sample, result)) {
		double took_ns = (double)sample.ns / (double)n;
		bool long_enough = sample.ns >= schedule->batch_ns ||
				   n == limit_operations(INFINITY);

		if (!fastest_ns || took_ns < fastest_ns)
			fastest_ns = took_ns;
		next = wanted_ns / fastest_ns;
		if ((long_enough && clock_mono_ns() >= end_ns) || must_stop(measuring))
			break;
		/* One operation can take far longer the first time: no great steps. */
		next = next > GROWTH_MOST * (double)n ? GROWTH_MOST * (double)n : next;
		if (!long_enough && next < GROWTH_LEAST * (double)n)
			next = GROWTH_LEAST * (double)n + 1;
		n = limit_operations(next);
	}
	result->operations = limit_operations(fastest_ns > 0 ? wanted_ns / fastest_ns : 1);
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

static void measure_batch(const struct measuring *measuring, const struct micro_bench *bench,
			  void *state, struct micro_result *result)
{
	struct micro_evidence *evidence = measuring->evidence;
	uint64_t lead_in = result->operations / LEAD_IN_PART;
	struct micro_sample sample;
	int64_t switches;

	if (!run_batch(measuring, bench, state, lead_in ? lead_in : 1, &sample, result))
		return;
	switches = involuntary_switches();
	if (!run_batch(measuring, bench, state, result->operations, &sample, result))
		return;
	keep(bench, &sample, result);
	if (bench->has_partner) /* which takes it away, as it should */
		return;
	evidence->batches++;
	evidence->preempted += involuntary_switches() > switches;
}

/* ---- all ---- */

static void give_reason_of_open(struct micro_result *result, const struct micro_schedule *schedule,
				const struct err *err)
{
	if (micro_watchdog_is_over() || !*err->text)
		give_reason(result, schedule, -EIO);
	else
		snprintf(result->reason, sizeof(result->reason), "%.*s", MICRO_REASON_MAX - 1,
			 err->text);
}

void micro_open(const struct micro_schedule *schedule, const struct micro_site *site,
		const struct micro_bench *const *benches, size_t n, struct micro_result *results,
		void **states, struct micro_evidence *evidence)
{
	for (size_t i = 0; i < n; i++) {
		struct err err = { .text = "" };

		evidence->now = (int32_t)i;
		evidence->steps++;
		micro_watchdog_set(schedule->stuck_ns);
		if (benches[i]->has_partner && site->wants_two_cpus)
			snprintf(results[i].reason, sizeof(results[i].reason),
				 "place=other-cpu needs two CPUs, and there is one");
		else if (benches[i]->ops->open(site, benches[i]->variant, &states[i], &err))
			give_reason_of_open(&results[i], schedule, &err);
	}
	evidence->now = -1;
	micro_watchdog_set(0);
}

/* One batch of each that is open. */
static void measure_turn(const struct measuring *measuring,
			 const struct micro_bench *const *benches, size_t n, unsigned int turn,
			 struct micro_result *results, void **states)
{
	for (size_t i = 0; i < n; i++) {
		if (must_stop(measuring))
			return;
		measuring->evidence->now = (int32_t)i;
		if (is_open(&results[i]) &&
		    !(benches[i]->most_batches && turn >= benches[i]->most_batches))
			measure_batch(measuring, benches[i], states[i], &results[i]);
	}
}

void micro_measure(const struct micro_schedule *schedule,
		   const struct micro_bench *const *benches, size_t n,
		   struct micro_result *results, void **states, struct micro_evidence *evidence)
{
	const struct measuring measuring = { schedule, evidence, clock_mono_ns() };
	int64_t migrations = count_migrations(), migrations_end;
	unsigned int turn;

	for (size_t i = 0; i < n && !must_stop(&measuring); i++) {
		evidence->now = (int32_t)i;
		if (is_open(&results[i]))
			calibrate(&measuring, benches[i], states[i], &results[i]);
	}
	for (turn = 0; turn < schedule->batches && !must_stop(&measuring); turn++) {
		if (turn >= schedule->least && schedule->limit_ns &&
		    clock_mono_ns() - measuring.start_ns > schedule->limit_ns)
			break;
		measure_turn(&measuring, benches, n, turn, results, states);
	}
	evidence->stopped = must_stop(&measuring) && turn <= schedule->least;
	evidence->now = -1;
	micro_watchdog_set(0);
	migrations_end = count_migrations();
	evidence->migrations = migrations < 0 || migrations_end < 0 ? -1 :
								      migrations_end - migrations;
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
