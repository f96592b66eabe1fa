// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Relay traces of loop devices of our own, made with the ioctls that blktrace(8) uses. A kernel
 * that is locked down lets nobody read them, but makes, names and counts them all the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/blktrace_api.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/loop.h"
#include "machine/relay.h"
#include "private_run.h"
#include "tracers/relay_traces.h"

#define MIB (1024u * 1024)
#define COUNT 2

static struct undo *undo;
static struct loop_set loops;
static int debugfs = -1;

static void set_up_trace(size_t i)
{
	struct blk_user_trace_setup setup = { .buf_size = 65536, .buf_nr = 2, .act_mask = 0xffff };

	assert_int_equal(ioctl(loops.fds[i], BLKTRACESETUP, &setup), 0);
}

static void write_some(size_t i)
{
	char block[4096] = "x";

	assert_int_equal(pwrite(loops.fds[i], block, sizeof(block), 0), sizeof(block));
	assert_int_equal(fsync(loops.fds[i]), 0);
}

static bool is_on(size_t i)
{
	auto_free char *path = xasprintf("/sys/block/%s/trace/enable", loops.devices[i].name);
	char text[8];

	assert_int_equal(files_read_line_at(AT_FDCWD, path, text, sizeof(text)), 0);
	return text[0] == '1';
}

static void leave(json_t *details, json_t *note)
{
	struct undo *other;
	unsigned int id;

	assert_int_equal(undo_open("other", &other, NULL), 0);
	assert_int_equal(undo_intend(other, "blk-trace", details, &id, NULL), 0);
	if (note)
		assert_int_equal(undo_note(other, id, note, NULL), 0);
	undo_close(other);
}

static json_t *details_of(size_t i)
{
	return json_pack("{s:s, s:I, s:b}", "device", loops.devices[i].name, "diskseq",
			 (json_int_t)loops.devices[i].diskseq, "relay", 1);
}

static void test_each_trace_has_a_name_of_its_own(void **state)
{
	const char *name = loops.devices[0].name;
	uint64_t first, again, dropped = 7;

	(void)state;
	assert_int_equal(relay_inode(debugfs, name, &first), -ENOENT);
	set_up_trace(0);
	assert_int_equal(relay_inode(debugfs, name, &first), 0);
	assert_int_equal(relay_dropped(debugfs, name, &dropped), 0);
	assert_int_equal(dropped, 0);
	assert_int_equal(relay_teardown(name), 0);
	assert_false(is_on(0));
	set_up_trace(0);
	assert_int_equal(relay_inode(debugfs, name, &again), 0);
	assert_int_not_equal(first, again);
	assert_int_equal(relay_teardown(name), 0);
	assert_int_equal(relay_inode(debugfs, name, &first), -ENOENT);
	assert_int_not_equal(relay_dropped(debugfs, name, &dropped), 0);
}

/* What a trace says to start and stop shows whether it runs. */
static void test_only_what_runs_can_be_stopped(void **state)
{
	int fd = loops.fds[0];

	(void)state;
	assert_int_equal(relay_stop(fd), -EINVAL);
	assert_int_equal(relay_start(fd), -EINVAL);
	set_up_trace(0);
	assert_int_equal(relay_stop(fd), -EINVAL);
	assert_int_equal(relay_start(fd), 0);
	assert_int_equal(relay_start(fd), -EINVAL);
	assert_int_equal(relay_stop(fd), 0);
	assert_int_equal(relay_stop(fd), -EINVAL);
	assert_int_equal(relay_start(fd), 0);
	assert_int_equal(relay_teardown(loops.devices[0].name), 0);
}

static void test_records_that_do_not_fit_are_counted(void **state)
{
	uint64_t dropped = 0;

	(void)state;
	set_up_trace(0);
	assert_int_equal(relay_start(loops.fds[0]), 0);
	for (int i = 0; i < 2000; i++)
		write_some(0);
	assert_int_equal(relay_stop(loops.fds[0]), 0);
	assert_int_equal(relay_dropped(debugfs, loops.devices[0].name, &dropped), 0);
	assert_true(dropped > 0);
	assert_int_equal(relay_teardown(loops.devices[0].name), 0);
}

static void test_files_that_nobody_reads(void **state)
{
	const char *const names[] = { loops.devices[0].name, loops.devices[1].name };
	struct relay_files files;
	size_t one;

	(void)state;
	set_up_trace(0);
	assert_int_equal(relay_files_list(debugfs, names, 2, &files), -ENOENT);
	assert_int_equal(relay_files_list(debugfs, names, 1, &files), 0);
	one = files.n;
	assert_int_equal(one, sysconf(_SC_NPROCESSORS_ONLN));
	relay_files_release(&files);
	set_up_trace(1);
	assert_int_equal(relay_files_list(debugfs, names, 2, &files), 0);
	assert_int_equal(files.n, 2 * one);
	assert_int_equal(relay_files_open_in(&files, getpid()), 0);
	assert_false(relay_files_in_use(&files));
	relay_files_release(&files);
	relay_teardown(names[0]);
	relay_teardown(names[1]);
}

