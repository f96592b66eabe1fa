// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_CGROUP_LIMIT_H
#define BRUNT_MACHINE_CGROUP_LIMIT_H

#include <stdint.h>

/*
 * What the cgroups that we are in, and those above them as far as they are mounted, leave us:
 * cgroup2, and cgroup v1's controllers.
 */

/* CPUs, as 1.5; INFINITY: no limit; NAN: unknown. */
double cgroup_limit_cpus(void);

/*
 * Bytes of memory until a limit is met (caches that can be dropped count as free),
 * at least 1. UINT64_MAX: no limit is known.
 */
uint64_t cgroup_limit_memory(void);

#endif
