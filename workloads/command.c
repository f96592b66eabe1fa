// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Any program. The child is forked, has left our session and terminal and sleeps at a gate
 * before the clock starts, so that the time from the release to its end holds exec and its work
 * and no fork of ours; tracers find a process to attach to. What it used until the release is
 * taken off its rusage.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/cgroup.h"
#include "machine/gate.h"
#include "workloads/workload.h"

extern char **environ;

enum { STOP_GRACE_MS = 700, READY_TIMEOUT_S = 30 };

static const struct key_spec keys[] = {
	{ "argv", KEY_ARGV, .summary = "the program and its arguments; or give them behind --" },
	{ "shell", KEY_BOOL, "no", .summary = "hand argv to /bin/sh -c as one line" },
	{ "output", KEY_ENUM, "keep", "keep|null",
	  .summary = "stdout and stderr: files of the run, or thrown away" },
	{ 0 },
};

static const struct metric_spec metrics[] = {
	{ "real", "s", BETTER_LOWER, true, "from the release to the program's end" },
	{ "user", "s", BETTER_LOWER, true, "CPU in user mode, with waited-for children" },
	{ "sys", "s", BETTER_LOWER, true, "CPU in the kernel, with waited-for children" },
	{ "cpu", "s", BETTER_LOWER, true, "user + sys, exact where their split is sampled" },
	{ "max_rss", "B", BETTER_LOWER, false, "largest resident set of one process" },
	{ "minor_faults", "", BETTER_LOWER, false, "page faults without IO" },
	{ "major_faults", "", BETTER_LOWER, false, "page faults with IO" },
	{ "voluntary_switches", "", BETTER_NONE, false, "context switches by waiting" },
	{ "involuntary_switches", "", BETTER_LOWER, false, "context switches by preemption" },
	{ 0 },
};
enum { REAL, USER, SYS, CPU, MAX_RSS, MINFLT, MAJFLT, NVCSW, NIVCSW };

/* What parent and child share; the child writes before it execs. */
struct shared {
	struct rusage at_release;
	volatile int exec_errno;
};

struct command_state {
	struct words argv;
	char *path;
	bool keep_output;
	struct gate *gate;
	struct shared *shared;
	struct cgroup *cgroup; /* NULL: none to be had */
	struct undo *undo;
	unsigned int undo_entry;
	bool undo_open;

	/* of the current run */
	struct words env;
	pid_t pid; /* 0: none, or reaped */
	int pidfd, out_fd, err_fd;
	int64_t start_ns, end_ns;
	int status;
	struct rusage usage;
	int64_t cgroup_before_ns;
};

static int read_argv(const struct keys *given, struct words *argv, struct err *err)
{
	const char *text = keys_text(given, keys, "argv");

	if (!text)
		return err_usage(err, "no program: give it behind --, or argv= in each -c");
	if (!keys_bool(given, keys, "shell"))
		return words_split_shell(text, argv, err);
	words_add(argv, "/bin/sh");
	words_add(argv, "-c");
	words_add(argv, text);
	return 0;
}

static int find_program(const struct words *argv, char **path, struct err *err)
{
	int rc = process_find(argv->v[0], path);

	if (rc)
		return err_missing(err, "program %s: %s", argv->v[0], strerror(-rc));
	return 0;
}

static int command_check(const struct keys *given, struct buf *plan_text, struct err *err)
{
	auto_words struct words argv = WORDS_INIT;
	auto_free char *path = NULL, *quoted = NULL;
	int rc;

	rc = read_argv(given, &argv, err);
	if (!rc)
		rc = find_program(&argv, &path, err);
	if (rc)
		return rc;
	quoted = words_quote_shell((const char *const *)argv.v, argv.n);
	buf_addf(plan_text, "%s (%s)", quoted, path);
	return 0;
}

