// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_TRACED_DEVICES_H
#define BRUNT_TRACERS_TRACED_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/target.h"
#include "machine/undo.h"

/*
 * The block devices that are traced: /sys/class/block/NAME/trace. A device has one trace at a
 * time, whether it was started there or by blktrace(8), and `enable` reads 1 for both.
 */
struct traced_device {
	const char *name, *path; /* the target's */
	uint32_t number;  /* as trace records hold it: major << 20 | minor */
	uint64_t diskseq;
	uint64_t events;  /* for whoever counts */
	uint64_t io_before, io_after; /* finished reads, writes and discards */
	unsigned int entry; /* of the journal */
	bool enabled;

	/* of relay_traces.h */
	uint64_t relay; /* the inode that names the trace; 0: not known */
	bool announced; /* in the journal */
	int fd;		/* of the device; -1 */
};

struct traced_devices {
	struct traced_device *v; /* ascending numbers */
	uint32_t *numbers;	 /* the same alone */
	size_t n;
};

/* Of a target, whose names it keeps. Belongs to the caller: traced_devices_free(). */
struct traced_devices *traced_devices_new(const struct target *target);
void traced_devices_free(struct traced_devices *devices);

/* The device of a number, NULL where it is none of them. */
struct traced_device *traced_devices_find(struct traced_devices *devices, uint32_t number);

/*
 * -EBUSY naming the device and how to clear it when any block device of the machine is traced.
 * Others matter too: as long as `blk` is the current tracer, the kernel puts the records of every
 * trace into the trace buffer, and a blktrace(8) that runs on another disk gets none.
 */
int traced_devices_check_others(struct err *err);

/* The same for these devices alone. */
int traced_devices_check_free(const struct traced_devices *devices, struct err *err);

/*
 * Starts the traces, each after a journal entry (kind "blk-trace": device, diskseq). act_mask as
 * sysfs takes it, "issue,complete"; NULL: everything. Stops at the first failure; those started
 * by then stay for traced_devices_disable().
 */
int traced_devices_enable(struct traced_devices *devices, struct undo *undo,
			  const char *act_mask, struct err *err);

/* The first device whose trace is not on any more although we started it; NULL: none. */
const struct traced_device *traced_devices_first_off(const struct traced_devices *devices);

/*
 * Ends the traces that were started. The kernel waits 15 ms at each, so they are ended in
 * parallel. A failure leaves the journal's entry open and the others ended.
 */
int traced_devices_disable(struct traced_devices *devices, struct undo *undo, struct err *err);

/* Reads what each device did so far into io_before, or into io_after. */
void traced_devices_count_before(struct traced_devices *devices);
void traced_devices_count_after(struct traced_devices *devices);

#endif
