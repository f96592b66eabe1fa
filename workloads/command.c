// SPDX-License-Identifier: GPL-3.0-or-later
/* Any program, as workloads/program.h starts and times it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "workloads/command_metrics.h"
#include "workloads/program.h"
#include "workloads/workload.h"

static const struct key_spec keys[] = {
	{ "argv", KEY_ARGV, .summary = "the program and its arguments; or give them behind --" },
	{ "shell", KEY_BOOL, "no",
	  .summary = "hand argv, prepare and cleanup to /bin/sh -c as one line each" },
	{ "output", KEY_ENUM, "keep", "keep|null",
	  .summary = "stdout and stderr: files of the run, or thrown away" },
	{ "prepare", KEY_ARGV, .summary = "a program before each run, not timed" },
	{ "cleanup", KEY_ARGV, .summary = "a program after each run, also after a failed one" },
	{ "expect", KEY_INT, "0", "STATUS", .min = 0, .max = 255,
	  .summary = "the exit status of a good run" },
	{ "metric", KEY_STRING, .values = "NAME:REGEX:UNIT:lower|higher+...",
	  .summary = "figures in the output; the expression is extended, its group the number" },
	{ "parse", KEY_STRING, .values = "FORMAT",
	  .summary = "read the output by a parser (brunt list parsers): metrics FORMAT.NAME" },
	{ 0 },
};

static const struct metric_spec metrics[] = {
	PROGRAM_METRICS,
	{ 0 },
};

/* A program with its arguments; path NULL: none. */
struct step {
	struct words argv;
	char *path;
};

struct command_state {
	struct step main, prepare, cleanup;
	struct command_metrics found;
	int expect;
	bool keep_output;
	struct program *program;

	/* of the current run */
	struct words env;
	struct program_words words;
	int out_fd, err_fd;
};

static int shell_line(const char *text, struct words *argv, struct err *err)
{
	char *line = words_shell_line(text);

	if (!line)
		return err_usage(err, "the line for the shell is empty");
	words_add(argv, "/bin/sh");
	words_add(argv, "-c");
	words_add_taken(argv, line);
	return 0;
}

static int read_argv(const struct keys *given, const char *text, struct words *argv,
		     struct err *err)
{
	if (keys_bool(given, keys, "shell"))
		return shell_line(text, argv, err);
	return words_split_shell(text, argv, err);
}

static void release_step(struct step *step)
{
	words_release(&step->argv);
	free(step->path);
}

/* The program of a key; nothing where it is not given. */
static int read_step(const struct keys *given, const char *key, struct step *step, struct err *err)
{
	const char *text = keys_text(given, keys, key);
	int rc;

	if (!text)
		return 0;
	rc = read_argv(given, text, &step->argv, err);
	if (!rc && !step->argv.n)
		rc = err_usage(err, "%s is empty", key);
	if (rc)
		return rc;
	rc = process_find(step->argv.v[0], &step->path);
	if (rc)
		return err_missing(err, "program %s: %s", step->argv.v[0], strerror(-rc));
	return 0;
}

static void release(struct command_state *state)
{
	program_free(state->program);
	release_step(&state->main);
	release_step(&state->prepare);
	release_step(&state->cleanup);
	command_metrics_release(&state->found);
	words_release(&state->env);
}

/* What plan and setup have in common: no side effects. */
static int judge(const struct keys *given, struct command_state *state, struct err *err)
{
	const char *metric = keys_get(given, "metric"), *parse = keys_get(given, "parse");
	int rc;

	if (!keys_get(given, "argv"))
		return err_usage(err, "no program: give it behind --, or argv= in each -c");
	state->expect = (int)keys_int(given, keys, "expect");
	state->keep_output = !strcmp(keys_text(given, keys, "output"), "keep");
	if (!state->keep_output && (metric || parse))
		return err_usage(err, "output=null throws away what %s is to read",
				 metric ? "metric" : "parse");
	rc = read_step(given, "argv", &state->main, err);
	if (!rc)
		rc = read_step(given, "prepare", &state->prepare, err);
	if (!rc)
		rc = read_step(given, "cleanup", &state->cleanup, err);
	if (!rc)
		rc = command_metrics_read(metric, parse, metrics, &state->found, err);
	return rc;
}

