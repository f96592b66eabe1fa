// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The keeper is a fork of ours that never execs: it sleeps until it is told a line's number, or
 * until a child has ended, and tells us of both by a pipe. That its pipe closes is its own end.
 */
#include "tracers/command_keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/process_tree.h"
#include "base/xalloc.h"
#include "machine/cgroup.h"
#include "machine/undo_processes.h"

#define POLL_NS (5 * NS_PER_MS)
#define KILL_TIMEOUT_NS (5 * NS_PER_S)

enum { THE_END = COMMAND_LINES }; /* in place of a line's number */

struct message {
	uint32_t line;
	int32_t status;
	int64_t cpu_ns; /* with THE_END */
};

struct command_keeper {
	pid_t pid;
	int ask, answer; /* our ends of the pipes */
	struct cgroup *cgroup;
	struct undo *undo;
	unsigned int entry; /* of its process session */
	uint64_t start_ticks;
	bool noted, gone;
	struct {
		bool ended;
		int status;
	} lines[COMMAND_LINES];
	double cpu_s;
};

/* ---- in the keeper ---- */

struct keeping {
	const struct command_keeping *with;
	struct words environment;
	pid_t pids[COMMAND_LINES];
	int ask, answer, signals;
};

static void tell(const struct keeping *keeping, uint32_t line, int status, int64_t cpu_ns)
{
	const struct message message = { .line = line, .status = status, .cpu_ns = cpu_ns };

	if (write(keeping->answer, &message, sizeof(message)) != sizeof(message))
		_exit(1);
}

static void start_line(struct keeping *keeping, size_t line)
{
	const struct command_keeping *with = keeping->with;
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)with->lines[line], NULL };
	auto_free char *variable = NULL;
	pid_t pid = process_spawn("/bin/sh", argv, keeping->environment.v,
				  line == with->answers ? with->answer_fd : with->words_fd,
				  with->words_fd);

	if (pid < 0) {
		tell(keeping, (uint32_t)line, 127 << 8, 0);
		return;
	}
	keeping->pids[line] = pid;
	if (line == 0) {
		variable = xasprintf("BRUNT_TRACER_PID=%d", (int)pid);
		words_set_variable(&keeping->environment, variable);
	}
}

/* Children of ours, and orphans. */
static void reap(struct keeping *keeping)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < COMMAND_LINES; i++)
			if (keeping->pids[i] == pid) {
				keeping->pids[i] = 0;
				tell(keeping, (uint32_t)i, status, 0);
			}
}

static void __attribute__((noreturn)) say_farewell(struct keeping *keeping)
{
	struct rusage usage;

	reap(keeping);
	getrusage(RUSAGE_CHILDREN, &usage);
	tell(keeping, THE_END, 0, rusage_user_ns(&usage) + rusage_sys_ns(&usage));
	_exit(0);
}

static void __attribute__((noreturn)) keep(struct keeping *keeping)
{
	struct pollfd fds[] = { { .fd = keeping->ask, .events = POLLIN },
				{ .fd = keeping->signals, .events = POLLIN } };
	struct signalfd_siginfo info;
	unsigned char line;

	for (;;) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			_exit(1);
		if (fds[1].revents && read(keeping->signals, &info, sizeof(info)) > 0)
			reap(keeping);
		if (!fds[0].revents)
			continue;
		if (read(keeping->ask, &line, 1) != 1)
			say_farewell(keeping);
		start_line(keeping, line);
	}
}

/* Between fork and the loop. A descriptor of ours that it kept would outlive us as the journal's lock. */
static void __attribute__((noreturn))
become_keeper(const struct command_keeping *with, const struct cgroup *cgroup, const int *ask,
	      const int *answer, pid_t parent)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = SIG_IGN };
	struct keeping keeping = { .with = with, .ask = ask[0], .answer = answer[1] };
	sigset_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, "brunt-keeper");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setsid();
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		sigaction(ignored[i], &action, NULL);
	close(ask[1]);
	close(answer[0]);
	if (cgroup && write(cgroup_procs_fd(cgroup), "0", 1) != 1)
		_exit(1);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	keeping.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (keeping.signals < 0)
		_exit(1);
	for (size_t i = 0; i < with->environment->n; i++)
		words_add(&keeping.environment, with->environment->v[i]);
	tell(&keeping, THE_END, 0, 0); /* ready */
	keep(&keeping);
}

/* ---- outside ---- */

/* Takes one message; 0, -EAGAIN: none is there, -ECHILD: the keeper is gone. */
static int take_message(struct command_keeper *keeper, struct message *message)
{
	ssize_t n;

	do
		n = read(keeper->answer, message, sizeof(*message));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	if (n != sizeof(*message)) {
		keeper->gone = true;
		return -ECHILD;
	}
	if (message->line < COMMAND_LINES) {
		keeper->lines[message->line].ended = true;
		keeper->lines[message->line].status = message->status;
	}
	return 0;
}

static int wait_for_message(const struct command_keeper *keeper, int64_t end_ns, bool finish)
{
	int64_t left = end_ns - clock_mono_ns();
	struct pollfd fds[] = { { .fd = keeper->answer, .events = POLLIN },
				{ .fd = finish ? -1 : interrupt_fd(), .events = POLLIN } };

	if (!finish && interrupt_count())
		return -EINTR;
	if (poll(fds, ARRAY_SIZE(fds), left > 0 ? (int)(left / NS_PER_MS) + 1 : 0) > 0)
		return 0;
	return clock_mono_ns() >= end_ns ? -ETIMEDOUT : 0;
}

/* Until a message of that line came. */
static int wait_for_line(struct command_keeper *keeper, uint32_t line, int64_t end_ns, bool finish,
			 struct message *message)
{
	int rc;

