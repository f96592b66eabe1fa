// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_MEASURER_H
#define BRUNT_WORKLOADS_MICRO_MEASURER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/words.h"
#include "workloads/micro/harness.h"

/*
 * The process that measures, in a session of its own together with the partners of its benches:
 * what a bench does to signals, limits, placement and memory is gone with it, and a bench that
 * hangs or crashes takes nothing of brunt along. All of them die with brunt.
 */
struct micro_job {
	const struct micro_site *site;
	const struct micro_bench *const *benches;
	size_t n;
	struct micro_schedule schedule;
	const struct words *environment; /* NAME=VALUE, may be NULL */
};

/* What it leaves, in shared memory. */
struct micro_outcome {
	int64_t start_ns, end_ns; /* of the measuring; 0: not reached */
	struct micro_evidence evidence;
	struct micro_result results[]; /* one a bench */
};

struct micro_measurer;

/* Forks it; returns when all benches are open and it waits at its gate. job must live as long. */
int micro_measurer_start(const struct micro_job *job, struct micro_measurer **out,
			 struct err *err);
pid_t micro_measurer_pid(const struct micro_measurer *measurer);

/*
 * Lets it measure: the timed part. -EINTR after an interrupt; -ECHILD where it crashed names the
 * bench that was worked at. One that hangs is killed: the bench gets the reason, and what was
 * measured so far stays.
 */
int micro_measurer_run(struct micro_measurer *measurer, struct err *err);
const struct micro_outcome *micro_measurer_outcome(const struct micro_measurer *measurer);

/* Kills what is left of it. NULL is fine. */
void micro_measurer_end(struct micro_measurer *measurer);

#endif
