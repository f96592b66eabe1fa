// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_FILES_H
#define BRUNT_WORKLOADS_IO_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "workloads/io_options.h"

/*
 * Files of an IO storm in a folder of the user's: without a name, so that the kernel removes them
 * with their last descriptor. One a job.
 */
struct io_files {
	int *fds; /* count of them */
	size_t count;
	char *fs; /* "ext4": the file system they are on */
};

/*
 * At plan time, with a file that is gone again: is the folder there and writable, does it take
 * direct IO of bs where that is asked for, is there room for count files of size bytes? A usage
 * error, or status 77.
 */
int io_files_check(const struct io_options *options, size_t count, uint64_t size, struct err *err);

/* Makes and fills them. -EINTR after an interrupt. */
int io_files_make(struct io_files *files, const struct io_options *options, size_t count,
		  uint64_t size, struct err *err);

/* Writes out and drops what the page cache has of them. */
int io_files_flush(const struct io_files *files, struct err *err);

/* Under which a forked child opens file i; belongs to the caller. */
char *io_files_path(const struct io_files *files, size_t i);

void io_files_release(struct io_files *files); /* fine on a zeroed one */

#endif
