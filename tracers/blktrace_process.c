// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/blktrace_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/undo_processes.h"

#define DEBUGFS_FD 3
#define WORDS_BYTES 65536
#define LINE_BYTES 600 /* of all its words in a message */

struct blktrace_process {
	pid_t pid;
	int pidfd, words; /* memfd that its stdout and stderr go to */
	struct undo *undo;
	unsigned int entry;
	bool noted, reaped;
	int status;
	double cpu_s;
};

static void set_file_limit(uint64_t files)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= files)
		return;
	limit.rlim_cur = files < limit.rlim_max ? files : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Between fork and exec. Waits for the word of the parent, which is what stands in the journal. */
static void __attribute__((noreturn))
become_blktrace(const struct blktrace_command *command, int words, int go, pid_t parent)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;
	char byte;
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	setsid();
	for (int sig = 1; sig < 32; sig++)
		sigaction(sig, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (read(go, &byte, 1) != 1)
		_exit(127);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(words, STDOUT_FILENO);
	dup2(words, STDERR_FILENO);
	if (command->debugfs == DEBUGFS_FD)
		fcntl(DEBUGFS_FD, F_SETFD, 0);
	else if (command->debugfs >= 0)
		dup2(command->debugfs, DEBUGFS_FD);
	close_range(command->debugfs >= 0 ? DEBUGFS_FD + 1 : DEBUGFS_FD, ~0u, 0);
	set_file_limit(command->files);
	setenv("LC_ALL", "C", 1);
	execv(command->path, command->argv);
	dprintf(STDERR_FILENO, "%s: %s\n", command->path, strerror(errno));
	_exit(127);
}

static int note(struct blktrace_process *process, struct err *err)
{
	uint64_t ticks;
	int rc = undo_intend_session(process->undo, process->pid, &ticks, &process->entry, err);

	process->noted = !rc;
	return rc;
}

static int start(struct blktrace_process *process, const struct blktrace_command *command,
		 const int *pipes, struct err *err)
{
	pid_t self = getpid();
	int rc;

	process->pid = fork();
	if (process->pid == 0)
		become_blktrace(command, process->words, pipes[0], self);
	if (process->pid < 0)
		return err_sys(err, errno, "fork");
	process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (process->pidfd < 0)
		return err_sys(err, errno, "pidfd_open");
	rc = note(process, err);
	if (!rc && write(pipes[1], "", 1) != 1)
		rc = err_sys(err, errno, "starting blktrace");
	return rc;
}

int blktrace_process_start(struct blktrace_process **out, const struct blktrace_command *command,
			   struct undo *undo, struct err *err)
{
	struct blktrace_process *process = xcalloc(1, sizeof(*process));
	int pipes[2], rc;

	process->undo = undo;
	process->pidfd = -1;
	process->words = memfd_create("blktrace", MFD_CLOEXEC);
	/* Both streams write to it, each behind what is there. */
	if (process->words >= 0)
		fcntl(process->words, F_SETFL, O_APPEND);
	if (process->words < 0 || pipe2(pipes, O_CLOEXEC) < 0) {
		rc = err_sys(err, errno, "starting blktrace");
	} else {
		rc = start(process, command, pipes, err);
		close(pipes[0]);
		close(pipes[1]);
	}
	if (rc) {
		blktrace_process_free(process);
		return rc;
	}
	*out = process;
	return 0;
}

pid_t blktrace_process_pid(const struct blktrace_process *process)
{
	return process->pid;
}

static void reap(struct blktrace_process *process)
{
	struct rusage usage = { 0 };

	process_wait(process->pid, &process->status, &usage);
	process->cpu_s = (double)(rusage_user_ns(&usage) + rusage_sys_ns(&usage)) / NS_PER_S;
	process->reaped = true;
	if (process->noted)
		undo_undone(process->undo, process->entry);
}

bool blktrace_process_ended(struct blktrace_process *process, int64_t ns)
{
	struct pollfd fd = { .fd = process->pidfd, .events = POLLIN };
	int64_t end = clock_mono_ns() + ns, left;

	while (!process->reaped) {
		left = end - clock_mono_ns();
		if (poll(&fd, 1, left > 0 ? (int)((left + NS_PER_MS - 1) / NS_PER_MS) : 0) > 0)
			reap(process);
		else if (left <= 0)
			return false;
	}
	return true;
}

int blktrace_process_stop(struct blktrace_process *process, int64_t ns, double *cpu_s,
			  struct err *err)
{
	int rc = 0;

	if (!process->reaped)
		kill(process->pid, SIGINT);
	if (!blktrace_process_ended(process, ns)) {
		rc = err_set(err, ETIMEDOUT, "blktrace did not end within %.1f s of SIGINT: killed",
			     (double)ns / NS_PER_S);
		kill(process->pid, SIGKILL);
		reap(process);
	}
	*cpu_s = process->cpu_s;
	return rc;
}

void blktrace_process_kill(struct blktrace_process *process, double *cpu_s)
{
	if (!process->reaped) {
		kill(process->pid, SIGKILL);
		reap(process);
	}
	if (cpu_s)
		*cpu_s = process->cpu_s;
}

/* The beginning of what it said; belongs to the caller. */
static char *read_words(const struct blktrace_process *process)
{
	char *text = xmalloc(WORDS_BYTES);
	ssize_t n = pread(process->words, text, WORDS_BYTES - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

void blktrace_process_add_words(const struct blktrace_process *process, bool complaints,
				struct buf *out)
{
	auto_free char *text = read_words(process);
	char *rest = text, *line;
	size_t start = out->len;

	while ((line = strsep(&rest, "\n")) && out->len - start < LINE_BYTES) {
		line += strspn(line, " \t");
		if (complaints && !strncmp(line, "=== ", 4))
			break;
		if (*line)
			buf_addf(out, "%s%.200s", out->len > start ? "; " : "", line);
	}
	if (out->len == start)
		buf_add(out, "(no word)");
}

void blktrace_process_add_status(const struct blktrace_process *process, struct buf *out)
{
	process_add_status(out, process->status);
}

uint64_t blktrace_process_dropped(const struct blktrace_process *process)
{
	auto_free char *text = read_words(process);
	uint64_t sum = 0, one;
	const char *at = text;

	/* "  Total:   6173 events (dropped 0),   290 KiB data", a device each */
	while ((at = strstr(at, "(dropped "))) {
		at += strlen("(dropped ");
		if (sscanf(at, "%" SCNu64, &one) == 1)
			sum += one;
	}
	return sum;
}

void blktrace_process_free(struct blktrace_process *process)
{
	if (!process)
		return;
	if (process->pid > 0)
		blktrace_process_kill(process, NULL);
	close_fd(&process->pidfd);
	close_fd(&process->words);
	free(process);
}
