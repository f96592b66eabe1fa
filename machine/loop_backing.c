// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/loop_backing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/mountinfo.h"

static int open_in_folder(const char *folder)
{
	auto_free char *path = xasprintf("%s/.brunt-loop-XXXXXX", folder);
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

int loop_backing_open(const char *folder, uint64_t size, const char *name, struct err *err)
{
	int fd = folder ? open_in_folder(folder) : files_open_memory(name), rc;

	if (fd < 0)
		return err_sys(err, -fd, "a backing file in %s", folder ? folder : "memory");
	if (ftruncate(fd, (off_t)size) == 0)
		return fd;
	rc = err_sys(err, errno, "a backing file of %llu bytes in %s", (unsigned long long)size,
		     folder ? folder : "memory");
	close(fd);
	return rc;
}

char *loop_backing_fs(int fd)
{
	auto_mountinfo struct mountinfo mounts = MOUNTINFO_INIT;
	const struct mount_entry *mount = NULL;
	struct statfs fs;

	if (mountinfo_read(&mounts, NULL) == 0)
		mount = mountinfo_of_fd(&mounts, fd);
	if (mount)
		return xstrdup(mount->fstype);
	/* A memfd is on the kernel's own mount, which no list shows. */
	if (fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC)
		return xstrdup("tmpfs");
	return xstrdup("unknown");
}

bool loop_backing_in_memory(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

bool loop_backing_is_hole(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_blocks == 0)
		return true;
	/* Some file systems count blocks of their own (extent trees): then look for data. */
	return lseek(fd, 0, SEEK_DATA) < 0 && errno == ENXIO;
}

int loop_backing_punch(int fd, uint64_t size)
{
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)size) < 0)
		return -errno;
	return 0;
}
