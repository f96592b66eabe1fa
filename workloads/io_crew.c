// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_crew.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/clock.h"

#define READY_NS (60 * NS_PER_S)
#define READY_EACH_NS (100 * NS_PER_MS) /* a job: files to open, pages to touch */
#define DRAIN_NS (2 * NS_PER_S)
#define KILL_NS (10 * NS_PER_S)

/* The stop word, then the workers' records, then the jobs'. */
static int make_records(struct io_crew *crew, struct err *err)
{
	struct io_work *work = &crew->work;
	size_t head = sizeof(*work->worker_records);
	size_t size = head + work->workers * sizeof(*work->worker_records) +
		      work->ntasks * sizeof(*work->job_records);
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return err_sys(err, errno, "%zu MiB shared with the workers", size >> 20);
	crew->map = map;
	crew->map_size = size;
	work->stop = (const uint32_t *)(void *)map;
	work->worker_records = (void *)(map + head);
	work->job_records = (void *)(map + head + work->workers * sizeof(*work->worker_records));
	return 0;
}

static int one_worker(void *arg, size_t i)
{
	const struct io_crew *crew = arg;

	return io_worker_run(&crew->work, (uint32_t)i);
}

static int wait_ready(struct io_crew *crew, struct err *err)
{
	const struct io_work *work = &crew->work;
	int64_t timeout_ns = READY_NS + (int64_t)work->ntasks * READY_EACH_NS;
	int rc = gate_wait_ready(work->gate, work->workers, P_PGID,
				 (id_t)crew->processes.pgid, timeout_ns);

	if (rc == -EINTR)
		return err_set(err, EINTR, "interrupted");
	for (uint32_t i = 0; rc == -ECHILD && i < work->workers; i++)
		if (work->worker_records[i].error)
			return err_set(err, work->worker_records[i].error, "%s",
				       work->worker_records[i].text);
	if (rc == -ECHILD)
		return err_set(err, ECHILD, "a worker ended before all were ready");
	if (rc)
		return err_sys(err, -rc, "not all of %u workers are ready", work->workers);
	return 0;
}

static void drop_records(struct io_crew *crew)
{
	if (crew->map)
		munmap(crew->map, crew->map_size);
	gate_free(crew->work.gate);
	crew_release(&crew->processes);
	crew->map = NULL;
	crew->work.gate = NULL;
}

int io_crew_start(struct io_crew *crew, const struct io_work *work, struct err *err)
{
	int rc;

	if (!io_crew_stop(crew))
		return err_set(err, EBUSY, "workers of an earlier run still hang");
	drop_records(crew);
	crew->work = *work;
	crew->start_ns = 0;
	crew->work.gate = gate_new();
	if (!crew->work.gate)
		return err_sys(err, ENOMEM, "memory shared with the workers");
	crew_init(&crew->processes, work->workers);
	rc = make_records(crew, err);
	if (!rc)
		rc = crew_fork(&crew->processes, one_worker, crew, err);
	if (!rc)
		rc = wait_ready(crew, err);
	if (rc)
		io_crew_stop(crew);
	return rc;
}

void io_crew_go(struct io_crew *crew)
{
	crew->start_ns = gate_open(crew->work.gate);
}

int io_crew_wait(struct io_crew *crew, int64_t until_ns)
{
	int rc = crew->processes.pgid ? crew_wait(&crew->processes, until_ns) : 0;

	if (!rc) {
		crew_reap(&crew->processes);
		crew_forget(&crew->processes);
	}
	return rc;
}

bool io_crew_stop(struct io_crew *crew)
{
	struct crew *processes = &crew->processes;

	if (processes->pgid) {
		if (crew->start_ns)
			/* what is in flight may end; who waits for it sees this only then */
			__atomic_store_n((uint32_t *)crew->map, 1, __ATOMIC_RELAXED);
		else
			gate_give_up(crew->work.gate);
		crew_wait_leaving(processes, DRAIN_NS);
		if (!crew_kill(processes, KILL_NS))
			return false;
	}
	crew_forget(processes);
	return true;
}

void io_crew_release(struct io_crew *crew)
{
	if (!io_crew_stop(crew))
		return; /* they still write to what would be unmapped */
	drop_records(crew);
	*crew = (struct io_crew)IO_CREW_INIT;
}
