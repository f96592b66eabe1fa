// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_PROCESS_TREE_H
#define BRUNT_BASE_PROCESS_TREE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The processes below one. An orphan moves to the nearest ancestor that adopts
 * (PR_SET_CHILD_SUBREAPER), so that below such a one are all that it ever started, also those that
 * made themselves a session of their own. Zombies are not among them. What forks meanwhile may be
 * missed: look again until none is left.
 */

/* Belongs to the caller; none where /proc cannot be read. */
pid_t *process_descendants(pid_t root, size_t *n);

/* Sends each a signal; returns how many there were. */
size_t process_signal_descendants(pid_t root, int signal);

/* The threads of a process, its own number among them; belongs to the caller. */
pid_t *process_threads(pid_t pid, size_t *n);

#endif
