// SPDX-License-Identifier: GPL-3.0-or-later
/* Removing a folder with all that is in it, which may change while we do. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"

static int remove_below(int parent, const char *name, dev_t device);

static int remove_entry(int folder, const struct dirent *entry, dev_t device)
{
	if (entry->d_type != DT_DIR && unlinkat(folder, entry->d_name, 0) == 0)
		return 0;
	if (entry->d_type != DT_DIR && errno != EISDIR)
		return errno == ENOENT ? 0 : -errno;
	return remove_below(folder, entry->d_name, device);
}

static bool is_dot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int remove_entries(DIR *list, dev_t device)
{
	const struct dirent *entry;
	int rc = 0;

	while (!rc && (entry = readdir(list)))
		if (!is_dot(entry->d_name))
			rc = remove_entry(dirfd(list), entry, device);
	return rc;
}

/* What is mounted below stays, and with it the folders above it. */
static int remove_below(int parent, const char *name, dev_t device)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	DIR *list;
	int rc;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	rc = fstat(fd, &st) < 0 ? -errno : st.st_dev == device ? 0 : -EXDEV;
	list = rc ? NULL : fdopendir(fd);
	if (!list) {
		close(fd);
		return rc ? rc : -ENOMEM;
	}
	rc = remove_entries(list, device);
	closedir(list);
	if (!rc && unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		rc = -errno;
	return rc;
}

int files_remove_tree(const char *path, struct err *err)
{
	struct stat st;
	int rc;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return err_sys(err, ENOTDIR, "removing %s", path);
	rc = remove_below(AT_FDCWD, path, st.st_dev);
	return rc ? err_sys(err, -rc, "removing %s", path) : 0;
}
