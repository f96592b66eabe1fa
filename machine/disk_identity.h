// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISK_IDENTITY_H
#define BRUNT_MACHINE_DISK_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

/* What names a disk wherever and whenever it appears, and where it is attached; from sysfs. */

/*
 * The WWID of SCSI ("naa.5000c500...") and NVMe ("eui.0025..."), or what serves as one: "virtio-"
 * and "mmc-" with the serial, "dm-uuid-", "md-uuid-". Of a partition that of its disk and
 * "-part@START" (sectors). Blanks are underscores. Belongs to the caller; NULL: it has none that
 * outlives the boot, as loop devices and RAM disks.
 */
char *disk_identity(const char *name);

/* The serial number; NULL: unknown. Belongs to the caller. */
char *disk_identity_serial(const char *name);

/* The NUMA node that it is attached to; -1: unknown, or none. */
int disk_identity_node(const char *name);

/* The kernel's name of the disk that a partition is of; NULL: it is no partition. The caller's. */
char *disk_identity_whole(const char *name);

/* diskseq of the disk, of a partition that of its disk; 0: the kernel has none. */
uint64_t disk_identity_diskseq(const char *name);

/*
 * This machine, for good: digits made from /etc/machine-id, which itself is nobody else's
 * business. "" where there is none. Static.
 */
const char *disk_identity_machine(void);

#endif
