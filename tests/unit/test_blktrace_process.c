// SPDX-License-Identifier: GPL-3.0-or-later
/* Shell scripts stand for blktrace(8), each with a fault that the program has or could have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/process.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "private_run.h"
#include "tracers/blktrace_process.h"

#define SOON (10 * NS_PER_S)

static struct undo *undo;

static struct blktrace_process *start_with(const char *script, int debugfs)
{
	auto_words struct words argv = WORDS_INIT;
	struct blktrace_command command = { .path = "/bin/sh", .debugfs = debugfs, .files = 64 };
	struct blktrace_process *process = NULL;
	struct err err = { .text = "" };

	words_add(&argv, "sh");
	words_add(&argv, "-c");
	words_add(&argv, script);
	command.argv = argv.v;
	if (blktrace_process_start(&process, &command, undo, &err))
		fail_msg("%s", err.text);
	return process;
}

static struct blktrace_process *start(const char *script)
{
	return start_with(script, -1);
}

static void assert_words(const struct blktrace_process *process, bool complaints,
			 const char *expected)
{
	auto_buf struct buf words = BUF_INIT;

	blktrace_process_add_words(process, complaints, &words);
	assert_string_equal(words.s, expected);
}

static void assert_status(const struct blktrace_process *process, const char *expected)
{
	auto_buf struct buf status = BUF_INIT;

	blktrace_process_add_status(process, &status);
	assert_string_equal(status.s, expected);
}

static void wait_for_words(const struct blktrace_process *process, const char *expected)
{
	int64_t end = clock_mono_ns() + SOON;

	for (;;) {
		auto_buf struct buf words = BUF_INIT;

		blktrace_process_add_words(process, false, &words);
		if (strstr(words.s, expected))
			return;
		assert_true(clock_mono_ns() < end);
		clock_sleep_ns(NS_PER_MS);
	}
}

static void test_stops_and_counts(void **state)
{
	struct blktrace_process *process;
	struct err err = { .text = "" };
	double cpu_s = -1;

	(void)state;
	process = start("trap 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done;"
			"echo === loop0 ===; echo \"  Total:  12 events (dropped 3), 1 KiB data\";"
			"echo \"  Total:  12 events (dropped 4), 1 KiB data\"; exit 0' INT;"
			"echo up; while :; do sleep .01; done");
	wait_for_words(process, "up");
	assert_false(blktrace_process_ended(process, 0));
	assert_int_equal(blktrace_process_stop(process, SOON, &cpu_s, &err), 0);
	assert_true(cpu_s > 0);
	assert_true(blktrace_process_ended(process, 0));
	assert_status(process, "exit status 0");
	assert_int_equal(blktrace_process_dropped(process), 7);
	assert_words(process, true, "up");
	blktrace_process_free(process);
}

/* Under lockdown: EPERM in its words, and exit status 0. */
static void test_ends_at_once_with_0(void **state)
{
	struct blktrace_process *process = start(
		"echo 'Thread 0 failed open /x/trace0: 1/Operation not permitted' >&2; exit 0");

	(void)state;
	assert_true(blktrace_process_ended(process, SOON));
	assert_status(process, "exit status 0");
	assert_words(process, true, "Thread 0 failed open /x/trace0: 1/Operation not permitted");
	assert_int_equal(blktrace_process_dropped(process), 0);
	blktrace_process_free(process);
}

static void test_says_nothing(void **state)
{
	struct blktrace_process *process = start("exit 3");

	(void)state;
	assert_true(blktrace_process_ended(process, SOON));
	assert_status(process, "exit status 3");
	assert_words(process, false, "(no word)");
	blktrace_process_free(process);
}

static void test_hangs_at_sigint(void **state)
{
	struct blktrace_process *process = start("trap '' INT; echo up; exec sleep 1000");
	struct err err = { .text = "" };
	pid_t pid = blktrace_process_pid(process);
	double cpu_s;

	(void)state;
	wait_for_words(process, "up");
	assert_int_equal(blktrace_process_stop(process, 50 * NS_PER_MS, &cpu_s, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "did not end within 0.1 s of SIGINT: killed"));
	assert_int_equal(kill(pid, 0), -1);
	assert_status(process, "signal 9 (Killed)");
	blktrace_process_free(process);
}

