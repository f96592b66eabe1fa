// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_UNDO_PROCESSES_H
#define BRUNT_MACHINE_UNDO_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The living processes of a process session (setsid) that started at start_ticks (clock ticks
 * after boot) or later. Counts them, and where kill is set sends each SIGKILL.
 */
size_t undo_processes(pid_t sid, uint64_t start_ticks, bool kill);

#endif
