// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_UNDO_PROCESSES_H
#define BRUNT_MACHINE_UNDO_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "machine/undo.h"

/*
 * The living processes of a process session (setsid) that started at start_ticks (clock ticks
 * after boot) or later. Counts them, and where kill is set sends each SIGKILL.
 */
size_t undo_processes(pid_t sid, uint64_t start_ticks, bool kill);

/*
 * Writes into the journal (kind "session") that the process session which this living process
 * leads is ours; *start_ticks is for undo_processes().
 */
int undo_intend_session(struct undo *undo, pid_t leader, uint64_t *start_ticks,
			unsigned int *entry, struct err *err);

#endif
