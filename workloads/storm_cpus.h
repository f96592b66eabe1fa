// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_CPUS_H
#define BRUNT_WORKLOADS_STORM_CPUS_H

#include <stddef.h>

#include "base/err.h"
#include "machine/cpu_list.h"
#include "machine/target.h"

/*
 * cpus= of a storm for each device: NULL for "all"; an array of count that the caller frees. A
 * usage error where none of the CPUs can be used here. A device of no NUMA node gets all.
 */
int storm_cpus(const char *text, const struct target_device *devices, size_t count,
	       struct cpu_list **out, struct err *err);

#endif
