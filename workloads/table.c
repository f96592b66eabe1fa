// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "workloads/workload.h"

#define WORKLOAD(name) extern const struct workload workload_##name;
#include "workloads/workloads.def"
#undef WORKLOAD

const struct workload *const workloads[] = {
#define WORKLOAD(name) &workload_##name,
#include "workloads/workloads.def"
#undef WORKLOAD
	NULL,
};

const struct workload *workload_find(const char *name)
{
	for (const struct workload *const *w = workloads; *w; w++)
		if (!strcmp((*w)->name, name))
			return *w;
	return NULL;
}
