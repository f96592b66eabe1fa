// SPDX-License-Identifier: GPL-3.0-or-later
/* Each kind of change by itself; test_loop and test_cgroup have those of theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/process.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/tracefs.h"
#include "private_run.h"

/* A journal with this one change, of a session that is over; note may be NULL. */
static void leave(const char *kind, json_t *details, json_t *note)
{
	struct undo *undo;
	unsigned int id;
	struct err err = { .text = "" };

	if (undo_open("kinds", &undo, &err) || undo_intend(undo, kind, details, &id, &err) ||
	    (note && undo_note(undo, id, note, &err)))
		fail_msg("%s", err.text);
	undo_close(undo);
}

static void clean_all(struct buf *said)
{
	assert_int_equal(clean_and_listen(false, said), 0);
	assert_int_equal(undo_count_dead(), 0);
}

static json_t *value_of(const char *path, const char *old, const char *now)
{
	return json_pack("{s:s, s:s, s:s}", "path", path, "old", old, "new", now);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void assert_reads(const char *path, const char *expected)
{
	char line[64];

	assert_int_equal(files_read_line_at(AT_FDCWD, path, line, sizeof(line)), 0);
	assert_string_equal(line, expected);
}

/* What a kernel file reads is not always what was written to it. */
static void test_value_reads_otherwise(void **state)
{
	auto_free char *path = files_join(private_folder, "v");
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	write_file(path, "1410\n");
	leave("value", value_of(path, "7777", "1408"), json_pack("{s:s}", "reads", "1410"));
	clean_all(&said);
	assert_reads(path, "7777");

	write_file(path, "none [kyber] bfq\n");
	leave("value", value_of(path, "none", "kyber"), NULL);
	clean_all(&said);
	assert_reads(path, "none");

	write_file(path, "none [kyber] bfq\n");
	leave("value", value_of(path, "bfq", "none"), NULL);
	clean_all(&said);
	assert_reads(path, "none [kyber] bfq");

	write_file(path, "10\t20  30\n");
	leave("value", value_of(path, "44 55 666", "10 20 30"), NULL);
	clean_all(&said);
	assert_reads(path, "44 55 666");

	write_file(path, "10\t20  30\n");
	leave("value", value_of(path, "44 55 666", "10 20 3"), NULL);
	clean_all(&said);
	assert_reads(path, "10\t20  30");
	assert_int_equal(unlink(path), 0);
}

/* A file that went with its device needs nothing. */
static void test_value_gone(void **state)
{
	auto_free char *path = files_join(private_folder, "v");
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	leave("value", value_of(path, "10", "20"), NULL);
	clean_all(&said);
	assert_string_equal(said.s, "");
	assert_false(files_exists(path));
}

/* An entry that names nothing is kept and told, not guessed at. */
static void test_malformed(void **state)
{
	static const char *const kinds[] = { "loop-node", "value", "tracefs", "blk-trace", "cgroup",
					     "session", "mount", "folder", "trace-folder" };
	auto_free char *folder = undo_folder();
	auto_free char *journal = files_join(folder, "kinds.journal");
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		leave(kinds[i], json_object(), NULL);
		assert_int_equal(clean_and_listen(false, &said), 1);
		assert_non_null(strstr(said.s, kinds[i]));
		assert_int_equal(unlink(journal), 0);
	}
	assert_int_equal(clean_and_listen(false, &said), 0);
}

static void test_folder(void **state)
{
	auto_free char *folder = files_join(private_folder, "brunt-folder");
	auto_free char *point = files_join(folder, "loop9");
	auto_buf struct buf said = BUF_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(mkdir(point, 0700), 0);
	assert_int_equal(stat(folder, &st), 0);

	leave("folder", json_pack("{s:s}", "path", folder),
	      json_pack("{s:I}", "inode", (json_int_t)st.st_ino + 1));
	clean_all(&said);
	assert_true(files_exists(point));

	leave("folder", json_pack("{s:s}", "path", folder),
	      json_pack("{s:I}", "inode", (json_int_t)st.st_ino));
	clean_all(&said);
	assert_false(files_exists(folder));

	leave("folder", json_pack("{s:s}", "path", folder), NULL); /* never made */
	clean_all(&said);
	assert_string_equal(said.s, "");
}

/* rmdir() is all that is done: what somebody put there stays. */
static void make_tree(const char *top, const char *elsewhere)
{
	auto_free char *below = files_join(top, "a/b"), *file = files_join(below, "object.o");
	auto_free char *link = files_join(top, "source");
	struct err err;

	assert_int_equal(files_make_dirs(below, &err), 0);
	write_file(file, "x");
	assert_int_equal(symlink(elsewhere, link), 0);
}

