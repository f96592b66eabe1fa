// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_MEMORY_H
#define BRUNT_MACHINE_MEMORY_H

#include <stdint.h>

/*
 * MemAvailable of /proc/meminfo in bytes, or what a cgroup leaves us of it (machine/cgroup_limit.h);
 * 0 where unknown.
 */
uint64_t memory_available(void);

/* A field of /proc/meminfo, as "SwapTotal", in bytes; -ENOENT where the kernel has none. */
int memory_field(const char *field, uint64_t *bytes);

#endif