static void test_killed_by_somebody(void **state)
{
	struct blktrace_process *process = start("exec sleep 1000");

	(void)state;
	assert_false(blktrace_process_ended(process, 0));
	kill(blktrace_process_pid(process), SIGKILL);
	assert_true(blktrace_process_ended(process, SOON));
	assert_status(process, "signal 9 (Killed)");
	blktrace_process_free(process);
}

static void test_is_killed_when_freed(void **state)
{
	struct blktrace_process *process = start("exec sleep 1000");
	pid_t pid = blktrace_process_pid(process);

	(void)state;
	blktrace_process_free(process);
	assert_int_equal(kill(pid, 0), -1);
	blktrace_process_free(NULL);
}

/* Many words are cut, and do not stop it from writing. */
static void test_talks_a_lot(void **state)
{
	struct blktrace_process *process = start(
		"i=0; while [ $i -lt 5000 ]; do echo 'a line of words that are too many'; "
		"i=$((i+1)); done");
	auto_buf struct buf words = BUF_INIT;

	(void)state;
	assert_true(blktrace_process_ended(process, SOON));
	blktrace_process_add_words(process, false, &words);
	assert_in_range(words.len, 500, 1000);
	blktrace_process_free(process);
}

/* A Ctrl-C at the terminal is for brunt alone; and the program has the signals as they come. */
static void test_leads_its_own_session(void **state)
{
	struct blktrace_process *process;

	(void)state;
	signal(SIGINT, SIG_IGN);
	process = start("echo up; exec sleep 1000");
	signal(SIGINT, SIG_DFL);
	wait_for_words(process, "up");
	assert_int_equal(getsid(blktrace_process_pid(process)), blktrace_process_pid(process));
	kill(blktrace_process_pid(process), SIGINT);
	assert_true(blktrace_process_ended(process, SOON));
	assert_status(process, "signal 2 (Interrupt)");
	blktrace_process_free(process);
}

static void test_debugfs_is_descriptor_3(void **state)
{
	int folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct blktrace_process *process;

	(void)state;
	assert_true(folder >= 0);
	process = start_with("readlink /proc/self/fd/3; ls /proc/$$/fd", folder);
	assert_true(blktrace_process_ended(process, SOON));
	assert_words(process, false, "/proc; 0; 1; 2; 3");
	blktrace_process_free(process);
	close(folder);
}

static int make_and_die(void *arg)
{
	struct blktrace_process **shared = arg;

	if (undo_open("blktrace", &undo, NULL))
		return -1;
	*shared = start("trap '' INT TERM; exec sleep 1000");
	return 0;
}

/* Killed as we may be: the child goes with us, and clean has nothing left to kill. */
static void test_dies_with_its_owner(void **state)
{
	struct blktrace_process *process = NULL;
	auto_buf struct buf said = BUF_INIT;
	pid_t owner;

	(void)state;
	owner = start_owner(make_and_die, &process);
	assert_true(owner > 0);
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_int_equal(undo_count_dead(), 0);
}

static int open_undo(void **state)
{
	(void)state;
	return undo_open("test", &undo, NULL);
}

static int close_undo(void **state)
{
	auto_free char *folder = undo_folder();
	auto_free char *journal = files_join(folder, "test.journal");

	(void)state;
	undo_close(undo);
	undo = NULL;
	return files_exists(journal) ? -1 : 0; /* each process closes its entry */
}

#define with_undo(test) cmocka_unit_test_setup_teardown(test, open_undo, close_undo)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_undo(test_stops_and_counts),
		with_undo(test_ends_at_once_with_0),
		with_undo(test_says_nothing),
		with_undo(test_hangs_at_sigint),
		with_undo(test_killed_by_somebody),
		with_undo(test_is_killed_when_freed),
		with_undo(test_talks_a_lot),
		with_undo(test_leads_its_own_session),
		with_undo(test_debugfs_is_descriptor_3),
		cmocka_unit_test(test_dies_with_its_owner),
	};
	int failed;

	if (private_run(MS_PRIVATE))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	private_run_end();
	return failed;
}
