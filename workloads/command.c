// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Any program. A launcher is forked beforehand, leaves our session and terminal, moves into the
 * run's cgroup and sleeps at a gate, so that tracers find a process group to attach to. Released,
 * it starts the program by vfork and exec and waits for it: the rusage is the program's alone,
 * without page tables that a fork of brunt would copy and exec throw away, and its peak memory
 * does not start at brunt's own (the kernel hands that on through exec), only at the launcher's,
 * which is 1 to 2 MB. Null in its place would leave the larger ones of a small program's runs.
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
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/cgroup.h"
#include "machine/gate.h"
#include "machine/undo_processes.h"
#include "workloads/workload.h"

extern char **environ;

enum { STOP_GRACE_MS = 700, READY_TIMEOUT_S = 30, KILL_TIMEOUT_S = 5 };

static const struct key_spec keys[] = {
	{ "argv", KEY_ARGV, .summary = "the program and its arguments; or give them behind --" },
	{ "shell", KEY_BOOL, "no", .summary = "hand argv to /bin/sh -c as one line" },
	{ "output", KEY_ENUM, "keep", "keep|null",
	  .summary = "stdout and stderr: files of the run, or thrown away" },
	{ 0 },
};

static const struct metric_spec metrics[] = {
	{ "real", "s", BETTER_LOWER, true, "from before vfork and exec to the program's end" },
	{ "user", "s", BETTER_LOWER, true, "CPU in user mode, with waited-for children" },
	{ "sys", "s", BETTER_LOWER, true, "CPU in the kernel, with waited-for children" },
	{ "cpu", "s", BETTER_LOWER, true, "user + sys, exact where their split is sampled" },
	{ "max_rss", "B", BETTER_LOWER, false,
	  "largest resident set of one process; not below that of the launcher, 1 to 2 MB" },
	{ "minor_faults", "", BETTER_LOWER, false, "page faults without IO" },
	{ "major_faults", "", BETTER_LOWER, false, "page faults with IO" },
	{ "voluntary_switches", "", BETTER_NONE, false, "context switches by waiting" },
	{ "involuntary_switches", "", BETTER_LOWER, false, "context switches by preemption" },
	{ 0 },
};
enum { REAL, USER, SYS, CPU, MAX_RSS, MINFLT, MAJFLT, NVCSW, NIVCSW };

/* What the launcher leaves to us. */
struct outcome {
	int64_t start_ns, end_ns;
	int error; /* of exec or wait, before the gate of the cgroup; negative errno, 0: it ran */
	int status;
	struct rusage usage;
};

struct command_state {
	struct words argv;
	char *path;
	bool keep_output;
	struct gate *gate;
	struct outcome *outcome; /* in memory shared with the launcher */
	struct cgroup *cgroup; /* NULL: none to be had */
	struct undo *undo;
	unsigned int undo_entry;
	bool undo_open;

	/* of the current run */
	struct words env;
	pid_t launcher; /* 0: none, or reaped */
	pid_t sid;	/* the process session that the launcher leads; outlives it */
	uint64_t start_ticks;
	int pidfd, out_fd, err_fd;
	int64_t cgroup_before_ns;
};

/*
 * One word, as -- 'a && b' gives it, is the line itself; all else stands as it was given, also
 * what is no words: its quotes are the shell's business.
 */
static int shell_line(const char *text, struct words *argv, struct err *err)
{
	auto_words struct words words = WORDS_INIT;
	const char *line = text;

	if (!words_split_shell(text, &words, NULL) && words.n == 1)
		line = words.v[0];
	if (!line[strspn(line, " \t\n")])
		return err_usage(err, "the line for the shell is empty");
	words_add(argv, "/bin/sh");
	words_add(argv, "-c");
	words_add(argv, line);
	return 0;
}

static int read_argv(const struct keys *given, struct words *argv, struct err *err)
{
	const char *text = keys_text(given, keys, "argv");

	if (!text)
		return err_usage(err, "no program: give it behind --, or argv= in each -c");
	if (keys_bool(given, keys, "shell"))
		return shell_line(text, argv, err);
	return words_split_shell(text, argv, err);
}