static int command_check(const struct keys *given, const struct guard_consent *consent,
			 struct buf *plan_text, struct err *err)
{
	struct command_state state = { .out_fd = -1, .err_fd = -1 };
	auto_free char *quoted = NULL;
	int rc = judge(given, &state, err);

	(void)consent;
	if (!rc) {
		quoted = words_quote_shell((const char *const *)state.main.argv.v,
					   state.main.argv.n);
		buf_addf(plan_text, "%s (%s)", quoted, state.main.path);
	}
	release(&state);
	return rc;
}

static void command_teardown(void *p)
{
	release(p);
	free(p);
}

static int command_setup(const struct keys *given, const struct workload_site *site, void **ret,
			 struct err *err)
{
	struct command_state *state = xcalloc(1, sizeof(*state));
	int rc;

	state->out_fd = state->err_fd = -1;
	rc = judge(given, state, err);
	if (!rc)
		rc = program_new(site, &state->program, err);
	if (rc) {
		command_teardown(state);
		return rc;
	}
	*ret = state;
	return 0;
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

/* The last words of a file of the run, for messages; however long it is. */
static void add_last_line(struct buf *out, const struct run_context *context, const char *name)
{
	auto_close int fd = openat(context->folder_fd, name, O_RDONLY | O_CLOEXEC);
	char text[4097], *line;
	off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END), most = sizeof(text) - 1;
	ssize_t n = end <= 0 ? -1 : pread(fd, text, (size_t)most, end > most ? end - most : 0);

	while (n > 0 && strchr("\n\r \t", text[n - 1]))
		n--;
	if (n <= 0)
		return;
	text[n] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (*line)
		buf_addf(out, ": %.200s", line);
}

/* Empty output files say nothing. */
static void remove_if_empty(const struct run_context *context, const char *name)
{
	struct stat st;

	if (fstatat(context->folder_fd, name, &st, 0) == 0 && st.st_size == 0)
		unlinkat(context->folder_fd, name, 0);
}

/* prepare and cleanup, whose words go to a file of that name beside the run. */
static int run_step(struct command_state *state, const struct run_context *context,
		    const struct step *step, const char *name, bool finish, struct err *err)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, status, rc;
	auto_close int fd = openat(context->folder_fd, name, flags, 0644);
	auto_buf struct buf text = BUF_INIT;
	const struct program_words words = { .path = step->path, .argv = step->argv.v,
					     .envp = state->env.v, .out_fd = fd, .err_fd = fd,
					     .finish = finish };

	if (fd < 0)
		return err_sys(err, errno, "%s/%s", context->folder, name);
	rc = program_once(state->program, &words, &status, err);
	if (!rc && status) {
		process_add_status(&text, status);
		add_last_line(&text, context, name);
		rc = err_set(err, EIO, "%s: %s", step->argv.v[0], text.s);
	}
	remove_if_empty(context, name);
	return rc;
}

static int command_prepare(void *p, struct run_context *context, struct target *target,
			   struct err *err)
{
	struct command_state *state = p;
	int rc;

	program_environment(context->environment, &state->env);
	rc = state->prepare.path ? run_step(state, context, &state->prepare, "prepare", false, err) :
				   0;
	if (!rc)
		rc = open_output(state, context, err);
	if (rc)
		return rc;
	state->words = (struct program_words){ .path = state->main.path,
					       .argv = state->main.argv.v,
					       .envp = state->env.v, .out_fd = state->out_fd,
					       .err_fd = state->err_fd };
	return program_prepare(state->program, &state->words, target, err);
}

static int command_execute(void *p, struct run_context *context, struct err *err)
{
	struct command_state *state = p;

	(void)context;
	return program_execute(state->program, err);
}

