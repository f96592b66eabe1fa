// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_GUARD_READ_H
#define BRUNT_MACHINE_GUARD_READ_H

#include "base/err.h"
#include "base/words.h"
#include "machine/guard.h"

/*
 * Block devices that are only read: nothing on them can be lost, so neither consent nor blank
 * content is asked for, and they may be mounted or part of something. They are to be different
 * disks (two ways to one, by its WWID, are refused), to have a size and to answer. No lock is
 * taken. As guard_devices(), the descriptors are O_RDONLY.
 */
int guard_read_devices(const struct words *names, struct guarded *out, struct words *lines,
		       struct err *err);

#endif
