// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_TARGET_H
#define BRUNT_MACHINE_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What a workload's run works on, for tracers and settings: published by the workload's
 * prepare, valid until its cleanup. The strings belong to the workload.
 */
struct target_device {
	const char *name;  /* the kernel's, as "loop3": names /sys/block/NAME */
	const char *path;  /* "/dev/loop3" */
	dev_t number;	   /* st_rdev */
	uint64_t size;	   /* bytes */
	uint64_t diskseq;  /* from sysfs; 0 where the kernel has none */
};

struct target {
	const struct target_device *devices;
	size_t ndevices;
	/* What tracers look at instead; NULL: those. */
	const struct target_device *traced;
	size_t ntraced;
	pid_t pgid; /* process group of the work; 0: not started yet or none */
};

/* The target as a tracer sees it: its devices are those to be traced. */
static inline struct target target_for_tracer(const struct target *target)
{
	struct target own = *target;

	if (target->traced) {
		own.devices = target->traced;
		own.ndevices = target->ntraced;
	}
	return own;
}

#endif
