// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Each worker holds the writing end of one pipe, which nobody writes to: its end of file says
 * that the last one is gone. So the parent sleeps through the timed part, whatever the number of
 * workers, where SIGCHLD or a pidfd each would wake it for every worker that ends.
 */
#include "workloads/storm_crew.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/xalloc.h"

#define READY_NS (30 * NS_PER_S)
#define READY_EACH_NS (100 * NS_PER_MS)
#define TERM_NS (2 * NS_PER_S)
#define KILL_NS (10 * NS_PER_S)
#define PROGRAM_NS (5 * NS_PER_S)
#define END_EACH_NS (10 * NS_PER_MS)
#define STUCK_NS (100 * NS_PER_MS)

int storm_crew_init(struct storm_crew *crew, size_t count, struct cgroup *cgroup, struct err *err)
{
	*crew = (struct storm_crew){ .count = count, .cgroup = cgroup, .ended_fd = -1 };
	crew->gate = gate_new();
	crew->barrier = barrier_new();
	crew->records = mmap(NULL, count * sizeof(*crew->records), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (crew->records == MAP_FAILED)
		crew->records = NULL;
	if (!crew->gate || !crew->barrier || !crew->records) {
		storm_crew_release(crew);
		return err_sys(err, ENOMEM, "memory shared with the workers");
	}
	crew->members = xcalloc(count, sizeof(*crew->members));
	return 0;
}

void storm_crew_release(struct storm_crew *crew)
{
	if (crew->members)
		storm_crew_stop(crew);
	cgroup_remove(crew->cgroup);
	gate_free(crew->gate);
	barrier_free(crew->barrier);
	if (crew->records)
		munmap(crew->records, crew->count * sizeof(*crew->records));
	free(crew->members);
	*crew = (struct storm_crew){ .ended_fd = -1 };
}

/* In the child: what it inherited from brunt and must not keep. */
static void leave_parent(const struct storm_crew *crew, pid_t parent,
			 struct storm_record *record)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* it died before we asked to die with it */
	setpgid(0, crew->pgid);
	if (crew->cgroup && write(cgroup_procs_fd(crew->cgroup), "0", 1) != 1) {
		record->failure.error = errno;
		_exit(1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* All signals are blocked: none may reach brunt's handlers in the child. */
static int fork_one(struct storm_crew *crew, size_t i, const struct storm_job *job,
		    const struct storm_task *task)
{
	const pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0) {
		leave_parent(crew, parent, task->record);
		close(crew->ended_fd);
		_exit(storm_worker_run(job, task));
	}
	if (pid < 0)
		return -errno;
	crew->members[i] = (struct storm_member){ .pid = pid };
	if (!crew->pgid)
		crew->pgid = pid;
	setpgid(pid, crew->pgid); /* the child does it too: whoever comes first */
	return 0;
}

static int fork_all(struct storm_crew *crew, const struct storm_job *job,
		    const struct storm_task *tasks, struct err *err)
{
	sigset_t all, old;
	int pipes[2], rc = 0;
	size_t i;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	crew->ended_fd = pipes[0];
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	for (i = 0; !rc && i < crew->count; i++)
		rc = fork_one(crew, i, job, &tasks[i]);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pipes[1]);
	if (rc)
		return err_sys(err, -rc, "starting worker %zu of %zu", i, crew->count);
	return 0;
}

static int wait_ready(struct storm_crew *crew, struct err *err)
{
	int64_t timeout_ns = READY_NS + (int64_t)crew->count * READY_EACH_NS;
	int rc = gate_wait_ready(crew->gate, (uint32_t)crew->count, P_PGID, (id_t)crew->pgid,
				 timeout_ns);

	if (rc == -EINTR)
		return err_set(err, EINTR, "interrupted");
	for (size_t i = 0; rc == -ECHILD && i < crew->count; i++)
		if (crew->cgroup && !crew->records[i].failure.failed &&
		    crew->records[i].failure.error)
			return err_sys(err, crew->records[i].failure.error,
				       "moving a worker into the cgroup %s",
				       cgroup_path(crew->cgroup));
	if (rc == -ECHILD)
		return err_set(err, ECHILD, "a worker ended before all were ready");
	if (rc)
		return err_sys(err, -rc, "%u of %zu workers are ready",
			       __atomic_load_n(&crew->gate->ready, __ATOMIC_RELAXED), crew->count);
	return 0;
}

int storm_crew_start(struct storm_crew *crew, const struct storm_job *job, uint32_t turns,
		     const struct storm_task *tasks, struct err *err)
{
	int rc;

	if (!storm_crew_stop(crew))
		return err_set(err, EBUSY, "workers of an earlier run still hang");
	memset(crew->records, 0, crew->count * sizeof(*crew->records));
	gate_reset(crew->gate);
	barrier_reset(crew->barrier, (uint32_t)crew->count, turns);
	crew->start_ns = 0;
	rc = fork_all(crew, job, tasks, err);
	if (!rc)
		rc = wait_ready(crew, err);
	if (rc)
		storm_crew_stop(crew);
	return rc;
}

/* 0 when all have ended; stop_fd ends the wait with -EINTR, -1: nothing does. */
static int wait_ended(const struct storm_crew *crew, int stop_fd, int64_t timeout_ns)
{
	int64_t end = clock_mono_ns() + timeout_ns, left;
	struct pollfd fds[] = {
		{ .fd = crew->ended_fd, .events = POLLIN },
		{ .fd = stop_fd, .events = POLLIN },
	};
	struct timespec ts;
	int n;

	do {
		left = end - clock_mono_ns();
		if (left < 0)
			left = 0;
		ts = (struct timespec){ .tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S };
		n = ppoll(fds, ARRAY_SIZE(fds), &ts, NULL);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			return fds[0].revents ? 0 : -EINTR;
	} while (left > 0);
	return -ETIMEDOUT;
}

/* The state letter of a process and where it sleeps; -ESRCH when it is gone. */
static int read_state(pid_t pid, char *state, char wchan[64])
{
	char path[64], line[512];
	const char *p;
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	rc = files_read_line_at(AT_FDCWD, path, line, sizeof(line));
	if (rc)
		return rc;
	p = strrchr(line, ')');
	if (!p || !p[1])
		return -EINVAL;
	*state = p[2];
	snprintf(path, sizeof(path), "/proc/%d/wchan", (int)pid);
	if (files_read_line_at(AT_FDCWD, path, wchan, 64) || !strcmp(wchan, "0"))
		wchan[0] = '\0';
	return *state == 'Z' ? -ESRCH : 0;
}

static bool reap(struct storm_crew *crew, int flags)
{
	struct storm_member *member;
	bool all = true;
	pid_t pid;

	for (size_t i = 0; i < crew->count; i++) {
		member = &crew->members[i];
		if (!member->pid)
			continue;
		do
			pid = wait4(member->pid, &member->status, flags, &member->usage);
		while (pid < 0 && errno == EINTR);
		if (pid == 0)
			all = false;
		else
			member->pid = 0;
	}
	return all;
}

static void forget(struct storm_crew *crew)
{
	crew->pgid = 0;
	close_fd(&crew->ended_fd);
}

/* A program that sleeps in the kernel outlives its killed worker, and what it holds stays held. */
static bool has_program(const struct storm_crew *crew)
{
	char state, wchan[64];
	pid_t child;

	for (size_t i = 0; i < crew->count; i++) {
		child = crew->records[i].child;
		if (child && getpgid(child) == crew->pgid && !read_state(child, &state, wchan))
			return true;
	}
	return false;
}

static bool wait_programs(const struct storm_crew *crew, int64_t timeout_ns)
{
	int64_t end = clock_mono_ns() + timeout_ns;

	while (has_program(crew)) {
		if (clock_mono_ns() >= end)
			return false;
		clock_sleep_ns(5 * NS_PER_MS);
	}
	return true;
}

int storm_crew_run(struct storm_crew *crew, int64_t timeout_ns)
{
	int rc;

	crew->start_ns = gate_open(crew->gate);
	rc = wait_ended(crew, interrupt_fd(), timeout_ns);
	if (!rc) {
		reap(crew, 0);
		forget(crew);
	}
	return rc;
}

/* What programs of the workers have started and left behind, in whatever process group. */
static void kill_strays(const struct storm_crew *crew)
{
	if (crew->cgroup && cgroup_populated(crew->cgroup))
		cgroup_kill(crew->cgroup);
}

bool storm_crew_stop(struct storm_crew *crew)
{
	int64_t more_ns;
	int rc;

	if (!crew->pgid) {
		close_fd(&crew->ended_fd);
		kill_strays(crew);
		return true;
	}
	if (crew->start_ns)
		kill(-crew->pgid, interrupt_count() > 1 ? SIGKILL : SIGTERM);
	else
		gate_give_up(crew->gate);
	more_ns = (int64_t)crew->count * END_EACH_NS;
	rc = wait_ended(crew, -1, crew->stuck ? STUCK_NS : TERM_NS + more_ns);
	/* Where the workers are gone, what they had started may still be there. */
	kill(-crew->pgid, SIGKILL);
	if (rc)
		rc = wait_ended(crew, -1, crew->stuck ? STUCK_NS : KILL_NS + more_ns);
	if (!reap(crew, rc ? WNOHANG : 0) ||
	    !wait_programs(crew, crew->stuck ? STUCK_NS : PROGRAM_NS + more_ns)) {
		crew->stuck = true;
		return false;
	}
	crew->stuck = false;
	kill_strays(crew);
	forget(crew);
	return true;
}

void storm_crew_add_hanging(const struct storm_crew *crew, const struct storm_task *tasks,
			    struct buf *out)
{
	const struct storm_record *record;
	size_t named = 0, more = 0;
	char state, wchan[64];
	pid_t pid;

	for (size_t i = 0; i < crew->count; i++) {
		record = &crew->records[i];
		pid = record->child ? record->child : crew->members[i].pid;
		if (!crew->members[i].pid || read_state(pid, &state, wchan))
			continue;
		if (named == 3) {
			more++;
			continue;
		}
		buf_addf(out, "%s%s: %s: pid %d in state %c", named++ ? ", " : "",
			 tasks[i].device, storm_phase_name(record->phase), (int)pid, state);
		if (wchan[0])
			buf_addf(out, " (%s)", wchan);
	}
	if (more)
		buf_addf(out, " and %zu more", more);
}
