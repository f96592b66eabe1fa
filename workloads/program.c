// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/program.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/cgroup.h"
#include "machine/gate.h"
#include "machine/undo_processes.h"

extern char **environ;

enum { STOP_GRACE_MS = 700, READY_TIMEOUT_S = 30, KILL_TIMEOUT_S = 5 };
enum { REAL, USER, SYS, CPU, MAX_RSS, MINFLT, MAJFLT, NVCSW, NIVCSW, CPU_PERCENT, INPUT, OUTPUT };
enum { RUSAGE_BLOCK = 512 };

/* What the launcher leaves to us. */
struct outcome {
	int64_t start_ns, end_ns;
	int error; /* of exec or wait, before the gate of the cgroup; negative errno, 0: it ran */
	int status;
	struct rusage usage;
};

struct program {
	struct gate *gate;
	struct outcome *outcome; /* in memory shared with the launcher */
	struct cgroup *cgroup; /* NULL: none to be had */
	struct undo *undo;
	unsigned int undo_entry;
	bool undo_open;

	/* of the current run */
	const struct program_words *words;
	pid_t launcher; /* 0: none, or reaped */
	pid_t sid;	/* the process session that the launcher leads; outlives it */
	uint64_t start_ticks;
	int pidfd;
	int64_t cgroup_before_ns;
};

void program_free(struct program *program)
{
	if (!program)
		return;
	cgroup_remove(program->cgroup);
	gate_free(program->gate);
	if (program->outcome)
		munmap(program->outcome, sizeof(*program->outcome));
	free(program);
}

int program_new(const struct workload_site *site, struct program **out, struct err *err)
{
	static unsigned int instance;
	auto_free char *name = xasprintf("brunt-%s-%u", site->session, ++instance);
	struct program *program = xcalloc(1, sizeof(*program));
	struct err ignored;
	void *memory;

	program->undo = site->undo;
	program->pidfd = -1;
	memory = mmap(NULL, sizeof(*program->outcome), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	program->gate = gate_new();
	program->outcome = memory == MAP_FAILED ? NULL : memory;
	if (!program->gate || !program->outcome) {
		program_free(program);
		return err_sys(err, ENOMEM, "shared memory");
	}
	if (cgroup_make(name, site->undo, &program->cgroup, &ignored))
		program->cgroup = NULL; /* the process session does instead */
	*out = program;
	return 0;
}

bool program_has_cgroup(const struct program *program)
{
	return program->cgroup != NULL;
}

void program_environment(const struct words *extra, struct words *out)
{
	words_release(out);
	for (char **e = environ; *e; e++)
		words_add(out, *e);
	words_set_variable(out, "LC_ALL=C");
	for (size_t i = 0; i < extra->n; i++)
		words_set_variable(out, extra->v[i]);
}

/* Starts the program and waits for it; nothing but this is timed. */
static void launch(struct program *program)
{
	const struct program_words *words = program->words;
	struct outcome *outcome = program->outcome;
	pid_t pid;

	outcome->start_ns = clock_mono_ns();
	pid = process_spawn(words->path, words->argv, words->envp, words->out_fd, words->err_fd);
	outcome->error = pid < 0 ? pid : process_wait(pid, &outcome->status, &outcome->usage);
	outcome->end_ns = clock_mono_ns();
}

static void run_launcher(struct program *program, pid_t parent)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = SIG_DFL };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	setsid();
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaction(handled[i], &action, NULL);
	/* If we died of it, so would the program, before it has cleaned up. */
	action.sa_handler = SIG_IGN;
	sigaction(SIGTERM, &action, NULL);
	if (program->cgroup && write(cgroup_procs_fd(program->cgroup), "0", 1) != 1) {
		program->outcome->error = -errno;
		_exit(126);
	}
	if (gate_wait(program->gate))
		_exit(126);
	launch(program);
	_exit(0);
}

