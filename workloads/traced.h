// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_TRACED_H
#define BRUNT_WORKLOADS_TRACED_H

#include <jansson.h>
#include <stddef.h>

#include "base/err.h"
#include "base/keys.h"
#include "machine/target.h"

/*
 * Which devices a tracer looks at: those that the work is on, the disks that these lie on in the
 * end (below loop devices, dm, md), or what they are directly made of (the paths of multipath, the
 * members of md). For a workload's table of keys, and for struct target.
 */
#define TRACED_KEY                                                                            \
	{ .name = "trace", .type = KEY_ENUM, .fallback = "devices",                           \
	  .values = "devices|backing|paths",                                                  \
	  .summary = "what tracers trace: the devices, the disks below them, or what they "   \
		     "are made of" }

struct traced {
	struct target_device *v; /* NULL: the devices themselves */
	size_t n;
};

/* what: the key's value. A usage error where one of the devices has nothing below it. */
int traced_find(struct traced *traced, const char *what, const struct target_device *devices,
		size_t count, struct err *err);
void traced_release(struct traced *traced);

/* Their names, for the record; null where they are the devices. */
json_t *traced_describe(const struct traced *traced);

#endif
