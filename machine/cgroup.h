// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_CGROUP_H
#define BRUNT_MACHINE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/undo.h"

/*
 * A cgroup (v2) for the processes of a command: what it leaves behind is found and can be killed
 * as one, also by `brunt clean` after we were killed. Where cgroup2 is not there or not ours to
 * write, or where processes cannot be moved into a group of ours, cgroup_make() returns -ENOTSUP
 * and callers fall back to the process session.
 */
struct cgroup;

/* Below our own cgroup. name is unique on the machine and begins with "brunt". */
int cgroup_make(const char *name, struct undo *undo, struct cgroup **out, struct err *err);
const char *cgroup_path(const struct cgroup *cgroup);
int cgroup_procs_fd(const struct cgroup *cgroup); /* a child writes "0" here to move in */
bool cgroup_populated(const struct cgroup *cgroup);
int cgroup_cpu_ns(const struct cgroup *cgroup, int64_t *user_ns, int64_t *sys_ns);
void cgroup_kill(struct cgroup *cgroup);   /* SIGKILL to all in it, waits until it is empty */
void cgroup_remove(struct cgroup *cgroup); /* kills, removes, frees; NULL is fine */

/*
 * Kills all that is in the group at path and in those below it, waits for at most ten seconds,
 * removes them. 0 also when it is not there; -EBUSY when something in it does not die.
 */
int cgroup_destroy(const char *path, struct err *err);

#endif
