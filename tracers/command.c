// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Any tracer, by the lines of sh that start and stop it. Nothing that they say is believed but
 * their exit status, that their processes live, and the number that lost= prints.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/process.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "tracers/command_environment.h"
#include "tracers/command_keeper.h"
#include "tracers/tracer.h"

#define LOG "tracer.log"
#define READY_POLL_NS (50 * NS_PER_MS)
#define ANSWER_LIMIT 4096
#define DETACH_TIMEOUT_NS (5 * NS_PER_S) /* for its end where the run is lost anyway */

enum line { START, READY, STOP, LOST, LINES };

static const char *const line_names[LINES] = { "start", "ready", "stop", "lost" };

static const struct key_spec keys_table[] = {
	{ "start", KEY_ARGV, NULL, "LINE", 0, 0,
	  "a line for sh that starts the tracer: it stays, or returns 0 once it traces", NULL },
	{ "ready", KEY_ARGV, NULL, "LINE", 0, 0,
	  "is run again and again until it exits with 0: then it traces", NULL },
	{ "stop", KEY_ARGV, NULL, "LINE", 0, 0,
	  "right after the work; without it all that start left gets SIGINT", NULL },
	{ "lost", KEY_ARGV, NULL, "LINE", 0, 0,
	  "prints the number of lost events, once the tracer has ended; above 0 the run is invalid",
	  NULL },
	{ "timeout", KEY_TIME, "30s", "TIME", NS_PER_MS, 86400 * NS_PER_S,
	  "how long it may take until it traces", NULL },
	{ "delay", KEY_TIME, "1s", "TIME", 0, 86400 * NS_PER_S,
	  "without ready: how long a start that stays is waited for before the work begins", NULL },
	{ "stop_timeout", KEY_TIME, "30s", "TIME", NS_PER_MS, 86400 * NS_PER_S,
	  "how long stop and the end of the tracer may take, and lost: then it is killed", NULL },
	{ 0 },
};

struct command {
	char *lines[COMMAND_LINES];
	int64_t timeout_ns, delay_ns, stop_timeout_ns;
	char *session;
	struct undo *undo;

	/* of the run */
	struct command_keeper *keeper;
	int log_fd, answer_fd;
	bool started, stayed, stopped; /* asked to start, was alive as the work began, asked to stop */
	bool died, returned;	       /* while the work went on, in a way that is none, or is one */
	int end_status;		       /* of start then */
	bool orphaned;		       /* the keeper was gone by then */
	int stop_rc, stop_status;
	int64_t stop_end_ns;
	double attach_s;
};

/* ---- plan and session ---- */

/* Quotes that stay open and the like, before anything is run. */
static int check_syntax(const char *name, const char *line, struct err *err)
{
	const char *const argv[] = { "/bin/sh", "-n", "-c", line, NULL };
	auto_buf struct buf said = BUF_INIT;
	int status, rc = process_capture(argv, &said, &status, err);

	if (rc)
		return err_context(err, rc, "%s=", name);
	if (!status)
		return 0;
	if (said.len)
		said.s[strcspn(said.s, "\n")] = '\0';
	return err_usage(err, "%s=%s: %s", name, line, said.len ? said.s : "sh refuses it");
}

static int read_lines(const struct keys *keys, char **lines, struct err *err)
{
	for (size_t i = 0; i < LINES; i++) {
		const char *text = keys_text(keys, keys_table, line_names[i]);

		if (!text && i == START)
			return err_usage(err, "start= is missing: the line that starts the tracer");
		if (!text)
			continue;
		lines[i] = words_shell_line(text);
		if (!lines[i])
			return err_usage(err, "%s= is empty", line_names[i]);
	}
	return 0;
}

static void free_lines(char **lines)
{
	for (size_t i = 0; i < LINES; i++)
		free(lines[i]);
}

static int check(const struct keys *keys, struct buf *plan_text, struct err *err)
{
	char *lines[COMMAND_LINES] = { NULL };
	int rc = read_lines(keys, lines, err);

	for (size_t i = 0; !rc && i < LINES; i++)
		rc = lines[i] ? check_syntax(line_names[i], lines[i], err) : 0;
	if (!rc)
		buf_addf(plan_text, "tracer started by: %s; stopped by%s %s; losses %s",
			 lines[START], lines[STOP] ? ":" : "", lines[STOP] ? lines[STOP] : "SIGINT",
			 lines[LOST] ? "asked for" : "not known (no lost=)");
	free_lines(lines);
	return rc;
}

