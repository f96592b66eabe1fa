// SPDX-License-Identifier: GPL-3.0-or-later
/* Where captures of blktrace(8) go: the folder, what clean does of it, and which disks are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/disks.h"
#include "machine/loop.h"
#include "private_run.h"
#include "tracers/capture_folder.h"
#include "tracers/capture_place.h"

#define MIB (1024u * 1024)

static struct undo *undo;
static char *set_folder, *other_folder;
static struct run_context context = { .number = 7 };

static void write_file(int folder, const char *name, const char *text)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void assert_kept(const char *name, const char *expected)
{
	auto_free char *path = xasprintf("%s/trace/%s", set_folder, name);
	char line[64];

	assert_int_equal(files_read_line_at(AT_FDCWD, path, line, sizeof(line)), 0);
	assert_string_equal(line, expected);
	assert_int_equal(unlink(path), 0);
}

static int make_folders(void **state)
{
	(void)state;
	set_folder = files_join(private_folder, "set");
	other_folder = files_join(private_folder, "other");
	if (mkdir(set_folder, 0755) || mkdir(other_folder, 0755))
		return -1;
	context.folder = set_folder;
	context.folder_fd = open(set_folder, O_RDONLY | O_DIRECTORY);
	return undo_open("capture", &undo, NULL);
}

static int remove_folders(void **state)
{
	auto_free char *trace = files_join(set_folder, "trace");
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	undo_close(undo);
	close(context.folder_fd);
	rmdir(trace);
	if (rmdir(set_folder) || rmdir(other_folder))
		return -1;
	free(set_folder);
	free(other_folder);
	return clean_and_listen(false, &said) || said.len ? -1 : 0;
}

static void make(struct capture_folder *folder, const char *output, bool keep)
{
	struct err err = { .text = "" };

	if (capture_folder_make(folder, output, "20261130-host", keep, &context, undo, &err))
		fail_msg("%s", err.text);
	write_file(folder->fd, "loop0.blktrace.0", "zero");
	write_file(folder->fd, "loop0.blktrace.1", "one");
}

static void test_files_of_the_set_stay(void **state)
{
	struct capture_folder folder;
	struct err err;

	(void)state;
	make(&folder, NULL, true);
	assert_false(folder.noted);
	assert_int_equal(capture_folder_keep(&folder, &context, &err), 0);
	capture_folder_release(&folder);
	assert_kept("loop0.blktrace.0", "zero");
	assert_kept("loop0.blktrace.1", "one");
}

static void test_files_that_nobody_wants_go(void **state)
{
	auto_free char *trace = files_join(set_folder, "trace");
	struct capture_folder folder;
	struct err err;

	(void)state;
	make(&folder, NULL, false);
	assert_true(files_exists(trace));
	assert_int_equal(capture_folder_remove(&folder, &err), 0);
	assert_false(files_exists(trace));
}

static void test_kept_files_of_another_folder_come_into_the_set(void **state)
{
	struct capture_folder folder;
	struct err err;

	(void)state;
	make(&folder, other_folder, true);
	assert_true(folder.noted);
	assert_non_null(strstr(folder.path, "/other/brunt-20261130-host-7"));
	assert_int_equal(capture_folder_keep(&folder, &context, &err), 0);
	assert_int_equal(capture_folder_remove(&folder, &err), 0);
	assert_kept("loop0.blktrace.0", "zero");
	assert_kept("loop0.blktrace.1", "one");
}

static void test_kept_files_of_another_file_system_too(void **state)
{
	struct capture_folder folder;
	struct err err;

	(void)state;
	make(&folder, "/dev/shm", true);
	assert_int_equal(capture_folder_keep(&folder, &context, &err), 0);
	assert_int_equal(capture_folder_remove(&folder, &err), 0);
	assert_kept("loop0.blktrace.0", "zero");
	assert_kept("loop0.blktrace.1", "one");
}

static void test_relative_folders_are_noted_whole(void **state)
{
	struct capture_folder folder;
	struct err err;
	char here[256];

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(other_folder), 0);
	make(&folder, ".", false);
	assert_int_equal(folder.path[0], '/');
	assert_int_equal(chdir(here), 0);
	assert_int_equal(capture_folder_remove(&folder, &err), 0);
}

/* Somebody's file is not removed with ours, and the folder stays then. */
static void test_a_folder_with_something_else_in_it(void **state)
{
	auto_free char *path = files_join(set_folder, "trace/notes");
	auto_free char *trace = files_join(set_folder, "trace");
	struct capture_folder folder;
	struct err err;

	(void)state;
	make(&folder, NULL, false);
	write_file(folder.fd, "notes", "mine");
	assert_int_not_equal(capture_folder_remove(&folder, &err), 0);
	assert_true(files_exists(path));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(trace), 0);
	undo_undone(undo, 1);
}

static void leave(const char *path, uint64_t inode)
{
	struct undo *other;
	unsigned int id;

	assert_int_equal(undo_open("other", &other, NULL), 0);
	assert_int_equal(undo_intend(other, "trace-folder", json_pack("{s:s}", "path", path), &id,
				     NULL), 0);
	if (inode)
		assert_int_equal(undo_note(other, id, json_pack("{s:I}", "inode",
								(json_int_t)inode), NULL), 0);
	undo_close(other);
}

