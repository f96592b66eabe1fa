// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/mountinfo.h"

#define PATH_BYTES 128
#define DEPTH_MAX 16 /* of devices on devices */

static void add_device(struct disks *disks, dev_t device, int depth);

static void sysfs_path(char out[PATH_BYTES], dev_t device, const char *file)
{
	snprintf(out, PATH_BYTES, "/sys/dev/block/%u:%u%s%s", major(device), minor(device),
		 *file ? "/" : "", file);
}

static void add_disk(struct disks *disks, dev_t device)
{
	for (size_t i = 0; i < disks->n; i++)
		if (disks->v[i] == device)
			return;
	GROW(disks->v, disks->n, disks->cap);
	disks->v[disks->n++] = device;
}

/* "8:16" */
static int read_number(int folder, const char *path, dev_t *out)
{
	unsigned int high, low;
	char text[32];

	if (files_read_line_at(folder, path, text, sizeof(text)) ||
	    sscanf(text, "%u:%u", &high, &low) != 2)
		return -ENOENT;
	*out = makedev(high, low);
	return 0;
}

/* What dm and md are made of; false where it is made of nothing. */
static bool add_slaves(struct disks *disks, dev_t device, int depth)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	bool any = false;
	dev_t number;
	DIR *folder;

	sysfs_path(path, device, "slaves");
	folder = opendir(path);
	if (!folder)
		return false;
	while ((entry = readdir(folder))) {
		snprintf(path, sizeof(path), "%.64s/dev", entry->d_name);
		if (entry->d_name[0] == '.' || read_number(dirfd(folder), path, &number))
			continue;
		any = true;
		add_device(disks, number, depth + 1);
	}
	closedir(folder);
	return any;
}

/* The file system of a number as st_dev gives it; one without a device names its source. */
static void add_file_system(struct disks *disks, dev_t device, int depth)
{
	auto_mountinfo struct mountinfo mounts = MOUNTINFO_INIT;
	struct stat st;

	if (major(device)) {
		add_device(disks, device, depth);
		return;
	}
	if (mountinfo_read(&mounts, NULL))
		return;
	for (size_t i = 0; i < mounts.n; i++)
		if (makedev(mounts.v[i].major, mounts.v[i].minor) == device &&
		    mounts.v[i].source[0] == '/' && stat(mounts.v[i].source, &st) == 0 &&
		    S_ISBLK(st.st_mode))
			add_device(disks, st.st_rdev, depth + 1);
}

static bool add_backing(struct disks *disks, dev_t device, int depth)
{
	struct loop_info64 info;
	char path[PATH_BYTES], name[64];
	auto_close int fd = -1;

	sysfs_path(path, device, "loop");
	if (!files_exists(path))
		return false;
	disks_name(device, name);
	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0)
		add_file_system(disks, info.lo_device, depth + 1);
	return true;
}

static void add_device(struct disks *disks, dev_t device, int depth)
{
	char path[PATH_BYTES];
	dev_t whole;

	if (depth > DEPTH_MAX || add_slaves(disks, device, depth) ||
	    add_backing(disks, device, depth))
		return;
	sysfs_path(path, device, "partition");
	if (files_exists(path)) {
		sysfs_path(path, device, "../dev");
		if (read_number(AT_FDCWD, path, &whole) == 0)
			add_device(disks, whole, depth + 1);
		return;
	}
	sysfs_path(path, device, "");
	if (files_exists(path))
		add_disk(disks, device);
}

void disks_add_device(struct disks *disks, dev_t device)
{
	add_device(disks, device, 0);
}

void disks_add_file(struct disks *disks, int fd)
{
	auto_mountinfo struct mountinfo mounts = MOUNTINFO_INIT;
	const struct mount_entry *mount;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	/* Files of a subvolume have a number that no mount shows. */
	if (!major(st.st_dev) && mountinfo_read(&mounts, NULL) == 0) {
		mount = mountinfo_of_fd(&mounts, fd);
		if (mount)
			st.st_dev = makedev(mount->major, mount->minor);
	}
	add_file_system(disks, st.st_dev, 0);
}

dev_t disks_common(const struct disks *a, const struct disks *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (a->v[i] == b->v[k])
				return a->v[i];
	return 0;
}

void disks_name(dev_t device, char out[64])
{
	char path[PATH_BYTES], target[256];
	const char *slash;
	ssize_t n;

	out[0] = '\0';
	sysfs_path(path, device, "");
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	slash = strrchr(target, '/');
	snprintf(out, 64, "%.63s", slash ? slash + 1 : target);
}

void disks_release(struct disks *disks)
{
	free(disks->v);
	*disks = (struct disks)DISKS_INIT;
}