static void close_tracer(void *state)
{
	struct command *command = state;

	free_lines(command->lines);
	free(command->session);
	free(command);
}

static int open_tracer(const struct keys *keys, const struct tracer_site *site, void **state,
		       struct err *err)
{
	struct command *command = xcalloc(1, sizeof(*command));
	int rc = read_lines(keys, command->lines, err);

	command->session = xstrdup(site->session);
	command->undo = site->undo;
	command->log_fd = command->answer_fd = -1;
	command->timeout_ns = keys_time_ns(keys, keys_table, "timeout");
	command->delay_ns = keys_time_ns(keys, keys_table, "delay");
	command->stop_timeout_ns = keys_time_ns(keys, keys_table, "stop_timeout");
	if (rc) {
		close_tracer(command);
		return rc;
	}
	*state = command;
	return 0;
}

/* ---- a run ---- */

static int status_error(const struct command *command, enum line line, int status, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;

	process_add_status(&text, status);
	command_log_add_last_line(command->log_fd, &text);
	return err_set(err, EIO, "%s=: %s", line_names[line], text.s);
}

static int wait_error(const struct command *command, enum line line, int rc, int64_t timeout_ns,
		      struct err *err)
{
	auto_buf struct buf text = BUF_INIT;

	if (rc == -EINTR)
		return err_set(err, EINTR, "interrupted");
	if (rc != -ETIMEDOUT)
		return err_set(err, -rc, "%s=: its keeper was killed", line_names[line]);
	buf_addf(&text, "%s=: not within %.3g s", line_names[line],
		 (double)timeout_ns / NS_PER_S);
	command_log_add_last_line(command->log_fd, &text);
	return err_set(err, ETIMEDOUT, "%s", text.s);
}

/* Has start ended? 1: yes, with 0. 0: no. Else the error. */
static int start_has_returned(struct command *command, int64_t end_ns, struct err *err)
{
	int status, rc = command_keeper_wait(command->keeper, START, end_ns, false, &status);

	if (rc == -ETIMEDOUT)
		return 0;
	if (rc)
		return wait_error(command, START, rc, 0, err);
	return status ? status_error(command, START, status, err) : 1;
}

/* Waits for ready= as for start=, whose failure ends it. *returned: start has ended with 0. */
static int wait_for_ready(struct command *command, int64_t end_ns, int *returned, int *status,
			  struct err *err)
{
	int64_t now;
	int rc;

	do {
		now = clock_mono_ns();
		rc = command_keeper_wait(command->keeper, READY,
					 now + READY_POLL_NS < end_ns ? now + READY_POLL_NS : end_ns,
					 false, status);
		if (rc && rc != -ETIMEDOUT)
			return wait_error(command, READY, rc, 0, err);
		*returned = start_has_returned(command, 0, err);
		if (*returned < 0)
			return *returned;
	} while (rc && now < end_ns);
	return rc ? wait_error(command, READY, rc, command->timeout_ns, err) : 0;
}

/* Asks until it says yes. */
static int poll_ready(struct command *command, int64_t end_ns, int *returned, struct err *err)
{
	int rc, status;

	for (;;) {
		rc = command_keeper_ask(command->keeper, READY, err);
		if (!rc)
			rc = wait_for_ready(command, end_ns, returned, &status, err);
		if (rc || !status)
			return rc;
		if (clock_mono_ns() + READY_POLL_NS > end_ns)
			return wait_error(command, READY, -ETIMEDOUT, command->timeout_ns, err);
		interrupt_sleep_ns(READY_POLL_NS);
	}
}

static int wait_until_it_traces(struct command *command, struct err *err)
{
	int64_t now = clock_mono_ns(), end_ns = now + command->timeout_ns;
	int returned = 0, rc = 0;

	if (command->lines[READY]) {
		rc = poll_ready(command, end_ns, &returned, err);
	} else {
		int64_t delay_ns = command->delay_ns < command->timeout_ns ? command->delay_ns :
									     command->timeout_ns;

		returned = start_has_returned(command, now + delay_ns, err);
		rc = returned < 0 ? returned : 0;
	}
	if (rc)
		return rc;
	command->stayed = !returned;
	if (returned && !command->lines[STOP] && !command_keeper_signal(command->keeper, 0))
		return err_set(err, EINVAL, "start= returned and left no process that could be asked "
			       "to end: give stop=");
	return 0;
}

