// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/btrfs_device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/xalloc.h"

int btrfs_device_forget(const char *path)
{
	auto_close int fd = open("/dev/btrfs-control", O_RDWR | O_CLOEXEC);
	struct btrfs_ioctl_vol_args args = { 0 };

	if (fd < 0)
		return errno == ENOENT || errno == ENODEV || errno == ENXIO ? 0 : -errno;
	snprintf(args.name, sizeof(args.name), "%s", path);
	if (ioctl(fd, BTRFS_IOC_FORGET_DEV, &args) == 0 || errno == ENOENT)
		return 0;
	return -errno;
}
