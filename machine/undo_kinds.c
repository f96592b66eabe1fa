// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Each kind of change and how it is taken back. What an entry is about is checked against the
 * machine first: an entry may stand there although the change was never made, was undone already,
 * or is somebody else's by now.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/fork_each.h"
#include "base/json.h"
#include "base/process.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/cgroup.h"
#include "machine/disk_undo.h"
#include "machine/kernel_value.h"
#include "machine/loop_node.h"
#include "machine/mountinfo.h"
#include "machine/tracefs.h"
#include "machine/undo.h"
#include "machine/undo_folder.h"
#include "machine/undo_processes.h"
#include "machine/undo_traces.h"
#include "machine/zram.h"

#define LOOP_TIMEOUT_NS (5 * NS_PER_S)
#define BUSY_TIMEOUT_NS (5 * NS_PER_S) /* how long children of the dead may take to die, too */
#define UMOUNT_TIMEOUT_NS (10 * NS_PER_S) /* a device that hangs holds it for good */
#define KILL_TIMEOUT_NS (10 * NS_PER_S)

static int malformed(const json_t *entry, struct err *err)
{
	return err_set(err, EINVAL, "a journal entry of the kind %s lacks what identifies it",
		       json_get_text(entry, "kind", "?"));
}

static const char *choose(bool dry, const char *would, const char *done)
{
	return dry ? would : done;
}

/* loop-node {number, token}: a loop device that was not there before us */

static int undo_loop_node(const json_t *entry, bool dry, char **did, struct err *err)
{
	int64_t number = json_get_int(entry, "number", -1);
	const char *token = json_get_text(entry, "token", NULL);
	auto_close int control = -1;
	int rc;

	if (number < 0 || number >= LOOP_NODE_MAX || !token)
		return malformed(entry, err);
	if (!loop_node_exists((unsigned int)number))
		return 0;
	if (dry) {
		*did = xasprintf("loop%d would be removed unless somebody uses it", (int)number);
		return 0;
	}
	control = loop_control_open(err);
	if (control < 0)
		return control;
	rc = loop_node_remove(control, (unsigned int)number, token,
			      clock_mono_ns() + LOOP_TIMEOUT_NS);
	if (rc == -EADDRINUSE)
		*did = xasprintf("loop%d is used by somebody else now: left alone", (int)number);
	else if (!rc)
		*did = xasprintf("loop%d removed", (int)number);
	else if (rc != -ENODEV)
		return err_sys(err, -rc, "removing loop%d", (int)number);
	return 0;
}

/* value {path, old, new[, reads]} and tracefs, the same below tracefs */

/* A reader of the trace buffer keeps current_tracer as it is until it is dead. */
static int write_when_idle(int dirfd, const char *path, const char *line)
{
	int64_t end = clock_mono_ns() + BUSY_TIMEOUT_NS;
	int rc;

	while ((rc = files_write_value_at(dirfd, path, line)) == -EBUSY && clock_mono_ns() < end)
		clock_sleep_ns(5 * NS_PER_MS);
	return rc;
}

static bool is_gone(int rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -ENXIO || rc == -ENOTDIR;
}

/* The kernel rounds the size of a trace buffer up to whole pages; both are in KiB. */
static bool is_rounded(const char *reads, const char *set)
{
	uint64_t is, was, page = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;

	return !units_parse_u64(reads, &is) && !units_parse_u64(set, &was) && is >= was &&
	       is - was < page;
}

/* Without a note of what it reads we may have died between writing it and the note. */
static bool is_ours(const char *reads, const json_t *entry, const char *set)
{
	const char *path = json_get_text(entry, "path", "");
	size_t len = strlen(path), tail = strlen("buffer_size_kb");
	bool size = len >= tail && !strcmp(path + len - tail, "buffer_size_kb");

	return kernel_value_is(reads, set) ||
	       (size && !json_object_get(entry, "reads") && is_rounded(reads, set));
}

static int restore_value(int dirfd, const char *reads, const json_t *entry, bool dry, char **did,
			 struct err *err)
{
	const char *path = json_get_text(entry, "path", NULL);
	const char *old = json_get_text(entry, "old", NULL);
	const char *set = json_get_text(entry, "reads", json_get_text(entry, "new", NULL));
	auto_free char *line = NULL;
	int rc;

	if (!old || !set)
		return malformed(entry, err);
	if (kernel_value_is(reads, old))
		return 0;
	if (!is_ours(reads, entry, set)) {
		*did = xasprintf("%s reads '%s', not '%s' as we set it: left alone", path, reads,
				 set);
		return 0;
	}
	if (!dry) {
		line = xasprintf("%s\n", old); /* with its end, so that "" is written too */
		rc = write_when_idle(dirfd, path, line);
		if (is_gone(rc))
			return 0;
		if (rc)
			return err_sys(err, -rc, "restoring %s to '%s'", path, old);
	}
	*did = xasprintf("%s %s to '%s'", path, choose(dry, "would be restored", "restored"), old);
	return 0;
}

