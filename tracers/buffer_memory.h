// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_BUFFER_MEMORY_H
#define BRUNT_TRACERS_BUFFER_MEMORY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Trace buffers are memory that the kernel hands out without asking whether the machine can spare
 * it, so they may take a tenth of what is available.
 */

uint64_t buffer_memory_cpus(void); /* online */

/* "buffers of 8 MiB on 2 CPUs" */
void buffer_memory_tell(uint64_t buffer, struct buf *out);

/*
 * Status 77 when need bytes, of buffers of `buffer` bytes each, are too many: what says whose
 * ("buffers of 8 MiB on 2 CPUs"), and the message which size would do. otherwise: the advice where
 * that would be less than 64 KiB; NULL: none.
 */
int buffer_memory_check(uint64_t need, uint64_t buffer, const char *what, const char *otherwise,
			struct err *err);

#endif
