// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_GUARD_H
#define BRUNT_MACHINE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/words.h"
#include "machine/target.h"

/*
 * May brunt destroy what is on these block devices? Only where the user said so for each, nobody
 * uses it, and nothing that could be data is on it.
 */

/* What the user said with --destroy: devices as they were then. For one start of the program. */
struct guard_consent {
	struct guard_consented {
		dev_t number;
		uint64_t diskseq; /* 0: the kernel has none */
	} *v;
	size_t n, cap;
};

#define GUARD_CONSENT_INIT { NULL, 0, 0 }

/* "sda" or any path of it. A usage error where that is no block device. */
int guard_consent_add(struct guard_consent *consent, const char *word, struct err *err);
void guard_consent_release(struct guard_consent *consent);

/* Why a device is not fit, in the order in which it is looked for. */
enum guard_reason {
	GUARD_FIT,
	GUARD_MISSING,	   /* no such device */
	GUARD_NOT_BLOCK,   /* a file, folder or character device */
	GUARD_TWICE,	   /* the same device under another name */
	GUARD_EMPTY,	   /* no size, as a drive without a medium */
	GUARD_MOUNTED,	   /* it, or a partition of it */
	GUARD_SWAP,	   /* likewise */
	GUARD_HELD,	   /* md, dm and others stand on it, or on a partition of it */
	GUARD_PARTITION,   /* not the whole of a disk */
	GUARD_PARTITIONED, /* the kernel knows partitions of it */
	GUARD_READ_ONLY,
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
	int fd;			     /* O_RDONLY, with an flock on it, which keeps udev away */
};
void guarded_release(struct guarded *guarded);

/*
 * Looks at all devices (names or paths). 0 and out[0..names->n) when all are fit. Otherwise
 * -EPERM with exit status 5, the reasons in err as far as they fit, and a line for each unfit
 * device added to lines (may be NULL): "/dev/sda is mounted at /: umount /dev/sda".
 * Nothing is written in either case.
 */
int guard_devices(const struct words *names, const struct guard_consent *consent,
		  struct guarded *out, struct words *lines, struct err *err);

/* The line of one finding, with what the user can do. Belongs to the caller. */
char *guard_line(const char *path, const struct guard_finding *finding);

#endif
