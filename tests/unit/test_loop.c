// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/loop.h"
#include "machine/loop_node.h"
#include "private_run.h"

#define MIB (1024ull * 1024)

static char token[40];

/* In one journal, which every test opens and closes. */
static struct undo *open_journal(void)
{
	struct undo *undo;
	struct err err = { .text = "" };

	if (undo_open("loop", &undo, &err))
		fail_msg("%s", err.text);
	return undo;
}

static struct loop_set make(const struct loop_spec *spec, struct undo *undo)
{
	struct loop_set set;
	struct err err = { .text = "" };

	if (loop_set_make(&set, spec, undo, token, &err))
		fail_msg("%s", err.text);
	return set;
}

static unsigned int number_of(const struct target_device *device)
{
	unsigned int number = 0;

	assert_int_equal(sscanf(device->name, "loop%u", &number), 1);
	return number;
}

/*
 * As before: a number that we added is not there, the others are not bound. Loop devices that
 * somebody else binds meanwhile do not count, which their diskseq tells.
 */
struct seen {
	unsigned int number;
	uint64_t diskseq;
	bool added;
};

static struct seen *look_at(const struct loop_set *set)
{
	struct seen *seen = xcalloc(set->count, sizeof(*seen));

	for (size_t i = 0; i < set->count; i++) {
		seen[i].number = number_of(&set->devices[i]);
		seen[i].diskseq = set->devices[i].diskseq;
		for (size_t j = 0; j < set->nadded; j++)
			seen[i].added |= set->added[j].number == seen[i].number;
	}
	return seen;
}

static void assert_gone(const struct seen *seen, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (loop_node_bound(seen[i].number))
			assert_true(loop_node_attribute(seen[i].number, "diskseq") !=
				    seen[i].diskseq);
		else
			assert_false(seen[i].added && loop_node_exists(seen[i].number));
	}
}

/* So many that some have to be added. */
static size_t more_than_free(void)
{
	size_t count = 4;

	for (unsigned int number = 0; number < 256; number++)
		count += loop_node_exists(number) && !loop_node_bound(number);
	return count;
}

static void test_made_as_asked(void **state)
{
	const struct loop_spec spec = { .count = 3, .size = 64 * MIB, .block_size = 4096 };
	struct undo *undo = open_journal();
	struct loop_set set = make(&spec, undo);
	auto_free struct seen *seen = look_at(&set);
	struct loop_info64 info;
	char name[64];
	struct stat st;
	int block, fd;

	(void)state;
	assert_int_equal(set.count, 3);
	assert_string_equal(set.backing_fs, "tmpfs");
	assert_false(set.direct_io);
	for (size_t i = 0; i < set.count; i++) {
		const struct target_device *device = &set.devices[i];

		assert_int_equal(stat(device->path, &st), 0);
		assert_true(st.st_rdev == device->number);
		assert_true(device->size == 64 * MIB);
		assert_true(device->diskseq ==
			    loop_node_attribute(number_of(device), "diskseq"));
		assert_int_equal(ioctl(set.fds[i], BLKSSZGET, &block), 0);
		assert_int_equal(block, 4096);
		assert_int_equal(ioctl(set.fds[i], LOOP_GET_STATUS64, &info), 0);
		assert_true(info.lo_flags & LO_FLAGS_AUTOCLEAR);
		snprintf(name, sizeof(name), "%s:%zu", token, i);
		assert_string_equal((const char *)info.lo_file_name, name);
		fd = open(device->path, O_RDONLY);
		assert_true(fd >= 0);
		assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), -1); /* as udev would */
		close(fd);
	}
	loop_set_release(&set);
	assert_gone(seen, 3);
	loop_set_release(&set); /* an empty one */
	undo_close(undo);
	assert_int_equal(undo_count_dead(), 0);
}

