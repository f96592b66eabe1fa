// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISK_NAMES_H
#define BRUNT_MACHINE_DISK_NAMES_H

#include <stdbool.h>

#include "base/err.h"
#include "base/words.h"

/*
 * From what a user wrote to names and paths that the guard looks at: "sda", a path, a pattern of
 * either ("nvme?n1"), a WWID ("naa.5000c500...", what udev links below /dev/disk/by-id), @FILE with
 * one of these a line ('#' begins a comment). What leads nowhere stays as it is: the guard says so.
 * Several disks with the WWID are all taken: the guard refuses them.
 *
 * patterns: whether they may be given; a usage error otherwise. Lists in lists are refused.
 */
int disk_names_expand(const struct words *given, bool patterns, struct words *out,
		      struct err *err);

/* All block devices of the kernel but those that it hides, sorted as people count. */
int disk_names_all(struct words *out, struct err *err);

#endif
