// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_GUARD_USE_H
#define BRUNT_MACHINE_GUARD_USE_H

#include "machine/guard.h"
#include "machine/guard_loops.h"
#include "machine/mountinfo.h"

/* For guard.c: who uses a device, as far as the kernel's files tell without opening it. */
struct guard_users {
	struct mountinfo mounts;
	struct words swaps; /* paths */
	struct words disks, ids; /* whole disks that have a WWID, and that */
	struct guard_loops loops;
};

int guard_users_read(struct guard_users *users, struct err *err);
void guard_users_release(struct guard_users *users);

/* The finding for a device by its number and the kernel's name; GUARD_FIT: nobody. */
void guard_users_find(const struct guard_users *users, dev_t number, const char *name,
		      struct guard_finding *out);

/* Another disk of the same WWID as the disk called whole; NULL: none. */
const char *guard_users_twin(const struct guard_users *users, const char *whole);

#endif
