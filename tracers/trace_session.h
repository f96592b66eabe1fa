// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_TRACE_SESSION_H
#define BRUNT_TRACERS_TRACE_SESSION_H

#include <stdint.h>

#include "base/err.h"
#include "machine/tracefs.h"
#include "machine/undo.h"

/*
 * What the global trace buffer has through a whole session: the clock `mono`, which makes times
 * CLOCK_MONOTONIC, and its size. Both are set once, before the first run, since changing either
 * empties the buffer and the size takes memory that the untraced runs shall miss as well.
 *
 * Several configurations of one session may want several sizes: the buffer has the largest, and
 * a run that wants less changes it for its own time. The state is the process's; users count.
 */

/* Takes part, with at least kib KiB a CPU. */
int trace_session_use(int tracefs, struct undo *undo, uint64_t kib, struct err *err);

/* The last one to leave puts both values back. */
int trace_session_leave(int tracefs, struct undo *undo, struct err *err);

/* -EBUSY when somebody changed clock or size meanwhile. */
int trace_session_check(int tracefs, struct err *err);

/*
 * Makes the buffer kib large for one run where the session's is another one; size takes what is
 * to be restored with tracefs_restore().
 */
int trace_session_resize(int tracefs, struct undo *undo, uint64_t kib, struct tracefs_value *size,
			 struct err *err);

#endif
