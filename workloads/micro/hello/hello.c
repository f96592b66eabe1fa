// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The small program that the process metrics start, and that starts it: fork, vfork and exec cost
 * by the size of the process that calls them, and brunt is no small one.
 *
 *	hello                   says "Hello world"
 *	hello serve WAY HELLO   reads numbers n (64 bits) from descriptor 0, makes n processes one
 *	                        after the other, and answers with the nanoseconds that took, or with a
 *	                        negative errno; WAY is fork, vfork, spawn, exec or sh
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -ENOEXEC;
}

static int make_one(const char *way, const char *hello)
{
	char *const argv[] = { (char *)hello, NULL };
	char *const line[] = { (char *)"sh", (char *)"-c", (char *)hello, NULL };
	pid_t pid;
	int rc;

	if (!strcmp(way, "spawn")) {
		rc = posix_spawn(&pid, hello, NULL, NULL, argv, environ);
		return rc ? -rc : wait_for(pid);
	}
	pid = !strcmp(way, "vfork") ? vfork() : fork();
	if (pid < 0)
		return -errno;
	if (pid)
		return wait_for(pid);
	if (!strcmp(way, "exec"))
		execve(hello, argv, environ);
	else if (!strcmp(way, "sh"))
		execve("/bin/sh", line, environ);
	else
		_exit(0);
	_exit(127);
}

static int64_t make(uint64_t n, const char *way, const char *hello)
{
	int64_t start_ns = now_ns();
	int rc;

	while (n--) {
		rc = make_one(way, hello);
		if (rc)
			return rc;
	}
	return now_ns() - start_ns;
}

/* Descriptor 3 is for the answers; what hello says goes to 1. */
static int serve(const char *way, const char *hello)
{
	uint64_t n;
	int64_t answer;

	fcntl(0, F_SETFD, FD_CLOEXEC);
	fcntl(3, F_SETFD, FD_CLOEXEC);
	while (read(0, &n, sizeof(n)) == sizeof(n)) {
		answer = make(n, way, hello);
		if (write(3, &answer, sizeof(answer)) != sizeof(answer))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "serve"))
		return serve(argv[2], argv[3]);
	return write(1, "Hello world\n", 12) == 12 ? 0 : 1;
}