static void command_teardown(void *p)
{
	struct command_state *state = p;

	cgroup_remove(state->cgroup);
	gate_free(state->gate);
	if (state->shared)
		munmap(state->shared, sizeof(*state->shared));
	words_release(&state->argv);
	words_release(&state->env);
	free(state->path);
	free(state);
}

static int command_setup(const struct keys *given, const struct workload_site *site, void **ret,
			 struct err *err)
{
	static unsigned int instance;
	auto_free char *name = xasprintf("brunt-%s-%u", site->session, ++instance);
	struct command_state *state = xcalloc(1, sizeof(*state));
	struct err ignored;
	void *memory;
	int rc;

	state->undo = site->undo;
	state->keep_output = !strcmp(keys_text(given, keys, "output"), "keep");
	state->pidfd = state->out_fd = state->err_fd = -1;
	rc = read_argv(given, &state->argv, err);
	if (!rc)
		rc = find_program(&state->argv, &state->path, err);
	memory = mmap(NULL, sizeof(*state->shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	state->gate = gate_new();
	state->shared = memory == MAP_FAILED ? NULL : memory;
	if (!rc && (!state->gate || !state->shared))
		rc = err_sys(err, ENOMEM, "shared memory");
	if (rc) {
		command_teardown(state);
		return rc;
	}
	if (cgroup_make(name, site->undo, &state->cgroup, &ignored))
		state->cgroup = NULL; /* the process session does instead */
	*ret = state;
	return 0;
}

static void make_environment(struct command_state *state, const struct words *extra)
{
	words_release(&state->env);
	for (char **e = environ; *e; e++) {
		size_t name = strcspn(*e, "=");
		bool replaced = !strncmp(*e, "LC_ALL=", 7);

		for (size_t i = 0; i < extra->n; i++)
			replaced |= !strncmp(*e, extra->v[i], name + 1);
		if (!replaced)
			words_add(&state->env, *e);
	}
	words_add(&state->env, "LC_ALL=C");
	for (size_t i = 0; i < extra->n; i++)
		words_add(&state->env, extra->v[i]);
}

/* Until the release nothing of what happens here is timed. Never returns. */
static void run_child(struct command_state *state, pid_t parent)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	setsid();
	for (int sig = 1; sig < 32; sig++)
		sigaction(sig, &action, NULL);
	if (state->cgroup && write(cgroup_procs_fd(state->cgroup), "0", 1) != 1)
		_exit(126);
	dup2(null, STDIN_FILENO);
	dup2(state->out_fd >= 0 ? state->out_fd : null, STDOUT_FILENO);
	dup2(state->err_fd >= 0 ? state->err_fd : null, STDERR_FILENO);
	if (syscall(SYS_close_range, 3, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */) < 0)
		_exit(126);
	getrusage(RUSAGE_SELF, &state->shared->at_release);
	if (gate_wait(state->gate))
		_exit(126);
	execve(state->path, state->argv.v, state->env.v);
	state->shared->exec_errno = errno;
	_exit(127);
}

static int open_output(struct command_state *state, struct run_context *context, struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC;

	if (!state->keep_output)
		return 0;
	state->out_fd = openat(context->folder_fd, "stdout", flags, 0644);
	state->err_fd = openat(context->folder_fd, "stderr", flags, 0644);
	if (state->out_fd < 0 || state->err_fd < 0)
		return err_sys(err, errno, "output in %s", context->folder);
	return 0;
}

/* Without a cgroup the session that the child leads is what `brunt clean` can find again. */
static int note_session(struct command_state *state, struct err *err)
{
	uint64_t ticks = 0;
	int rc;

	if (state->cgroup)
		return 0;
	process_start_ticks(state->pid, &ticks);
	rc = undo_intend(state->undo, "session",
			 json_pack("{s:I,s:I,s:I}", "pid", (json_int_t)state->pid, "start_ticks",
				   (json_int_t)ticks, "sid", (json_int_t)state->pid),
			 &state->undo_entry, err);
	state->undo_open = !rc;
	return rc;
}

static int command_prepare(void *p, struct run_context *context, struct target *target,
			   struct err *err)
{
	struct command_state *state = p;
	pid_t self = getpid();
	int64_t user_ns, sys_ns;
	int rc;

