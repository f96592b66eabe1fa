// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "private_run.h"
#include "tracers/command_environment.h"
#include "tracers/command_keeper.h"

#define SOON (clock_mono_ns() + 20 * NS_PER_S)

static struct undo *undo;
static int words_fd, answer_fd;

static struct command_keeper *start(const char *first, const char *second, const char *third)
{
	static unsigned int number;
	auto_free char *cgroup = xasprintf("brunt-test-keeper-%d-%u", (int)getpid(), ++number);
	const char *lines[COMMAND_LINES] = { first, second, third };
	struct words environment = WORDS_INIT;
	const struct command_keeping keeping = { .lines = lines, .environment = &environment,
						 .words_fd = words_fd, .answer_fd = answer_fd,
						 .answers = 2, .cgroup = cgroup };
	struct command_keeper *keeper;
	struct err err = { .text = "" };

	assert_int_equal(ftruncate(words_fd, 0), 0);
	assert_int_equal(ftruncate(answer_fd, 0), 0);
	words_add(&environment, "PATH=/usr/bin:/bin");
	words_add(&environment, "BRUNT_TRACER_PID=");
	if (command_keeper_start(&keeper, &keeping, undo, &err))
		fail_msg("%s", err.text);
	words_release(&environment);
	return keeper;
}

static int run(struct command_keeper *keeper, size_t line)
{
	struct err err = { .text = "" };
	int status = -1;

	assert_int_equal(command_keeper_ask(keeper, line, &err), 0);
	assert_int_equal(command_keeper_wait(keeper, line, SOON, true, &status), 0);
	return status;
}

static void end(struct command_keeper *keeper, double *cpu_s)
{
	struct err err = { .text = "" };

	if (command_keeper_end(keeper, cpu_s, &err))
		fail_msg("%s", err.text);
	assert_int_equal(undo_count_open(undo), 0);
}

static void assert_printed(int fd, const char *expected)
{
	char text[256];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = '\0';
	assert_string_equal(text, expected);
}

static void lines_give_their_status_and_words(void **state)
{
	struct command_keeper *keeper = start("echo one; echo two >&2; exit 3", "kill -9 $$",
					      "echo answer; echo words >&2");
	int status;

	(void)state;
	status = run(keeper, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	status = run(keeper, 1);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(run(keeper, 2), 0);
	assert_int_equal(run(keeper, 2), 0);
	assert_printed(words_fd, "one\ntwo\nwords\nwords\n");
	assert_printed(answer_fd, "answer\nanswer\n");
	end(keeper, NULL);
}

static void the_first_line_is_known_by_its_pid(void **state)
{
	struct command_keeper *keeper = start("exec sleep 100", "kill -TERM $BRUNT_TRACER_PID", NULL);
	struct err err = { .text = "" };
	int status;

	(void)state;
	assert_int_equal(command_keeper_ask(keeper, 0, &err), 0);
	assert_int_equal(command_keeper_wait(keeper, 0, 0, true, &status), -ETIMEDOUT);
	assert_int_equal(run(keeper, 1), 0);
	assert_int_equal(command_keeper_wait(keeper, 0, SOON, true, &status), 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	end(keeper, NULL);
}

static void what_forks_away_is_kept_and_ended(void **state)
{
	/* ignored from the start, for the signal may come before what it starts has done anything */
	struct command_keeper *keeper = start("trap '' INT; setsid -f sh -c 'sleep 100; sleep 100'",
					      NULL, NULL);

	(void)state;
	assert_int_equal(run(keeper, 0), 0);
	assert_true(command_keeper_signal(keeper, 0) >= 1);
	command_keeper_signal(keeper, SIGINT);
	assert_int_equal(command_keeper_wait_empty(keeper, clock_mono_ns() + 50 * NS_PER_MS, true),
			 -ETIMEDOUT);
	end(keeper, NULL);
}

static void cpu_of_all_that_was_below_is_told(void **state)
{
	static const char spin[] = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
	auto_free char *line = xasprintf("setsid -f sh -c '%s'", spin);
	struct command_keeper *keeper = start(line, NULL, NULL);
	double cpu_s = NAN;

	(void)state;
	assert_int_equal(run(keeper, 0), 0);
	assert_int_equal(command_keeper_wait_empty(keeper, SOON, true), 0);
	end(keeper, &cpu_s);
	assert_true(cpu_s > 0.005); /* a shell that only starts takes a tenth of that */
}

static void a_keeper_that_was_killed_is_told(void **state)
{
	struct command_keeper *keeper = start("kill -9 $PPID; exec sleep 100", NULL, NULL);
	struct err err = { .text = "" };
	double cpu_s = 0;
	int status;

	(void)state;
	assert_int_equal(command_keeper_ask(keeper, 0, &err), 0);
	assert_int_equal(command_keeper_wait(keeper, 0, SOON, true, &status), -ECHILD);
	end(keeper, &cpu_s);
	assert_true(isnan(cpu_s));
}

static void no_keeper_is_fine(void **state)
{
	(void)state;
	assert_int_equal(command_keeper_end(NULL, NULL, NULL), 0);
}

static void assert_last_line(const char *log, const char *expected)
{
	auto_buf struct buf out = BUF_INIT;
	auto_close int fd = files_open_memory("log");

	assert_int_equal(files_write_all(fd, log, strlen(log)), 0);
	buf_add(&out, "x");
	command_log_add_last_line(fd, &out);
	assert_string_equal(out.s, expected);
}

static void the_last_line_of_a_log(void **state)
{
	(void)state;
	assert_last_line("", "x");
	assert_last_line("\n \n", "x");
	assert_last_line("one", "x: one");
	assert_last_line("one\ntwo\n\n", "x: two");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_give_their_status_and_words),
		cmocka_unit_test(the_first_line_is_known_by_its_pid),
		cmocka_unit_test(what_forks_away_is_kept_and_ended),
		cmocka_unit_test(cpu_of_all_that_was_below_is_told),
		cmocka_unit_test(a_keeper_that_was_killed_is_told),
		cmocka_unit_test(no_keeper_is_fine),
		cmocka_unit_test(the_last_line_of_a_log),
	};
	struct err err = { .text = "" };
	int rc;

	if (private_run(MS_PRIVATE))
		return 1;
	process_adopt_orphans();
	words_fd = files_open_memory("words");
	answer_fd = files_open_memory("answer");
	fcntl(words_fd, F_SETFL, O_APPEND);
	if (words_fd < 0 || answer_fd < 0 || undo_open("keeper", &undo, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	undo_close(undo);
	private_run_end();
	return rc;
}
