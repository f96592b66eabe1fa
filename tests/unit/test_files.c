// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/brunt-test-files-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static void remove_below(const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		auto_free char *path = files_join(folder, names[i]);

		if (unlink(path) < 0)
			rmdir(path);
	}
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "file", "file.new", "a/b/c", "a/b", "a", "target" };

	(void)state;
	remove_below(names, ARRAY_SIZE(names));
	return rmdir(folder);
}

static char *path_of(const char *name)
{
	return files_join(folder, name);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	struct err err = { 0 };

	assert_int_equal(files_replace(path, bytes, n, &err), 0);
}

static void test_reading_appends(void **state)
{
	auto_free char *path = path_of("file");
	auto_buf struct buf text = BUF_INIT, empty = BUF_INIT;

	(void)state;
	write_file(path, "12345", 5);
	buf_add(&text, "x");
	assert_int_equal(files_read_at(AT_FDCWD, path, 5, &text), 0);
	assert_string_equal(text.s, "x12345");
	write_file(path, "", 0);
	assert_int_equal(files_read_at(AT_FDCWD, path, 0, &empty), 0);
	assert_string_equal(empty.s, "");
	assert_int_equal(files_read_at(AT_FDCWD, "/nowhere/at/all", 5, &text), -ENOENT);
	assert_int_equal(files_read_at(AT_FDCWD, folder, 5, &text), -EISDIR);
}

static void test_a_file_beyond_the_limit_leaves_the_buffer_as_it_was(void **state)
{
	auto_free char *path = path_of("file"), *bytes = xcalloc(1, 50000);
	auto_buf struct buf text = BUF_INIT;

	(void)state;
	write_file(path, bytes, 50000);
	buf_add(&text, "x");
	assert_int_equal(files_read_at(AT_FDCWD, path, 49999, &text), -EFBIG);
	assert_int_equal(text.len, 1);
	assert_string_equal(text.s, "x");
	assert_int_equal(files_read_at(AT_FDCWD, path, 50000, &text), 0);
	assert_int_equal(text.len, 50001);
}

static void test_the_first_line_only(void **state)
{
	auto_free char *path = path_of("file");
	char line[8];

	(void)state;
	write_file(path, "one\ntwo\n", 8);
	assert_int_equal(files_read_line_at(AT_FDCWD, path, line, sizeof(line)), 0);
	assert_string_equal(line, "one");
	write_file(path, "0123456789", 10);
	assert_int_equal(files_read_line_at(AT_FDCWD, path, line, sizeof(line)), 0);
	assert_string_equal(line, "0123456");
	write_file(path, "", 0);
	assert_int_equal(files_read_line_at(AT_FDCWD, path, line, sizeof(line)), 0);
	assert_string_equal(line, "");
	assert_int_equal(files_read_line_at(AT_FDCWD, "/nowhere", line, sizeof(line)), -ENOENT);
}

static void test_values_are_written_to_files_that_exist(void **state)
{
	auto_free char *path = path_of("target");
	auto_buf struct buf text = BUF_INIT;

	(void)state;
	assert_int_equal(files_write_value_at(AT_FDCWD, path, "1"), -ENOENT);
	assert_false(files_exists(path));
	write_file(path, "0", 1);
	assert_int_equal(files_write_value_at(AT_FDCWD, path, "1"), 0);
	assert_int_equal(files_read_at(AT_FDCWD, path, 10, &text), 0);
	assert_string_equal(text.s, "1");
}

static void test_replacing_leaves_no_second_file(void **state)
{
	auto_free char *path = path_of("file"), *fresh = path_of("file.new");
	auto_buf struct buf text = BUF_INIT;

	(void)state;
	write_file(path, "a long old text", 15);
	write_file(path, "new", 3);
	assert_int_equal(files_read_at(AT_FDCWD, path, 100, &text), 0);
	assert_string_equal(text.s, "new");
	assert_false(files_exists(fresh));
}

static void test_a_failed_replacement_keeps_the_old_one(void **state)
{
	auto_free char *path = path_of("a"), *fresh = path_of("a.new");
	struct err err = { 0 };

	(void)state;
	assert_int_equal(files_make_dirs(path, &err), 0);
	assert_true(files_replace(path, "x", 1, &err) < 0); /* a folder is in the way */
	assert_non_null(strstr(err.text, path));
	assert_true(files_exists(path));
	assert_false(files_exists(fresh));
	assert_int_equal(files_replace("/nowhere/at/all", "x", 1, &err), -ENOENT);
}

static void test_short_writes_are_gone_on_with(void **state)
{
	enum { SIZE = 300000 };
	auto_free char *bytes = xcalloc(1, SIZE), *back = xcalloc(1, SIZE);
	size_t got = 0;
	int fds[2];
	ssize_t n;
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * 7 / 3);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0)
		_exit(files_write_all(fds[1], bytes, SIZE) ? 1 : 0);
	close(fds[1]);
	while (got < SIZE && (n = read(fds[0], back + got, SIZE - got)) > 0)
		got += (size_t)n;
	close(fds[0]);
	assert_int_equal(got, SIZE);
	assert_memory_equal(bytes, back, SIZE);
	assert_int_equal(files_write_all(-1, "x", 1), -EBADF);
}