static int start_keeper(struct command *command, const struct words *environment, struct err *err)
{
	static unsigned int number;
	auto_free char *cgroup = xasprintf("brunt-%s-tracer-%u", command->session, ++number);
	const struct command_keeping keeping = {
		.lines = (const char *const *)command->lines,
		.environment = environment,
		.words_fd = command->log_fd,
		.answer_fd = command->answer_fd,
		.answers = LOST,
		.cgroup = cgroup,
	};

	return command_keeper_start(&command->keeper, &keeping, command->undo, err);
}

static int attach_all(struct command *command, const struct target *target,
		      const struct run_context *context, struct err *err)
{
	const int flags = O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC;
	auto_words struct words environment = WORDS_INIT;
	int rc;

	command->log_fd = openat(context->folder_fd, LOG, flags, 0644);
	command->answer_fd = files_open_memory("lost");
	if (command->log_fd < 0 || command->answer_fd < 0)
		return err_sys(err, errno, "%s/%s", context->folder, LOG);
	command_environment(command->session, target, context, &environment);
	rc = start_keeper(command, &environment, err);
	if (!rc)
		rc = command_keeper_ask(command->keeper, START, err);
	command->started = !rc;
	return rc ? rc : wait_until_it_traces(command, err);
}

static int attach(void *state, const struct target *target, struct run_context *context,
		  struct err *err)
{
	struct command *command = state;
	int64_t begin = clock_mono_ns();
	int rc = attach_all(command, target, context, err);

	command->attach_s = (double)(clock_mono_ns() - begin) / NS_PER_S;
	return rc;
}

/* Behind an interrupt too, so it is no reason not to wait. */
static void ask_to_stop(struct command *command, int64_t timeout_ns)
{
	command->stopped = true;
	command->stop_end_ns = clock_mono_ns() + timeout_ns;
	command->stop_rc = command->stop_status = 0;
	if (!command->lines[STOP]) {
		command_keeper_signal(command->keeper, SIGINT);
		return;
	}
	command->stop_rc = command_keeper_ask(command->keeper, STOP, NULL);
	if (!command->stop_rc)
		command->stop_rc = command_keeper_wait(command->keeper, STOP, command->stop_end_ns,
						       true, &command->stop_status);
}

/*
 * A start that was alive as the work began may return only now, where ready= was content before.
 * That it has died looks the same but for its status, or for nothing being left to stop.
 */
static void look_at_start(struct command *command)
{
	int rc = command_keeper_wait(command->keeper, START, 0, true, &command->end_status);

	command->orphaned = rc == -ECHILD;
	if (!command->stayed || rc)
		return;
	command->returned = !command->end_status &&
			    (command->lines[STOP] || command_keeper_signal(command->keeper, 0));
	command->died = !command->returned;
}

static int stop(void *state, struct err *err)
{
	struct command *command = state;

	(void)err;
	look_at_start(command);
	ask_to_stop(command, command->stop_timeout_ns);
	return 0;
}

static void judge_end(struct command *command, struct run *run)
{
	auto_buf struct buf text = BUF_INIT;
	struct err err = { 0 };

	if (command->orphaned)
		run_invalid(run, "the process that keeps the tracer was killed");
	if (command->died) {
		process_add_status(&text, command->end_status);
		command_log_add_last_line(command->log_fd, &text);
		run_invalid(run, "the tracer ended during the run, %s", text.s);
	}
	if (command->returned)
		run_mark(run, "tracer", "start= returned during the run");
	if (command->stop_rc) {
		wait_error(command, STOP, command->stop_rc, command->stop_timeout_ns, &err);
		run_invalid(run, "%s", err.text);
	} else if (command->stop_status) {
		status_error(command, STOP, command->stop_status, &err);
		run_invalid(run, "%s", err.text);
	}
}

static void wait_for_end(struct command *command, struct run *run)
{
	if (!command_keeper_wait_empty(command->keeper, command->stop_end_ns, true))
		return;
	run_invalid(run, "the tracer did not end within %.3g s of %s: killed",
		    (double)command->stop_timeout_ns / NS_PER_S,
		    command->lines[STOP] ? "stop=" : "SIGINT (one that sh started with & ignores it: "
					     "give stop=)");
	while (command_keeper_signal(command->keeper, SIGKILL) &&
	       clock_mono_ns() < command->stop_end_ns + 5 * NS_PER_S)
		clock_sleep_ns(NS_PER_MS);
}

