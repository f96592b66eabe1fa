// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_DEVICES_H
#define BRUNT_WORKLOADS_STORM_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"
#include "machine/target.h"
#include "workloads/ext_check.h"

/*
 * devices=loop:N:SIZE[:DIR]: which devices a storm makes for itself, and whether what they need
 * is there. The medium is part of the workload, so nothing else is taken when it is short.
 * devices=DEVICE+DEVICE: disks by name ("sda") or path; whether they may be used is the guard's
 * to say (machine/guard.h).
 */
struct storm_devices {
	struct words names; /* of disks; none: loop devices, of which the rest speaks */
	size_t count;
	uint64_t size; /* bytes of each, a multiple of 4096 */
	char *folder;  /* where the backing files live; NULL: memory */
};

/* Reads the value of the key into *out, which the caller releases. A usage error with a hint. */
int storm_devices_parse(const char *text, struct storm_devices *out, struct err *err);
void storm_devices_release(struct storm_devices *devices);

/* The same as a check of the key table. */
int storm_devices_check(const char *text, struct err *err);

/*
 * What one device takes at most: what the file system uses when it is fresh, the file that is
 * written in between, 5 % and 1 MiB; in whole MiB.
 */
uint64_t storm_devices_need_each(const struct ext_figures *fresh, uint64_t fill);

/*
 * Is there room for count times need_each: memory (a tenth of what is available stays free), or
 * the folder's file system, which must be writable? Status 77 with both amounts when not.
 */
int storm_devices_check_room(const struct storm_devices *devices, uint64_t need_each,
			     struct err *err);

/* The same with the amount given: what is left of it; 0 means unknown and is enough. */
int storm_devices_check_amount(const struct storm_devices *devices, uint64_t need_each,
			       uint64_t available, struct err *err);

/* "10 loop devices of 1 GiB (tmpfs), need 712 MiB" */
void storm_devices_describe(const struct storm_devices *devices, uint64_t need_each,
			    struct buf *out);

/* "2 disks (sda 1 GiB, sdb 1 GiB), all on them is lost" */
void storm_devices_describe_disks(const struct target_device *devices, size_t count,
				  struct buf *out);

#endif
