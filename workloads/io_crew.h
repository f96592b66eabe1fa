// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_CREW_H
#define BRUNT_WORKLOADS_IO_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "workloads/crew.h"
#include "workloads/io_worker.h"

/*
 * The workers of an IO storm: brought to the gate, let go at once, ended when they must be
 * (workloads/crew.h). They are processes, not threads, so that one whose device hangs can be left
 * behind.
 */
struct io_crew {
	struct crew processes;	/* of the workers */
	struct io_work work;	/* with the memory shared with them */
	int64_t start_ns;	/* of the run, CLOCK_MONOTONIC */
	/* implementation's own */
	void *map;
	size_t map_size;
};

#define IO_CREW_INIT { .processes = CREW_INIT }

/*
 * Forks work->workers workers and waits until all are at the gate. The records in work are made
 * anew. -EINTR after an interrupt; what a worker could not do is told in its words, with its errno.
 */
int io_crew_start(struct io_crew *crew, const struct io_work *work, struct err *err);

/* The timed part: opens the gate. */
void io_crew_go(struct io_crew *crew);

/*
 * Waits until all have ended (0) or the time until_ns (CLOCK_MONOTONIC) has come (-ETIMEDOUT);
 * -EINTR after an interrupt. The ended are reaped.
 */
int io_crew_wait(struct io_crew *crew, int64_t until_ns);

/* Ends what is left; false where something sleeps in the kernel for good. */
bool io_crew_stop(struct io_crew *crew);

void io_crew_release(struct io_crew *crew); /* stops; fine on an empty one */

#endif