	for (;;) {
		rc = take_message(keeper, message);
		if (!rc && message->line == line)
			return 0;
		if (rc == -EAGAIN)
			rc = wait_for_message(keeper, end_ns, finish);
		if (rc)
			return rc;
	}
}

static int note(struct command_keeper *keeper, struct err *err)
{
	int rc;

	if (keeper->cgroup)
		return 0;
	rc = undo_intend_session(keeper->undo, keeper->pid, &keeper->start_ticks, &keeper->entry,
				 err);
	keeper->noted = !rc;
	return rc;
}

static int start(struct command_keeper *keeper, const struct command_keeping *keeping,
		 const int *ask, const int *answer, struct err *err)
{
	pid_t self = getpid();
	struct message message;
	int rc;

	keeper->pid = fork();
	if (!keeper->pid)
		become_keeper(keeping, keeper->cgroup, ask, answer, self);
	close(ask[0]);
	close(answer[1]);
	keeper->ask = ask[1];
	keeper->answer = answer[0];
	if (keeper->pid < 0)
		return err_sys(err, errno, "fork");
	rc = wait_for_line(keeper, THE_END, clock_mono_ns() + KILL_TIMEOUT_NS, true, &message);
	if (rc)
		return err_sys(err, -rc, "starting the keeper of a tracer");
	return note(keeper, err);
}

int command_keeper_start(struct command_keeper **out, const struct command_keeping *keeping,
			 struct undo *undo, struct err *err)
{
	struct command_keeper *keeper = xcalloc(1, sizeof(*keeper));
	int ask[2], answer[2], rc;

	*keeper = (struct command_keeper){ .ask = -1, .answer = -1, .undo = undo, .cpu_s = NAN };
	if (cgroup_make(keeping->cgroup, undo, &keeper->cgroup, NULL))
		keeper->cgroup = NULL; /* the process session does instead */
	if (pipe2(ask, O_CLOEXEC) < 0) {
		rc = err_sys(err, errno, "pipe");
	} else if (pipe2(answer, O_CLOEXEC) < 0) {
		rc = err_sys(err, errno, "pipe");
		close(ask[0]);
		close(ask[1]);
	} else {
		rc = start(keeper, keeping, ask, answer, err);
		fcntl(keeper->answer, F_SETFL, O_NONBLOCK);
	}
	if (rc) {
		command_keeper_end(keeper, NULL, NULL);
		return rc;
	}
	*out = keeper;
	return 0;
}

int command_keeper_ask(struct command_keeper *keeper, size_t line, struct err *err)
{
	unsigned char number = (unsigned char)line;

	keeper->lines[line].ended = false;
	if (write(keeper->ask, &number, 1) != 1)
		return err_sys(err, errno, "the keeper of the tracer");
	return 0;
}

int command_keeper_wait(struct command_keeper *keeper, size_t line, int64_t end_ns, bool finish,
			int *status)
{
	struct message message;
	int rc;

	if (!keeper->lines[line].ended) {
		rc = wait_for_line(keeper, (uint32_t)line, end_ns, finish, &message);
		if (rc)
			return rc;
	}
	*status = keeper->lines[line].status;
	return 0;
}

size_t command_keeper_signal(const struct command_keeper *keeper, int signal)
{
	return process_signal_descendants(keeper->pid, signal);
}

int command_keeper_wait_empty(const struct command_keeper *keeper, int64_t end_ns, bool finish)
{
	while (command_keeper_signal(keeper, 0)) {
		if (!finish && interrupt_count())
			return -EINTR;
		if (clock_mono_ns() >= end_ns)
			return -ETIMEDOUT;
		clock_sleep_ns(POLL_NS);
	}
	return 0;
}

/* They may fork while we look. */
static void kill_all(const struct command_keeper *keeper)
{
	int64_t end_ns = clock_mono_ns() + KILL_TIMEOUT_NS;

	while (command_keeper_signal(keeper, SIGKILL) && clock_mono_ns() < end_ns)
		clock_sleep_ns(2 * NS_PER_MS);
}

/* What was below a keeper that somebody killed is below us now. */
static size_t kill_session(const struct command_keeper *keeper)
{
	int64_t end_ns = clock_mono_ns() + KILL_TIMEOUT_NS;
	size_t n;

	while ((n = undo_processes(keeper->pid, keeper->start_ticks, true)) &&
	       clock_mono_ns() < end_ns)
		clock_sleep_ns(2 * NS_PER_MS);
	return n;
}

static void end_process(struct command_keeper *keeper)
{
	struct message message;

	kill_all(keeper);
	close_fd(&keeper->ask);
	if (!keeper->gone && !wait_for_line(keeper, THE_END, clock_mono_ns() + KILL_TIMEOUT_NS,
					    true, &message))
		keeper->cpu_s = (double)message.cpu_ns / NS_PER_S;
	kill(keeper->pid, SIGKILL);
	process_wait(keeper->pid, NULL, NULL);
}

int command_keeper_end(struct command_keeper *keeper, double *cpu_s, struct err *err)
{
	bool left = false;

	if (!keeper)
		return 0;
	if (keeper->pid > 0)
		end_process(keeper);
	if (keeper->cgroup) {
		cgroup_kill(keeper->cgroup);
		left = cgroup_populated(keeper->cgroup);
		cgroup_remove(keeper->cgroup);
	} else if (keeper->noted) {
		left = kill_session(keeper) > 0;
		if (!left)
			undo_undone(keeper->undo, keeper->entry);
	}
	if (cpu_s)
		*cpu_s = keeper->cpu_s;
	close_fd(&keeper->ask);
	close_fd(&keeper->answer);
	free(keeper);
	return left ? err_set(err, EBUSY, "processes of the tracer do not die") : 0;
}
