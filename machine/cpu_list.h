// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_CPU_LIST_H
#define BRUNT_MACHINE_CPU_LIST_H

#include <stdbool.h>

/* CPUs by number, as sysfs and users list them: "0-3,8", also with '+'. */
#define CPU_LIST_MAX 8192

struct cpu_list {
	unsigned long bits[CPU_LIST_MAX / (8 * sizeof(unsigned long))];
};

/* -EINVAL, -ERANGE; *out is only set on success. */
int cpu_list_parse(const char *text, struct cpu_list *out);

/* Those of a NUMA node; -ENOENT: there is no such node. */
int cpu_list_of_node(int node, struct cpu_list *out);

/* Those that this process may run on. */
int cpu_list_allowed(struct cpu_list *out);

/* Leaves what is in both; false: nothing. */
bool cpu_list_keep(struct cpu_list *list, const struct cpu_list *other);

/* The calling process runs on these from now on. 0 or -errno. */
int cpu_list_apply(const struct cpu_list *list);

#endif
