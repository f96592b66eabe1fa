// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_FS_CHECK_H
#define BRUNT_WORKLOADS_FS_CHECK_H

#include "base/err.h"
#include "workloads/ext_check.h"

/*
 * The same question as ext_check() for file systems that no library reads: its UUID from the
 * superblock, `xfs_repair -n` or `btrfs check --readonly`, and the file through a mount for reading.
 */
struct fs_place {
	const char *fs;     /* "xfs", "btrfs" */
	const char *device, *point; /* point: a folder to mount over */
	int mount_ns;	    /* where it is; -1: the caller's */
};

/*
 * For a child process, which comes to a mount namespace of its own. Of expected: uuid, file,
 * file_size, same, chunk and arg. -EUCLEAN with the first thing that is wrong.
 */
int fs_check(const struct fs_place *place, const struct ext_expected *expected, struct err *err);

#endif
