// SPDX-License-Identifier: GPL-3.0-or-later
/* Any program, as workloads/program.h starts and times it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "workloads/program.h"
#include "workloads/workload.h"

static const struct key_spec keys[] = {
	{ "argv", KEY_ARGV, .summary = "the program and its arguments; or give them behind --" },
	{ "shell", KEY_BOOL, "no", .summary = "hand argv to /bin/sh -c as one line" },
	{ "output", KEY_ENUM, "keep", "keep|null",
	  .summary = "stdout and stderr: files of the run, or thrown away" },
	{ 0 },
};

static const struct metric_spec metrics[] = {
	PROGRAM_METRICS,
	{ 0 },
};

struct command_state {
	struct words argv;
	char *path;
	bool keep_output;
	struct program *program;

	/* of the current run */
	struct words env;
	struct program_words words;
	int out_fd, err_fd;
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

	program_free(state->program);
	words_release(&state->argv);
	words_release(&state->env);
	free(state->path);
	free(state);
}

static int command_setup(const struct keys *given, const struct workload_site *site, void **ret,
			 struct err *err)
{
	struct command_state *state = xcalloc(1, sizeof(*state));
	int rc;

	state->keep_output = !strcmp(keys_text(given, keys, "output"), "keep");
	state->out_fd = state->err_fd = -1;
	rc = read_argv(given, &state->argv, err);
	if (!rc)
		rc = find_program(&state->argv, &state->path, err);
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

static int command_prepare(void *p, struct run_context *context, struct target *target,
			   struct err *err)
{
	struct command_state *state = p;
	int rc;

	program_environment(context->environment, &state->env);
	rc = open_output(state, context, err);
	if (rc)
		return rc;
	state->words = (struct program_words){ .path = state->path, .argv = state->argv.v,
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
	int status;

	if (!program_judge(state->program, context->run, &status) || status == 0)
		return;
	process_add_status(&text, status);
	if (state->keep_output)
		add_last_line(&text, context, "stderr");
	run_fail(context->run, "%s", text.s);
}

static int command_verify(void *p, struct run_context *context, struct err *err)
{
	struct command_state *state = p;

	(void)err;
	judge_end(state, context);
	program_report(state->program, metrics, context->run);
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

	program_end(state->program);
	close_fd(&state->out_fd);
	close_fd(&state->err_fd);
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
			 json_text(state->path), "cgroup", program_has_cgroup(state->program));
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
