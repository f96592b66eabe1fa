// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/kernel_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/xalloc.h"

const struct kernel_fs kernel_fs_tracefs = {
	"tracefs", TRACEFS_MAGIC, { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" },
};
const struct kernel_fs kernel_fs_debugfs = {
	"debugfs", DEBUGFS_MAGIC, { "/sys/kernel/debug", NULL },
};
const struct kernel_fs kernel_fs_securityfs = {
	"securityfs", SECURITYFS_MAGIC, { "/sys/kernel/security", NULL },
};

int kernel_fs_open_mounted(const char *path, unsigned long magic)
{
	struct statfs fs;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* An unmounted one is an empty folder of sysfs or debugfs. */
	if (fstatfs(fd, &fs) < 0 || (unsigned long)fs.f_type != magic) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

static int mount_detached(const char *type)
{
	auto_close int context = fsopen(type, FSOPEN_CLOEXEC);
	int fd;

	if (context < 0)
		return -errno;
	if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	fd = fsmount(context, FSMOUNT_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

int kernel_fs_open(const struct kernel_fs *fs)
{
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(fs->places) && fs->places[i]; i++) {
		fd = kernel_fs_open_mounted(fs->places[i], fs->magic);
		if (fd >= 0)
			return fd;
	}
	return mount_detached(fs->type);
}
