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
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "machine/kernel_value.h"
#include "machine/setting.h"

#define SWAPPINESS "/proc/sys/vm/swappiness"

static const struct target no_target;
static struct undo *undo;

static int open_undo(void **state)
{
	struct err err = { 0 };

	(void)state;
	if (undo_open("test-settings", &undo, &err) == 0)
		return 0;
	print_error("%s\n", err.text);
	return -1;
}

static char *journal_path(void)
{
	auto_free char *folder = undo_folder();

	return files_join(folder, "test-settings.journal");
}

/* A journal in which nothing is open goes: what stays was not restored. */
static int close_undo(void **state)
{
	auto_free char *path = journal_path();

	(void)state;
	undo_close(undo);
	undo = NULL;
	return files_exists(path) ? -1 : 0;
}

static void need_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("root is needed\n");
	skip();
}

static char *content(const char *path)
{
	struct buf text = BUF_INIT;

	assert_int_equal(files_read_at(AT_FDCWD, path, 4096, &text), 0);
	return buf_steal(&text);
}

static void assert_journal_has(const char *text)
{
	auto_free char *path = journal_path(), *journal = content(path);

	if (!strstr(journal, text))
		print_error("no %s in %s\n", text, journal);
	assert_non_null(strstr(journal, text));
}

static void assert_content(const char *path, const char *expected)
{
	auto_free char *text = content(path);

	assert_string_equal(text, expected);
}

static const struct setting *family(const char *name)
{
	const char *key = NULL;
	auto_free char *full = xasprintf("%s.x", name);
	const struct setting *found = setting_find(full, &key);

	assert_non_null(found);
	assert_string_equal(key, "x");
	return found;
}

static void families_by_name(void **state)
{
	const char *key = "kept";

	(void)state;
	assert_string_equal(setting_find("sysctl.vm.swappiness", &key)->name, "sysctl");
	assert_string_equal(key, "vm.swappiness");
	assert_string_equal(setting_find("queue.scheduler", &key)->name, "queue");
	assert_string_equal(setting_find("env.PATH", &key)->name, "env");
	key = "kept";
	assert_null(setting_find("sysctl", &key));
	assert_null(setting_find("sysctl.", &key));
	assert_null(setting_find("sys.vm.swappiness", &key));
	assert_null(setting_find("sysctls.vm.swappiness", &key));
	assert_null(setting_find("", &key));
	assert_string_equal(key, "kept");
}

static void assert_refused(const char *name, const char *key, const char *value,
			   enum exit_status status)
{
	struct err err = { 0 };

	assert_true(family(name)->check(key, value, &err) < 0);
	if (err.status != status)
		print_error("%s.%s: %s\n", name, key, err.text);
	assert_int_equal(err.status, status);
	assert_non_null(strstr(err.text, name));
}

static void assert_taken(const char *name, const char *key, const char *value)
{
	struct err err = { 0 };
	int rc = family(name)->check(key, value, &err);

	if (rc)
		print_error("%s\n", err.text);
	assert_int_equal(rc, 0);
}

static void environment_names(void **state)
{
	(void)state;
	assert_taken("env", "MAKEFLAGS", "-j4");
	assert_taken("env", "_x9", "");
	assert_refused("env", "9x", "1", EXIT_USAGE);
	assert_refused("env", "A=B", "1", EXIT_USAGE);
	assert_refused("env", "A.B", "1", EXIT_USAGE);
	assert_null(family("env")->apply);
	assert_null(family("env")->restore);
}

static void sysctl_names(void **state)
{
	(void)state;
	assert_refused("sysctl", "vm.no_such_value", "1", EXIT_MISSING);
	assert_refused("sysctl", "vm..swappiness", "1", EXIT_USAGE);
	assert_refused("sysctl", "../../etc/passwd", "1", EXIT_USAGE);
	assert_refused("sysctl", "vm/../../self/comm", "1", EXIT_USAGE);
	assert_refused("sysctl", ".vm.swappiness", "1", EXIT_USAGE);
	assert_refused("sysctl", "vm", "1", EXIT_USAGE);
	assert_refused("sysctl", "kernel.osrelease", "1", EXIT_MISSING);
	need_root();
	assert_taken("sysctl", "vm.swappiness", "10");
	assert_taken("sysctl", "vm/swappiness", "10");
	assert_taken("sysctl", "net.ipv4.conf.lo.forwarding", "1");
	assert_refused("sysctl", "vm.swappiness", "10\n20", EXIT_USAGE);
	assert_refused("sysctl", "vm.compact_memory", "1", EXIT_USAGE);
}

static void queue_names(void **state)
{
	(void)state;
	assert_refused("queue", "../size", "1", EXIT_USAGE);
	assert_refused("queue", "iosched/x", "1", EXIT_USAGE);
	assert_refused("queue", "scheduler", "", EXIT_USAGE);
	if (geteuid() != 0)
		assert_refused("queue", "scheduler", "none", EXIT_MISSING);
	else
		assert_taken("queue", "scheduler", "none");
}

