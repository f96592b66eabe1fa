// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/units.h"
#include "base/words.h"
#include "base/xalloc.h"

extern char **environ;

/* 0 for a file that we may execute; folders may be "executed" too, as access(2) sees it. */
static int check_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || access(path, X_OK) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? -EISDIR : 0;
}

int process_find(const char *name, char **path)
{
	const char *env = getenv("PATH");
	auto_free char *all = xasprintf("%s:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin",
					env ? env : "");
	auto_words struct words folders = WORDS_INIT;
	char *candidate;
	int rc;

	if (strchr(name, '/')) {
		rc = check_program(name);
		if (!rc)
			*path = xstrdup(name);
		return rc;
	}
	words_split_at(all, ':', &folders);
	for (size_t i = 0; i < folders.n; i++) {
		if (!*folders.v[i])
			continue;
		candidate = files_join(folders.v[i], name);
		if (check_program(candidate) == 0) {
			*path = candidate;
			return 0;
		}
		free(candidate);
	}
	return -ENOENT;
}

/* What every child does between fork and exec. Only async-signal-safe calls. */
static void become_child(int out_fd, int err_fd)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* exec resets the handlers, but one could run before it; SIGPIPE would stay ignored. */
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaction(handled[i], &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(out_fd >= 0 ? out_fd : null, STDOUT_FILENO);
	dup2(err_fd >= 0 ? err_fd : null, STDERR_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

struct spawn {
	const char *path;
	char *const *argv, *const *envp;
	int out, err;
	volatile int failed; /* the child's errno: it shares our memory until it execs */
};

static __attribute__((noinline)) pid_t vfork_exec(struct spawn *spawn)
{
	pid_t pid = vfork();

	if (pid == 0) {
		become_child(spawn->out, spawn->err);
		execve(spawn->path, spawn->argv, spawn->envp);
		spawn->failed = errno;
		_exit(127);
	}
	return pid;
}

pid_t process_spawn(const char *path, char *const *argv, char *const *envp, int out, int err)
{
	struct spawn spawn = { .path = path, .argv = argv, .envp = envp, .out = out, .err = err };
	sigset_t all, old;
	pid_t pid;

	/* No handler of ours may run in the child while it shares our memory. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = vfork_exec(&spawn);
	if (pid < 0)
		spawn.failed = errno;
	else if (spawn.failed)
		process_wait(pid, NULL, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return spawn.failed ? -spawn.failed : pid;
}

int process_wait(pid_t pid, int *status, struct rusage *usage)
{
	int local;

	while (wait4(pid, status ? status : &local, 0, usage) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* -EAGAIN: nothing there now; 0: the end. */
static ssize_t read_chunk(int fd, size_t limit, struct buf *out)
{
	char chunk[4096];
	ssize_t n;

	do
		n = read(fd, chunk, sizeof(chunk));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (out->len + (size_t)n <= limit)
		buf_addn(out, chunk, (size_t)n);
	return n;
}

/*
 * Until the end of file, or until the child has ended and nothing is there: what it left behind
 * may hold the other end. -EINTR when the user stopped us.
 */
static int read_limited(int fd, int child, size_t limit, struct buf *out)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
				{ .fd = child, .events = POLLIN },
				{ .fd = interrupt_fd(), .events = POLLIN } };
	ssize_t n;

	buf_clear(out);
	for (;;) {
		if (interrupt_count())
			return -EINTR;
		if (poll(fds, ARRAY_SIZE(fds), -1) <= 0)
			continue;
		if (fds[0].revents) {
			n = read_chunk(fd, limit, out);
			if (n <= 0)
				return (int)n;
		} else if (fds[1].revents) {
			return 0;
		}
	}
}

/* The words of a child that was started, and its end. */
static int capture(pid_t pid, int fd, struct buf *out, int *status)
{
	auto_close int child = (int)syscall(SYS_pidfd_open, pid, 0);
	int rc = read_limited(fd, child, 1 << 20, out), wait_rc;

	if (rc)
		kill(pid, SIGKILL);
	wait_rc = process_wait(pid, status, NULL);
	return rc ? rc : wait_rc;
}

int process_capture(const char *const *argv, struct buf *out, int *status, struct err *err)
{
	auto_words struct words env = WORDS_INIT;
	auto_free char *path = NULL;
	int pipes[2], rc;
	pid_t pid;

	rc = process_find(argv[0], &path);
	if (rc)
		return err_sys(err, -rc, "%s", argv[0]);
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "LC_", 3) != 0 && strncmp(*e, "LANG", 4) != 0)
			words_add(&env, *e);
	words_add(&env, "LC_ALL=C");
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	pid = process_spawn(path, (char *const *)argv, env.v, pipes[1], pipes[1]);
	close(pipes[1]);
	if (pid < 0) {
		close(pipes[0]);
		return err_sys(err, -pid, "%s", path);
	}
	rc = capture(pid, pipes[0], out, status);
	close(pipes[0]);
	if (rc == -EINTR)
		return err_set(err, EINTR, "interrupted");
	return rc ? err_sys(err, -rc, "waiting for %s", path) : 0;
}

void process_adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void process_reap_orphans(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

void process_add_status(struct buf *out, int wait_status)
{
	if (WIFSIGNALED(wait_status))
		buf_addf(out, "signal %d (%s)", WTERMSIG(wait_status),
			 strsignal(WTERMSIG(wait_status)));
	else
		buf_addf(out, "exit status %d", WEXITSTATUS(wait_status));
}

int process_start_ticks(pid_t pid, uint64_t *ticks)
{
	auto_buf struct buf text = BUF_INIT;
	char path[64], *p;
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	rc = files_read_at(AT_FDCWD, path, 4096, &text);
	if (rc)
		return rc;
	p = strrchr(text.s, ')'); /* the command name may hold anything, blanks and ')' too */
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (!p)
		return -EINVAL;
	p[1 + strcspn(p + 1, " ")] = '\0';
	return units_parse_u64(p + 1, ticks);
}

static int64_t timeval_ns(const struct timeval *tv)
{
	return tv->tv_sec * NS_PER_S + tv->tv_usec * 1000;
}

int64_t rusage_user_ns(const struct rusage *usage)
{
	return timeval_ns(&usage->ru_utime);
}

int64_t rusage_sys_ns(const struct rusage *usage)
{
	return timeval_ns(&usage->ru_stime);
}