	state->pid = 0;
	state->end_ns = 0;
	state->shared->exec_errno = 0;
	gate_reset(state->gate);
	make_environment(state, context->environment);
	rc = open_output(state, context, err);
	if (rc)
		return rc;
	state->pid = fork();
	if (state->pid == 0)
		run_child(state, self);
	if (state->pid < 0) {
		state->pid = 0;
		return err_sys(err, errno, "fork");
	}
	state->pidfd = (int)syscall(SYS_pidfd_open, state->pid, 0);
	if (state->pidfd < 0)
		return err_sys(err, errno, "pidfd_open");
	rc = gate_wait_ready(state->gate, 1, READY_TIMEOUT_S * NS_PER_S);
	if (rc)
		return err_sys(err, -rc, "the child did not get ready");
	rc = note_session(state, err);
	if (rc)
		return rc;
	state->cgroup_before_ns = -1;
	if (state->cgroup && !cgroup_cpu_ns(state->cgroup, &user_ns, &sys_ns))
		state->cgroup_before_ns = user_ns + sys_ns;
	target->pgid = state->pid;
	return 0;
}

/* All of the command's processes: politely, then not. */
static void stop_processes(struct command_state *state)
{
	struct pollfd fd = { .fd = state->pidfd, .events = POLLIN };

	kill(-state->pid, SIGTERM);
	poll(&fd, 1, STOP_GRACE_MS);
	kill(-state->pid, SIGKILL);
	if (state->cgroup)
		cgroup_kill(state->cgroup);
	process_wait(state->pid, &state->status, &state->usage);
	state->pid = 0;
}

static int command_execute(void *p, struct run_context *context, struct err *err)
{
	struct command_state *state = p;
	struct pollfd fds[2] = { { .fd = state->pidfd, .events = POLLIN },
				 { .fd = interrupt_fd(), .events = POLLIN } };
	int rc;

	state->start_ns = gate_open(state->gate);
	while (!(fds[0].revents & POLLIN) && !interrupt_count())
		poll(fds, 2, -1);
	state->end_ns = clock_mono_ns();
	if (!(fds[0].revents & POLLIN)) {
		stop_processes(state);
		return err_set(err, EINTR, "interrupted");
	}
	rc = process_wait(state->pid, &state->status, &state->usage);
	if (rc)
		return err_sys(err, -rc, "wait4");
	state->pid = 0;
	(void)context;
	return 0;
}

/* The last words of a file of the run, for messages. */
static void add_last_line(struct buf *out, const struct run_context *context, const char *name)
{
	auto_buf struct buf text = BUF_INIT;
	char *line;

	if (files_read_at(context->folder_fd, name, 1 << 20, &text) || !text.len)
		return;
	while (text.len && strchr("\n\r \t", text.s[text.len - 1]))
		text.s[--text.len] = '\0';
	line = strrchr(text.s, '\n');
	line = line ? line + 1 : text.s;
	if (*line)
		buf_addf(out, ": %.200s", line);
}

static void judge_end(struct command_state *state, struct run_context *context)
{
	auto_buf struct buf text = BUF_INIT;

	if (state->shared->exec_errno) {
		run_fail(context->run, "%s: %s", state->path, strerror(state->shared->exec_errno));
		return;
	}
	if (WIFEXITED(state->status) && WEXITSTATUS(state->status) == 0)
		return;
	process_add_status(&text, state->status);
	if (state->keep_output)
		add_last_line(&text, context, "stderr");
	run_fail(context->run, "%s", text.s);
}

/* CPU of processes that nobody waited for is in the cgroup and in no rusage. */
static void judge_cgroup(struct command_state *state, struct run_context *context, double cpu_s)
{
	int64_t user_ns, sys_ns;
	double all_s;

	if (!state->cgroup)
		return;
	if (cgroup_populated(state->cgroup))
		run_mark(context->run, "leftover_processes",
			 "the command left processes running; they are killed");
	if (state->cgroup_before_ns < 0 || cgroup_cpu_ns(state->cgroup, &user_ns, &sys_ns))
		return;
	all_s = (double)(user_ns + sys_ns - state->cgroup_before_ns) / 1e9;
	if (all_s > 1.05 * cpu_s + 0.01)
		run_mark(context->run, "unreaped_cpu",
			 "%.3f s of CPU in the command's cgroup, %.3f s in waited-for processes",
			 all_s, cpu_s);
}

static int command_verify(void *p, struct run_context *context, struct err *err)
{
	struct command_state *state = p;
	const struct rusage *u = &state->usage, *at = &state->shared->at_release;
	int64_t user_ns = rusage_user_ns(u) - rusage_user_ns(at);
	int64_t sys_ns = rusage_sys_ns(u) - rusage_sys_ns(at);
	struct run *run = context->run;

	(void)err;
	run_metric(run, &metrics[REAL], (double)(state->end_ns - state->start_ns) / 1e9);
	user_ns = user_ns > 0 ? user_ns : 0; /* the split of so little can shrink */
	sys_ns = sys_ns > 0 ? sys_ns : 0;
	run_metric(run, &metrics[USER], (double)user_ns / 1e9);
	run_metric(run, &metrics[SYS], (double)sys_ns / 1e9);
	run_metric(run, &metrics[CPU], (double)(user_ns + sys_ns) / 1e9);
	run_metric(run, &metrics[MAX_RSS], (double)u->ru_maxrss * 1024);
	run_metric(run, &metrics[MINFLT], (double)(u->ru_minflt - at->ru_minflt));
	run_metric(run, &metrics[MAJFLT], (double)(u->ru_majflt - at->ru_majflt));
	run_metric(run, &metrics[NVCSW], (double)(u->ru_nvcsw - at->ru_nvcsw));
	run_metric(run, &metrics[NIVCSW], (double)(u->ru_nivcsw - at->ru_nivcsw));
	judge_end(state, context);
	judge_cgroup(state, context, (double)(user_ns + sys_ns) / 1e9);
	return 0;
}

/* Empty output files say nothing. */
static void remove_if_empty(const struct run_context *context, const char *name)
{
	struct stat st;

	if (fstatat(context->folder_fd, name, &st, 0) == 0 && st.st_size == 0)
		unlinkat(context->folder_fd, name, 0);
}

static void command_cleanup(void *p, struct run_context *context)
{
	struct command_state *state = p;

	if (state->pid) {
		gate_give_up(state->gate);
		stop_processes(state);
	}
	if (state->cgroup && cgroup_populated(state->cgroup))
		cgroup_kill(state->cgroup);
	close_fd(&state->pidfd);
	close_fd(&state->out_fd);
	close_fd(&state->err_fd);
	if (state->undo_open)
		undo_undone(state->undo, state->undo_entry);
	state->undo_open = false;
	if (state->keep_output) {
		remove_if_empty(context, "stdout");
		remove_if_empty(context, "stderr");
	}
}

static json_t *command_describe(const void *p)
{
	const struct command_state *state = p;
	auto_free char *quoted = words_quote_shell((const char *const *)state->argv.v,
						   state->argv.n);

	return json_pack("{s:o,s:o,s:b}", "command", json_text(quoted), "path",
			 json_text(state->path), "cgroup", state->cgroup != NULL);
}

const struct workload workload_command = {
	.name = "command",
	.summary = "any program: real, user, sys, memory, faults and switches",
	.keys = keys,
	.metrics = metrics,
	.check = command_check,
	.setup = command_setup,
	.teardown = command_teardown,
	.prepare = command_prepare,
	.execute = command_execute,
	.verify = command_verify,
	.cleanup = command_cleanup,
	.describe = command_describe,
};
