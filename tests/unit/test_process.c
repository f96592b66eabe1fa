// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "base/xalloc.h"

extern char **environ;

enum { PATIENCE_MS = 30000 }; /* only until a test is given up */

static int capture_shell(const char *script, struct buf *out)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct err err = { 0 };
	int status = -1;

	if (process_capture(argv, out, &status, &err))
		fail_msg("%s", err.text);
	return status;
}

static void assert_no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_capture_takes_both_streams_and_the_status(void **state)
{
	auto_buf struct buf out = BUF_INIT;
	int status;

	(void)state;
	buf_add(&out, "what was there");
	status = capture_shell("echo one; echo two >&2; exit 3", &out);
	assert_string_equal(out.s, "one\ntwo\n");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_no_children();
}

static void test_captured_tools_speak_the_c_locale_and_read_nothing(void **state)
{
	auto_buf struct buf out = BUF_INIT;

	(void)state;
	setenv("LANG", "de_DE.UTF-8", 1);
	setenv("LANGUAGE", "de", 1);
	setenv("LC_NUMERIC", "de_DE.UTF-8", 1);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	capture_shell("cat; env | grep -E '^(LC_|LANG)'", &out);
	assert_string_equal(out.s, "LC_ALL=C\n");
	unsetenv("LANG");
	unsetenv("LANGUAGE");
	unsetenv("LC_NUMERIC");
	unsetenv("LC_ALL");
}

static void test_capture_bounds_what_it_keeps(void **state)
{
	auto_buf struct buf out = BUF_INIT;
	int status;

	(void)state;
	status = capture_shell("head -c 3000000 /dev/zero", &out);
	assert_int_equal(status, 0);
	assert_true(out.len > 0 && out.len <= 1 << 20);
}

