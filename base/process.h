// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_PROCESS_H
#define BRUNT_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Children. All get SIGKILL when the thread that forked them ends (PR_SET_PDEATHSIG), so they
 * must be forked by the main thread of the process that waits for them.
 */

/* The path of a program in PATH, then /usr/sbin and /sbin; -ENOENT. Belongs to the caller. */
int process_find(const char *name, char **path);

/*
 * A short tool whose words are wanted: runs argv with LC_ALL=C, stdin from /dev/null, and puts
 * stdout and stderr (at most 1 MiB) into out. *status is wait(2)'s. Not for timed work. -EINTR
 * after an interrupt: it is killed then.
 */
int process_capture(const char *const *argv, struct buf *out, int *status, struct err *err);

/*
 * vfork and exec, for timed code: allocates nothing. stdin is /dev/null; out and err take stdout
 * and stderr, -1: /dev/null. Returns the pid or a negative errno, also where exec itself failed.
 */
pid_t process_spawn(const char *path, char *const *argv, char *const *envp, int out, int err);

/* wait4() that goes on after EINTR. */
int process_wait(pid_t pid, int *status, struct rusage *usage);

/*
 * Makes this process the parent of orphans below it, so that a run's stray processes do not
 * escape to init; process_reap_orphans() takes those that have ended, without waiting. To be
 * called only when no child of our own is awaited.
 */
void process_adopt_orphans(void);
void process_reap_orphans(void);

/* "exit status 3", "signal 9 (Killed)" */
void process_add_status(struct buf *out, int wait_status);

/* Clock ticks after boot at which the process started; with pid and boot id it names it for good. */
int process_start_ticks(pid_t pid, uint64_t *ticks);

/* Microsecond sums of a struct rusage in nanoseconds. */
int64_t rusage_user_ns(const struct rusage *usage);
int64_t rusage_sys_ns(const struct rusage *usage);

#endif
