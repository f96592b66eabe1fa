// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/loop_node.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"

int loop_control_open(struct err *err)
{
	int fd = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == EACCES || errno == EPERM)
		return err_missing(err, "loop devices need root: /dev/loop-control: %s",
				   strerror(errno));
	return err_missing(err, "no loop devices here (module loop): /dev/loop-control: %s",
			   strerror(errno));
}

static void attribute_path(char out[80], unsigned int number, const char *name)
{
	snprintf(out, 80, "/sys/block/loop%u/%s", number, name);
}

bool loop_node_exists(unsigned int number)
{
	char path[80];

	attribute_path(path, number, "");
	return files_exists(path);
}

bool loop_node_bound(unsigned int number)
{
	char path[80];

	attribute_path(path, number, "loop/backing_file");
	return files_exists(path);
}

uint64_t loop_node_attribute(unsigned int number, const char *name)
{
	char path[80], line[32];
	uint64_t value;

	attribute_path(path, number, name);
	if (files_read_line_at(AT_FDCWD, path, line, sizeof(line)) || units_parse_u64(line, &value))
		return 0;
	return value;
}

/* Is what is bound there ours? -ENXIO: nothing is bound, or no longer. */
static int is_ours(unsigned int number, const char *token)
{
	auto_close int fd = -1;
	struct loop_info64 info;
	char path[32], begin[80];
	size_t len;

	snprintf(path, sizeof(path), "/dev/loop%u", number);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return -ENXIO;
	snprintf(begin, sizeof(begin), "%s:", token);
	len = strnlen(begin, sizeof(info.lo_file_name) - 1);
	return strncmp((const char *)info.lo_file_name, begin, len) == 0;
}

int loop_node_remove(int control, unsigned int number, const char *token, int64_t end_ns)
{
	for (;;) {
		if (!loop_node_exists(number))
			return -ENODEV;
		if (loop_node_bound(number)) {
			if (is_ours(number, token) == 0)
				return -EADDRINUSE;
		} else if (ioctl(control, LOOP_CTL_REMOVE, (long)number) >= 0) {
			return 0;
		} else if (errno != EBUSY && errno != EINTR && errno != ENODEV) {
			return -errno;
		}
		if (clock_mono_ns() >= end_ns)
			return -EBUSY;
		clock_sleep_ns(5 * NS_PER_MS);
	}
}
