// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_BLOCK_DEVICE_H
#define BRUNT_MACHINE_BLOCK_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "machine/target.h"

/* A block device by any of its names, and what sysfs says of it. */

/* "/dev/sda" of "sda"; a path stays as it is. Belongs to the caller. */
char *block_device_path(const char *name);

/* The number behind a path; -ENOTBLK, -ENOENT and others of stat(2). */
int block_device_number(const char *path, dev_t *number);

/* The kernel's name of a device, "sda", "dm-0", "cciss!c0d0"; belongs to the caller. -ENOENT. */
int block_device_name(dev_t number, char **name);

/*
 * A path that leads to the device and no symbolic link: /dev/NAME, or, where that is another one,
 * what path resolves to. Belongs to the caller; NULL: there is none any more.
 */
char *block_device_node(dev_t number, const char *name, const char *path);

/* A line of /sys/block/NAME/ATTRIBUTE; "" and -ENOENT where there is none. */
int block_device_attribute(const char *name, const char *attribute, char *out, size_t size);

/* The same as a number; otherwise where there is none. */
uint64_t block_device_value(const char *name, const char *attribute, uint64_t otherwise);

/* An attribute of the queue of the disk that it is, or is a partition of. */
uint64_t block_device_queue_value(const char *name, const char *attribute, uint64_t otherwise);

/* The scheduler of that queue, "none", "mq-deadline"; NULL: none known. Belongs to the caller. */
char *block_device_scheduler(const char *name);

/* The driver: "sd", "nvme", or what /proc/devices calls its number; belongs to the caller. */
char *block_device_driver(const struct target_device *device);

/*
 * flock(LOCK_EX), which keeps udev away; udev holds a shared lock while it looks at a device. For
 * at most a second: -EBUSY.
 */
int block_device_lock(int fd);
int block_device_lock_until(int fd, int64_t end_ns); /* CLOCK_MONOTONIC; one try behind it, too */

/*
 * Opens it exclusively (O_EXCL). A descriptor; -EBUSY naming the device when somebody still has it
 * mounted, in whatever mount namespace, or open in that way. Retries for at most a second, since
 * udev may look at it.
 */
int block_device_open_free(const char *path, int flags, struct err *err);

/* Can it be opened so, for writing? */
int block_device_check_free(const char *path, struct err *err);

/* Is what the path leads to still the same disk, of the same size? -ENODEV with what changed. */
int block_device_check_same(const struct target_device *device, struct err *err);

#endif
