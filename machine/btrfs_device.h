// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_BTRFS_DEVICE_H
#define BRUNT_MACHINE_BTRFS_DEVICE_H

/*
 * The kernel remembers each device on which it saw btrfs, by its UUID, until it is told otherwise
 * (`btrfs device scan --forget`). 0 also where there is nothing to forget; -EBUSY: it is mounted.
 */
int btrfs_device_forget(const char *path);

#endif
