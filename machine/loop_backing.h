// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_LOOP_BACKING_H
#define BRUNT_MACHINE_LOOP_BACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Files without a name for loop devices: memory, or an unlinked file in a folder. */

/* A descriptor of a file of size bytes, all of it a hole; folder NULL: memory. */
int loop_backing_open(const char *folder, uint64_t size, const char *name, struct err *err);

/* "tmpfs", "ext4", ...; "unknown" where it cannot be seen. Belongs to the caller. */
char *loop_backing_fs(int fd);

/* In memory or a memory file system, where direct IO gains nothing? */
bool loop_backing_in_memory(int fd);

/* Nothing at all stored in the file? */
bool loop_backing_is_hole(int fd);

/* Makes it one. */
int loop_backing_punch(int fd, uint64_t size);

#endif
