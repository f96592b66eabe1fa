// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Each worker holds the writing end of one pipe, which nobody writes to: its end of file says
 * that the last one is gone. So the parent sleeps through the timed part, whatever the number of
 * workers, where SIGCHLD or a pidfd each would wake it for every worker that ends.
 */
#include "workloads/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/xalloc.h"

#define STUCK_NS (100 * NS_PER_MS)

void crew_init(struct crew *crew, size_t count)
{
	*crew = (struct crew){ .count = count, .ended_fd = -1 };
	crew->members = xcalloc(count, sizeof(*crew->members));
}

void crew_release(struct crew *crew)
{
	close_fd(&crew->ended_fd);
	free(crew->members);
	*crew = (struct crew)CREW_INIT;
}

/* In the child: what it inherited from brunt and must not keep. */
static void leave_parent(const struct crew *crew, pid_t parent)
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

int crew_fork(struct crew *crew, int (*work)(void *arg, size_t i), void *arg, struct err *err)
{
	const pid_t parent = getpid();
	sigset_t all, old;
	int pipes[2], rc = 0;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	crew->ended_fd = pipes[0];
	/* none may reach brunt's handlers in a child */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	for (size_t i = 0; !rc && i < crew->count; i++) {
		pid = fork();
		if (pid == 0) {
			leave_parent(crew, parent);
			_exit(work(arg, i));
		}
		if (pid < 0) {
			rc = err_sys(err, errno, "starting worker %zu of %zu", i + 1, crew->count);
			break;
		}
		crew->members[i] = (struct crew_member){ .pid = pid };
		if (!crew->pgid)
			crew->pgid = pid;
		setpgid(pid, crew->pgid); /* the child does it too: whoever comes first */
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pipes[1]);
	return rc;
}

/* stop_fd ends the wait with -EINTR; -1: nothing does. */
static int wait_ended(const struct crew *crew, int stop_fd, int64_t until_ns)
{
	struct pollfd fds[] = {
		{ .fd = crew->ended_fd, .events = POLLIN },
		{ .fd = stop_fd, .events = POLLIN },
	};
	struct timespec ts;
	int64_t left;
	int n;

	do {
		left = until_ns - clock_mono_ns();
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

int crew_wait(const struct crew *crew, int64_t until_ns)
{
	return wait_ended(crew, interrupt_fd(), until_ns);
}

int crew_wait_leaving(const struct crew *crew, int64_t timeout_ns)
{
	return wait_ended(crew, -1, clock_mono_ns() + (crew->stuck ? STUCK_NS : timeout_ns));
}

/* True when none is left. */
static bool reap(struct crew *crew, int flags)
{
	struct crew_member *member;
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

void crew_reap(struct crew *crew)
{
	reap(crew, 0);
}

bool crew_kill(struct crew *crew, int64_t timeout_ns)
{
	int rc;

	if (!crew->pgid)
		return true; /* 0 would be our own group */
	kill(-crew->pgid, SIGKILL);
	rc = crew_wait_leaving(crew, timeout_ns);
	crew->stuck = !reap(crew, rc ? WNOHANG : 0);
	return !crew->stuck;
}

void crew_forget(struct crew *crew)
{
	crew->pgid = 0;
	crew->stuck = false;
	close_fd(&crew->ended_fd);
}
