// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_limits.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "machine/limits.h"
#include "machine/memory.h"
#include "workloads/io_worker.h"

#define RING_MAX 32768

uint32_t io_limits_workers(const struct io_options *options, size_t jobs, unsigned int cpus)
{
	size_t workers = options->workers ? options->workers : cpus;

	if (options->engine->synchronous || workers > jobs)
		workers = jobs;
	return (uint32_t)workers;
}

static int check_memory(const struct io_options *options, size_t jobs, struct err *err)
{
	uint64_t each = options->iodepth * io_worker_stride(options) + sizeof(struct io_job_record);
	uint64_t need = jobs * each, most = memory_available();
	auto_buf struct buf text = BUF_INIT;

	most -= most / 10;
	if (!most || need <= most)
		return 0;
	units_add_size(&text, need);
	buf_add(&text, " of memory, ");
	units_add_size(&text, most >> 20 << 20);
	return err_missing(err, "%zu jobs with %u in flight need %s are available: less of iodepth, "
			   "bs, numjobs or devices", jobs, options->iodepth, text.s);
}

/*
 * A worker inherits what brunt itself has open, two descriptors a device or one a file, and opens its
 * own.
 */
static int check_files(const struct io_options *options, size_t jobs, uint32_t workers,
		       struct err *err)
{
	uint64_t held = options->directory ? jobs : 2 * (jobs / options->numjobs);
	char what[32];

	snprintf(what, sizeof(what), "%zu jobs", jobs);
	return limits_raise_files(held + (jobs + workers - 1) / workers, what, err);
}

static int check_processes(uint32_t workers, struct err *err)
{
	char what[32];

	snprintf(what, sizeof(what), "%u workers", workers);
	return limits_check_processes(workers, what, err);
}

int io_limits_check(const struct io_options *options, size_t jobs, uint32_t workers,
		    struct err *err)
{
	uint64_t all = (uint64_t)jobs * options->iodepth;
	uint64_t each = (jobs + workers - 1) / workers * options->iodepth;
	int rc = 0;

	if (jobs > IO_MAX_JOBS)
		return err_usage(err, "%zu jobs are more than %d: less of numjobs or devices", jobs,
				 IO_MAX_JOBS);
	if (each > RING_MAX)
		return err_usage(err, "%" PRIu64 " IOs in flight a worker are more than a ring holds "
				 "(%d): workers=%" PRIu64 " or more, or less of iodepth or devices",
				 each, RING_MAX, (all + RING_MAX - 1) / RING_MAX);
	if (options->engine->check_depth)
		rc = options->engine->check_depth(all, err);
	if (!rc)
		rc = check_memory(options, jobs, err);
	if (!rc)
		rc = check_processes(workers, err);
	return rc ? rc : check_files(options, jobs, workers, err);
}
