// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_FS_H
#define BRUNT_WORKLOADS_IO_FS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/target.h"
#include "workloads/io_options.h"
#include "workloads/storm_place.h"

/*
 * File systems of an IO storm: made, mounted in the session's own namespace, and filled with files
 * before a run, unmounted after it. By a child a device, since it may hang.
 */
struct io_fs {
	const struct io_options *options;
	struct storm_place place;
	const struct target_device *devices;
	size_t count;
	const struct io_pattern_spec *ranges; /* by device: each of its numjobs files ends with it */
	uint64_t token;	    /* the session's, in each UUID (machine/disk_content.h) */
};

/* Are its program and the kernel's part there? Status 77; a device too small: a usage error. */
int io_fs_check(const struct io_options *options, uint64_t device_size, struct err *err);

/* How much is written into the files before a run. */
uint64_t io_fs_bytes(const struct io_fs *fs);

/* The devices are empty. -EINTR after an interrupt: io_fs_unmount() then. */
int io_fs_make(struct io_fs *fs, struct err *err);

/* In the namespace; belongs to the caller. */
char *io_fs_path(const struct io_fs *fs, size_t device, size_t file);

/* Fine where nothing is mounted. */
int io_fs_unmount(struct io_fs *fs, struct err *err);

#endif
