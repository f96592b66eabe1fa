// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/block_device.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/disk_identity.h"

#define LOCK_TIMEOUT_NS (1 * NS_PER_S)
#define FREE_TIMEOUT_NS (1 * NS_PER_S)
#define SECTOR 512

char *block_device_path(const char *name)
{
	return strchr(name, '/') ? xstrdup(name) : xasprintf("/dev/%s", name);
}

int block_device_number(const char *path, dev_t *number)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	*number = st.st_rdev;
	return 0;
}

int block_device_name(dev_t number, char **name)
{
	char link[64], target[1024];
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(number), minor(number));
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	*name = xstrdup(strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
	return 0;
}

static bool leads_to(const char *path, dev_t number)
{
	dev_t is;

	return block_device_number(path, &is) == 0 && is == number;
}

char *block_device_node(dev_t number, const char *name, const char *path)
{
	char *node = xasprintf("/dev/%s", name), *resolved;

	/* the kernel puts '!' where a name has a slash */
	for (char *p = node; *p; p++)
		if (*p == '!')
			*p = '/';
	if (leads_to(node, number))
		return node;
	free(node);
	resolved = realpath(path, NULL);
	if (resolved && leads_to(resolved, number))
		return resolved;
	free(resolved);
	return NULL;
}

int block_device_attribute(const char *name, const char *attribute, char *out, size_t size)
{
	auto_free char *path = xasprintf("/sys/class/block/%s/%s", name, attribute);
	int rc = files_read_line_at(AT_FDCWD, path, out, size);

	if (rc)
		*out = '\0';
	return rc;
}

uint64_t block_device_value(const char *name, const char *attribute, uint64_t otherwise)
{
	uint64_t value;
	char line[64];

	if (block_device_attribute(name, attribute, line, sizeof(line)) ||
	    units_parse_u64(line, &value))
		return otherwise;
	return value;
}

uint64_t block_device_queue_value(const char *name, const char *attribute, uint64_t otherwise)
{
	auto_free char *whole = disk_identity_whole(name);
	auto_free char *path = xasprintf("queue/%s", attribute);

	return block_device_value(whole ? whole : name, path, otherwise);
}

char *block_device_scheduler(const char *name)
{
	auto_free char *whole = disk_identity_whole(name);
	char line[256], *word;

	if (block_device_attribute(whole ? whole : name, "queue/scheduler", line, sizeof(line)))
		return NULL;
	word = strchr(line, '[');
	if (!word)
		return xstrdup(line);
	word[strcspn(word, "]")] = '\0';
	return xstrdup(word + 1);
}

static char *linked_name(const char *name, const char *link)
{
	auto_free char *path = xasprintf("/sys/class/block/%s/%s", name, link);
	char target[1024];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	return xstrdup(strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
}

/* The word behind the number, among the block devices of /proc/devices. */
static char *major_name(unsigned int number)
{
	auto_buf struct buf text = BUF_INIT;
	unsigned int is;
	const char *line;
	int at;

	if (files_read_at(AT_FDCWD, "/proc/devices", 1 << 16, &text))
		return NULL;
	line = strstr(text.s, "Block devices:");
	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		at = 0;
		if (sscanf(line, "%u %n", &is, &at) == 1 && at && is == number)
			return xstrndup(line + at, strcspn(line + at, "\n"));
	}
	return NULL;
}

char *block_device_driver(const struct target_device *device)
{
	auto_free char *whole = disk_identity_whole(device->name);
	const char *disk = whole ? whole : device->name;
	char *driver = linked_name(disk, "device/driver");

	if (!driver)
		driver = linked_name(disk, "device/device/driver");
	return driver ? driver : major_name(major(device->number));
}

int block_device_lock(int fd)
{
	return block_device_lock_until(fd, clock_mono_ns() + LOCK_TIMEOUT_NS);
}

int block_device_lock_until(int fd, int64_t end_ns)
{
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (clock_mono_ns() >= end_ns)
			return -EBUSY;
		clock_sleep_ns(2 * NS_PER_MS);
	}
	return 0;
}

int block_device_open_free(const char *path, int flags, struct err *err)
{
	int64_t end = clock_mono_ns() + FREE_TIMEOUT_NS;
	int fd;

	while ((fd = open(path, flags | O_EXCL | O_CLOEXEC)) < 0) {
		if (errno != EBUSY && errno != EINTR)
			return err_sys(err, errno, "%s", path);
		if (clock_mono_ns() >= end)
			return err_set(err, EBUSY, "%s is still mounted or in use by somebody",
				       path);
		clock_sleep_ns(10 * NS_PER_MS);
	}
	return fd;
}

int block_device_check_free(const char *path, struct err *err)
{
	int fd = block_device_open_free(path, O_RDWR, err);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int block_device_check_same(const struct target_device *device, struct err *err)
{
	uint64_t size, diskseq;

	if (!leads_to(device->path, device->number))
		return err_set(err, ENODEV, "%s is gone, or another device now", device->path);
	diskseq = disk_identity_diskseq(device->name);
	if (device->diskseq && diskseq && diskseq != device->diskseq)
		return err_set(err, ENODEV, "%s is another disk now", device->path);
	size = block_device_value(device->name, "size", 0) * SECTOR;
	if (size != device->size)
		return err_set(err, ENODEV, "%s has %" PRIu64 " bytes now, not %" PRIu64,
			       device->path, size, device->size);
	return 0;
}