/* In a child, since an interrupt cannot be taken back. The tool itself sends the signal. */
static void test_an_interrupt_ends_a_captured_tool_at_once(void **state)
{
	const char *const argv[] = { "sh", "-c", "kill -TERM $PPID; exec sleep 1000", NULL };
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		struct buf out = BUF_INIT;

		if (interrupt_init())
			_exit(1);
		if (process_capture(argv, &out, &status, NULL) != -EINTR)
			_exit(2);
		_exit(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_what_a_captured_tool_leaves_behind_is_not_waited_for(void **state)
{
	auto_buf struct buf out = BUF_INIT;
	pid_t left;

	(void)state;
	assert_int_equal(capture_shell("echo words; sleep 30 & echo $!", &out), 0);
	assert_int_equal(strncmp(out.s, "words\n", 6), 0);
	left = (pid_t)strtol(out.s + 6, NULL, 10);
	assert_true(left > 1);
	assert_int_equal(kill(left, SIGKILL), 0);
	process_reap_orphans();
}

static void test_a_missing_program_is_named(void **state)
{
	static const char *const argv[] = { "brunt-no-such-tool", NULL };
	auto_buf struct buf out = BUF_INIT;
	struct err err = { 0 };
	int status;

	(void)state;
	assert_int_equal(process_capture(argv, &out, &status, &err), -ENOENT);
	assert_non_null(strstr(err.text, "brunt-no-such-tool"));
}

static void test_children_have_default_signals(void **state)
{
	auto_buf struct buf out = BUF_INIT;
	sigset_t term, old;
	int status;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	status = capture_shell("kill -PIPE $$; echo alive", &out);
	signal(SIGPIPE, SIG_DFL);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &old);
	status = capture_shell("kill -TERM $$; echo alive", &out);
	sigprocmask(SIG_SETMASK, NULL, &term);
	sigprocmask(SIG_SETMASK, &old, NULL);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_true(sigismember(&term, SIGTERM)); /* ours is as it was */
	assert_false(sigismember(&term, SIGINT));
}

static void test_spawn_of_a_missing_program_leaves_no_child(void **state)
{
	static char name[] = "x";
	char *argv[] = { name, NULL };

	(void)state;
	assert_int_equal(process_spawn("/nowhere/at/all", argv, environ, -1, -1), -ENOENT);
	assert_no_children();
	assert_int_equal(process_spawn("/", argv, environ, -1, -1), -EACCES);
	assert_no_children();
}

static void test_spawn_hands_over_words_environment_and_output(void **state)
{
	static char sh[] = "sh", c[] = "-c", script[] = "echo $0 $X $Y", word[] = "a b",
		    x[] = "X=1";
	char *argv[] = { sh, c, script, word, NULL }, *envp[] = { x, NULL };
	char text[64] = "";
	int fds[2], status;
	struct rusage usage;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = process_spawn("/bin/sh", argv, envp, fds[1], fds[1]);
	assert_true(pid > 0);
	close(fds[1]);
	assert_int_equal(process_wait(pid, &status, &usage), 0);
	assert_int_equal(status, 0);
	assert_int_equal(read(fds[0], text, sizeof(text) - 1), 6);
	assert_string_equal(text, "a b 1\n");
	close(fds[0]);
	assert_int_equal(process_wait(pid, NULL, NULL), -ECHILD);
}

static size_t count_descriptors(pid_t pid)
{
	auto_free char *path = xasprintf("/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

static pid_t spawn_sleep(int fd)
{
	static char name[] = "sleep", time[] = "1000";
	char *argv[] = { name, time, NULL };

	return process_spawn("/bin/sleep", argv, environ, fd, fd);
}

static void test_children_get_three_descriptors_only(void **state)
{
	static char sh[] = "sh", c[] = "-c", script[] = "kill -STOP $$";
	char *argv[] = { sh, c, script, NULL };
	size_t descriptors;
	int status = 0;
	pid_t pid;

	(void)state;
	/* Whoever runs the tests may have left some open: not ours to judge. */
	for (int fd = 3; fd < 1024; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	pid = process_spawn("/bin/sh", argv, environ, -1, -1);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	descriptors = count_descriptors(pid);
	kill(pid, SIGKILL);
	assert_int_equal(process_wait(pid, NULL, NULL), 0);
	assert_int_equal(descriptors, 3);
}

static void test_children_die_with_their_parent(void **state)
{
	int life[2], told[2], events;
	pid_t parent, child = 0;
	struct pollfd fd;

	(void)state;
	assert_int_equal(pipe2(life, O_CLOEXEC), 0);
	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	parent = fork();
	if (parent == 0) {
		child = spawn_sleep(life[1]);
		if (write(told[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		for (;;)
			pause();
	}
	close(life[1]);
	close(told[1]);
	assert_int_equal(read(told[0], &child, sizeof(child)), sizeof(child));
	assert_true(child > 0);
	fd = (struct pollfd){ .fd = life[0], .events = POLLIN };
	assert_int_equal(poll(&fd, 1, 0), 0);
	kill(parent, SIGKILL);
	assert_int_equal(process_wait(parent, NULL, NULL), 0);
	events = poll(&fd, 1, PATIENCE_MS); /* its end of the pipe closes with it */
	if (events != 1)
		kill(child, SIGKILL);
	assert_int_equal(events, 1);
	close(life[0]);
	close(told[0]);
}

static void test_status_as_text(void **state)
{
	auto_buf struct buf out = BUF_INIT, text = BUF_INIT;

	(void)state;
	process_add_status(&text, capture_shell("exit 3", &out));
	buf_add(&text, ", ");
	process_add_status(&text, capture_shell("kill -KILL $$", &out));
	assert_string_equal(text.s, "exit status 3, signal 9 (Killed)");
}

static void test_start_ticks_of_a_process_with_an_odd_name(void **state)
{
	uint64_t before = 0, after = 0;
	int go[2], done[2];
	char byte = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(done), 0);
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) != 1 || prctl(PR_SET_NAME, "a) R 1 (2) 3") < 0 ||
		    write(done[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(process_start_ticks(pid, &before), 0);
	assert_int_equal(write(go[1], &byte, 1), 1);
	assert_int_equal(read(done[0], &byte, 1), 1);
	assert_int_equal(process_start_ticks(pid, &after), 0);
	kill(pid, SIGKILL);
	process_wait(pid, NULL, NULL);
	assert_true(before > 0);
	assert_true(before == after);
	assert_int_equal(process_start_ticks(pid, &after), -ENOENT);
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(done[i]);
	}
}

static void test_orphans_are_adopted_and_reaped(void **state)
{
	siginfo_t info;
	int life[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(life), 0);
	process_adopt_orphans();
	pid = fork();
	if (pid == 0) {
		if (fork() == 0) {
			char byte;

			close(life[1]);
			_exit(read(life[0], &byte, 1) == 0 ? 0 : 1);
		}
		_exit(0);
	}
	assert_int_equal(process_wait(pid, NULL, NULL), 0);
	process_reap_orphans();
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0); /* still there, and ours */
	close(life[1]);
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
	process_reap_orphans();
	assert_no_children();
	close(life[0]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void test_find_looks_through_path_and_the_system_folders(void **state)
{
	auto_free char *old = xstrdup(getenv("PATH") ? getenv("PATH") : ""), *path = NULL;
	auto_free char *direct = NULL;

	(void)state;
	setenv("PATH", "/nowhere::/bin", 1);
	assert_int_equal(process_find("sh", &path), 0);
	assert_string_equal(path, "/bin/sh");
	assert_int_equal(process_find("/bin/sh", &direct), 0);
	assert_string_equal(direct, "/bin/sh");
	assert_int_equal(process_find("brunt-no-such-tool", &direct), -ENOENT);
	assert_int_equal(process_find("/nowhere/sh", &direct), -ENOENT);
	assert_int_equal(process_find("/etc/passwd", &direct), -EACCES);
	unsetenv("PATH");
	free(path);
	path = NULL;
	assert_int_equal(process_find("sh", &path), 0);
	setenv("PATH", old, 1);
}

static void test_a_folder_in_path_does_not_hide_a_program(void **state)
{
	auto_free char *old = xstrdup(getenv("PATH") ? getenv("PATH") : ""), *path = NULL;
	char folder[] = "/tmp/brunt-test-process-XXXXXX";
	auto_free char *fake = NULL, *search = NULL;
	int rc;

	(void)state;
	assert_non_null(mkdtemp(folder));
	fake = xasprintf("%s/sh", folder);
	search = xasprintf("%s:/bin", folder);
	assert_int_equal(mkdir(fake, 0755), 0);
	setenv("PATH", search, 1);
	rc = process_find("sh", &path);
	setenv("PATH", old, 1);
	rmdir(fake);
	rmdir(folder);
	assert_int_equal(rc, 0);
	assert_string_equal(path, "/bin/sh");
	assert_int_equal(process_find("/bin/", &fake), -EISDIR);
}

static void test_rusage_in_nanoseconds(void **state)
{
	struct rusage usage = { 0 };

	(void)state;
	usage.ru_utime = (struct timeval){ .tv_sec = 5000000, .tv_usec = 999999 };
	usage.ru_stime = (struct timeval){ .tv_sec = 0, .tv_usec = 1 };
	assert_true(rusage_user_ns(&usage) == 5000000999999000);
	assert_true(rusage_sys_ns(&usage) == 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capture_takes_both_streams_and_the_status),
		cmocka_unit_test(test_captured_tools_speak_the_c_locale_and_read_nothing),
		cmocka_unit_test(test_capture_bounds_what_it_keeps),
		cmocka_unit_test(test_an_interrupt_ends_a_captured_tool_at_once),
		cmocka_unit_test(test_what_a_captured_tool_leaves_behind_is_not_waited_for),
		cmocka_unit_test(test_a_missing_program_is_named),
		cmocka_unit_test(test_children_have_default_signals),
		cmocka_unit_test(test_spawn_of_a_missing_program_leaves_no_child),
		cmocka_unit_test(test_spawn_hands_over_words_environment_and_output),
		cmocka_unit_test(test_children_get_three_descriptors_only),
		cmocka_unit_test(test_children_die_with_their_parent),
		cmocka_unit_test(test_status_as_text),
		cmocka_unit_test(test_start_ticks_of_a_process_with_an_odd_name),
		cmocka_unit_test(test_orphans_are_adopted_and_reaped),
		cmocka_unit_test(test_find_looks_through_path_and_the_system_folders),
		cmocka_unit_test(test_a_folder_in_path_does_not_hide_a_program),
		cmocka_unit_test(test_rusage_in_nanoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