static int undo_value(const json_t *entry, bool dry, char **did, struct err *err)
{
	const char *path = json_get_text(entry, "path", NULL);
	char reads[4096];
	int rc;

	if (!path || *path != '/')
		return malformed(entry, err);
	rc = files_read_line_at(AT_FDCWD, path, reads, sizeof(reads));
	if (is_gone(rc))
		return 0;
	if (rc)
		return err_sys(err, -rc, "reading %s", path);
	return restore_value(AT_FDCWD, reads, entry, dry, did, err);
}

static int undo_tracefs(const json_t *entry, bool dry, char **did, struct err *err)
{
	const char *path = json_get_text(entry, "path", NULL);
	auto_close int tracefs = -1;
	char reads[256];
	int rc;

	if (!path || *path == '/' || strstr(path, ".."))
		return malformed(entry, err);
	tracefs = tracefs_open(err);
	if (tracefs < 0)
		return tracefs;
	rc = tracefs_read(tracefs, path, reads, sizeof(reads));
	if (is_gone(rc))
		return 0;
	if (rc)
		return err_sys(err, -rc, "tracefs: reading %s", path);
	return restore_value(tracefs, reads, entry, dry, did, err);
}

/* cgroup {path[, inode]}, folder {path[, inode]}: folders that we made */

/*
 * Without an inode we died between mkdir and the note of it, or before mkdir: then the path must
 * show that it is ours.
 */
