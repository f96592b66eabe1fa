// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_KERNEL_NOTES_H
#define BRUNT_MACHINE_KERNEL_NOTES_H

#include <stddef.h>

#include "base/buf.h"

/*
 * The build id in ELF notes (elf(5)), as /sys/kernel/notes has them, in lower-case digits; it
 * tells two kernels of one release apart. -ENOENT where there is none.
 */
int kernel_notes_build_id(const void *notes, size_t size, struct buf *out);

/* That of the running kernel. */
int kernel_build_id(struct buf *out);

#endif
