// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_CREW_H
#define BRUNT_WORKLOADS_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * The processes of a run that are timed: forked, waited for without a wake in the timed part, ended
 * when they must be. They are in a process group of their own and die with us. Where they meet
 * before the work (machine/gate.h), and how they are told to end by themselves, is their owner's.
 */
struct crew_member {
	pid_t pid;	     /* 0: none, or reaped */
	int status;	     /* wait(2)'s, once reaped */
	struct rusage usage; /* with that of the programs it waited for */
};

struct crew {
	struct crew_member *members; /* count of them */
	size_t count;
	pid_t pgid;   /* 0: nobody is there */
	int ended_fd; /* readable when all have ended; -1: none were started */
	bool stuck;   /* some could not be ended: nobody waits long for them again */
};

#define CREW_INIT { .ended_fd = -1 }

void crew_init(struct crew *crew, size_t count);
void crew_release(struct crew *crew); /* nobody may be there; fine on an empty one */

/*
 * Forks all; work(arg, i) is the whole life of number i, with signals as a program finds them, and
 * returns what it exits with. After an error those that were started are there, to be killed.
 * To be called by the main thread only (PR_SET_PDEATHSIG).
 */
int crew_fork(struct crew *crew, int (*work)(void *arg, size_t i), void *arg, struct err *err);

/*
 * Until all have ended (0), the time until_ns (CLOCK_MONOTONIC) has come (-ETIMEDOUT), or an
 * interrupt (-EINTR). They are left to be reaped, so that the group's number stays theirs.
 */
int crew_wait(const struct crew *crew, int64_t until_ns);

/* The same for those that were told to end: interrupts do not count, and the stuck get .1 s. */
int crew_wait_leaving(const struct crew *crew, int64_t timeout_ns);

/* Reaps all when they have ended. */
void crew_reap(struct crew *crew);

/*
 * SIGKILL to the whole group, programs of the workers included, and reaps. False where workers sleep
 * in the kernel for good: they are stuck, and reaped by a later call if they end.
 */
bool crew_kill(struct crew *crew, int64_t timeout_ns);

/* All are reaped, and nothing else of the group is looked for any more. */
void crew_forget(struct crew *crew);

#endif
