// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * As in a storm of mkfs the end of a pipe that all workers hold says that the last one is gone:
 * nobody wakes in the timed part.
 */
#include "workloads/io_crew.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/xalloc.h"

#define READY_NS (60 * NS_PER_S)
#define READY_EACH_NS (100 * NS_PER_MS) /* a job: files to open, pages to touch */
#define DRAIN_NS (2 * NS_PER_S)
#define KILL_NS (10 * NS_PER_S)
#define STUCK_NS (100 * NS_PER_MS)

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

static void leave_parent(const struct io_crew *crew, pid_t parent)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* it died before we asked to die with it */
	setpgid(0, crew->pgid);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	close(crew->ended_fd);
}

static int fork_all(struct io_crew *crew, struct err *err)
{
	const pid_t parent = getpid();
	sigset_t all, old;
	int pipes[2], rc = 0;
	uint32_t i;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	crew->ended_fd = pipes[0];
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	for (i = 0; !rc && i < crew->work.workers; i++) {
		pid = fork();
		if (pid == 0) {
			leave_parent(crew, parent);
			_exit(io_worker_run(&crew->work, i));
		}
		if (pid < 0) {
			rc = err_sys(err, errno, "starting worker %u of %u", i + 1,
				     crew->work.workers);
			break;
		}
		crew->pids[i] = pid;
		if (!crew->pgid)
			crew->pgid = pid;
		setpgid(pid, crew->pgid); /* the child does it too: whoever comes first */
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pipes[1]);
	return rc;
}

static int wait_ready(struct io_crew *crew, struct err *err)
{
	const struct io_work *work = &crew->work;
	int64_t timeout_ns = READY_NS + (int64_t)work->ntasks * READY_EACH_NS;
	int rc = gate_wait_ready(work->gate, work->workers, P_PGID, (id_t)crew->pgid, timeout_ns);

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

static void forget(struct io_crew *crew)
{
	crew->pgid = 0;
	close_fd(&crew->ended_fd);
}

static void drop_records(struct io_crew *crew)
{
	if (crew->map)
		munmap(crew->map, crew->map_size);
	gate_free(crew->work.gate);
	free(crew->pids);
	free(crew->statuses);
	crew->map = NULL;
	crew->work.gate = NULL;
	crew->pids = NULL;
	crew->statuses = NULL;
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
	crew->pids = xcalloc(work->workers, sizeof(*crew->pids));
	crew->statuses = xcalloc(work->workers, sizeof(*crew->statuses));
	rc = make_records(crew, err);
	if (!rc)
		rc = fork_all(crew, err);
	if (!rc)
		rc = wait_ready(crew, err);
	if (rc)
		io_crew_stop(crew);
	return rc;
}

/* 0 when all have ended before end; stop_fd ends the wait with -EINTR, -1: nothing does. */
static int wait_ended(const struct io_crew *crew, int stop_fd, int64_t end)
{
	int64_t left;
	struct pollfd fds[] = {
		{ .fd = crew->ended_fd, .events = POLLIN },
		{ .fd = stop_fd, .events = POLLIN },
	};
	struct timespec ts;
	int n;

	do {
		left = end - clock_mono_ns();
		left = left < 0 ? 0 : left;
		ts = (struct timespec){ .tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S };
		n = ppoll(fds, ARRAY_SIZE(fds), &ts, NULL);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			return fds[0].revents ? 0 : -EINTR;
	} while (left > 0);
	return -ETIMEDOUT;
}

static bool reap(struct io_crew *crew, int flags)
{
	bool all = true;
	pid_t pid;

	for (uint32_t i = 0; i < crew->work.workers; i++) {
		if (!crew->pids[i])
			continue;
		do
			pid = waitpid(crew->pids[i], &crew->statuses[i], flags);
		while (pid < 0 && errno == EINTR);
		if (pid == 0)
			all = false;
		else
			crew->pids[i] = 0;
	}
	return all;
}

void io_crew_go(struct io_crew *crew)
{
	crew->start_ns = gate_open(crew->work.gate);
}

int io_crew_wait(struct io_crew *crew, int64_t until_ns)
{
	int rc = crew->pgid ? wait_ended(crew, interrupt_fd(), until_ns) : 0;

	if (!rc && crew->pgid) {
		reap(crew, 0);
		forget(crew);
	}
	return rc;
}

static int64_t soon(const struct io_crew *crew, int64_t ns)
{
	return clock_mono_ns() + (crew->stuck ? STUCK_NS : ns);
}

bool io_crew_stop(struct io_crew *crew)
{
	int rc = -ETIMEDOUT;

	if (!crew->pgid) {
		close_fd(&crew->ended_fd);
		return true;
	}
	if (!crew->start_ns) {
		gate_give_up(crew->work.gate);
		rc = wait_ended(crew, -1, soon(crew, DRAIN_NS));
	} else if (!crew->stuck && interrupt_count() < 2) {
		/* what is in flight may end; a worker that waits for it sees this only then */
		__atomic_store_n((uint32_t *)crew->map, 1, __ATOMIC_RELAXED);
		rc = wait_ended(crew, -1, soon(crew, DRAIN_NS));
	}
	if (rc) {
		kill(-crew->pgid, SIGKILL);
		rc = wait_ended(crew, -1, soon(crew, KILL_NS));
	}
	if (!reap(crew, rc ? WNOHANG : 0)) {
		crew->stuck = true;
		return false;
	}
	crew->stuck = false;
	forget(crew);
	return true;
}

void io_crew_release(struct io_crew *crew)
{
	if (!io_crew_stop(crew))
		return; /* they still write to what would be unmapped */
	drop_records(crew);
	*crew = (struct io_crew)IO_CREW_INIT;
}
