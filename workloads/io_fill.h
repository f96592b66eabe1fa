// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_FILL_H
#define BRUNT_WORKLOADS_IO_FILL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Data where an IO storm is to find some: reads of a hole, or of blocks that were never written,
 * measure nothing. Random bytes that no probe takes for a file system (io_pattern_fill()).
 */
struct io_fill {
	const char *path;
	const char *shown;     /* the path as messages have it; NULL: as it is */
	uint64_t offset, size; /* bytes, multiples of 512 */
	size_t seed;	       /* the caller's number of it, too */
};

/* Writes and syncs fd, past the page cache where it can be had. */
int io_fill_fd(int fd, const struct io_fill *fill, struct err *err);

/* All at once, by children, with a deadline. -EINTR after an interrupt. */
int io_fill_all(const struct io_fill *fills, size_t n, struct err *err);

#endif
