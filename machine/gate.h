// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_GATE_H
#define BRUNT_MACHINE_GATE_H

#include <stdint.h>
#include <sys/wait.h>

#include "base/err.h"

/*
 * A start for many processes at once, in memory that they share: each says that it is ready and
 * sleeps on a futex; the owner waits until all are, reads the clock and wakes them. The start is
 * read before the wake call: waking 100 workers on 2 CPUs takes 12 ms, which belongs to the work.
 */
struct gate {
	uint32_t ready;	   /* how many wait */
	uint32_t open;	   /* futex: 0 closed, 1 open, 2 given up */
	int64_t opened_ns; /* CLOCK_MONOTONIC */
};

/* In a mapping shared with the children that fork later; NULL without memory. */
struct gate *gate_new(void);
void gate_free(struct gate *gate);

/* For a new run: closed, nobody ready. */
void gate_reset(struct gate *gate);

/* Child: ready, and sleep until it opens. 0, or -ECANCELED when it was given up. */
int gate_wait(struct gate *gate);

/*
 * Owner: until count are ready. The waiters are children of the owner, named as waitid(2) names
 * them. -ECHILD: one of them has ended before all were ready (it is left to be waited for);
 * -ETIMEDOUT; -EINTR after an interrupt.
 */
int gate_wait_ready(struct gate *gate, uint32_t count, idtype_t who, id_t id, int64_t timeout_ns);

/* Owner: the start in CLOCK_MONOTONIC nanoseconds, read before the wake. */
int64_t gate_open(struct gate *gate);

/* Owner: sends the waiting ones home. */
void gate_give_up(struct gate *gate);

#endif
