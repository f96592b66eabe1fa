// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_RELAY_TRACES_H
#define BRUNT_TRACERS_RELAY_TRACES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "machine/undo.h"
#include "tracers/traced_devices.h"

/*
 * The relay traces (machine/relay.h) that one process of blktrace(8) makes of the devices of a
 * run. Each trace is known by its inode, so that one which somebody else started after ours was
 * torn down is never taken for ours. debugfs: a descriptor of its root folder.
 */

/*
 * Before the process is started: writes into the journal that these devices, which nobody traces
 * yet, are about to have a trace (kind "blk-trace": device, diskseq, relay, and once it is known
 * a note with its inode).
 */
int relay_traces_announce(struct traced_devices *devices, struct undo *undo, struct err *err);

/*
 * Does the process trace? -EAGAIN: not yet. 0: each device is on and the process has the file of
 * each CPU open; the traces are known from then on, and have been stopped, which the kernel does
 * only to one that runs. Called again and again until then.
 */
int relay_traces_look(struct traced_devices *devices, int debugfs, pid_t pid, struct undo *undo,
		      struct err *err);

/* Starts all, which were stopped. */
int relay_traces_start(struct traced_devices *devices, struct err *err);

/*
 * Stops all that are still ours. *off names the first one that had been stopped, or torn down,
 * by somebody else; NULL: none.
 */
void relay_traces_stop(struct traced_devices *devices, int debugfs,
		       const struct traced_device **off);

/* The first device whose trace is not ours any more, NULL: none. */
const struct traced_device *relay_traces_first_foreign(const struct traced_devices *devices,
						       int debugfs);

/* Records that the kernel dropped, over all of them. */
int relay_traces_dropped(const struct traced_devices *devices, int debugfs, uint64_t *records,
			 struct err *err);

/*
 * Behind the end of the process: tears down what it left, closes the journal's entries and the
 * descriptors. A trace that is not ours stays, and so does one of which that cannot be told: then
 * the entry stays open, and the error names the device.
 */
int relay_traces_clear(struct traced_devices *devices, int debugfs, struct undo *undo,
		       struct err *err);

#endif