static void *apply(const char *name, const char *key, const char *value,
		   const struct target *target)
{
	struct err err = { 0 };
	void *applied = NULL;
	int rc = family(name)->apply(key, value, target, undo, &applied, &err);

	if (rc)
		print_error("%s\n", err.text);
	assert_int_equal(rc, 0);
	return applied;
}

static void restore(const char *name, void *applied)
{
	struct err err = { 0 };
	int rc = family(name)->restore(applied, undo, &err);

	if (rc)
		print_error("%s\n", err.text);
	assert_int_equal(rc, 0);
}

static void sysctl_there_and_back(void **state)
{
	auto_free char *before = NULL, *during = NULL;
	const char *value;
	void *applied;

	(void)state;
	need_root();
	before = content(SWAPPINESS);
	value = strcmp(before, "57\n") == 0 ? "58" : "57";
	applied = apply("sysctl", "vm.swappiness", value, &no_target);
	during = content(SWAPPINESS);
	assert_int_equal(atoi(value), atoi(during));
	assert_journal_has("\"kind\":\"value\"");
	assert_journal_has("\"path\":\"" SWAPPINESS "\"");
	restore("sysctl", applied);
	assert_content(SWAPPINESS, before);
}

static void sysctl_that_is_so_already(void **state)
{
	auto_free char *before = NULL, *value = NULL;

	(void)state;
	need_root();
	before = content(SWAPPINESS);
	value = xasprintf(" %d ", atoi(before));
	restore("sysctl", apply("sysctl", "vm.swappiness", value, &no_target));
	assert_content(SWAPPINESS, before);
}

/* Reads with tabs, is written with blanks. */
static void sysctl_of_several_numbers(void **state)
{
	static const char path[] = "/proc/sys/net/ipv4/tcp_rmem";
	auto_free char *before = NULL;
	void *applied;

	(void)state;
	need_root();
	if (!files_exists(path)) {
		print_message("no tcp_rmem in this network namespace\n");
		skip();
	}
	before = content(path);
	applied = apply("sysctl", "net.ipv4.tcp_rmem", "4096  131072 6291457", &no_target);
	assert_content(path, "4096\t131072\t6291457\n");
	restore("sysctl", applied);
	assert_content(path, before);
}

/* Setting one of them sets the other to 0, which cannot be undone by writing 0. */
static void sysctl_with_a_partner(void **state)
{
	static const char bytes_path[] = "/proc/sys/vm/dirty_bytes";
	static const char ratio_path[] = "/proc/sys/vm/dirty_ratio";
	auto_free char *bytes = NULL, *ratio = NULL;
	void *applied, *second;

	(void)state;
	need_root();
	bytes = content(bytes_path);
	ratio = content(ratio_path);
	applied = apply("sysctl", "vm.dirty_bytes", "1073741824", &no_target);
	assert_content(ratio_path, "0\n");
	second = apply("sysctl", "vm.dirty_ratio", "33", &no_target);
	assert_content(bytes_path, "0\n");
	assert_journal_has("dirty_bytes\",\"old\":\"1073741824\",\"new\":\"0\"");
	restore("sysctl", second);
	assert_content(bytes_path, "1073741824\n");
	restore("sysctl", applied);
	assert_content(bytes_path, bytes);
	assert_content(ratio_path, ratio);
	applied = apply("sysctl", "vm.dirty_ratio", "33", &no_target);
	restore("sysctl", applied);
	assert_content(bytes_path, bytes);
	assert_content(ratio_path, ratio);
}

/* The message has this word, and the value is what it was. */
static void assert_not_applied(const char *value, const char *word)
{
	auto_free char *before = content(SWAPPINESS);
	struct err err = { 0 };
	void *applied = NULL;

	assert_true(family("sysctl")->apply("vm.swappiness", value, &no_target, undo, &applied,
					    &err) < 0);
	assert_null(applied);
	assert_non_null(strstr(err.text, "sysctl.vm.swappiness"));
	assert_non_null(strstr(err.text, word));
	assert_content(SWAPPINESS, before);
}

static void sysctl_that_the_kernel_refuses(void **state)
{
	(void)state;
	need_root();
	assert_not_applied("many", "many");
}

/* 010 is octal to the kernel: taken, but not what was asked. */
static void sysctl_that_reads_otherwise(void **state)
{
	(void)state;
	need_root();
	assert_not_applied("010", "reads '");
}

/* A loop device over memory that goes with its descriptor. */
static int make_loop(char name[32])
{
	struct loop_config config = { .info.lo_flags = LO_FLAGS_AUTOCLEAR };
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int number = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE);
	int memory = memfd_create("brunt-test", MFD_CLOEXEC);
	char path[40];
	int fd = -1;

	if (number >= 0 && memory >= 0 && ftruncate(memory, 1 << 20) == 0) {
		snprintf(path, sizeof(path), "/dev/loop%d", number);
		snprintf(name, 32, "loop%d", number);
		fd = open(path, O_RDWR | O_CLOEXEC);
		config.fd = (unsigned int)memory;
		if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config) < 0)
			close_fd(&fd);
	}
	close_fd(&memory);
	close_fd(&control);
	return fd;
}