static void test_folders_are_made_with_their_parents(void **state)
{
	auto_free char *path = path_of("a/b/c"), *slash = path_of("a/b/c/"),
		       *file = path_of("file");
	auto_free char *below = path_of("file/x");
	struct err err = { 0 };
	struct stat st;

	(void)state;
	assert_int_equal(files_make_dirs(path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(files_make_dirs(path, &err), 0);
	assert_int_equal(files_make_dirs(slash, &err), 0);
	assert_int_equal(files_make_dirs("/", &err), 0);
	assert_int_equal(files_make_dirs(".", &err), 0);
	write_file(file, "", 0);
	assert_int_equal(files_make_dirs(file, &err), -ENOTDIR);
	assert_int_equal(files_make_dirs(below, &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "file"));
}

/* A pipe would keep whoever opens it, and a link may lead to anything. */
static void test_syncing_a_folder_opens_only_its_files(void **state)
{
	auto_free char *below = path_of("a/b");
	auto_free char *file = path_of("a/file");
	auto_free char *pipe = path_of("a/b/c");
	auto_free char *link = path_of("file");
	auto_free char *none = path_of("none");
	struct err err = { 0 };

	(void)state;
	assert_int_equal(files_make_dirs(below, &err), 0);
	write_file(file, "words", 5);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(symlink("/proc/kmsg", link), 0);
	alarm(10);
	assert_int_equal(files_sync_tree(folder, &err), 0);
	assert_int_equal(files_sync_tree(none, &err), 0);
	alarm(0);
	unlink(file);
}

static void test_a_folder_without_a_name_is_refused(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(files_make_dirs("", &err), -ENOENT);
	assert_true(*err.text);
}

static void assert_owner(const char *path, uid_t uid, gid_t gid)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_uid, uid);
	assert_int_equal(st.st_gid, gid);
}

static void test_files_go_to_the_user_of_sudo(void **state)
{
	auto_free char *path = path_of("file");

	(void)state;
	if (geteuid() != 0) {
		print_message("root is needed\n");
		skip();
	}
	setenv("SUDO_UID", "1", 1);
	setenv("SUDO_GID", "2", 1);
	write_file(path, "x", 1);
	assert_owner(path, 1, 2);
	setenv("SUDO_UID", "no number", 1);
	write_file(path, "x", 1);
	assert_owner(path, 0, getegid());
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

/* `report -o /dev/full` once made the device a file. */
static void what_is_no_regular_file_is_written_to_and_not_replaced(void **state)
{
	char place[] = "/tmp/brunt-test-XXXXXX", fifo[64], link[64], target[64], text[8] = "";
	struct stat st;
	struct err err = { 0 };
	int reader;

	(void)state;
	assert_non_null(mkdtemp(place));
	snprintf(fifo, sizeof(fifo), "%s/fifo", place);
	snprintf(link, sizeof(link), "%s/link", place);
	snprintf(target, sizeof(target), "%s/target", place);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	reader = open(fifo, O_RDONLY | O_NONBLOCK);
	assert_int_equal(files_replace(fifo, "abc", 3, &err), 0);
	assert_int_equal(read(reader, text, 3), 3);
	assert_string_equal(text, "abc");
	assert_int_equal(stat(fifo, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	close(reader);
	/* a link stays one, and its file keeps its mode */
	assert_int_equal(files_replace(target, "old", 3, &err), 0);
	assert_int_equal(chmod(target, 0640), 0);
	assert_int_equal(symlink("target", link), 0);
	assert_int_equal(files_replace(link, "new", 3, &err), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(target, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	unlink(fifo);
	unlink(link);
	unlink(target);
	assert_int_equal(rmdir(place), 0); /* nothing else was left beside them */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_regular_file_is_written_to_and_not_replaced),
		cmocka_unit_test_setup_teardown(test_reading_appends, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			test_a_file_beyond_the_limit_leaves_the_buffer_as_it_was, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(test_the_first_line_only, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_values_are_written_to_files_that_exist,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_replacing_leaves_no_second_file, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_a_failed_replacement_keeps_the_old_one,
						make_folder, remove_folder),
		cmocka_unit_test(test_short_writes_are_gone_on_with),
		cmocka_unit_test_setup_teardown(test_folders_are_made_with_their_parents,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_syncing_a_folder_opens_only_its_files,
						make_folder, remove_folder),
		cmocka_unit_test(test_a_folder_without_a_name_is_refused),
		cmocka_unit_test_setup_teardown(test_files_go_to_the_user_of_sudo, make_folder,
						remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