/* Without a cgroup the session that the child leads is what `brunt clean` can find again. */
static int note_session(struct program *program, struct err *err)
{
	int rc;

	if (program->cgroup)
		return 0;
	program->sid = program->launcher;
	rc = undo_intend_session(program->undo, program->sid, &program->start_ticks,
				 &program->undo_entry, err);
	program->undo_open = !rc;
	return rc;
}

static int wait_for_launcher(struct program *program, struct err *err)
{
	int rc = gate_wait_ready(program->gate, 1, P_PID, (id_t)program->launcher,
				 READY_TIMEOUT_S * NS_PER_S);

	if (rc == -ECHILD && program->outcome->error)
		return err_sys(err, -program->outcome->error, "moving into the cgroup %s",
			       cgroup_path(program->cgroup));
	if (rc == -ECHILD)
		return err_set(err, ECHILD, "the launcher ended before it was ready");
	return rc ? err_sys(err, -rc, "the launcher did not get ready") : 0;
}

int program_prepare(struct program *program, const struct program_words *words,
		    struct target *target, struct err *err)
{
	pid_t self = getpid();
	int64_t user_ns, sys_ns;
	int rc;

	program->words = words;
	program->launcher = program->sid = 0;
	memset(program->outcome, 0, sizeof(*program->outcome));
	gate_reset(program->gate);
	program->launcher = fork();
	if (program->launcher == 0)
		run_launcher(program, self);
	if (program->launcher < 0) {
		program->launcher = 0;
		return err_sys(err, errno, "fork");
	}
	program->pidfd = (int)syscall(SYS_pidfd_open, program->launcher, 0);
	if (program->pidfd < 0)
		return err_sys(err, errno, "pidfd_open");
	/* An interrupt ends this wait, which only who attaches to the launcher needs. */
	rc = words->finish ? 0 : wait_for_launcher(program, err);
	if (!rc)
		rc = note_session(program, err);
	if (rc)
		return rc;
	program->cgroup_before_ns = -1;
	if (program->cgroup && !cgroup_cpu_ns(program->cgroup, &user_ns, &sys_ns))
		program->cgroup_before_ns = user_ns + sys_ns;
	if (target)
		target->pgid = program->launcher;
	return 0;
}

/* All of the program's processes: politely, then not. */
static void stop_processes(struct program *program)
{
	struct pollfd fd = { .fd = program->pidfd, .events = POLLIN };

	kill(-program->launcher, SIGTERM);
	if (fd.fd >= 0)
		poll(&fd, 1, STOP_GRACE_MS);
	kill(-program->launcher, SIGKILL);
	if (program->cgroup)
		cgroup_kill(program->cgroup);
	process_wait(program->launcher, NULL, NULL);
	program->launcher = 0;
}

int program_execute(struct program *program, struct err *err)
{
	int seen = program->words->finish ? interrupt_count() : 0;
	struct pollfd fds[2] = { { .fd = program->pidfd, .events = POLLIN },
				 { .fd = seen ? -1 : interrupt_fd(), .events = POLLIN } };

	gate_open(program->gate);
	while (!(fds[0].revents & POLLIN) && interrupt_count() == seen)
		poll(fds, 2, -1);
	if (!(fds[0].revents & POLLIN)) {
		stop_processes(program);
		return err_set(err, EINTR, "interrupted");
	}
	process_wait(program->launcher, NULL, NULL);
	program->launcher = 0;
	return 0;
}

static bool left_processes(const struct program *program)
{
	if (program->cgroup)
		return cgroup_populated(program->cgroup);
	return program->sid && undo_processes(program->sid, program->start_ticks, false) > 0;
}

/* The session's may fork while we look. */
static void kill_left_processes(const struct program *program)
{
	int64_t end_ns = clock_mono_ns() + KILL_TIMEOUT_S * NS_PER_S;

	if (program->cgroup) {
		cgroup_kill(program->cgroup);
		return;
	}
	while (undo_processes(program->sid, program->start_ticks, true) && clock_mono_ns() < end_ns)
		clock_sleep_ns(2 * NS_PER_MS);
}

