// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_TRACE_INSTANCE_H
#define BRUNT_MACHINE_TRACE_INSTANCE_H

#include <stdint.h>

#include "base/err.h"
#include "machine/undo.h"

/*
 * A tracing instance: a folder below instances of tracefs with a buffer, a clock, events and
 * switches of its own, which whoever else traces does not see. All of that goes when the folder is
 * removed, so only the folder stands in the journal (kind "trace-instance": name, and once it is
 * made a note with its inode).
 */
struct trace_instance;

/* name is unique on the machine and begins with "brunt-". Belongs to the caller. */
int trace_instance_make(struct trace_instance **out, int tracefs, const char *name,
			struct undo *undo, struct err *err);

int trace_instance_fd(const struct trace_instance *instance); /* of the folder */

/*
 * Makes its buffer kib KiB large on each CPU; status 77 without the memory. Kernels before 6.7 take
 * any such size for the first use of the global buffer too, and leave that at its few KiB of the
 * boot for whoever uses it later: there it gets the size that its first use would give it.
 */
int trace_instance_resize(struct trace_instance *instance, uint64_t kib, struct err *err);

/*
 * Removes it, also with events on, and frees. While somebody has a pipe of it open the kernel
 * refuses: then the journal's entry stays open. NULL is fine.
 */
int trace_instance_remove(struct trace_instance *instance, struct err *err);

#endif
