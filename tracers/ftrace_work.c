// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/ftrace_work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/process_tree.h"
#include "base/xalloc.h"

#define FOLLOWED "set_event_pid"
#define LEFT_OUT "set_event_notrace_pid"

/* PROC_PID_INIT_INO of the kernel: the pid namespace that all others are in. */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCu

bool ftrace_work_can_follow(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == FIRST_PID_NAMESPACE;
}

static void add_process(struct ftrace_work *work, pid_t pid)
{
	size_t n;
	auto_free pid_t *tids = process_threads(pid, &n);

	for (size_t i = 0; i < n; i++) {
		GROW(work->tids, work->n, work->cap);
		work->tids[work->n++] = tids[i];
	}
}

void ftrace_work_find(struct ftrace_work *work)
{
	size_t n;
	auto_free pid_t *pids = process_descendants(getpid(), &n);

	add_process(work, getpid());
	for (size_t i = 0; i < n; i++)
		add_process(work, pids[i]);
}

void ftrace_work_release(struct ftrace_work *work)
{
	free(work->tids);
	*work = (struct ftrace_work){ 0 };
}

/* Each write adds to the list: opening with O_TRUNC would have emptied it. */
static int add_pids(int fd, const char *file, const pid_t *pids, size_t n, struct err *err)
{
	auto_close int list = openat(fd, file, O_WRONLY | O_APPEND | O_CLOEXEC);
	char text[16];

	if (list < 0)
		return err_sys(err, errno, "tracefs: %s of an instance", file);
	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%d\n", (int)pids[i]);
		if (write(list, text, strlen(text)) < 0)
			return err_sys(err, errno, "tracefs: writing to %s", file);
	}
	return 0;
}

int ftrace_work_follow(int fd, const struct ftrace_work *work, struct err *err)
{
	int rc = files_write_value_at(fd, "options/event-fork", "1");

	if (rc)
		return err_missing(err, "scope=work: this kernel cannot follow forks "
				   "(options/event-fork): %s", strerror(-rc));
	return add_pids(fd, FOLLOWED, work->tids, work->n, err);
}

int ftrace_work_leave_out(int fd, const pid_t *pids, size_t n, struct err *err)
{
	return add_pids(fd, LEFT_OUT, pids, n, err);
}

static int empty_list(int fd, const char *file)
{
	int list = openat(fd, file, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (list < 0)
		return errno == ENOENT ? 0 : -errno;
	close(list);
	return 0;
}

int ftrace_work_forget(int fd)
{
	int rc = empty_list(fd, FOLLOWED), left_out_rc = empty_list(fd, LEFT_OUT);

	return rc ? rc : left_out_rc;
}