/* A number alone on what it printed. */
static int read_number(int fd, uint64_t *number, char *shown, size_t size)
{
	char text[ANSWER_LIMIT], *end;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	char *word = text;

	text[n > 0 ? n : 0] = '\0';
	word += strspn(word, " \t\r\n");
	snprintf(shown, size, "%.*s", (int)strcspn(word, "\n"), word);
	errno = 0;
	*number = isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
	if (!isdigit((unsigned char)*word) || errno || end[strspn(end, " \t\r\n")])
		return -EBADMSG;
	return 0;
}

/* Null where it is not known. */
static json_t *ask_for_losses(struct command *command, struct run *run)
{
	int64_t end_ns = clock_mono_ns() + command->stop_timeout_ns;
	struct err err = { 0 };
	uint64_t number = 0;
	char shown[80];
	int status, rc;

	if (!command->lines[LOST])
		return json_null();
	rc = command_keeper_ask(command->keeper, LOST, &err);
	if (!rc)
		rc = command_keeper_wait(command->keeper, LOST, end_ns, true, &status);
	if (rc)
		wait_error(command, LOST, rc, command->stop_timeout_ns, &err);
	else if (status)
		rc = status_error(command, LOST, status, &err);
	else if (read_number(command->answer_fd, &number, shown, sizeof(shown)))
		rc = err_set(&err, EBADMSG, "lost= printed '%s', which is no number", shown);
	if (rc || number > INT64_MAX) {
		run_invalid(run, "%s", rc ? err.text : "lost= printed a number beyond all events");
		return json_null();
	}
	if (number)
		run_invalid(run, "the tracer lost %" PRIu64 " events", number);
	return json_integer((json_int_t)number);
}

/* Ends the keeper with all below it. */
static double end_keeper(struct command *command, struct run_context *context)
{
	struct err err = { 0 };
	double cpu_s = NAN;

	if (command_keeper_end(command->keeper, &cpu_s, &err)) {
		run_mark(context->run, "tracer", "%s", err.text);
		context->stuck = true;
	}
	command->keeper = NULL;
	return cpu_s;
}

static int collect(void *state, struct run_context *context, struct err *err)
{
	struct command *command = state;
	struct run *run = context->run;
	int64_t begin = clock_mono_ns();
	json_t *lost;

	(void)err;
	judge_end(command, run);
	wait_for_end(command, run);
	run_tracer(run, "drain_s", json_number((double)(clock_mono_ns() - begin) / NS_PER_S));
	lost = ask_for_losses(command, run);
	run_tracer(run, "backend", json_text("command"));
	run_tracer(run, "cpu_s", json_number(end_keeper(command, context)));
	run_tracer(run, "events", json_null());
	run_tracer(run, "bytes", json_null());
	run_tracer(run, "lost", lost);
	run_tracer(run, "attach_s", json_number(command->attach_s));
	return 0;
}

/* After an interrupt, or where attach failed: what start did is undone by stop all the same. */
static void detach(void *state, struct run_context *context)
{
	struct command *command = state;
	int64_t timeout_ns = command->stop_timeout_ns;
	struct stat st;

	if (command->keeper && command->started && !command->stopped) {
		if (command->stop_timeout_ns > DETACH_TIMEOUT_NS)
			timeout_ns = DETACH_TIMEOUT_NS;
		ask_to_stop(command, timeout_ns);
		command_keeper_wait_empty(command->keeper, command->stop_end_ns, true);
	}
	if (command->keeper)
		end_keeper(command, context);
	if (command->log_fd >= 0 && !fstat(command->log_fd, &st) && !st.st_size)
		unlinkat(context->folder_fd, LOG, 0);
	close_fd(&command->log_fd);
	close_fd(&command->answer_fd);
	command->started = command->stayed = command->stopped = false;
	command->died = command->returned = command->orphaned = false;
}

const struct tracer tracer_command = {
	.name = "command",
	.summary = "any tracer, by commands that start it, stop it and tell what it lost",
	.keys = keys_table,
	.check = check,
	.open = open_tracer,
	.close = close_tracer,
	.attach = attach,
	.stop = stop,
	.collect = collect,
	.detach = detach,
};