static int find_program(const struct words *argv, char **path, struct err *err)
{
	int rc = process_find(argv->v[0], path);

	if (rc)
		return err_missing(err, "program %s: %s", argv->v[0], strerror(-rc));
	return 0;
}

static int command_check(const struct keys *given, const struct guard_consent *consent,
			 struct buf *plan_text, struct err *err)
{
	auto_words struct words argv = WORDS_INIT;
	auto_free char *path = NULL, *quoted = NULL;
	int rc;

	(void)consent;
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
	if (state->outcome)
		munmap(state->outcome, sizeof(*state->outcome));
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
	memory = mmap(NULL, sizeof(*state->outcome), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	state->gate = gate_new();
	state->outcome = memory == MAP_FAILED ? NULL : memory;
	if (!rc && (!state->gate || !state->outcome))
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
	for (char **e = environ; *e; e++)
		words_add(&state->env, *e);
	words_set_variable(&state->env, "LC_ALL=C");
	for (size_t i = 0; i < extra->n; i++)
		words_set_variable(&state->env, extra->v[i]);
}

/* Starts the program and waits for it; nothing but this is timed. */
static void launch(struct command_state *state)
{
	struct outcome *outcome = state->outcome;
	pid_t pid;

	outcome->start_ns = clock_mono_ns();
	pid = process_spawn(state->path, state->argv.v, state->env.v, state->out_fd, state->err_fd);
	outcome->error = pid < 0 ? pid : process_wait(pid, &outcome->status, &outcome->usage);
	outcome->end_ns = clock_mono_ns();
}

static void run_launcher(struct command_state *state, pid_t parent)
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
	if (state->cgroup && write(cgroup_procs_fd(state->cgroup), "0", 1) != 1) {
		state->outcome->error = -errno;
		_exit(126);
	}
	if (gate_wait(state->gate))
		_exit(126);
	launch(state);
	_exit(0);
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
	int rc;

	if (state->cgroup)
		return 0;
	state->sid = state->launcher;
	process_start_ticks(state->launcher, &state->start_ticks);
	rc = undo_intend(state->undo, "session",
			 json_pack("{s:I,s:I,s:I}", "pid", (json_int_t)state->sid, "start_ticks",
				   (json_int_t)state->start_ticks, "sid", (json_int_t)state->sid),
			 &state->undo_entry, err);
	state->undo_open = !rc;
	return rc;
}

static int wait_for_launcher(struct command_state *state, struct err *err)
{
	int rc = gate_wait_ready(state->gate, 1, P_PID, (id_t)state->launcher,
				 READY_TIMEOUT_S * NS_PER_S);

	if (rc == -ECHILD && state->outcome->error)
		return err_sys(err, -state->outcome->error, "moving into the cgroup %s",
			       cgroup_path(state->cgroup));
	if (rc == -ECHILD)
		return err_set(err, ECHILD, "the launcher ended before it was ready");
	return rc ? err_sys(err, -rc, "the launcher did not get ready") : 0;
}

static int command_prepare(void *p, struct run_context *context, struct target *target,
			   struct err *err)
{
	struct command_state *state = p;
	pid_t self = getpid();
	int64_t user_ns, sys_ns;
	int rc;

	state->launcher = state->sid = 0;
	memset(state->outcome, 0, sizeof(*state->outcome));
	gate_reset(state->gate);
	make_environment(state, context->environment);
	rc = open_output(state, context, err);
	if (rc)
		return rc;
	state->launcher = fork();
	if (state->launcher == 0)
		run_launcher(state, self);
	if (state->launcher < 0) {
		state->launcher = 0;
		return err_sys(err, errno, "fork");
	}
	state->pidfd = (int)syscall(SYS_pidfd_open, state->launcher, 0);
	if (state->pidfd < 0)
		return err_sys(err, errno, "pidfd_open");
	rc = wait_for_launcher(state, err);
	if (!rc)
		rc = note_session(state, err);
	if (rc)
		return rc;
	state->cgroup_before_ns = -1;
	if (state->cgroup && !cgroup_cpu_ns(state->cgroup, &user_ns, &sys_ns))
		state->cgroup_before_ns = user_ns + sys_ns;
	target->pgid = state->launcher;
	return 0;
}