/* Where a kernel is not locked down: those that a process reads are found. */
static void test_files_that_are_read(void **state)
{
	const char *const name = loops.devices[0].name;
	struct relay_files files;
	char path[64]; /* skip() comes back to no clean-up */
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "block/%s/trace0", name);
	set_up_trace(0);
	fd = openat(debugfs, path, O_RDONLY | O_NONBLOCK);
	if (fd < 0 && errno == EPERM) {
		relay_teardown(name);
		print_message("the kernel is locked down: %s cannot be opened\n", path);
		skip();
	}
	assert_true(fd >= 0);
	assert_int_equal(relay_files_list(debugfs, &name, 1, &files), 0);
	assert_int_equal(relay_files_open_in(&files, getpid()), 1);
	assert_true(relay_files_in_use(&files));
	relay_files_release(&files);
	close(fd);
	relay_teardown(name);
}

/* ---- of a run: relay_traces.h; our process has nothing open, so all stay "not yet" ---- */

static struct traced_devices *new_devices(void)
{
	const struct target target = { .devices = loops.devices, .ndevices = COUNT };
	struct traced_devices *devices = traced_devices_new(&target);
	struct err err;

	assert_int_equal(traced_devices_check_free(devices, &err), 0);
	assert_int_equal(relay_traces_announce(devices, undo, &err), 0);
	return devices;
}

static void test_a_trace_that_is_not_read_is_not_ready(void **state)
{
	struct traced_devices *devices = new_devices();
	struct err err;

	(void)state;
	assert_int_equal(relay_traces_look(devices, debugfs, getpid(), undo, &err), -EAGAIN);
	set_up_trace(0);
	set_up_trace(1);
	assert_int_equal(relay_traces_look(devices, debugfs, getpid(), undo, &err), -EAGAIN);
	/* The program was killed: nobody has them open, and they were announced. */
	assert_int_equal(relay_traces_clear(devices, debugfs, undo, &err), 0);
	assert_false(is_on(0));
	assert_false(is_on(1));
	traced_devices_free(devices);
}

