// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_RUN_H
#define BRUNT_WORKLOADS_IO_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "results/run.h"
#include "workloads/io_crew.h"
#include "workloads/io_files.h"
#include "workloads/io_fs.h"
#include "workloads/io_media.h"
#include "workloads/workload.h"

/* What setup makes, and the hooks of a run, as workload.h has them. */
struct io {
	struct io_options options;
	struct io_media media;	/* unless in a folder */
	struct io_files files;	/* in a folder */
	struct io_fs fs;	/* with fs= */
	struct io_pattern_spec *ranges; /* of each device or file, count of them */
	struct io_task *tasks;	/* ntasks of them */
	size_t ntasks;
	uint32_t workers;
	struct cpu_list cpus;
	struct io_crew crew;
	uint64_t filled;	/* bytes, so far */
	int64_t busy_ns;	/* of the machine in the measured time; < 0: unknown */
	bool mounted, timed_out;
};

int io_prepare(void *state, struct run_context *context, struct target *target, struct err *err);
int io_execute(void *state, struct run_context *context, struct err *err);
int io_settle(void *state, struct run_context *context, struct err *err);
int io_verify(void *state, struct run_context *context, struct err *err);
void io_cleanup(void *state, struct run_context *context);

#endif
