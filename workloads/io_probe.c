// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_probe.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fork_each.h"
#include "base/xalloc.h"
#include "workloads/io_worker.h"

#define PROBE_NS (30 * NS_PER_S)

struct probing {
	const struct io_options *options;
	const struct target_device *devices;
	const struct io_pattern_spec *ranges;
};

static int read_one(const struct io_options *options, int fd, const struct io_pattern_spec *range,
		    int64_t *result, struct err *err)
{
	struct io_unit unit = { .op = IO_READ, .offset = range->offset, .length = range->bs_min };
	struct io_engine_setup setup = {
		.depth = 1,
		.files = &fd,
		.nfiles = 1,
		.arena_size = io_worker_stride(options),
		.fixed_buffers = options->fixed_buffers,
		.registered_files = options->registered_files,
		.sqpoll = options->sqpoll,
		.iopoll = options->iopoll,
	};
	struct io_done done = { .result = 0 };
	void *arena, *state;
	int rc;

	if (posix_memalign(&arena, 4096, setup.arena_size))
		return err_sys(err, ENOMEM, "a buffer");
	setup.arena = unit.buffer = arena;
	rc = options->engine->open(&setup, &state, err);
	if (!rc) {
		options->engine->queue(state, &unit);
		rc = options->engine->submit(state);
		if (rc >= 0)
			rc = options->engine->reap(state, 1, -1, &done, 1);
		*result = rc < 0 ? rc : done.result;
		rc = 0;
		options->engine->close(state);
	}
	free(arena);
	return rc;
}

static int probe_one(void *arg, size_t i, void *result, struct err *err)
{
	const struct probing *probing = arg;
	auto_close int fd = io_worker_open_file(probing->options, probing->devices[i].path);

	if (fd < 0)
		return err_sys(err, -fd, "opening %s", probing->devices[i].path);
	return read_one(probing->options, fd, &probing->ranges[i], result, err);
}

int io_probe(const struct io_options *options, const struct target_device *devices,
	     const struct io_pattern_spec *ranges, size_t count, struct err *err)
{
	struct probing probing = { options, devices, ranges };
	const struct fork_each each = {
		.count = count,
		.work = probe_one,
		.arg = &probing,
		.result_size = sizeof(int64_t),
		.timeout_ns = PROBE_NS,
		.interruptible = true,
	};
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

	if (rc)
		return rc;
	rc = fork_each_first(&results, err);
	for (size_t i = 0; !rc && i < count; i++)
		if (((const int64_t *)(const void *)results.results)[i] == -EOPNOTSUPP)
			rc = err_missing(err, "hipri=yes: %s cannot be polled: hipri=no",
					 devices[i].path);
	fork_each_release(&results);
	return rc;
}
