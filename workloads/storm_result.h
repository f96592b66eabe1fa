// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_RESULT_H
#define BRUNT_WORKLOADS_STORM_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "machine/target.h"
#include "results/run.h"
#include "workloads/storm_worker.h"
#include "workloads/storm_crew.h"

/* From what the workers left in their records to the figures of a run. */
extern const struct metric_spec storm_metrics[];

struct storm_result {
	const struct storm_crew *crew; /* whose workers have ended */
	const struct target_device *devices;
	uint32_t repeat;
	bool filled; /* a file was written between mount and umount */
};

/*
 * Why device i did not get through all its cycles: "loop3: mkfs: exit status 1: Invalid ...".
 * False when it did.
 */
bool storm_result_failure(const struct storm_result *result, size_t i, struct buf *out);

/*
 * Every metric. They are missing where a worker did not get through. real lasts from the release
 * to the last umount's return; user and sys are those of the workers and their programs since
 * they were ready; a phase's real goes from its first start to its last end over all devices.
 */
void storm_result_metrics(const struct storm_result *result, struct run *run);

/* The devices' own times, retries as a mark, start skew. */
void storm_result_details(const struct storm_result *result, struct run *run);

#endif
