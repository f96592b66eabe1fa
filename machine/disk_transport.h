// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISK_TRANSPORT_H
#define BRUNT_MACHINE_DISK_TRANSPORT_H

/* The way that leads to a disk, from sysfs; of a partition that of its disk. */

/* "sata", "sas", "fc", "iscsi", "pcie", "usb", "virtio", "virtual", ...; NULL: unknown. Static. */
const char *disk_transport(const char *name);

/*
 * The transport by which other hosts may reach it, too: its own, or that of a disk that it is made
 * of (dm, md, a loop device over a disk), as far down as that goes. NULL: none. Static.
 */
const char *disk_transport_shared(const char *name);

#endif
