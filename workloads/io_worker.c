// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "machine/mount_ns.h"

struct worker {
	const struct io_work *work;
	uint32_t number;
	struct io_worker_record *record;
	struct io_loop loop;
	int *files;
	unsigned char *arena;
	size_t arena_size;
};

size_t io_worker_tasks(const struct io_work *work, uint32_t worker)
{
	return work->ntasks / work->workers + (worker < work->ntasks % work->workers);
}

size_t io_worker_stride(const struct io_options *options)
{
	size_t stride = (size_t)sysconf(_SC_PAGESIZE);

	while (stride < options->pattern.bs_max)
		stride *= 2;
	return stride;
}

int io_worker_open_file(const struct io_options *options, const char *path)
{
	bool writes = options->writes && !options->engine->touches_nothing;
	int flags = writes ? O_RDWR : O_RDONLY, fd;

	fd = open(path, flags | O_CLOEXEC | (options->direct ? O_DIRECT : 0));
	return fd < 0 ? -errno : fd;
}

static const struct io_task *task_of(const struct worker *w, uint32_t job)
{
	return &w->work->tasks[w->number + (size_t)job * w->work->workers];
}

/* As many files as the hard limit lets us have. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_files(struct worker *w, struct err *err)
{
	const struct io_task *task;

	raise_file_limit();
	w->files = xcalloc(w->loop.count, sizeof(*w->files));
	for (uint32_t i = 0; i < w->loop.count; i++) {
		task = task_of(w, i);
		w->files[i] = io_worker_open_file(w->work->options, task->path);
		if (w->files[i] < 0)
			return err_sys(err, -w->files[i], "opening %s%s", task->path,
				       w->work->options->direct ? " for direct IO" : "");
	}
	return 0;
}

/* What is written is random, since there are devices that store a constant in no space at all. */
static int make_arena(struct worker *w, struct err *err)
{
	struct io_pattern pattern;

	w->arena_size = (size_t)w->loop.count * w->loop.depth * io_worker_stride(w->work->options);
	w->arena = mmap(NULL, w->arena_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	if (w->arena == MAP_FAILED)
		return err_sys(err, errno, "%zu MiB for buffers", w->arena_size >> 20);
	madvise(w->arena, w->arena_size, MADV_HUGEPAGE);
	io_pattern_init(&pattern, &w->work->options->pattern, w->work->options->seed,
			UINT64_MAX - w->number);
	io_pattern_fill(&pattern, w->arena, w->arena_size);
	return 0;
}

static void make_jobs(struct worker *w)
{
	const struct io_work *work = w->work;
	struct io_job *job;
	size_t task;

	w->loop.jobs = xcalloc(w->loop.count, sizeof(*w->loop.jobs));
	for (uint32_t i = 0; i < w->loop.count; i++) {
		job = &w->loop.jobs[i];
		task = w->number + (size_t)i * work->workers;
		io_pattern_init(&job->pattern, &work->tasks[task].range, work->options->seed, task);
		job->record = &work->job_records[task];
		/* its pages, so that none is missing later */
		for (int op = 0; op < IO_OPS; op++)
			if (op == IO_READ ? work->options->reads : work->options->writes)
				memset(&job->record->lat[op], 0, sizeof(job->record->lat[op]));
	}
}

static int prepare(struct worker *w, struct err *err)
{
	const struct io_options *options = w->work->options;
	struct io_engine_setup setup = {
		.depth = w->loop.count * options->iodepth,
		.nfiles = w->loop.count,
		.fixed_buffers = options->fixed_buffers,
		.registered_files = options->registered_files,
		.sqpoll = options->sqpoll,
		.iopoll = options->iopoll,
	};
	int rc = w->work->mount_ns < 0 ? 0 : mount_ns_enter(w->work->mount_ns);

	if (rc)
		return err_sys(err, -rc, "entering the mount namespace");
	if (w->work->cpus)
		cpu_list_apply(w->work->cpus);
	rc = open_files(w, err);
	if (!rc)
		rc = make_arena(w, err);
	if (rc)
		return rc;
	make_jobs(w);
	io_loop_init(&w->loop, w->arena, io_worker_stride(options));
	setup.files = w->files;
	setup.arena = w->arena;
	setup.arena_size = w->arena_size;
	rc = options->engine->open(&setup, &w->loop.engine_state, err);
	if (!rc && options->engine->describe)
		options->engine->describe(w->loop.engine_state, w->record->engine,
					  sizeof(w->record->engine));
	w->record->memory_bytes = w->arena_size + setup.depth * (sizeof(struct io_unit) + 64) +
				  sizeof(*w->record) + w->loop.count * sizeof(struct io_job_record);
	return rc;
}

static int fail(struct io_worker_record *record, int error, const char *text)
{
	record->error = error ? error : EIO;
	memccpy(record->text, text, '\0', sizeof(record->text) - 1);
	return 1;
}

int io_worker_run(const struct io_work *work, uint32_t number)
{
	const struct io_options *options = work->options;
	struct worker w = {
		.work = work,
		.number = number,
		.record = &work->worker_records[number],
		.loop = {
			.engine = options->engine,
			.count = (uint32_t)io_worker_tasks(work, number),
			.depth = options->iodepth,
			.batch = options->batch,
			.batch_min = options->batch_min,
			.rate = options->rate,
			.stop = work->stop,
			.record = &work->worker_records[number],
		},
	};
	struct err err = { .text = "" };
	int rc;

	memset(w.record, 0, sizeof(*w.record)); /* its pages */
	rc = prepare(&w, &err);
	if (rc)
		return fail(w.record, -rc, err.text);
	if (gate_wait(work->gate))
		return 0;
	w.record->wake_ns = clock_mono_ns();
	w.loop.measure_ns = work->gate->opened_ns + options->ramp_ns;
	w.loop.end_ns = w.loop.measure_ns + options->runtime_ns;
	rc = io_loop_run(&w.loop);
	if (rc) {
		err_sys(&err, -rc, "engine %s", options->engine->name);
		return fail(w.record, -rc, err.text);
	}
	return 0;
}
