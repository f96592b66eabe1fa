// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISKS_H
#define BRUNT_MACHINE_DISKS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * The whole disks that something lies on: a partition's disk, the disks below dm, md or bcache,
 * those that hold the backing file of a loop device. Memory has none. What cannot be seen (a
 * network, overlayfs, a device that is gone) adds none either.
 */
struct disks {
	dev_t *v;
	size_t n, cap;
};

#define DISKS_INIT { NULL, 0, 0 }
#define auto_disks __attribute__((cleanup(disks_release)))

/* Adds those of a block device. */
void disks_add_device(struct disks *disks, dev_t device);

/* Adds those of the file system that a file lies on. */
void disks_add_file(struct disks *disks, int fd);

/* One that both have; 0: there is none. */
dev_t disks_common(const struct disks *a, const struct disks *b);

/* The kernel's name of a device, "sda"; "" where it has none. */
void disks_name(dev_t device, char out[64]);

void disks_release(struct disks *disks);

#endif
