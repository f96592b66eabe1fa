// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_GUARD_H
#define BRUNT_MACHINE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/words.h"
#include "machine/disk_content.h"
#include "machine/guard_consent.h"
#include "machine/target.h"

/*
 * May brunt destroy what is on these block devices? Only where the user said so for each, nobody
 * uses it, and nothing that could be data is on it, or the user said that, too.
 */

/* Why a device is not fit, in the order in which it is looked for. */
enum guard_reason {
	GUARD_FIT,
	GUARD_MISSING,	   /* no such device */
	GUARD_NOT_BLOCK,   /* a file, folder or character device */
	GUARD_TWICE,	   /* the same device under another name */
	GUARD_OVERLAPS,	   /* a partition of another one */
	GUARD_EMPTY,	   /* no size, as a drive without a medium */
	GUARD_MOUNTED,	   /* it, or a partition of it */
	GUARD_SWAP,	   /* likewise */
	GUARD_HELD,	   /* md, dm and others stand on it, on a partition of it, or on its disk */
	GUARD_PARTITIONED, /* the kernel knows partitions of it */
	GUARD_READ_ONLY,
	GUARD_SAME_WWID,   /* another device leads to the same disk */
	GUARD_SHARED,	   /* other hosts may have it, too */
	GUARD_LOCKED,	   /* somebody holds an flock on it */
	GUARD_BUSY,	   /* open exclusively: mounted elsewhere, or held by what sysfs hides */
	GUARD_UNREADABLE,
	GUARD_HUNG,	   /* it does not answer */
	GUARD_SIGNATURE,   /* of a file system, RAID, LVM, LUKS, partition table ... */
	GUARD_DATA,	   /* bytes that no probe knows */
	GUARD_NO_CONSENT,  /* fit, but --destroy is missing */
};

struct guard_finding {
	enum guard_reason reason;
	char detail[160]; /* what is mounted where, which signature; "" where there is nothing */
};

/* A device that passed. */
struct guarded {
	struct target_device device; /* its strings are the guarded's own */
	char *id;		     /* machine/disk_identity.h; NULL: nothing outlives the boot */
	int fd;			     /* O_RDONLY; the whole disk is locked, which keeps udev away */
	struct guard_lock *disk;     /* that of a partition's disk; NULL: fd is of the whole disk */
	struct disk_content content; /* what is on it and may go: nothing, ours, or overwritten */
};
void guarded_release(struct guarded *guarded);

struct guard_request {
	const struct words *names; /* names or paths, as disk_names_expand() gives them */
	const struct guard_consent *consent; /* NULL: for nothing */
	bool shared_ok;		   /* no other host uses those that it could */
};

/*
 * Looks at all devices. 0 and out[0..names->n) when all are fit. Otherwise
 * -EPERM with exit status 5, the reasons in err as far as they fit, and a line for each unfit
 * device added to lines (may be NULL): "/dev/sda is mounted at /: umount /dev/sda".
 * Nothing is written in either case.
 */
int guard_devices(const struct guard_request *request, struct guarded *out, struct words *lines,
		  struct err *err);

/* What stands in the way of each, and what is not consent: findings[0..names->n). */
int guard_survey(const struct words *names, struct guard_finding *findings, struct err *err);

/* The line of one finding, with what the user can do. Belongs to the caller. */
char *guard_line(const char *path, const struct guard_finding *finding);

#endif
