// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_HARNESS_H
#define BRUNT_WORKLOADS_MICRO_HARNESS_H

#include <stdint.h>

#include "workloads/micro/bench.h"

/*
 * How every micro benchmark is measured. The number of operations a batch is chosen so that a
 * batch lasts batch_ns at the fastest that was seen while it was warmed up. Then the batches of
 * all benches are interleaved: one of each, again and again, so that what disturbs a second
 * disturbs all of them alike. Each batch is led in by some operations that are not timed, since
 * others have used the caches meanwhile.
 */
enum { MICRO_BATCHES_MAX = 100, MICRO_REASON_MAX = 240 };

struct micro_schedule {
	unsigned int batches, least; /* of each; after limit_ns only as many as least */
	int64_t batch_ns, warmup_ns; /* warmup_ns: of each, in calibration */
	int64_t limit_ns;	     /* 0: none */
	int64_t stop_ns;  /* then there are no further batches, however few there were; 0: none */
	int64_t stuck_ns; /* what blocks that long in an open or a batch has failed; 0: none */
};

/* What became of one bench, in memory shared with brunt. */
struct micro_result {
	char reason[MICRO_REASON_MAX]; /* why it has no value; "" otherwise */
	unsigned int batches;
	uint64_t operations; /* a batch */
	double values[MICRO_BATCHES_MAX]; /* in the bench's unit, net */
	double raw[MICRO_BATCHES_MAX];
};

struct micro_evidence {
	int64_t migrations; /* of the measuring process; -1: unknown */
	uint32_t steps;	    /* opens and batches so far: where it stands still, it hangs */
	bool stopped;	    /* after stop_ns, before each had its least batches */
	/* batches of benches without a partner, and those in which the CPU was taken away */
	unsigned int batches, preempted;
	int32_t now; /* index of the bench that is worked at; -1: none */
};

/* Opens them; a bench that cannot has its reason. states has n places. */
void micro_open(const struct micro_schedule *schedule, const struct micro_site *site,
		const struct micro_bench *const *benches, size_t n, struct micro_result *results,
		void **states, struct micro_evidence *evidence);

/* Measures those that are open. While batches run, nothing is printed, allocated or written. */
void micro_measure(const struct micro_schedule *schedule,
		   const struct micro_bench *const *benches, size_t n,
		   struct micro_result *results, void **states, struct micro_evidence *evidence);

void micro_close(const struct micro_bench *const *benches, size_t n, void **states);

#endif
