// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_CREW_H
#define BRUNT_WORKLOADS_STORM_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "machine/cgroup.h"
#include "workloads/crew.h"
#include "workloads/storm_worker.h"

/* All workers of a storm, one a device: brought to the gate, let go at once (workloads/crew.h). */
struct storm_crew {
	struct crew processes; /* of the workers, by task */
	struct gate *gate;
	struct barrier *barrier;
	struct storm_record *records; /* shared with the workers */
	size_t count;
	int64_t start_ns; /* of the run, CLOCK_MONOTONIC */
	struct cgroup *cgroup; /* for them and all they start, so that it can be found; may be NULL */
};

#define STORM_CREW_INIT { .processes = CREW_INIT }

/* Takes the cgroup over; NULL where there is none to be had. */
int storm_crew_init(struct storm_crew *crew, size_t count, struct cgroup *cgroup, struct err *err);
void storm_crew_release(struct storm_crew *crew); /* ends what is left, removes the cgroup */

/*
 * Forks the workers, one a task (turns: that many at work at a time; 0: all), and waits until all
 * are at the gate; -EINTR after an interrupt.
 */
int storm_crew_start(struct storm_crew *crew, const struct storm_job *job, uint32_t turns,
		     const struct storm_task *tasks, struct err *err);

/*
 * The timed part: opens the gate and waits until the last worker has ended. -ETIMEDOUT,
 * -EINTR after an interrupt: then the caller ends them.
 */
int storm_crew_run(struct storm_crew *crew, int64_t timeout_ns);

/* Which workers have not ended, where they are: "/dev/loop3: mkfs: pid 7 in state D (...)". */
void storm_crew_add_hanging(const struct storm_crew *crew, const struct storm_task *tasks,
			    struct buf *out);

/*
 * Sends home those at the gate, ends those that work (SIGTERM, then SIGKILL) and reaps all.
 * False when some cannot be ended; they are reaped by a later call if they end.
 */
bool storm_crew_stop(struct storm_crew *crew);

#endif
