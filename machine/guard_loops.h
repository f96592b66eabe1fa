// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_GUARD_LOOPS_H
#define BRUNT_MACHINE_GUARD_LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/words.h"

/*
 * For guard_use.c: loop devices and what they lie on. The kernel names neither a holder for the
 * disk below one nor lets it be claimed, so that O_EXCL and sysfs know nothing of it.
 */
struct guard_loops {
	struct guard_loop {
		char *name;
		dev_t disk;	      /* below it; 0: it lies on a file */
		uint64_t device, inode; /* of the file, or of the disk's node */
		uint64_t from, to;    /* bytes in it */
	} *v;
	size_t n, cap;
};

/* Of all: the kernel's names of block devices. What cannot be asked is left out. */
void guard_loops_read(struct guard_loops *loops, const struct words *all);
void guard_loops_release(struct guard_loops *loops);

/* The name of a loop device that lies on this disk; NULL: none. */
const char *guard_loops_on(const struct guard_loops *loops, dev_t disk);

/* That of one that shares bytes of a file with the loop device called name; NULL: none. */
const char *guard_loops_beside(const struct guard_loops *loops, const char *name);

#endif
