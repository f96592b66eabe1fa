// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/loop.h"
#include "machine/mount_ns.h"
#include "machine/mountinfo.h"
#include "private_run.h"

static bool is_mounted(const char *source)
{
	auto_mountinfo struct mountinfo mounts = MOUNTINFO_INIT;

	if (mountinfo_read(&mounts, NULL))
		return true;
	for (size_t i = 0; i < mounts.n; i++)
		if (strcmp(mounts.v[i].source, source) == 0)
			return true;
	return false;
}

static int wait_for(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

struct inside {
	int ns;
	char folder[64];
	const char *source, *fstype;
};

/* In the namespace: a mount below the folder. Children only: no asserts. */
static int mount_inside(void *arg)
{
	const struct inside *inside = arg;
	auto_free char *point = files_join(inside->folder, "point");

	if (mount_ns_enter(inside->ns) || (mkdir(point, 0700) < 0 && errno != EEXIST) ||
	    mount(inside->source, point, inside->fstype, 0, NULL) < 0)
		return -1;
	return is_mounted(inside->source) ? 0 : -1;
}

static struct inside new_namespace(const char *source, const char *fstype)
{
	struct inside inside = { .source = source, .fstype = fstype };
	struct err err = { .text = "" };

	inside.ns = mount_ns_new(inside.folder, &err);
	if (inside.ns < 0)
		fail_msg("%s", err.text);
	return inside;
}

/* All mounts of this test are shared (see main), so that one that leaked would be seen. */
static void test_not_seen_outside(void **state)
{
	struct inside inside = new_namespace("test-inside", "tmpfs");
	auto_free char *point = files_join(inside.folder, "point");
	pid_t pid;

	(void)state;
	assert_false(is_mounted("brunt"));
	pid = start_owner(mount_inside, &inside);
	assert_int_not_equal(pid, 0);
	assert_false(is_mounted("test-inside"));
	assert_false(files_exists(point));
	kill_owner(pid);
	close(inside.ns);
}

static int see_host_mount(void *arg)
{
	const struct inside *inside = arg;

	if (mount_ns_enter(inside->ns) || !is_mounted("test-host"))
		return -1;
	/* room for mount points, and no more */
	for (int i = 0; i < 2000; i++) {
		auto_free char *point = xasprintf("%s/%d", inside->folder, i);

		if (mkdir(point, 0700) < 0)
			return -1;
	}
	return 0;
}

static void test_host_mounts_arrive(void **state)
{
	struct inside inside = new_namespace(NULL, NULL);
	pid_t pid;

	(void)state;
	assert_int_equal(mount("test-host", private_folder, "tmpfs", 0, "size=64k"), 0);
	pid = start_owner(see_host_mount, &inside);
	assert_int_equal(umount(private_folder), 0);
	assert_int_not_equal(pid, 0);
	kill_owner(pid);
	close(inside.ns);
}

/* What is mounted in it goes with the last process and the descriptor. */
static void test_gone_with_the_last(void **state)
{
	const struct loop_spec spec = { .count = 1, .size = 4 << 20, .block_size = 1024 };
	const char *mkfs[] = { "mke2fs", "-q", "-F", NULL, NULL };
	auto_buf struct buf out = BUF_INIT;
	struct err err = { .text = "" };
	struct inside inside;
	struct loop_set set;
	struct undo *undo;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(undo_open("mount-ns", &undo, &err), 0);
	if (loop_set_make(&set, &spec, undo, "brunt:mount-ns", &err)) {
		undo_close(undo);
		print_message("%s\n", err.text);
		skip();
	}
	mkfs[3] = set.devices[0].path;
	if (process_capture(mkfs, &out, &status, &err) || status)
		fail_msg("mke2fs: %s%s", err.text, out.s ? out.s : "");
	inside = new_namespace(set.devices[0].path, "ext2");
	pid = start_owner(mount_inside, &inside);
	assert_int_not_equal(pid, 0);
	assert_int_equal(block_device_check_free(set.devices[0].path, &err), -EBUSY);
	kill_owner(pid);
	assert_int_equal(block_device_check_free(set.devices[0].path, &err), -EBUSY);
	close(inside.ns);
	if (block_device_check_free(set.devices[0].path, &err))
		fail_msg("%s", err.text);
	loop_set_release(&set);
	undo_close(undo);
}

/* Exits with 0 when all is as it should be, else with the number of what is not. */
static void __attribute__((noreturn)) be_in_chroot(const char *root, const char *folder)
{
	struct inside inside = { .source = "test-chroot", .fstype = "tmpfs" };
	auto_free char *point = files_join(folder, "point");
	struct stat before, after;
	struct err err = { .text = "" };
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chroot(root) < 0 || chdir("/") < 0 || stat("/", &before) < 0)
		_exit(10);
	inside.ns = mount_ns_new(inside.folder, &err);
	if (inside.ns < 0) {
		fprintf(stderr, "%s\n", err.text);
		_exit(11);
	}
	if (strcmp(inside.folder, folder) != 0 || files_exists(point))
		_exit(12);
	pid = start_owner(mount_inside, &inside);
	if (!pid)
		_exit(13);
	if (is_mounted("test-chroot") || is_mounted("brunt") || files_exists(point))
		_exit(14);
	kill_owner(pid);
	pid = fork();
	if (pid == 0)
		_exit(mount_ns_enter(inside.ns) || stat("/", &after) < 0 ||
		      before.st_ino != after.st_ino || before.st_dev != after.st_dev);
	_exit(wait_for(pid) ? 15 : 0);
}

