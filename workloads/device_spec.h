// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_DEVICE_SPEC_H
#define BRUNT_WORKLOADS_DEVICE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"
#include "machine/guard.h"

/*
 * devices=loop:N:SIZE[:DIR] or zram:N:SIZE: which devices are made for a workload, and whether what
 * they need is there. The medium is part of the workload, so nothing else is taken when it is short.
 * devices=DEVICE+DEVICE: those of the user, as machine/disk_names.h takes them (names, paths,
 * patterns, WWIDs, @FILE); whether they may be used is the guard's to say (machine/guard.h).
 */
struct device_spec {
	struct words names; /* as written; none: devices that are made, of which the rest speaks */
	bool zram;	    /* by zram and not as loop devices */
	size_t count;
	uint64_t size; /* bytes of each, a multiple of 4096 */
	char *folder;  /* where the backing files live; NULL: memory */

	/* Of MEDIA_KEYS (workloads/media.h); all false and DISK_RESET_NONE where nobody read them. */
	bool shared_ok, leave;
	enum disk_reset reset;
};

/* Reads the value of the key into *out, which the caller releases. A usage error with a hint. */
int device_spec_parse(const char *text, struct device_spec *out, struct err *err);
void device_spec_release(struct device_spec *devices);

/* The same as a check of the key table. */
int device_spec_check(const char *text, struct err *err);

/* DIR, @FILE and paths the same from any folder; else as it was. To be freed. */
char *device_spec_absolute(const char *text);

/*
 * Is there room for count times need_each: memory (a tenth of what is available stays free), or
 * the folder's file system, which must be writable? Status 77 with both amounts when not.
 */
int device_spec_check_room(const struct device_spec *devices, uint64_t need_each,
			     struct err *err);

/* The same with the amount given: what is left of it; 0 means unknown and is enough. */
int device_spec_check_amount(const struct device_spec *devices, uint64_t need_each,
			       uint64_t available, struct err *err);

/* "10 loop devices of 1 GiB (tmpfs), need 712 MiB" */
void device_spec_describe(const struct device_spec *devices, uint64_t need_each,
			     struct buf *out);

/*
 * "2 disks (sda 1 GiB, sdb 1 GiB), all that is on them is lost", and a line for each on which there
 * is something: "/dev/sda: ext4 labelled 'photos' will be overwritten".
 */
void device_spec_describe_disks(const struct guarded *guarded, size_t count, struct buf *out);

#endif
