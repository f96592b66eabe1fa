// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_TRACE_EVENTS_H
#define BRUNT_TRACERS_TRACE_EVENTS_H

#include <stddef.h>

#include "base/err.h"
#include "base/words.h"

/*
 * The kernel's trace events by the words that users give, joined by '+': SYSTEM, SYSTEM:EVENT or
 * EVENT, each a pattern of the shell's (sys_enter_*); "all" is every event. tracefs: a folder of
 * tracefs, or of an instance.
 */

/* Is each of the words at least a name that can be looked for? Status 2. No look at the kernel. */
int trace_events_check(const char *value, struct err *err);

/*
 * The names "system:event" that the words come to, each once, in the kernel's order. Status 2 with
 * the nearest name where a word matches nothing. requests, which may be NULL: the same for
 * trace_events_enable(), "system:*" in place of all events of a system.
 */
int trace_events_find(int tracefs, const char *value, struct words *names,
		      struct words *requests, struct err *err);

/* Switches all of them on; on failure some may be on. */
int trace_events_enable(int tracefs, const struct words *requests, struct err *err);

/* Switches off whatever is on. */
int trace_events_disable(int tracefs);

/* How many are on. */
int trace_events_count_enabled(int tracefs, size_t *n, struct err *err);

#endif