/* Where a build was killed: its folder goes, what a link in it leads to does not. */
static void test_tree(void **state)
{
	auto_free char *top = files_join(private_folder, "brunt-tree");
	auto_free char *elsewhere = files_join(private_folder, "source");
	auto_free char *kept = files_join(elsewhere, "Makefile");
	auto_buf struct buf said = BUF_INIT;
	struct stat st;
	json_t *note;

	(void)state;
	assert_int_equal(mkdir(elsewhere, 0700), 0);
	write_file(kept, "all:");
	make_tree(top, elsewhere);
	assert_int_equal(stat(top, &st), 0);

	note = json_pack("{s:I,s:I}", "inode", (json_int_t)st.st_ino + 1, "device",
			 (json_int_t)st.st_dev);
	leave("tree", json_pack("{s:s}", "path", top), note);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_true(files_exists(top)); /* somebody else's of the same name */

	note = json_pack("{s:I,s:I}", "inode", (json_int_t)st.st_ino, "device",
			 (json_int_t)st.st_dev);
	leave("tree", json_pack("{s:s}", "path", top), note);
	assert_true(geteuid() != 0 || files_exists("/var/lib/brunt/kinds.journal"));
	assert_int_equal(clean_and_listen(true, &said), 0);
	assert_true(files_exists(top));
	clean_all(&said);
	assert_non_null(strstr(said.s, top));
	assert_false(files_exists(top));
	assert_false(files_exists("/var/lib/brunt"));
	assert_reads(kept, "all:");
	assert_int_equal(unlink(kept), 0);
	assert_int_equal(rmdir(elsewhere), 0);
}

/* Killed before its inode was noted, when nothing of ours was in it. */
static void test_tree_without_inode(void **state)
{
	auto_free char *top = files_join(private_folder, "brunt-tree");
	auto_free char *below = files_join(top, "somebody's");
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	assert_int_equal(mkdir(top, 0700), 0);
	assert_int_equal(mkdir(below, 0700), 0);
	leave("tree", json_pack("{s:s}", "path", top), NULL);
	assert_int_equal(clean_and_listen(false, &said), 1);
	assert_true(files_exists(below));
	assert_int_equal(rmdir(below), 0);
	clean_all(&said);
	assert_false(files_exists(top));
}

static void test_folder_in_use(void **state)
{
	auto_free char *folder = files_join(private_folder, "brunt-folder");
	auto_free char *file = files_join(folder, "file");
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	write_file(file, "x");
	leave("folder", json_pack("{s:s}", "path", folder), NULL);
	assert_int_equal(clean_and_listen(false, &said), 1);
	assert_non_null(strstr(said.s, folder));
	assert_true(files_exists(file));
	assert_int_equal(unlink(file), 0);
	clean_all(&said);
	assert_false(files_exists(folder));
}

