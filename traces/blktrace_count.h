// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACES_BLKTRACE_COUNT_H
#define BRUNT_TRACES_BLKTRACE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* What a file as blktrace(8) writes it holds: records of version 7 or 8 in our byte order. */
struct blktrace_count {
	uint64_t bytes;
	uint64_t events;  /* of the device, without notify records */
	uint64_t notify;  /* command names, times, messages */
	uint64_t foreign; /* events of other devices */
	uint64_t broken;  /* places where bytes are no record of a block device */
	bool torn;	  /* the last record is cut off */
};

/*
 * Adds what the file DEVICE.blktrace.CPU in a folder holds; device: the number in its records,
 * major << 20 | minor. -ENOENT: there is none. -EBADMSG for the other byte order and for a
 * version that is not known: nothing is added then.
 */
int blktrace_count_file(int folder, const char *name, uint32_t device,
			struct blktrace_count *count, struct err *err);

#endif
