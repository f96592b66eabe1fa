// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_cpus.h"

#include "base/xalloc.h"
#include "machine/disk_identity.h"

/* -1: none, or not the same for all. */
static int common_node(const struct target_device *devices, size_t count)
{
	int node = count ? disk_identity_node(devices[0].name) : -1;

	for (size_t i = 1; i < count; i++)
		if (disk_identity_node(devices[i].name) != node)
			return -1;
	return node;
}

static unsigned int count_cpus(const struct cpu_list *list)
{
	unsigned int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(list->bits); i++)
		n += (unsigned int)__builtin_popcountl(list->bits[i]);
	return n;
}

unsigned int io_cpus_find(const struct target_device *devices, size_t count,
			  struct cpu_list *out)
{
	int node = common_node(devices, count);
	struct cpu_list allowed, near;
	unsigned int n;

	if (cpu_list_allowed(&allowed))
		cpu_list_parse("0", &allowed);
	*out = allowed;
	if (node >= 0 && !cpu_list_of_node(node, &near) && cpu_list_keep(&near, &allowed))
		*out = near;
	n = count_cpus(out);
	return n ? n : 1;
}
