// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_FS_H
#define BRUNT_WORKLOADS_STORM_FS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/words.h"

/* The file systems that a storm can make, and the programs that make and check each. */
struct storm_options;

struct storm_fs {
	const char *name;    /* mount(2)'s, too */
	const char *mkfs, *package;
	const char *checker; /* the program that verifies it; NULL: libext2fs does */
	const char *config;  /* of the kernel */
	uint64_t min_size;   /* bytes below which mkfs refuses with its usage text, or fails */

	/* mkfs_options, split and judged; see storm_options.h. */
	int (*judge)(const char *text, struct words *rest, char **extended, struct err *err);

	/* mkfs's argv, with uuid as the end of one of its words. trial: on a file in memory. */
	void (*argv)(const struct storm_options *options, bool trial, const char *uuid,
		     const char *device, struct words *out);
};

#define STORM_FS_NAMES "ext2|ext3|ext4|xfs|btrfs"

/* NULL: there is none of that name. */
const struct storm_fs *storm_fs_find(const char *name);

bool storm_fs_is_ext(const struct storm_fs *fs);

/* Is a device large enough? A usage error with the least size when not. */
int storm_fs_check_size(const struct storm_options *options, uint64_t size, struct err *err);

/* "mkfs.xfs version 6.1.0", the first line that PROGRAM OPTION prints; NULL; the caller's. */
char *storm_fs_version(const char *program, const char *option);

#endif
