// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/undo_traces.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "machine/relay.h"
#include "machine/tracefs.h"

#define BUSY_TIMEOUT_NS (5 * NS_PER_S) /* how long readers of the dead may take to die, too */

static int malformed(const char *kind, struct err *err)
{
	return err_set(err, EINVAL, "a journal entry of the kind %s lacks what identifies it", kind);
}

static bool is_gone(int rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -ENXIO || rc == -ENOTDIR;
}

/*
 * Unbinding a loop device gives it a new diskseq but leaves the trace on: one that is not bound
 * now, with the switch on, was left so by whoever used it last.
 */
static bool same_disk(const char *device, int64_t diskseq)
{
	auto_free char *seq = xasprintf("/sys/class/block/%s/diskseq", device);
	auto_free char *loop = xasprintf("/sys/class/block/%s/loop", device);
	auto_free char *backing = xasprintf("%s/backing_file", loop);
	char line[32];

	if (!diskseq || files_read_line_at(AT_FDCWD, seq, line, sizeof(line)))
		return true;
	if (strtoll(line, NULL, 10) == diskseq)
		return true;
	return strncmp(device, "loop", 4) == 0 && !files_exists(backing);
}

/* Is the trace that the device has now somebody else's? Negative: that cannot be told. */
static int is_foreign(const json_t *entry, const char *device, struct err *err)
{
	json_int_t inode = json_get_int(entry, "inode", 0);
	auto_close int debugfs = -1;
	struct relay_files files;
	uint64_t now;
	int rc;

	if (!json_is_true(json_object_get(entry, "relay")))
		return 0;
	debugfs = relay_debugfs_open(err);
	if (debugfs < 0)
		return debugfs;
	rc = relay_inode(debugfs, device, &now);
	if (rc)
		return 1; /* on, and no relay: one that sysfs started, which is not what we made */
	if (inode)
		return (uint64_t)inode != now;
	/* We died before it was noted, and our process with us. */
	rc = relay_files_list(debugfs, &device, 1, &files);
	if (rc)
		return 1;
	rc = relay_files_in_use(&files);
	relay_files_release(&files);
	return rc;
}

int undo_blk_trace(const json_t *entry, bool dry, char **did, struct err *err)
{
	const char *device = json_get_text(entry, "device", NULL);
	auto_free char *path = NULL;
	char line[32];
	int rc;

	if (!device || !*device || *device == '.' || strchr(device, '/'))
		return malformed("blk-trace", err);
	path = xasprintf("/sys/class/block/%s/trace/enable", device);
	rc = files_read_line_at(AT_FDCWD, path, line, sizeof(line));
	if (is_gone(rc) || (!rc && strcmp(line, "1") != 0))
		return 0;
	if (rc)
		return err_sys(err, -rc, "reading %s", path);
	if (!same_disk(device, json_get_int(entry, "diskseq", 0))) {
		*did = xasprintf("%s is another device now: its trace is left alone", device);
		return 0;
	}
	rc = is_foreign(entry, device, err);
	if (rc < 0)
		return rc;
	if (rc) {
		*did = xasprintf("the trace of %s is somebody else's now: left alone", device);
		return 0;
	}
	rc = dry ? 0 : files_write_value_at(AT_FDCWD, path, "0");
	if (rc && !is_gone(rc))
		return err_sys(err, -rc, "turning off the trace of %s", device);
	*did = xasprintf("trace of %s %s", device, dry ? "would be turned off" : "turned off");
	return 0;
}

/* Files of other names, and with them the folder, stay. */
static void remove_trace_files(int folder)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	if (!list) {
		close_fd(&copy);
		return;
	}
	while ((entry = readdir(list)))
		if (strstr(entry->d_name, ".blktrace."))
			unlinkat(folder, entry->d_name, 0);
	closedir(list);
}

int undo_trace_folder(const json_t *entry, bool dry, char **did, struct err *err)
{
	const char *path = json_get_text(entry, "path", NULL);
	json_int_t inode = json_get_int(entry, "inode", 0);
	auto_close int folder = -1;
	struct stat st;

	if (!path || *path != '/')
		return malformed("trace-folder", err);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return is_gone(-errno) || errno == ELOOP ? 0 : err_sys(err, errno, "%s", path);
	if (fstat(folder, &st) < 0)
		return err_sys(err, errno, "%s", path);
	/* Without a note we died as it was made: then nothing is in it. */
	if (inode && (json_int_t)st.st_ino != inode)
		return 0;
	if (!dry && inode)
		remove_trace_files(folder);
	if (!dry && rmdir(path) < 0 && errno != ENOENT)
		return err_sys(err, errno, "removing %s", path);
	*did = xasprintf("folder %s %s", path, dry ? "would be removed" : "removed");
	return 0;
}

/* The kernel refuses while a reader that is not dead yet has a pipe open. */
static int remove_instance(int tracefs, const char *path)
{
	int64_t end = clock_mono_ns() + BUSY_TIMEOUT_NS;

	while (unlinkat(tracefs, path, AT_REMOVEDIR) < 0) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || clock_mono_ns() >= end)
			return -errno;
		clock_sleep_ns(5 * NS_PER_MS);
	}
	return 0;
}

int undo_trace_instance(const json_t *entry, bool dry, char **did, struct err *err)
{
	const char *name = json_get_text(entry, "name", NULL);
	json_int_t inode = json_get_int(entry, "inode", 0);
	auto_close int tracefs = -1;
	auto_free char *path = NULL;
	struct stat st;
	int rc;

	if (!name || strncmp(name, "brunt-", 6) != 0 || strchr(name, '/'))
		return malformed("trace-instance", err);
	tracefs = tracefs_open(err);
	if (tracefs < 0)
		return tracefs;
	path = xasprintf("instances/%s", name);
	if (fstatat(tracefs, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return is_gone(-errno) ? 0 : err_sys(err, errno, "tracefs: %s", path);
	if (inode && (json_int_t)st.st_ino != inode)
		return 0;
	rc = dry ? 0 : remove_instance(tracefs, path);
	if (rc)
		return err_sys(err, -rc, "tracefs: removing %s", path);
	*did = xasprintf("tracing instance %s %s", name, dry ? "would be removed" : "removed");
	return 0;
}
