// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/undo_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/undo.h"

#define CHILDREN_TIMEOUT_NS (10 * NS_PER_S)

char *undo_folder(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		return xstrdup("/run/brunt");
	if (runtime && *runtime == '/' && files_exists(runtime))
		return files_join(runtime, "brunt");
	return xasprintf("/tmp/brunt-%u", (unsigned int)geteuid());
}

static char *folder_path(enum undo_place place)
{
	if (place == UNDO_RUN)
		return undo_folder();
	return geteuid() == 0 ? xstrdup("/var/lib/brunt") : NULL;
}

/* What stands in journals is done with our rights: nobody else may be able to write there. */
static int check_owner(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (st.st_uid != geteuid() || (st.st_mode & 022))
		return err_refused(err, "%s belongs to or can be written by somebody else", path);
	return 0;
}

int undo_folder_open(enum undo_place place, bool make, struct err *err)
{
	auto_free char *path = folder_path(place);
	int fd, rc;

	if (!path)
		return err_set(err, ENOENT, "only root keeps undo journals on disk");
	if (make && place == UNDO_DISK && (rc = files_make_dirs("/var/lib", err)))
		return rc;
	if (make && mkdir(path, geteuid() == 0 ? 0755 : 0700) < 0 && errno != EEXIST)
		return err_sys(err, errno, "%s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	rc = check_owner(fd, path, err);
	if (rc)
		close_fd(&fd);
	return rc ? rc : fd;
}

void undo_folder_remove(enum undo_place place)
{
	auto_free char *path = folder_path(place);

	if (path)
		rmdir(path);
}

int undo_folder_list(int folder, struct words *names)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const size_t suffix = strlen(UNDO_JOURNAL_SUFFIX);
	const struct dirent *entry;
	size_t len;

	if (!list) {
		int rc = -errno;

		close_fd(&fd);
		return rc;
	}
	while ((entry = readdir(list))) {
		len = strlen(entry->d_name);
		if (len > suffix && strcmp(entry->d_name + len - suffix, UNDO_JOURNAL_SUFFIX) == 0)
			words_add(names, entry->d_name);
	}
	closedir(list);
	return 0;
}

static int lock(int fd, int how)
{
	while (flock(fd, how) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Did somebody who locked it before us remove the file meanwhile? */
static bool is_removed(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 || st.st_nlink == 0;
}

int undo_folder_create(int folder, const char *name, struct err *err)
{
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	int rc;

	if (fd < 0)
		return err_sys(err, errno, "undo journal %s", name);
	/*
	 * Between the two calls a cleaner may take the empty file for a dead session's, in which
	 * case it is gone when we have the lock.
	 */
	rc = lock(fd, LOCK_EX);
	if (!rc && is_removed(fd))
		rc = -ENOENT;
	if (!rc)
		return fd;
	close_fd(&fd);
	return err_sys(err, -rc, "undo journal %s", name);
}

int undo_folder_take(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = lock(fd, LOCK_EX | LOCK_NB);
	if (rc == -EWOULDBLOCK)
		rc = -EBUSY;
	if (!rc && is_removed(fd))
		rc = -ENOENT;
	if (rc)
		close_fd(&fd);
	return rc ? rc : fd;
}

static bool is_zombie(pid_t pid)
{
	char path[64], target[2];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, target, sizeof(target)) < 0 && errno == ENOENT;
}

bool undo_folder_owner_lives(int folder, const char *name)
{
	auto_json json_t *line = NULL;
	char text[256], boot_id[40];
	uint64_t ticks;
	pid_t pid;

	if (files_read_line_at(folder, name, text, sizeof(text)) ||
	    json_parse(text, strlen(text), name, &line, NULL))
		return true;
	pid = (pid_t)json_get_int(line, "owner", 0);
	if (pid <= 0)
		return true;
	if (undo_boot_id(boot_id, NULL) == 0 &&
	    strcmp(json_get_text(line, "boot_id", boot_id), boot_id) != 0)
		return false;
	return process_start_ticks(pid, &ticks) == 0 &&
	       (int64_t)ticks == json_get_int(line, "start_ticks", -1) && !is_zombie(pid);
}

int undo_folder_take_dead(int folder, const char *name)
{
	int64_t end = clock_mono_ns() + CHILDREN_TIMEOUT_NS;
	int fd;

	while ((fd = undo_folder_take(folder, name)) == -EBUSY) {
		if (undo_folder_owner_lives(folder, name))
			return -EBUSY;
		if (clock_mono_ns() >= end)
			return -ETIMEDOUT;
		clock_sleep_ns(5 * NS_PER_MS);
	}
	return fd;
}

int undo_boot_id(char out[40], struct err *err)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	int rc = files_read_line_at(AT_FDCWD, path, out, 40);

	return rc ? err_sys(err, -rc, "%s", path) : 0;
}