/* All of the command's processes: politely, then not. */
static void stop_processes(struct command_state *state)
{
	struct pollfd fd = { .fd = state->pidfd, .events = POLLIN };

	kill(-state->launcher, SIGTERM);
	if (fd.fd >= 0)
		poll(&fd, 1, STOP_GRACE_MS);
	kill(-state->launcher, SIGKILL);
	if (state->cgroup)
		cgroup_kill(state->cgroup);
	process_wait(state->launcher, NULL, NULL);
	state->launcher = 0;
}

static int command_execute(void *p, struct run_context *context, struct err *err)
{
	struct command_state *state = p;
	struct pollfd fds[2] = { { .fd = state->pidfd, .events = POLLIN },
				 { .fd = interrupt_fd(), .events = POLLIN } };

	(void)context;
	gate_open(state->gate);
	while (!(fds[0].revents & POLLIN) && !interrupt_count())
		poll(fds, 2, -1);
	if (!(fds[0].revents & POLLIN)) {
		stop_processes(state);
		return err_set(err, EINTR, "interrupted");
	}
	process_wait(state->launcher, NULL, NULL);
	state->launcher = 0;
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

	if (!state->outcome->end_ns) {
		run_fail(context->run, "the launcher of %s was killed", state->path);
		return;
	}
	if (state->outcome->error) {
		run_fail(context->run, "%s: %s", state->path, strerror(-state->outcome->error));
		return;
	}
	if (state->outcome->status == 0)
		return;
	process_add_status(&text, state->outcome->status);
	if (state->keep_output)
		add_last_line(&text, context, "stderr");
	run_fail(context->run, "%s", text.s);
}

static bool left_processes(const struct command_state *state)
{
	if (state->cgroup)
		return cgroup_populated(state->cgroup);
	return state->sid && undo_processes(state->sid, state->start_ticks, false) > 0;
}

/* The session's may fork while we look. */
static void kill_left_processes(const struct command_state *state)
{
	int64_t end_ns = clock_mono_ns() + KILL_TIMEOUT_S * NS_PER_S;

	if (state->cgroup) {
		cgroup_kill(state->cgroup);
		return;
	}
	while (undo_processes(state->sid, state->start_ticks, true) && clock_mono_ns() < end_ns)
		clock_sleep_ns(2 * NS_PER_MS);
}

/* CPU of processes that nobody waited for is in the cgroup and in no rusage. */
static void judge_cgroup(struct command_state *state, struct run_context *context, double cpu_s)
{
	int64_t user_ns, sys_ns;
	double all_s;

	if (!state->cgroup)
		return;
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
	const struct outcome *outcome = state->outcome;
	const struct rusage *u = &outcome->usage;
	int64_t user_ns = rusage_user_ns(u), sys_ns = rusage_sys_ns(u);
	struct run *run = context->run;

	(void)err;
	judge_end(state, context);
	if (left_processes(state))
		run_mark(run, "leftover_processes",
			 "the command left processes running; they are killed");
	if (!outcome->end_ns || outcome->error)
		return 0;
	run_metric(run, &metrics[REAL], (double)(outcome->end_ns - outcome->start_ns) / 1e9);
	run_metric(run, &metrics[USER], (double)user_ns / 1e9);
	run_metric(run, &metrics[SYS], (double)sys_ns / 1e9);
	run_metric(run, &metrics[CPU], (double)(user_ns + sys_ns) / 1e9);
	run_metric(run, &metrics[MAX_RSS], (double)u->ru_maxrss * 1024);
	run_metric(run, &metrics[MINFLT], (double)u->ru_minflt);
	run_metric(run, &metrics[MAJFLT], (double)u->ru_majflt);
	run_metric(run, &metrics[NVCSW], (double)u->ru_nvcsw);
	run_metric(run, &metrics[NIVCSW], (double)u->ru_nivcsw);
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

	if (state->launcher) {
		gate_give_up(state->gate);
		stop_processes(state);
	}
	if (left_processes(state))
		kill_left_processes(state);
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

static void command_tell(const void *p, const struct keys *given, struct buf *out)
{
	const struct command_state *state = p;
	auto_free char *quoted = words_quote_shell((const char *const *)state->argv.v,
						   state->argv.n);

	(void)given;
	buf_add(out, quoted);
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
	.tell = command_tell,
};
