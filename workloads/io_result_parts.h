// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_RESULT_PARTS_H
#define BRUNT_WORKLOADS_IO_RESULT_PARTS_H

#include "workloads/io_result.h"

/* Over all jobs and workers of a run. */
struct io_sum {
	struct histogram lat[IO_OPS], submission[IO_OPS], completion[IO_OPS];
	uint64_t bytes[IO_OPS];
	uint64_t ios, ramp, drained, submits, reaps, memory_bytes;
	int64_t user_ns, sys_ns, switches, involuntary;
	int64_t wake_ns, end_ns; /* of the last worker */
};

void io_result_sum(const struct io_result *result, struct io_sum *sum);

/* An element of "devices" each, and the mark of one that is much slower than the others. */
void io_result_devices(const struct io_result *result, struct run *run);

/* The histograms, into series.json of the run's folder. */
void io_result_series(const struct io_sum *sum, const struct run_context *context);

#endif