/* A process session of two: its leader, and a child of that. */
static void make_session(pid_t pids[2])
{
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	pids[0] = fork();
	assert_true(pids[0] >= 0);
	if (pids[0] == 0) {
		pid_t child;

		setsid();
		child = fork();
		alarm(60); /* whatever the cleaner does, not for ever */
		if (child > 0 && write(pipes[1], &child, sizeof(child)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipes[0], &pids[1], sizeof(pids[1])), sizeof(pids[1]));
	close(pipes[0]);
	close(pipes[1]);
}

static json_t *session_of(pid_t leader, uint64_t ticks)
{
	return json_pack("{s:i, s:I, s:i}", "pid", (int)leader, "start_ticks", (json_int_t)ticks,
			 "sid", (int)leader);
}

static void test_session(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	uint64_t ticks;
	pid_t pids[2];
	int status;

	(void)state;
	make_session(pids);
	assert_int_equal(process_start_ticks(pids[0], &ticks), 0);

	leave("session", session_of(pids[0], ticks - 1), NULL); /* another one of this number */
	clean_all(&said);
	assert_string_equal(said.s, "");
	assert_int_equal(kill(pids[1], 0), 0);

	leave("session", session_of(pids[0], ticks), NULL);
	assert_int_equal(clean_and_listen(true, &said), 0);
	assert_non_null(strstr(said.s, "2 processes"));
	assert_int_equal(kill(pids[1], 0), 0);
	clean_all(&said);
	assert_int_equal(waitpid(pids[0], &status, 0), pids[0]);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* The leader is dead and waited for, its child is not. */
static void test_session_without_leader(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	uint64_t ticks;
	pid_t pids[2];
	int status;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	make_session(pids);
	assert_int_equal(process_start_ticks(pids[0], &ticks), 0);
	kill_owner(pids[0]);
	leave("session", session_of(pids[0], ticks), NULL);
	clean_all(&said);
	assert_non_null(strstr(said.s, "1 process of"));
	assert_int_equal(waitpid(pids[1], &status, 0), pids[1]);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void test_mount(void **state)
{
	auto_free char *target = files_join(private_folder, "a point");
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	if (geteuid() != 0) {
		print_message("mounting needs root\n");
		skip();
	}
	assert_int_equal(mkdir(target, 0700), 0);
	assert_int_equal(mount("brunt-test", target, "tmpfs", 0, "size=64k"), 0);
	leave("mount", json_pack("{s:s, s:s}", "target", target, "source", "another"), NULL);
	clean_all(&said);
	assert_string_equal(said.s, "");
	assert_int_equal(rmdir(target), -1);

	leave("mount", json_pack("{s:s, s:s}", "target", target, "source", "brunt-test"), NULL);
	clean_all(&said);
	assert_int_equal(rmdir(target), 0);
}

/* In an instance of our own, which nobody else uses. */
static void test_tracefs(void **state)
{
	auto_free char *instance = xasprintf("instances/brunt-test-%d", (int)getpid());
	auto_free char *path = xasprintf("%s/trace_clock", instance);
	auto_buf struct buf said = BUF_INIT;
	auto_close int tracefs = tracefs_open(NULL);
	char first[64], second[64];

	(void)state;
	if (tracefs < 0 || mkdirat(tracefs, instance, 0700) < 0) {
		print_message("no tracefs to write to here\n");
		skip();
	}
	leave("tracefs", value_of(path, "local", "mono"), NULL);
	files_write_value_at(tracefs, path, "mono");
	clean_all(&said);
	tracefs_read(tracefs, path, first, sizeof(first));

	leave("tracefs", value_of(path, "local", "mono"), NULL);
	files_write_value_at(tracefs, path, "boot"); /* somebody else */
	clean_all(&said);
	tracefs_read(tracefs, path, second, sizeof(second));
	assert_int_equal(unlinkat(tracefs, instance, AT_REMOVEDIR), 0);
	assert_string_equal(first, "local");
	assert_string_equal(second, "boot");
}

/* Left by a process that was killed between writing a size and noting what the kernel made of it. */
static void a_size_that_the_kernel_rounded_is_still_ours(void **state)
{
	auto_free char *instance = xasprintf("instances/brunt-test-%d", (int)getpid());
	auto_free char *path = xasprintf("%s/buffer_size_kb", instance);
	auto_buf struct buf said = BUF_INIT;
	auto_close int tracefs = tracefs_open(NULL);
	char old[64], first[64], second[64], third[64], above[64], far[64];
	uint64_t size = 0;

	(void)state;
	if (tracefs < 0 || mkdirat(tracefs, instance, 0700) < 0) {
		print_message("no tracefs to write to here\n");
		skip();
	}
	files_write_value_at(tracefs, path, "200");
	tracefs_read(tracefs, path, old, sizeof(old));
	files_write_value_at(tracefs, path, "100");
	tracefs_read(tracefs, path, first, sizeof(first));
	units_parse_u64(first, &size);
	snprintf(above, sizeof(above), "%" PRIu64, size - 1);
	snprintf(far, sizeof(far), "%" PRIu64, size - 90);

	leave("tracefs", value_of(path, old, far), NULL); /* somebody else's */
	clean_all(&said);
	tracefs_read(tracefs, path, second, sizeof(second));
	leave("tracefs", value_of(path, old, above), NULL);
	clean_all(&said);
	tracefs_read(tracefs, path, third, sizeof(third));
	assert_int_equal(unlinkat(tracefs, instance, AT_REMOVEDIR), 0);
	assert_string_equal(second, first);
	assert_string_equal(third, old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value_reads_otherwise),
		cmocka_unit_test(test_value_gone),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_folder_in_use),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_tree_without_inode),
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_session_without_leader),
		cmocka_unit_test(test_mount),
		cmocka_unit_test(test_tracefs),
		cmocka_unit_test(a_size_that_the_kernel_rounded_is_still_ours),
	};
	int failed;

	if (private_run(MS_PRIVATE))
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	private_run_end();
	return failed;
}
