// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_GUARD_LOCK_H
#define BRUNT_MACHINE_GUARD_LOCK_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The flock on the disk that partitions are of, which is what udev heeds. One for all partitions
 * of a disk that this process holds: a second descriptor's lock would be in the way of the first.
 */
struct guard_lock;

/* disk: its kernel name. -EBUSY: somebody else has it until end_ns (CLOCK_MONOTONIC). */
int guard_lock_take(const char *disk, int64_t end_ns, struct guard_lock **out);
void guard_lock_drop(struct guard_lock *lock); /* NULL is fine */

#endif