/* As if relay_traces_look() had seen them. */
static void know(struct traced_devices *devices)
{
	for (size_t i = 0; i < devices->n; i++) {
		assert_int_equal(relay_inode(debugfs, devices->v[i].name, &devices->v[i].relay), 0);
		devices->v[i].fd = open(devices->v[i].path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		assert_true(devices->v[i].fd >= 0);
	}
}

static void test_start_and_stop_of_a_run(void **state)
{
	struct traced_devices *devices = new_devices();
	const struct traced_device *off;
	struct err err;
	uint64_t dropped = 1;

	(void)state;
	set_up_trace(0);
	set_up_trace(1);
	know(devices);
	assert_int_equal(relay_traces_start(devices, &err), 0);
	assert_int_not_equal(relay_traces_start(devices, &err), 0);
	relay_traces_stop(devices, debugfs, &off);
	assert_null(off);
	assert_null(relay_traces_first_foreign(devices, debugfs));
	assert_int_equal(relay_traces_dropped(devices, debugfs, &dropped, &err), 0);
	assert_int_equal(dropped, 0);
	assert_int_equal(relay_traces_clear(devices, debugfs, undo, &err), 0);
	assert_false(is_on(0));
	traced_devices_free(devices);
}

static void test_a_trace_that_somebody_stopped(void **state)
{
	struct traced_devices *devices = new_devices();
	const struct traced_device *off;
	struct err err;

	(void)state;
	set_up_trace(0);
	set_up_trace(1);
	know(devices);
	assert_int_equal(relay_traces_start(devices, &err), 0);
	assert_int_equal(relay_stop(loops.fds[1]), 0);
	relay_traces_stop(devices, debugfs, &off);
	assert_non_null(off);
	assert_string_equal(off->name, loops.devices[1].name);
	assert_int_equal(relay_traces_clear(devices, debugfs, undo, &err), 0);
	traced_devices_free(devices);
}

/* Torn down and made again by somebody else: it is not stopped, and survives us. */
static void test_a_trace_that_is_somebody_elses_now(void **state)
{
	struct traced_devices *devices = new_devices();
	const struct traced_device *off;
	struct err err;

	(void)state;
	set_up_trace(0);
	set_up_trace(1);
	know(devices);
	assert_int_equal(relay_traces_start(devices, &err), 0);
	assert_int_equal(relay_teardown(loops.devices[1].name), 0);
	set_up_trace(1);
	assert_int_equal(relay_start(loops.fds[1]), 0);
	assert_ptr_equal(relay_traces_first_foreign(devices, debugfs),
			 traced_devices_find(devices, devices->v[1].number));
	relay_traces_stop(devices, debugfs, &off);
	assert_non_null(off);
	assert_int_equal(relay_traces_clear(devices, debugfs, undo, &err), 0);
	assert_false(is_on(0));
	assert_true(is_on(1));
	assert_int_equal(relay_stop(loops.fds[1]), 0); /* it ran on */
	assert_int_equal(relay_teardown(loops.devices[1].name), 0);
	traced_devices_free(devices);
}

static void test_a_traced_device_is_refused(void **state)
{
	const struct target target = { .devices = loops.devices, .ndevices = COUNT };
	struct traced_devices *devices = traced_devices_new(&target);
	struct err err;

	(void)state;
	set_up_trace(1);
	assert_int_equal(traced_devices_check_free(devices, &err), -EBUSY);
	assert_non_null(strstr(err.text, loops.devices[1].name));
	assert_true(is_on(1));
	relay_teardown(loops.devices[1].name);
	traced_devices_free(devices);
}

/* ---- what clean does of it ---- */

static void test_clean_of_a_known_trace(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	uint64_t inode;

	(void)state;
	set_up_trace(0);
	assert_int_equal(relay_inode(debugfs, loops.devices[0].name, &inode), 0);
	leave(details_of(0), json_pack("{s:I}", "inode", (json_int_t)inode));
	assert_int_equal(clean_and_listen(true, &said), 0);
	assert_non_null(strstr(said.s, "would be turned off"));
	assert_true(is_on(0));
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_non_null(strstr(said.s, "turned off"));
	assert_false(is_on(0));
}

static void test_clean_leaves_the_trace_of_somebody_else(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	uint64_t inode;

	(void)state;
	set_up_trace(0);
	assert_int_equal(relay_inode(debugfs, loops.devices[0].name, &inode), 0);
	assert_int_equal(relay_teardown(loops.devices[0].name), 0);
	set_up_trace(0);
	leave(details_of(0), json_pack("{s:I}", "inode", (json_int_t)inode));
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_non_null(strstr(said.s, "somebody else's now: left alone"));
	assert_true(is_on(0));
	relay_teardown(loops.devices[0].name);
}

/* One that sysfs started is none that the program makes. */
static void test_clean_leaves_a_trace_without_relay(void **state)
{
	auto_free char *path = xasprintf("/sys/block/%s/trace/enable", loops.devices[0].name);
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	assert_int_equal(files_write_value_at(AT_FDCWD, path, "1"), 0);
	leave(details_of(0), NULL);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_true(is_on(0));
	assert_int_equal(files_write_value_at(AT_FDCWD, path, "0"), 0);
}

/* Killed between the program's start and the note: nobody reads it, so it was ours. */
static void test_clean_of_a_trace_without_note(void **state)
{
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	set_up_trace(0);
	leave(details_of(0), NULL);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_non_null(strstr(said.s, "turned off"));
	assert_false(is_on(0));
}

static int make(void **state)
{
	const struct loop_spec spec = { .count = COUNT, .size = MIB, .block_size = 512 };
	struct err err = { .text = "" };

	(void)state;
	debugfs = relay_debugfs_open(&err);
	if (debugfs < 0 || undo_open("relay", &undo, &err) ||
	    loop_set_make(&loops, &spec, undo, "brunt:test-relay", &err)) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	return 0;
}

static int release(void **state)
{
	(void)state;
	loop_set_release(&loops);
	undo_close(undo);
	close_fd(&debugfs);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_trace_has_a_name_of_its_own),
		cmocka_unit_test(test_only_what_runs_can_be_stopped),
		cmocka_unit_test(test_records_that_do_not_fit_are_counted),
		cmocka_unit_test(test_files_that_nobody_reads),
		cmocka_unit_test(test_files_that_are_read),
		cmocka_unit_test(test_a_trace_that_is_not_read_is_not_ready),
		cmocka_unit_test(test_start_and_stop_of_a_run),
		cmocka_unit_test(test_a_trace_that_somebody_stopped),
		cmocka_unit_test(test_a_trace_that_is_somebody_elses_now),
		cmocka_unit_test(test_a_traced_device_is_refused),
		cmocka_unit_test(test_clean_of_a_known_trace),
		cmocka_unit_test(test_clean_leaves_the_trace_of_somebody_else),
		cmocka_unit_test(test_clean_leaves_a_trace_without_relay),
		cmocka_unit_test(test_clean_of_a_trace_without_note),
	};
	int failed;

	if (geteuid() != 0) {
		puts("1..0 # skipped: needs root");
		return 0;
	}
	if (private_run(MS_PRIVATE))
		return 1;
	failed = cmocka_run_group_tests(tests, make, release);
	private_run_end();
	return failed;
}
