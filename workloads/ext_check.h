// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_EXT_CHECK_H
#define BRUNT_WORKLOADS_EXT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * What an ext2, ext3 or ext4 file system says of itself, read with libext2fs, never written:
 * whether a run left behind what it claims to have made.
 */
struct ext_figures {
	uint64_t blocks, free_blocks;
	unsigned int block_size; /* bytes */
	bool journal, extents;	 /* features has_journal, extents */
};

int ext_figures_read(const char *path, struct ext_figures *out, struct err *err);

struct ext_expected {
	struct ext_figures figures; /* all but free_blocks */
	unsigned char uuid[16];
	const char *file;   /* in the root folder; NULL: none is expected */
	uint64_t file_size; /* bytes */

	/* Are these n bytes what stands in the file from offset on? */
	bool (*same)(const void *arg, uint64_t offset, const void *bytes, size_t n);
	size_t chunk; /* the file is handed to same() in pieces of this size */
	const void *arg;
};

/*
 * Is the file system at path there, the expected one, mounted at least once for writing,
 * unmounted cleanly, without errors, and the file whole? -EUCLEAN with the first thing that is
 * wrong, without the path, which the caller puts in front.
 */
int ext_check(const char *path, const struct ext_expected *expected, struct err *err);

#endif