/* CPU of processes that nobody waited for is in the cgroup and in no rusage. */
static void judge_cgroup(const struct program *program, struct run *run, double cpu_s)
{
	int64_t user_ns, sys_ns;
	double all_s;

	if (!program->cgroup)
		return;
	if (program->cgroup_before_ns < 0 || cgroup_cpu_ns(program->cgroup, &user_ns, &sys_ns))
		return;
	all_s = (double)(user_ns + sys_ns - program->cgroup_before_ns) / 1e9;
	if (all_s > 1.05 * cpu_s + 0.01)
		run_mark(run, "unreaped_cpu",
			 "%.3f s of CPU in the command's cgroup, %.3f s in waited-for processes",
			 all_s, cpu_s);
}

void program_end(struct program *program)
{
	if (program->launcher) {
		gate_give_up(program->gate);
		stop_processes(program);
	}
	if (left_processes(program))
		kill_left_processes(program);
	close_fd(&program->pidfd);
	if (program->undo_open)
		undo_undone(program->undo, program->undo_entry);
	program->undo_open = false;
	program->sid = 0;
}

int program_once(struct program *program, const struct program_words *words, int *wait_status,
		 struct err *err)
{
	const struct outcome *outcome = program->outcome;
	int rc = program_prepare(program, words, NULL, err);

	if (!rc)
		rc = program_execute(program, err);
	program_end(program);
	if (rc)
		return rc;
	if (!outcome->end_ns)
		return err_set(err, ECHILD, "the launcher of %s was killed", words->path);
	if (outcome->error)
		return err_sys(err, -outcome->error, "%s", words->path);
	*wait_status = outcome->status;
	return 0;
}

bool program_judge(const struct program *program, struct run *run, int *status)
{
	const struct outcome *outcome = program->outcome;

	if (!outcome->end_ns) {
		run_fail(run, "the launcher of %s was killed", program->words->path);
		return false;
	}
	if (outcome->error) {
		run_fail(run, "%s: %s", program->words->path,
			 outcome->error == -ENOENT && files_exists(program->words->path) ?
				 "the interpreter that its first line names is missing" :
				 strerror(-outcome->error));
		return false;
	}
	*status = outcome->status;
	return true;
}

static void report_usage(const struct outcome *outcome, const struct metric_spec *metrics,
			 struct run *run)
{
	const struct rusage *u = &outcome->usage;
	double real_s = (double)(outcome->end_ns - outcome->start_ns) / 1e9;
	double user_s = (double)rusage_user_ns(u) / 1e9, sys_s = (double)rusage_sys_ns(u) / 1e9;

	run_metric(run, &metrics[REAL], real_s);
	run_metric(run, &metrics[USER], user_s);
	run_metric(run, &metrics[SYS], sys_s);
	run_metric(run, &metrics[CPU], user_s + sys_s);
	run_metric(run, &metrics[MAX_RSS], (double)u->ru_maxrss * 1024);
	run_metric(run, &metrics[MINFLT], (double)u->ru_minflt);
	run_metric(run, &metrics[MAJFLT], (double)u->ru_majflt);
	run_metric(run, &metrics[NVCSW], (double)u->ru_nvcsw);
	run_metric(run, &metrics[NIVCSW], (double)u->ru_nivcsw);
	run_metric(run, &metrics[CPU_PERCENT], 100 * (user_s + sys_s) / real_s);
	run_metric(run, &metrics[INPUT], (double)u->ru_inblock * RUSAGE_BLOCK);
	run_metric(run, &metrics[OUTPUT], (double)u->ru_oublock * RUSAGE_BLOCK);
}

void program_report(const struct program *program, const struct metric_spec *metrics,
		    struct run *run)
{
	const struct outcome *outcome = program->outcome;

	if (left_processes(program))
		run_mark(run, "leftover_processes",
			 "the command left processes running; they are killed");
	if (!outcome->end_ns || outcome->error)
		return;
	report_usage(outcome, metrics, run);
	judge_cgroup(program, run, (double)(rusage_user_ns(&outcome->usage) +
					    rusage_sys_ns(&outcome->usage)) / 1e9);
}
