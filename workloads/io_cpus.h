// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_CPUS_H
#define BRUNT_WORKLOADS_IO_CPUS_H

#include <stddef.h>

#include "machine/cpu_list.h"
#include "machine/target.h"

/*
 * The CPUs that workers run on: those that we may use, of the NUMA node of all devices where they
 * have one in common. Returns how many they are, at least 1.
 */
unsigned int io_cpus_find(const struct target_device *devices, size_t count,
			  struct cpu_list *out);

#endif