static bool all_zero(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

static void check_discard(const char *folder)
{
	const struct loop_spec spec = {
		.count = 2, .size = 8 * MIB, .block_size = 4096, .folder = folder,
	};
	struct undo *undo = open_journal();
	struct loop_set set = make(&spec, undo);
	auto_free char *bytes = xmalloc(MIB);
	struct err err = { .text = "" };
	struct stat st;

	for (size_t i = 0; i < set.count; i++) {
		memset(bytes, 0xa5, MIB);
		for (int part = 0; part < 8; part += 3)
			assert_int_equal(pwrite(set.fds[i], bytes, MIB, part * (off_t)MIB), MIB);
		assert_int_equal(fsync(set.fds[i]), 0);
		assert_int_equal(fstat(set.backing_fds[i], &st), 0);
		assert_true(st.st_blocks >= 3 * 2048);
		/* one more that only the page cache knows */
		assert_int_equal(pwrite(set.fds[i], bytes, MIB, 4 * (off_t)MIB), MIB);
	}
	assert_int_equal(loop_set_sync_backing(&set, &err), 0);
	assert_int_equal(loop_set_flush_cache(&set, &err), 0);
	if (loop_set_discard(&set, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < set.count; i++) {
		assert_int_equal(fsync(set.fds[i]), 0);
		assert_int_equal(fstat(set.backing_fds[i], &st), 0);
		assert_int_equal(st.st_blocks, 0);
		assert_true((uint64_t)st.st_size == 8 * MIB);
		for (int part = 0; part < 8; part++) {
			assert_int_equal(pread(set.fds[i], bytes, MIB, part * (off_t)MIB), MIB);
			assert_true(all_zero(bytes, MIB));
		}
	}
	loop_set_release(&set);
	undo_close(undo);
}

static void test_discard_memory(void **state)
{
	(void)state;
	check_discard(NULL);
}

static size_t count_files(const char *folder)
{
	DIR *list = opendir(folder);
	size_t n = 0;

	assert_non_null(list);
	while (readdir(list))
		n++;
	closedir(list);
	return n;
}

static void test_discard_folder(void **state)
{
	(void)state;
	check_discard(private_folder);
	assert_int_equal(count_files(private_folder), 2); /* . and .. */
}

static void test_folder_on_tmpfs(void **state)
{
	const struct loop_spec spec = {
		.count = 1, .size = MIB, .block_size = 512, .folder = "/run",
	};
	struct undo *undo = open_journal();
	struct loop_set set = make(&spec, undo);
	int block;

	(void)state;
	assert_string_equal(set.backing_fs, "tmpfs");
	assert_false(set.direct_io);
	assert_int_equal(ioctl(set.fds[0], BLKSSZGET, &block), 0);
	assert_int_equal(block, 512);
	loop_set_release(&set);
	undo_close(undo);
}

static void test_check_free(void **state)
{
	const struct loop_spec spec = { .count = 2, .size = MIB, .block_size = 4096 };
	struct undo *undo = open_journal();
	struct loop_set set = make(&spec, undo);
	struct err err = { .text = "" };
	int fd;

	(void)state;
	assert_int_equal(block_device_check_free(set.devices[1].path, &err), 0);
	fd = open(set.devices[1].path, O_RDONLY | O_EXCL);
	assert_true(fd >= 0);
	assert_int_equal(block_device_check_free(set.devices[0].path, &err), 0);
	assert_int_equal(block_device_check_free(set.devices[1].path, &err), -EBUSY);
	assert_non_null(strstr(err.text, set.devices[1].path));
	assert_int_equal(loop_set_discard(&set, &err), -EBUSY);
	close(fd);
	assert_int_equal(block_device_check_free(set.devices[1].path, &err), 0);
	loop_set_release(&set);
	undo_close(undo);
}

static void test_nodes_added(void **state)
{
	struct loop_spec spec = { .size = MIB, .block_size = 4096, .count = more_than_free() };
	struct undo *undo = open_journal();
	struct loop_set set;
	struct seen *seen;

	(void)state;
	if (spec.count < 12)
		spec.count = 12;
	set = make(&spec, undo);
	seen = look_at(&set);
	assert_int_equal(set.count, spec.count);
	assert_true(set.nadded >= 1);
	loop_set_release(&set);
	assert_gone(seen, spec.count);
	free(seen);
	undo_close(undo);
	assert_int_equal(undo_count_dead(), 0); /* and so all nodes are undone */
}

static void test_bad_words(void **state)
{
	const struct loop_spec odd = { .count = 1, .size = MIB + 512, .block_size = 4096 };
	const struct loop_spec nowhere = {
		.count = 1, .size = MIB, .block_size = 4096, .folder = "/nowhere/at/all",
	};
	struct undo *undo = open_journal();
	struct err err = { .text = "" };
	struct loop_set set;

	(void)state;
	assert_int_equal(loop_set_make(&set, &odd, undo, token, &err), -EINVAL);
	assert_int_equal(loop_set_make(&set, &nowhere, undo, token, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nowhere/at/all"));
	undo_close(undo);
}

/* The soft limit is raised; where the hard one is too low, it says how many are needed. */
static void test_file_limit(void **state)
{
	const struct loop_spec spec = { .count = 10, .size = MIB, .block_size = 4096 };
	struct rlimit limit = { .rlim_cur = 60, .rlim_max = 83 };
	struct undo *undo;
	int status;
	pid_t pid;

	(void)state;
	undo = open_journal();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct loop_set set;
		struct err err;

		if (setrlimit(RLIMIT_NOFILE, &limit) ||
		    loop_set_make(&set, &spec, undo, token, &err) != -ENOENT ||
		    err.status != EXIT_MISSING || !strstr(err.text, " open files, ulimit -Hn is 83"))
			_exit(1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	undo_close(undo);
}

struct owned {
	size_t count;
	int told;
	bool trace;
};

static int start_trace(struct undo *undo, const struct target_device *device)
{
	auto_free char *path = xasprintf("/sys/block/%s/trace/enable", device->name);
	unsigned int id;

	if (undo_intend(undo, "blk-trace",
			json_pack("{s:s, s:I}", "device", device->name, "diskseq",
				  (json_int_t)device->diskseq), &id, NULL))
		return -1;
	return files_write_value_at(AT_FDCWD, path, "1");
}

/* What the owner that gets killed has, and tells through the pipe. */
static int own_loops(void *arg)
{
	const struct owned *owned = arg;
	const struct loop_spec spec = {
		.count = owned->count, .size = MIB, .block_size = 4096,
	};
	const size_t bytes = spec.count * sizeof(struct seen);
	struct loop_set set;
	struct undo *undo;

	if (undo_open("loop-killed", &undo, NULL) ||
	    loop_set_make(&set, &spec, undo, token, NULL))
		return -1;
	for (size_t i = 0; owned->trace && i < set.count; i++)
		if (start_trace(undo, &set.devices[i]))
			return -1;
	return write(owned->told, look_at(&set), bytes) == (ssize_t)bytes ? 0 : -1;
}

/* Starts it, kills it, and returns what it had. */
static struct seen *kill_loops(size_t count, bool trace)
{
	struct owned owned = { .count = count, .trace = trace };
	struct seen *seen = xcalloc(count, sizeof(*seen));
	const size_t bytes = count * sizeof(*seen);
	int pipes[2];
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	owned.told = pipes[1];
	pid = start_owner(own_loops, &owned);
	close(pipes[1]);
	assert_int_not_equal(pid, 0);
	assert_int_equal(read(pipes[0], seen, bytes), bytes);
	close(pipes[0]);
	for (size_t i = 0; i < count; i++)
		assert_true(loop_node_bound(seen[i].number));
	kill_owner(pid);
	return seen;
}

/* One that the owner had added. */
static unsigned int an_added_one(const struct seen *seen, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (seen[i].added)
			return seen[i].number;
	fail_msg("no node was added");
	return 0;
}

static void test_killed_owner(void **state)
{
	size_t count = more_than_free();
	auto_free struct seen *seen = kill_loops(count, false);
	auto_buf struct buf said = BUF_INIT;
	char text[32];

	(void)state;
	assert_int_equal(undo_count_dead(), 1);
	assert_int_equal(clean_and_listen(false, &said), 0);
	snprintf(text, sizeof(text), "loop%u removed", an_added_one(seen, count));
	assert_non_null(strstr(said.s, text));
	assert_gone(seen, count);
	assert_int_equal(undo_count_dead(), 0);
}

/* A node that somebody binds after its owner's death is theirs. */
static void test_node_of_others(void **state)
{
	size_t count = more_than_free();
	auto_free struct seen *seen = kill_loops(count, false);
	auto_buf struct buf said = BUF_INIT;
	auto_close int backing = memfd_create("another", MFD_CLOEXEC);
	auto_close int control = loop_control_open(NULL);
	struct loop_config config = { .fd = (__u32)backing };
	unsigned int number = an_added_one(seen, count);
	char path[32];
	int fd, rc, tries = 0;

	(void)state;
	assert_int_equal(ftruncate(backing, MIB), 0);
	snprintf(path, sizeof(path), "/dev/loop%u", number);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	do { /* it may just be being unbound */
		rc = ioctl(fd, LOOP_CONFIGURE, &config);
		usleep(10000);
	} while (rc && ++tries < 500);
	assert_int_equal(rc, 0);

	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_non_null(strstr(said.s, "is used by somebody else now: left alone"));
	assert_true(loop_node_bound(number));
	assert_gone(seen, count); /* bound with another diskseq */
	assert_int_equal(undo_count_dead(), 0);

	assert_int_equal(ioctl(fd, LOOP_CLR_FD, 0), 0);
	close(fd);
	assert_int_equal(loop_node_remove(control, number, token,
					  clock_mono_ns() + 5 * NS_PER_S), 0);
	assert_int_equal(loop_node_remove(control, number, token, 0), -ENODEV);
}

static int trace_enabled(const struct seen *seen)
{
	char path[80], line[16];

	snprintf(path, sizeof(path), "/sys/block/loop%u/trace/enable", seen->number);
	if (files_read_line_at(AT_FDCWD, path, line, sizeof(line)))
		return -1;
	return strcmp(line, "1") == 0;
}

/* The trace outlives the binding; it has to be off before somebody gets the device. */
static void test_killed_while_traced(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	struct seen *seen;

	(void)state;
	if (!files_exists("/sys/block/loop0/trace/enable")) {
		print_message("block devices cannot be traced here\n");
		skip();
	}
	seen = kill_loops(2, true);
	if (!seen[0].added)
		assert_int_equal(trace_enabled(&seen[0]), 1);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_non_null(strstr(said.s, "turned off"));
	for (int i = 0; i < 2; i++)
		assert_int_not_equal(trace_enabled(&seen[i]), 1);
	assert_gone(seen, 2);
	free(seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_as_asked),
		cmocka_unit_test(test_discard_memory),
		cmocka_unit_test(test_discard_folder),
		cmocka_unit_test(test_folder_on_tmpfs),
		cmocka_unit_test(test_check_free),
		cmocka_unit_test(test_nodes_added),
		cmocka_unit_test(test_bad_words),
		cmocka_unit_test(test_file_limit),
		cmocka_unit_test(test_killed_owner),
		cmocka_unit_test(test_node_of_others),
		cmocka_unit_test(test_killed_while_traced),
	};
	struct err err;
	int failed, fd = loop_control_open(&err);

	if (fd < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 77;
	}
	close(fd);
	snprintf(token, sizeof(token), "brunt:test-%d", (int)getpid());
	if (private_run(MS_PRIVATE))
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	private_run_end();
	return failed;
}