/* In a root folder that has these folders besides proc: 0, or the number of what is not right. */
static int try_chroot(const char *const *folders, size_t n, const char *expected)
{
	pid_t pid;
	int rc;

	assert_int_equal(mkdir("/run/root", 0755), 0);
	assert_int_equal(mkdir("/run/root/proc", 0755), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(mkdir(folders[i], 0755), 0);
	assert_int_equal(mount("/proc", "/run/root/proc", NULL, MS_BIND, NULL), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		be_in_chroot("/run/root", expected);
	rc = wait_for(pid);
	assert_false(is_mounted("test-chroot"));
	assert_false(is_mounted("brunt"));
	assert_int_equal(umount("/run/root/proc"), 0);
	for (size_t i = n; i-- > 0;)
		assert_int_equal(rmdir(folders[i]), 0);
	assert_int_equal(rmdir("/run/root/proc"), 0);
	assert_int_equal(rmdir("/run/root"), 0);
	return WEXITSTATUS(rc);
}

/*
 * A plain chroot: / is no mount point, and the mount that holds it, which is shared, is not in
 * the mountinfo that is seen from there.
 */
static void test_in_chroot(void **state)
{
	static const char *const folders[] = { "/run/root/mnt" };

	(void)state;
	assert_int_equal(try_chroot(folders, ARRAY_SIZE(folders), "/mnt"), 0);
}

static void test_without_mnt_the_folder_of_the_journals_does(void **state)
{
	static const char *const folders[] = { "/run/root/run", "/run/root/run/brunt" };

	(void)state;
	assert_int_equal(try_chroot(folders, ARRAY_SIZE(folders), "/run/brunt"), 0);
	assert_int_equal(try_chroot(folders, 1, "/run/brunt"), 11); /* no folder at all */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_seen_outside),
		cmocka_unit_test(test_host_mounts_arrive),
		cmocka_unit_test(test_gone_with_the_last),
		cmocka_unit_test(test_in_chroot),
		cmocka_unit_test(test_without_mnt_the_folder_of_the_journals_does),
	};
	int failed;

	if (geteuid() != 0) {
		fprintf(stderr, "mount namespaces need root\n");
		return 77;
	}
	if (private_run(MS_SHARED))
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	private_run_end();
	return failed;
}
