// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/partner.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "workloads/micro/watchdog.h"

int micro_pin(int cpu)
{
	cpu_set_t *set;
	size_t size;
	int rc;

	if (cpu < 0)
		return 0;
	set = CPU_ALLOC((size_t)cpu + 1);
	if (!set)
		return -ENOMEM;
	size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	rc = sched_setaffinity(0, size, set) < 0 ? -errno : 0;
	CPU_FREE(set);
	return rc;
}

/* All but those of keep and the first three. */
static void close_others(const int *keep, size_t n)
{
	unsigned int next = 3;

	for (;;) {
		unsigned int kept = ~0U;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= (int)next && (unsigned int)keep[i] < kept)
				kept = (unsigned int)keep[i];
		if (kept > next)
			close_range(next, kept == ~0U ? kept : kept - 1, 0);
		if (kept == ~0U)
			return;
		next = kept + 1;
	}
}

static void run_partner(const struct micro_partner *partner, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	prctl(PR_SET_NAME, "brunt-partner");
	close_others(partner->keep, partner->nkeep);
	micro_pin(partner->cpu);
	partner->work(partner->arg);
	_exit(0);
}

pid_t micro_partner_start(const struct micro_partner *partner, struct err *err)
{
	pid_t self = getpid(), pid = fork();

	if (pid == 0)
		run_partner(partner, self);
	if (pid < 0)
		return err_sys(err, errno, "fork of a partner");
	return pid;
}

void micro_partner_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	process_wait(pid, NULL, NULL);
}

int micro_local_socket(int type, struct sockaddr_in *name, struct err *err)
{
	socklen_t len = sizeof(*name);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return micro_no_descriptor(err, errno, "socket");
	*name = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	if (bind(fd, (struct sockaddr *)name, sizeof(*name)) < 0 ||
	    (type == SOCK_STREAM && listen(fd, SOMAXCONN) < 0) ||
	    getsockname(fd, (struct sockaddr *)name, &len) < 0) {
		int rc = err_sys(err, errno, "a socket of 127.0.0.1");

		close(fd);
		return rc;
	}
	return fd;
}

static int connect_to(const struct sockaddr_in *name, int listening, int *fd, int *peer,
		      struct err *err)
{
	*fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return micro_no_descriptor(err, errno, "socket");
	if (connect(*fd, (const struct sockaddr *)name, sizeof(*name)) < 0)
		return err_sys(err, errno, "connect to 127.0.0.1");
	*peer = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	return *peer < 0 ? micro_no_descriptor(err, errno, "accept") : 0;
}

int micro_connect_pair(int *fd, int *peer, struct err *err)
{
	struct sockaddr_in name;
	int listening = micro_local_socket(SOCK_STREAM, &name, err), rc;

	*fd = *peer = -1;
	if (listening < 0)
		return listening;
	rc = connect_to(&name, listening, fd, peer, err);
	close(listening);
	if (rc)
		close_fd(fd);
	return rc;
}

int micro_read_all(int fd, void *bytes, size_t n)
{
	char *at = bytes;

	while (n) {
		ssize_t got = read(fd, at, n);

		if (got < 0 && errno == EINTR && !micro_watchdog_is_over())
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EPIPE;
		at += got;
		n -= (size_t)got;
	}
	return 0;
}

int micro_write_all(int fd, const void *bytes, size_t n)
{
	return files_write_all(fd, bytes, n);
}

int micro_no_descriptor(struct err *err, int code, const char *what)
{
	struct rlimit limit;

	if (code == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0)
		return err_set(err, code, "too few descriptors: the limit is %llu (ulimit -n)",
			       (unsigned long long)limit.rlim_cur);
	return err_sys(err, code, "%s", what);
}