static bool is_as_expected(const struct command_state *state, int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == state->expect;
}

static void judge_end(struct command_state *state, struct run_context *context)
{
	auto_buf struct buf text = BUF_INIT;
	int status;

	if (!program_judge(state->program, context->run, &status) ||
	    is_as_expected(state, status))
		return;
	process_add_status(&text, status);
	if (state->expect)
		buf_addf(&text, ", not %d", state->expect);
	if (state->keep_output)
		add_last_line(&text, context, "stderr");
	run_fail(context->run, "%s", text.s);
}

static int command_verify(void *p, struct run_context *context, struct err *err)
{
	struct command_state *state = p;

	judge_end(state, context);
	program_report(state->program, metrics, context->run);
	if (run_status(context->run) == RUN_OK && command_metrics_collect(&state->found, context))
		return err_set(err, EINTR, "interrupted");
	return 0;
}

static void command_cleanup(void *p, struct run_context *context)
{
	struct command_state *state = p;

	struct err err = { 0 };

	program_end(state->program);
	close_fd(&state->out_fd);
	close_fd(&state->err_fd);
	if (state->cleanup.path &&
	    run_step(state, context, &state->cleanup, "cleanup", true, &err))
		run_fail(context->run, "cleanup: %s", err.text);
	if (state->keep_output) {
		remove_if_empty(context, "stdout");
		remove_if_empty(context, "stderr");
	}
}

static json_t *command_describe(const void *p)
{
	const struct command_state *state = p;
	auto_free char *quoted = words_quote_shell((const char *const *)state->main.argv.v,
						   state->main.argv.n);

	return json_pack("{s:o,s:o,s:b}", "command", json_text(quoted), "path",
			 json_text(state->main.path), "cgroup", program_has_cgroup(state->program));
}

/* Does a word of the command name a file of the current folder? Another folder has another one. */
static bool needs_folder(const struct step *step)
{
	for (size_t i = 1; i < step->argv.n; i++)
		if (*step->argv.v[i] != '/' && *step->argv.v[i] != '-' &&
		    files_exists(step->argv.v[i]))
			return true;
	return false;
}

static json_t *command_found(const void *p)
{
	const struct command_state *state = p;
	auto_free char *path = files_absolute(state->main.path), *here = files_absolute(".");
	json_t *found = json_object();

	json_object_set_new(found, "program", json_text(path));
	json_object_set_new(found, "folder", json_text(needs_folder(&state->main) ? here : NULL));
	return found;
}

static void command_places(const void *p, struct words *out)
{
	(void)p;
	words_add(out, ".");
}

/* A metric that the keys say the output has. */
static bool command_promises(const struct keys *given, const char *name)
{
	const char *parse = keys_get(given, "parse");
	struct command_metrics found;
	bool promised = false;

	if (command_metrics_read(keys_get(given, "metric"), parse, metrics, &found, NULL))
		return false;
	for (size_t i = 0; i < found.n; i++)
		promised |= !strcmp(found.v[i].name, name);
	if (found.parser && !strncmp(name, parse, strlen(parse)))
		promised |= name[strlen(parse)] == '.';
	command_metrics_release(&found);
	return promised;
}

static void command_tell(const void *p, const struct keys *given, struct buf *out)
{
	const struct command_state *state = p;
	auto_free char *quoted = words_quote_shell((const char *const *)state->main.argv.v,
						   state->main.argv.n);

	(void)given;
	buf_add(out, quoted);
}

const struct workload workload_command = {
	.name = "command",
	.summary = "any program: real, user, sys, memory, faults and switches",
	.keys = keys,
	.metrics = metrics,
	.finds_metrics = true,
	.promises = command_promises,
	.check = command_check,
	.setup = command_setup,
	.teardown = command_teardown,
	.prepare = command_prepare,
	.execute = command_execute,
	.verify = command_verify,
	.cleanup = command_cleanup,
	.describe = command_describe,
	.found = command_found,
	.places = command_places,
	.tell = command_tell,
};