static int need_loop(char name[32])
{
	int fd;

	need_root();
	fd = make_loop(name);
	if (fd < 0) {
		print_message("no loop device to be had\n");
		skip();
	}
	return fd;
}

static void queue_there_and_back(void **state)
{
	char name[32], path[96];
	auto_close int loop = need_loop(name);
	struct target_device device = { .name = name };
	struct target target = { .devices = &device, .ndevices = 1 };
	auto_free char *before = NULL;
	void *applied;

	(void)state;
	snprintf(path, sizeof(path), "/sys/block/%s/queue/read_ahead_kb", name);
	before = content(path);
	applied = apply("queue", "read_ahead_kb", "64", &target);
	assert_content(path, "64\n");
	restore("queue", applied);
	assert_content(path, before);
}

static void queue_scheduler(void **state)
{
	char name[32], path[96];
	auto_close int loop = need_loop(name);
	struct target_device device = { .name = name };
	struct target target = { .devices = &device, .ndevices = 1 };
	auto_free char *before = NULL, *during = NULL;
	const char *other;
	void *applied;

	(void)state;
	snprintf(path, sizeof(path), "/sys/block/%s/queue/scheduler", name);
	before = content(path);
	if (!strstr(before, "mq-deadline")) {
		print_message("this kernel has no mq-deadline\n");
		skip();
	}
	other = strstr(before, "[mq-deadline]") ? "none" : "mq-deadline";
	applied = apply("queue", "scheduler", other, &target);
	during = content(path);
	assert_memory_equal(strchr(during, '[') + 1, other, strlen(other));
	restore("queue", applied);
	assert_content(path, before);
}

/* The second device is missing: the first one is put back and the error names the second. */
static void queue_with_a_device_missing(void **state)
{
	char name[32], path[96];
	auto_close int loop = need_loop(name);
	struct target_device devices[] = { { .name = name }, { .name = "nosuch7" } };
	struct target target = { .devices = devices, .ndevices = 2 };
	auto_free char *before = NULL;
	struct err err = { 0 };
	void *applied = NULL;

	(void)state;
	snprintf(path, sizeof(path), "/sys/block/%s/queue/read_ahead_kb", name);
	before = content(path);
	assert_true(family("queue")->apply("read_ahead_kb", "64", &target, undo, &applied, &err) <
		    0);
	assert_null(applied);
	assert_non_null(strstr(err.text, "nosuch7"));
	assert_content(path, before);
}

static void queue_without_devices(void **state)
{
	struct err err = { 0 };
	void *applied = NULL;

	(void)state;
	assert_true(family("queue")->apply("scheduler", "none", &no_target, undo, &applied, &err) <
		    0);
	assert_int_equal(err.status, EXIT_USAGE);
}

/* A plain file stands for the kernel's: writes do not cut it off, so lengths are kept equal. */
static void value_of_a_file(void **state)
{
	char path[] = "/tmp/brunt-test-XXXXXX";
	struct kernel_value_spec spec = { .path = path, .choice = true };
	auto_close int fd = mkstemp(path);
	struct kernel_value value;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(write(fd, "a [b]\tc\n", 8), 8);
	assert_int_equal(kernel_value_set(&value, &spec, "x y  zz", undo, &err), 0);
	assert_string_equal(value.old, "b");
	assert_content(path, "x y  zz\n");
	unlink(path); /* gone as with a device: nothing is left to restore */
	assert_int_equal(kernel_value_restore(&value, undo, &err), 0);
	assert_null(value.path);
}

static void several_lines_are_refused(void **state)
{
	char path[] = "/tmp/brunt-test-XXXXXX";
	struct kernel_value_spec spec = { .path = path };
	auto_close int fd = mkstemp(path);
	struct kernel_value value;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(write(fd, "a\nb\n", 4), 4);
	assert_int_equal(kernel_value_set(&value, &spec, "c", undo, &err), -EINVAL);
	assert_non_null(strstr(err.text, "several lines"));
	assert_content(path, "a\nb\n");
	unlink(path);
}

#define WITH_UNDO(test) cmocka_unit_test_setup_teardown(test, open_undo, close_undo)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_by_name),
		cmocka_unit_test(environment_names),
		cmocka_unit_test(sysctl_names),
		cmocka_unit_test(queue_names),
		WITH_UNDO(sysctl_there_and_back),
		WITH_UNDO(sysctl_that_is_so_already),
		WITH_UNDO(sysctl_of_several_numbers),
		WITH_UNDO(sysctl_with_a_partner),
		WITH_UNDO(sysctl_that_the_kernel_refuses),
		WITH_UNDO(sysctl_that_reads_otherwise),
		WITH_UNDO(queue_there_and_back),
		WITH_UNDO(queue_scheduler),
		WITH_UNDO(queue_with_a_device_missing),
		WITH_UNDO(queue_without_devices),
		WITH_UNDO(value_of_a_file),
		WITH_UNDO(several_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
