// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_FTRACE_WORK_H
#define BRUNT_TRACERS_FTRACE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Events of the work's processes alone: the kernel's set_event_pid with its option event-fork,
 * which takes in whatever they fork. Where a workload does its work in brunt's own process, or has
 * that fork once the work begins, the work is brunt's: so the list is brunt and all below it.
 */
bool ftrace_work_can_follow(void); /* no: the kernel counts other pids than we do (containers) */

struct ftrace_work {
	pid_t *tids;
	size_t n, cap;
};

/* Us, and all that is below us now, thread by thread. To be released. */
void ftrace_work_find(struct ftrace_work *work);
void ftrace_work_release(struct ftrace_work *work);

/* fd: of the instance. forget: everybody is traced again. */
int ftrace_work_follow(int fd, const struct ftrace_work *work, struct err *err);
int ftrace_work_forget(int fd);

/*
 * Leaves processes out. A reader of the buffer whose own system calls went into it would never find
 * it empty. fd: of the instance.
 */
int ftrace_work_leave_out(int fd, const pid_t *pids, size_t n, struct err *err);

#endif