static void test_clean_removes_it(void **state)
{
	auto_free char *path = files_join(other_folder, "capture");
	auto_free char *file = files_join(path, "sda.blktrace.0");
	auto_buf struct buf said = BUF_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(stat(path, &st), 0);
	write_file(AT_FDCWD, file, "x");
	leave(path, st.st_ino);
	assert_int_equal(clean_and_listen(true, &said), 0);
	assert_true(files_exists(file));
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_non_null(strstr(said.s, "removed"));
	assert_false(files_exists(path));
}

/* The name is another folder's by now, or was somebody's when we died before we made it. */
static void test_clean_leaves_a_folder_of_others(void **state)
{
	auto_free char *path = files_join(other_folder, "capture");
	auto_free char *file = files_join(path, "sda.blktrace.0");
	auto_buf struct buf said = BUF_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(stat(path, &st), 0);
	write_file(AT_FDCWD, file, "x");
	leave(path, st.st_ino + 1);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_true(files_exists(file));
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(path), 0);
}

/* ---- disks ---- */

static bool lies_on_a_disk(const char *path)
{
	auto_disks struct disks disks = DISKS_INIT;
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	assert_true(fd >= 0);
	disks_add_file(&disks, fd);
	close(fd);
	return disks.n > 0;
}

static struct loop_set *new_loop(const char *folder)
{
	static struct loop_set loops;
	const struct loop_spec spec = {
		.count = 1, .size = MIB, .folder = folder, .block_size = 512,
	};
	struct err err = { .text = "" };

	if (loop_set_make(&loops, &spec, undo, "brunt:test-capture", &err))
		fail_msg("%s", err.text);
	return &loops;
}

static void need_disk(void)
{
	if (geteuid() != 0 || !lies_on_a_disk(private_folder)) {
		print_message("%s lies on no disk that can be seen, or this is not root\n",
			      private_folder);
		skip();
	}
}

static void test_capture_on_the_disk_of_the_backing_file(void **state)
{
	struct target target = { .ndevices = 1 };
	struct loop_set *loops;
	struct err err = { .text = "" };

	(void)state;
	need_disk();
	loops = new_loop(other_folder);
	target.devices = loops->devices;
	assert_int_equal(capture_place_check(set_folder, &target, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_non_null(strstr(err.text, loops->devices[0].name));
	assert_non_null(strstr(err.text, "output=DIR"));
	assert_int_equal(capture_place_check("/dev/shm", &target, &err), 0);
	loop_set_release(loops);
}

static void test_capture_beside_devices_in_memory(void **state)
{
	struct target target = { .ndevices = 1 };
	struct loop_set *loops;
	struct err err = { .text = "" };

	(void)state;
	if (geteuid() != 0) {
		print_message("needs root\n");
		skip();
	}
	loops = new_loop(NULL);
	target.devices = loops->devices;
	assert_int_equal(capture_place_check(set_folder, &target, &err), 0);
	assert_int_equal(capture_place_check("/dev/shm", &target, &err), 0);
	loop_set_release(loops);
	loops = new_loop("/dev/shm");
	target.devices = loops->devices;
	assert_int_equal(capture_place_check("/dev/shm", &target, &err), 0);
	loop_set_release(loops);
}

/* The set lies on the very disk that would be traced. */
static void test_capture_on_the_traced_disk(void **state)
{
	struct target_device device = { .name = "disk", .path = "/dev/disk" };
	const struct target target = { .devices = &device, .ndevices = 1 };
	auto_disks struct disks disks = DISKS_INIT;
	int fd = open(set_folder, O_RDONLY | O_DIRECTORY);
	struct err err = { .text = "" };
	struct stat st;
	char name[64];

	(void)state;
	need_disk();
	disks_add_file(&disks, fd);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	device.number = disks.v[0];
	assert_int_equal(capture_place_check(set_folder, &target, &err), -EPERM);
	assert_int_equal(err.status, EXIT_REFUSED);
	disks_name(disks.v[0], name);
	assert_non_null(strstr(err.text, name));
	assert_int_equal(capture_place_check("/dev/shm", &target, &err), 0);
}

static void test_a_folder_that_is_not_there(void **state)
{
	const struct target target = { 0 };
	struct err err = { .text = "" };

	(void)state;
	assert_int_equal(capture_place_check("/no/such/folder", &target, &err), -ENOENT);
}

#define with_folders(test) cmocka_unit_test_setup_teardown(test, make_folders, remove_folders)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_folders(test_files_of_the_set_stay),
		with_folders(test_files_that_nobody_wants_go),
		with_folders(test_kept_files_of_another_folder_come_into_the_set),
		with_folders(test_kept_files_of_another_file_system_too),
		with_folders(test_relative_folders_are_noted_whole),
		with_folders(test_a_folder_with_something_else_in_it),
		with_folders(test_clean_removes_it),
		with_folders(test_clean_leaves_a_folder_of_others),
		with_folders(test_capture_on_the_disk_of_the_backing_file),
		with_folders(test_capture_beside_devices_in_memory),
		with_folders(test_capture_on_the_traced_disk),
		with_folders(test_a_folder_that_is_not_there),
	};
	int failed;

	if (private_run(MS_PRIVATE))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	private_run_end();
	return failed;
}
