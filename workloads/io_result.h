// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_RESULT_H
#define BRUNT_WORKLOADS_IO_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "machine/target.h"
#include "results/run.h"
#include "workloads/io_crew.h"

/* From what the workers left in their records to the figures of a run. */
extern const struct metric_spec io_metrics[];

/* Will a storm with such options give this metric? */
bool io_result_has(const struct io_options *options, const char *metric);

struct io_result {
	const struct io_crew *crew; /* whose workers have ended, or been ended */
	const struct target_device *devices; /* none: a folder */
	size_t ndevices;
	const char *folder;	/* its name, where there are no devices */
	int64_t busy_ns;	/* CPU time of the whole machine in the measured time; < 0: unknown */
};

/*
 * Why the run failed: "loop3: read of 4096 bytes at offset 8192: Input/output error (EIO), 3 times
 * (and 2 more)": device, offset and errno of the first device, and how many others. False when it
 * did not.
 */
bool io_result_failure(const struct io_result *result, struct buf *out);

/* Jobs with IO in flight, of workers that did not end: "loop3 (16 in flight)". */
void io_result_add_hanging(const struct io_result *result, struct buf *out);

/*
 * Metrics (missing where a device failed), devices, details, the mark of a slow device, and
 * series.json with the histograms. IOPS and bandwidth are what completed in the measured time,
 * divided by it; user, sys and switches are the workers' in it.
 */
void io_result_publish(const struct io_result *result, bool failed, struct run_context *context);

#endif
