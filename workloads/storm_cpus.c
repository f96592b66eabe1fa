// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_cpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "machine/disk_identity.h"

static struct cpu_list local_cpus(const struct target_device *device,
				  const struct cpu_list *allowed)
{
	int node = disk_identity_node(device->name);
	struct cpu_list list;

	if (node < 0 || cpu_list_of_node(node, &list) || !cpu_list_keep(&list, allowed))
		return *allowed;
	return list;
}

int storm_cpus(const char *text, const struct target_device *devices, size_t count,
	       struct cpu_list **out, struct err *err)
{
	struct cpu_list allowed, list;
	int rc;

	*out = NULL;
	if (!strcmp(text, "all"))
		return 0;
	rc = cpu_list_allowed(&allowed);
	if (rc)
		return err_sys(err, -rc, "the CPUs to run on");
	if (strcmp(text, "local") != 0 &&
	    (cpu_list_parse(text, &list) || !cpu_list_keep(&list, &allowed)))
		return err_usage(err, "cpus=%s: none of these CPUs can be used here", text);
	*out = xcalloc(count, sizeof(**out));
	for (size_t i = 0; i < count; i++)
		(*out)[i] = strcmp(text, "local") ? list : local_cpus(&devices[i], &allowed);
	return 0;
}
