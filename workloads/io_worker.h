// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_WORKER_H
#define BRUNT_WORKLOADS_IO_WORKER_H

#include <stddef.h>
#include <stdint.h>

#include "machine/cpu_list.h"
#include "machine/gate.h"
#include "workloads/io_job.h"
#include "workloads/io_options.h"

/* A job: where it does its IO. */
struct io_task {
	char *path;		      /* of the device or file */
	size_t device;		      /* which of the target's it belongs to */
	struct io_pattern_spec range;
};

/* What all workers of a run have in common. Worker w has tasks w, w + workers, ... */
struct io_work {
	const struct io_options *options;
	const struct io_task *tasks;
	size_t ntasks;
	uint32_t workers;
	int mount_ns; /* descriptor to enter; -1: none */
	const struct cpu_list *cpus; /* where they run */
	struct gate *gate;
	const uint32_t *stop;
	struct io_job_record *job_records; /* by task; shared */
	struct io_worker_record *worker_records; /* shared */
};

size_t io_worker_tasks(const struct io_work *work, uint32_t worker); /* how many it has */

/* Bytes between the buffers of two units: a power of two, at least a page. */
size_t io_worker_stride(const struct io_options *options);

/* Opens a path for the options' operations: a descriptor or a negative errno. */
int io_worker_open_file(const struct io_options *options, const char *path);

/* The whole life of the forked process; returns what it exits with. */
int io_worker_run(const struct io_work *work, uint32_t worker);

#endif
