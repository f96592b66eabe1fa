// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "machine/accounting.h"
#include "workloads/io_result.h"

#define SETTLE_NS (5 * NS_PER_S)
#define DRAIN_NS (30 * NS_PER_S) /* what is in flight at the end may take */

static struct io_result result_of(const struct io *io)
{
	return (struct io_result){
		.crew = &io->crew,
		.devices = io->media.devices,
		.ndevices = io->media.count,
		.folder = io->options.directory,
		.busy_ns = io->busy_ns,
	};
}

/* Where each job works: known only when files are there. */
static void name_tasks(struct io *io)
{
	for (size_t i = 0; i < io->ntasks; i++) {
		struct io_task *task = &io->tasks[i];

		free(task->path);
		if (io->options.directory)
			task->path = io_files_path(&io->files, i);
		else if (io->options.fs)
			task->path = io_fs_path(&io->fs, task->device, i / io->media.count);
		else
			task->path = xstrdup(io->media.devices[task->device].path);
	}
}

static int ready_fs(struct io *io, struct err *err)
{
	int rc = io_media_empty(&io->media, err);

	if (rc)
		return rc;
	io->mounted = true;
	io->filled = io_fs_bytes(&io->fs);
	return io_fs_make(&io->fs, err);
}

static int ready_files(struct io *io, struct err *err)
{
	const struct io_pattern_spec *range = &io->ranges[0];
	uint64_t size = range->offset + range->size;
	int rc = 0;

	if (!io->files.count) {
		rc = io_files_make(&io->files, &io->options, io->ntasks, size, err);
		io->filled = io->ntasks * size;
	}
	if (rc)
		io_files_release(&io->files);
	return rc ? rc : io_files_flush(&io->files, err);
}

static int ready(struct io *io, struct err *err)
{
	uint64_t filled = 0;
	int rc;

	if (io->options.directory)
		return ready_files(io, err);
	if (io->options.fs)
		return ready_fs(io, err);
	rc = io_media_ready(&io->media, &io->options, io->ranges, &filled, err);
	if (!rc)
		io->filled += filled;
	return rc;
}

int io_prepare(void *state, struct run_context *context, struct target *target, struct err *err)
{
	struct io *io = state;
	struct io_work work = {
		.options = &io->options,
		.tasks = io->tasks,
		.ntasks = io->ntasks,
		.workers = io->workers,
		.mount_ns = -1,
		.cpus = &io->cpus,
	};
	int rc;

	io->timed_out = false;
	io->busy_ns = -1;
	if (!io_crew_stop(&io->crew))
		return err_set(err, EBUSY, "workers of an earlier run hang");
	rc = ready(io, err);
	if (rc)
		return rc;
	name_tasks(io);
	if (io->options.fs)
		work.mount_ns = io->fs.place.mount_ns;
	/* what filling has left to do must not run beside the storm */
	rc = accounting_settle(context->idle_rate, SETTLE_NS);
	if (rc == -EINTR)
		return err_set(err, EINTR, "interrupted");
	rc = io_crew_start(&io->crew, &work, err);
	if (rc)
		return rc;
	*target = (struct target){
		.devices = io->media.devices,
		.ndevices = io->media.count,
		.pgid = io->crew.processes.pgid,
	};
	return 0;
}

/* The parent sleeps but for two looks at /proc/stat. */
static int work(struct io *io)
{
	const struct io_options *options = &io->options;
	int64_t measure_ns, from, to;
	bool known;
	int rc;

	io_crew_go(&io->crew);
	measure_ns = io->crew.start_ns + options->ramp_ns;
	rc = options->ramp_ns ? io_crew_wait(&io->crew, measure_ns) : -ETIMEDOUT;
	known = accounting_busy_ns(&from) == 0;
	if (rc == -ETIMEDOUT)
		rc = io_crew_wait(&io->crew, measure_ns + options->runtime_ns);
	/* the workers may all be gone before we are awake */
	if ((rc == -ETIMEDOUT || !rc) && known && accounting_busy_ns(&to) == 0)
		io->busy_ns = to - from;
	if (rc == -ETIMEDOUT)
		rc = io_crew_wait(&io->crew, measure_ns + options->runtime_ns + DRAIN_NS);
	return rc;
}

int io_execute(void *state, struct run_context *context, struct err *err)
{
	struct io *io = state;
	struct io_result result = result_of(io);
	auto_buf struct buf hanging = BUF_INIT;
	int rc = work(io);

	if (!rc)
		return 0;
	if (rc == -ETIMEDOUT) {
		io->timed_out = true;
		io_result_add_hanging(&result, &hanging);
		run_fail(context->run, "IO did not complete within %d s after the end: %s",
			 (int)(DRAIN_NS / NS_PER_S), hanging.s ? hanging.s : "no job");
	}
	io_crew_stop(&io->crew);
	if (rc == -ETIMEDOUT)
		return 0;
	return rc == -EINTR ? err_set(err, EINTR, "interrupted") :
			      err_sys(err, -rc, "waiting for the workers");
}

int io_settle(void *state, struct run_context *context, struct err *err)
{
	struct io *io = state;
	int rc = io->options.directory ? io_files_flush(&io->files, err) :
					 io_media_settle(&io->media, &io->options, err);

	if (rc)
		return rc;
	rc = accounting_settle(context->idle_rate, SETTLE_NS);
	if (rc == -ETIMEDOUT) {
		run_mark(context->run, "unsettled", "kernel threads were still busy 5 s after "
			 "the run");
		return 0;
	}
	return rc ? err_sys(err, -rc, "waiting until the kernel has settled") : 0;
}

/* Work that a run without a failure must have done. */
static void check_work(struct run *run)
{
	double ios = 0, iops;

	for (enum io_op op = 0; op < IO_SYNC; op++) {
		auto_free char *name = xasprintf("%s.iops", io_op_name(op));

		iops = run_value(run, name);
		ios += iops > 0 ? iops : 0;
	}
	if (!(ios > 0))
		run_invalid(run, "no IO completed within the measured time: runtime is too short "
			    "for this device");
}

int io_verify(void *state, struct run_context *context, struct err *err)
{
	struct io *io = state;
	struct io_result result = result_of(io);
	auto_buf struct buf why = BUF_INIT;
	bool failed = io_result_failure(&result, &why);

	(void)err;
	if (failed)
		run_fail(context->run, "%s", why.s);
	run_detail(context->run, "filled_bytes", json_integer((json_int_t)io->filled));
	io_result_publish(&result, failed || io->timed_out, context);
	if (!failed && !io->timed_out)
		check_work(context->run);
	return 0;
}

void io_cleanup(void *state, struct run_context *context)
{
	struct io *io = state;
	struct err err = { .text = "" };
	int rc = 0;

	if (!io_crew_stop(&io->crew)) {
		run_mark(context->run, "unclean", "workers hang: their devices do not answer");
		context->stuck = true;
		return;
	}
	if (io->mounted) {
		rc = io_fs_unmount(&io->fs, &err);
		if (!rc)
			rc = io_media_empty(&io->media, &err);
		io->mounted = rc != 0;
	}
	if (rc)
		run_mark(context->run, "unclean", "%s", err.text);
	/*
	 * A killed process leaves its ring, with the IO in it, to the kernel, and looks gone; the
	 * device would hang the next run all the same.
	 */
	if (rc || io->timed_out)
		context->stuck = true;
}
