// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_RELAY_H
#define BRUNT_MACHINE_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Relay traces: what blktrace(8) makes of a block device with ioctls (linux/fs.h) and reads
 * through files in the folder block/DEVICE of debugfs: traceN, one a CPU, and dropped. A device
 * has one trace at a time, whoever made it, and everybody may stop it or tear it down. debugfs is
 * a descriptor of its root folder.
 */

/* -ENOENT with status 77, and the reason, where there is no debugfs. */
int relay_debugfs_open(struct err *err);

/*
 * Names the trace that a device has now: the inode of its file `dropped`, which the kernel
 * numbers anew for each trace. -ENOENT: it has none (one that sysfs started has no relay).
 */
int relay_inode(int debugfs, const char *device, uint64_t *inode);

/* Records that did not fit since the start of the trace, over all CPUs. */
int relay_dropped(int debugfs, const char *device, uint64_t *records);

/*
 * On a descriptor of the device. Both are -EINVAL where there is nothing to start or stop:
 * without a trace, or where it runs, or does not, already.
 */
int relay_start(int device_fd);
int relay_stop(int device_fd);

/* Makes no records any more and frees the buffers, of whatever trace the device has. */
int relay_teardown(const char *device);

/* The files traceN of some devices. */
struct relay_files {
	struct relay_file *v; /* ascending inodes */
	size_t n;
};

/* -ENOENT where one of them has none. Belongs to the caller: relay_files_release(). */
int relay_files_list(int debugfs, const char *const *devices, size_t n, struct relay_files *out);
void relay_files_release(struct relay_files *files);

/* How many of them a process has open. */
size_t relay_files_open_in(struct relay_files *files, pid_t pid);

/* Has any process one of them open? */
bool relay_files_in_use(struct relay_files *files);

#endif
