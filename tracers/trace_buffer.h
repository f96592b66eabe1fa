// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_TRACE_BUFFER_H
#define BRUNT_TRACERS_TRACE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * A trace buffer: its CPUs, what it lost, and whether somebody else uses it. tracefs is the folder
 * of the kernel's one global buffer, which everybody who traces shares, or that of an instance.
 */

/* The CPUs that have a buffer (also such that are offline), ascending; belongs to the caller. */
int trace_buffer_cpus(int tracefs, unsigned int **cpus, size_t *n, struct err *err);

/* Sums over all CPUs, since the buffer was emptied last. */
struct trace_buffer_stats {
	uint64_t entries;	 /* not read yet */
	uint64_t overrun;	 /* overwritten by newer ones */
	uint64_t commit_overrun; /* not recorded: nested deeper than the buffer holds */
	uint64_t dropped;	 /* not recorded: full, and not to be overwritten */
	uint64_t read;		 /* taken out by readers */
	uint64_t bytes;		 /* of the entries */
};

int trace_buffer_stats(int tracefs, const unsigned int *cpus, size_t n,
		       struct trace_buffer_stats *stats, struct err *err);

/*
 * What was counted from one look to the next; a counter that fell was reset in between. entries and
 * bytes, which are no counters, are those of after.
 */
struct trace_buffer_stats trace_buffer_change(const struct trace_buffer_stats *before,
					      const struct trace_buffer_stats *after);

/* Events lost from one look to the next. */
uint64_t trace_buffer_lost(const struct trace_buffer_stats *before,
			   const struct trace_buffer_stats *after);

/*
 * -EBUSY with what was found and how it is cleared, when somebody else is tracing or may want
 * what the buffer holds: a current tracer, events that are switched on, entries, CPUs left out,
 * an open trace_pipe. A buffer of another size is no reason.
 */
int trace_buffer_check_idle(int tracefs, const unsigned int *cpus, size_t n, struct err *err);

/* The first event that is switched on ("sched:sched_switch"), "" for none. */
int trace_buffer_first_event(int tracefs, char *out, size_t size);

/*
 * Throws all entries away. Only for a buffer that was found empty and has been ours since.
 */
int trace_buffer_empty(int tracefs);

#endif