static int is_our_folder(const json_t *entry, const char *path, struct err *err)
{
	json_int_t inode = json_get_int(entry, "inode", 0);
	struct stat st;

	if (lstat(path, &st) < 0)
		return is_gone(-errno) ? 0 : err_sys(err, errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return 0;
	return inode ? (json_int_t)st.st_ino == inode : strstr(path, "/brunt") != NULL;
}

/* 1 with the path of what is still there and ours, 0 where nothing is. */
static int our_folder(const json_t *entry, const char **path, struct err *err)
{
	*path = json_get_text(entry, "path", NULL);
	if (!*path || **path != '/')
		return malformed(entry, err);
	return is_our_folder(entry, *path, err);
}

static int undo_cgroup(const json_t *entry, bool dry, char **did, struct err *err)
{
	const char *path;
	int rc = our_folder(entry, &path, err);

	if (rc <= 0)
		return rc;
	rc = dry ? 0 : cgroup_destroy(path, err);
	if (rc)
		return rc;
	*did = xasprintf("cgroup %s %s", path,
			 choose(dry, "would be killed and removed", "killed and removed"));
	return 0;
}

/* Mount points in it go with it; rmdir() removes nothing that is not empty. */
static void remove_empty_folders(const char *path)
{
	DIR *list = opendir(path);
	const struct dirent *entry;

	if (!list)
		return;
	while ((entry = readdir(list)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(list), entry->d_name, AT_REMOVEDIR);
	closedir(list);
}

static int undo_folder_kind(const json_t *entry, bool dry, char **did, struct err *err)
{
	const char *path;
	int rc = our_folder(entry, &path, err);

	if (rc <= 0)
		return rc;
	if (!dry)
		remove_empty_folders(path);
	if (!dry && rmdir(path) < 0 && errno != ENOENT)
		return err_sys(err, errno, "removing %s", path);
	*did = xasprintf("folder %s %s", path, choose(dry, "would be removed", "removed"));
	return 0;
}

/* tree {path[, inode, device]}: a folder that we made, with all that is in it */

/* The device's number is good for one boot only. */
static int is_our_tree(const json_t *entry, const char *path, struct err *err)
{
	json_int_t device = json_get_int(entry, "device", 0);
	char boot_id[40];
	struct stat st;
	int rc = is_our_folder(entry, path, err);

	if (rc <= 0 || !device || lstat(path, &st) < 0)
		return rc;
	rc = undo_boot_id(boot_id, err);
	if (rc)
		return rc;
	return strcmp(boot_id, json_get_text(entry, "boot_id", "")) != 0 ||
	       (json_int_t)st.st_dev == device;
}

static int undo_tree(const json_t *entry, bool dry, char **did, struct err *err)
{
	const char *path = json_get_text(entry, "path", NULL);
	int rc;

	if (!path || *path != '/')
		return malformed(entry, err);
	rc = is_our_tree(entry, path, err);
	if (rc <= 0)
		return rc;
	/* Before its inode was noted nothing was put into it. */
	if (!dry && !json_get_int(entry, "inode", 0))
		rc = rmdir(path) < 0 ? err_sys(err, errno, "removing %s", path) : 0;
	else
		rc = dry ? 0 : files_remove_tree(path, err);
	if (rc)
		return rc;
	*did = xasprintf("folder %s with all in it %s", path,
			 choose(dry, "would be removed", "removed"));
	return 0;
}

/* session {pid, start_ticks, sid}: processes in a process session that a child of ours made */

static int undo_session(const json_t *entry, bool dry, char **did, struct err *err)
{
	int64_t pid = json_get_int(entry, "pid", 0), sid = json_get_int(entry, "sid", 0);
	int64_t start = json_get_int(entry, "start_ticks", -1);
	int64_t end = clock_mono_ns() + KILL_TIMEOUT_NS;
	uint64_t ticks;
	size_t found;

	if (pid <= 1 || sid <= 1 || start < 0 || sid == getsid(0))
		return malformed(entry, err);
	if (process_start_ticks((pid_t)pid, &ticks) == 0 && ticks != (uint64_t)start)
		return 0; /* the number is another process's now: nobody of ours is left */
	found = undo_processes((pid_t)sid, (uint64_t)start, !dry);
	if (!found)
		return 0;
	/* They may fork while we look. */
	while (!dry && undo_processes((pid_t)sid, (uint64_t)start, true)) {
		if (clock_mono_ns() > end)
			return err_set(err, EBUSY, "processes of session %d do not die", (int)sid);
		clock_sleep_ns(5 * NS_PER_MS);
	}
	*did = xasprintf("%zu process%s of session %d %s", found, found == 1 ? "" : "es", (int)sid,
			 choose(dry, "would be killed", "killed"));
	return 0;
}

/* mount {target, source} */

/* In a child: the kernel waits for the device. Busy while a worker that wrote is not dead yet. */
static int unmount_when_idle(void *arg, size_t i, void *result, struct err *err)
{
	const char *target = arg;
	int64_t end = clock_mono_ns() + BUSY_TIMEOUT_NS;

	(void)i;
	(void)result;
	while (umount2(target, UMOUNT_NOFOLLOW) < 0) {
		if (errno != EBUSY || clock_mono_ns() >= end)
			return err_sys(err, errno, "%s", target);
		clock_sleep_ns(5 * NS_PER_MS);
	}
	return 0;
}

static int unmount(const char *target, struct err *err)
{
	const struct fork_each each = {
		.count = 1,
		.work = unmount_when_idle,
		.arg = (void *)target,
		.timeout_ns = BUSY_TIMEOUT_NS + UMOUNT_TIMEOUT_NS,
	};
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

	if (rc)
		return rc;
	rc = fork_each_first(&results, err);
	fork_each_release(&results);
	return rc;
}

static int undo_mount(const json_t *entry, bool dry, char **did, struct err *err)
{
	const char *target = json_get_text(entry, "target", NULL);
	const char *source = json_get_text(entry, "source", NULL);
	auto_mountinfo struct mountinfo mounts = MOUNTINFO_INIT;
	const struct mount_entry *mount;
	int rc;

	if (!target || *target != '/' || !source)
		return malformed(entry, err);
	rc = mountinfo_read(&mounts, err);
	if (rc)
		return rc;
	mount = mountinfo_at(&mounts, target);
	if (!mount || strcmp(mount->source, source) != 0)
		return 0;
	rc = dry ? 0 : unmount(target, err);
	if (rc)
		return err_context(err, rc, "unmounting %s", source);
	*did = xasprintf("%s %s from %s", source, choose(dry, "would be unmounted", "unmounted"),
			 target);
	return 0;
}

const struct undo_kind undo_kinds[] = {
	{ .name = "loop-node", .undo = undo_loop_node, .any_order = true },
	{ .name = "zram", .undo = zram_undo, .any_order = true },
	{ .name = "value", .undo = undo_value },
	{ .name = "tracefs", .undo = undo_tracefs },
	{ .name = "blk-trace", .undo = undo_blk_trace },
	{ .name = "trace-instance", .undo = undo_trace_instance },
	{ .name = "trace-folder", .undo = undo_trace_folder, .outlives_boot = true },
	{ .name = "cgroup", .undo = undo_cgroup },
	{ .name = "session", .undo = undo_session },
	{ .name = "mount", .undo = undo_mount },
	{ .name = "folder", .undo = undo_folder_kind, .outlives_boot = true },
	{ .name = "disk", .undo = disk_undo, .outlives_boot = true, .on_disk = true },
	{ .name = "tree", .undo = undo_tree, .outlives_boot = true, .on_disk = true },
	{ .name = NULL },
};
