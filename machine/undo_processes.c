// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/undo_processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"

static bool is_member(pid_t pid, pid_t sid, uint64_t start_ticks)
{
	auto_buf struct buf text = BUF_INIT;
	uint64_t start;
	char path[64], state;
	const char *p;
	int session;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (files_read_at(AT_FDCWD, path, 4096, &text))
		return false;
	p = strrchr(text.s, ')'); /* the command name may hold anything */
	/* fields 3 state, 6 session, 22 start time */
	if (!p || sscanf(p + 1,
			 " %c %*d %*d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			 "%*s %" SCNu64,
			 &state, &session, &start) != 3)
		return false;
	return session == sid && start >= start_ticks && !strchr("ZXx", state);
}

/* Between looking and killing a number may go to another process: a descriptor holds on to it. */
static bool kill_member(pid_t pid, pid_t sid, uint64_t start_ticks)
{
	auto_close int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0 || !is_member(pid, sid, start_ticks))
		return false;
	return syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0;
}

size_t undo_processes(pid_t sid, uint64_t start_ticks, bool kill)
{
	DIR *list = opendir("/proc");
	const struct dirent *entry;
	size_t found = 0;
	pid_t pid;

	if (!list)
		return 0;
	while ((entry = readdir(list))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (!is_member(pid, sid, start_ticks))
			continue;
		found++;
		if (kill)
			kill_member(pid, sid, start_ticks);
	}
	closedir(list);
	return found;
}

int undo_intend_session(struct undo *undo, pid_t leader, uint64_t *start_ticks,
			unsigned int *entry, struct err *err)
{
	int rc = process_start_ticks(leader, start_ticks);

	if (rc)
		return err_sys(err, -rc, "process %d", (int)leader);
	return undo_intend(undo, "session",
			   json_pack("{s:I, s:I, s:I}", "pid", (json_int_t)leader, "start_ticks",
				     (json_int_t)*start_ticks, "sid", (json_int_t)leader),
			   entry, err);
}
