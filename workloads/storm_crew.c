// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_crew.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"

#define READY_NS (30 * NS_PER_S)
#define READY_EACH_NS (100 * NS_PER_MS)
#define TERM_NS (2 * NS_PER_S)
#define KILL_NS (10 * NS_PER_S)
#define PROGRAM_NS (5 * NS_PER_S)
#define END_EACH_NS (10 * NS_PER_MS)
#define STUCK_NS (100 * NS_PER_MS)

int storm_crew_init(struct storm_crew *crew, size_t count, struct cgroup *cgroup, struct err *err)
{
	*crew = (struct storm_crew){ .count = count, .cgroup = cgroup };
	crew_init(&crew->processes, count);
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
	return 0;
}

void storm_crew_release(struct storm_crew *crew)
{
	storm_crew_stop(crew);
	cgroup_remove(crew->cgroup);
	gate_free(crew->gate);
	barrier_free(crew->barrier);
	if (crew->records)
		munmap(crew->records, crew->count * sizeof(*crew->records));
	crew_release(&crew->processes);
	*crew = (struct storm_crew)STORM_CREW_INIT;
}

/* What the forked ones need to know. */
struct start {
	const struct storm_crew *crew;
	const struct storm_job *job;
	const struct storm_task *tasks;
};

static int work(void *arg, size_t i)
{
	const struct start *start = arg;
	const struct cgroup *cgroup = start->crew->cgroup;

	if (cgroup && write(cgroup_procs_fd(cgroup), "0", 1) != 1) {
		start->crew->records[i].failure.error = errno;
		return 1;
	}
	return storm_worker_run(start->job, &start->tasks[i]);
}

static int wait_ready(struct storm_crew *crew, struct err *err)
{
	int64_t timeout_ns = READY_NS + (int64_t)crew->count * READY_EACH_NS;
	int rc = gate_wait_ready(crew->gate, (uint32_t)crew->count, P_PGID,
				 (id_t)crew->processes.pgid, timeout_ns);

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
	struct start start = { crew, job, tasks };
	int rc;

	if (!storm_crew_stop(crew))
		return err_set(err, EBUSY, "workers of an earlier run still hang");
	memset(crew->records, 0, crew->count * sizeof(*crew->records));
	gate_reset(crew->gate);
	barrier_reset(crew->barrier, (uint32_t)crew->count, turns);
	crew->start_ns = 0;
	rc = crew_fork(&crew->processes, work, &start, err);
	if (!rc)
		rc = wait_ready(crew, err);
	if (rc)
		storm_crew_stop(crew);
	return rc;
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

/* A program that sleeps in the kernel outlives its killed worker, and what it holds stays held. */
static bool has_program(const struct storm_crew *crew)
{
	char state, wchan[64];
	pid_t child;

	for (size_t i = 0; i < crew->count; i++) {
		child = crew->records[i].child;
		if (child && getpgid(child) == crew->processes.pgid && !read_state(child, &state, wchan))
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
	rc = crew_wait(&crew->processes, clock_mono_ns() + timeout_ns);
	if (!rc) {
		crew_reap(&crew->processes);
		crew_forget(&crew->processes);
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
	const int64_t more_ns = (int64_t)crew->count * END_EACH_NS;
	struct crew *processes = &crew->processes;
	bool was_stuck = processes->stuck;

	if (processes->pgid) {
		if (crew->start_ns)
			kill(-processes->pgid, SIGTERM);
		else
			gate_give_up(crew->gate);
		crew_wait_leaving(processes, TERM_NS + more_ns);
		/* Where the workers are gone, what they had started may still be there. */
		if (!crew_kill(processes, KILL_NS + more_ns))
			return false;
		if (!wait_programs(crew, was_stuck ? STUCK_NS : PROGRAM_NS + more_ns)) {
			processes->stuck = true;
			return false;
		}
	}
	kill_strays(crew);
	crew_forget(processes);
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
		pid = record->child ? record->child : crew->processes.members[i].pid;
		if (!crew->processes.members[i].pid || read_state(pid, &state, wchan))
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
