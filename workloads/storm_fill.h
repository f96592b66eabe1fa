// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_FILL_H
#define BRUNT_WORKLOADS_STORM_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The file that is written between mount and umount, so that umount has work. Its bytes are a
 * fixed pattern of no regularity that a disk could save on, and each chunk begins with a stamp
 * of seed (run, device and cycle) and offset, so that what stands there can be told from what
 * another cycle left.
 */
#define STORM_FILL_NAME "fill"
#define STORM_FILL_CHUNK (256 * 1024)

/* A chunk of pattern; belongs to the caller, free() releases it. */
unsigned char *storm_fill_pattern(void);

/* Writes the file of size bytes through fd, with the chunk that pattern is; 0 or -errno. */
int storm_fill_write(int fd, unsigned char *pattern, uint64_t seed, uint64_t size);

/* Are the n bytes (at most a chunk) what was written at offset, a multiple of the chunk? */
bool storm_fill_same(const unsigned char *pattern, uint64_t seed, uint64_t offset,
		     const void *bytes, size_t n);

#endif
