// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/guard_loops.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "machine/block_device.h"

#define SECTOR 512

/* Older kernels give the number of the file system for the disk of a file. */
static dev_t disk_of(const struct loop_info64 *info)
{
	return info->lo_rdevice != info->lo_device ? (dev_t)info->lo_rdevice : 0;
}

static void add(struct guard_loops *loops, const char *name)
{
	auto_free char *path = block_device_path(name);
	uint64_t size = block_device_value(name, "size", 0) * SECTOR;
	auto_close int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct loop_info64 info;

	if (fd < 0 || ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return;
	GROW(loops->v, loops->n, loops->cap);
	loops->v[loops->n++] = (struct guard_loop){
		.name = xstrdup(name),
		.disk = disk_of(&info),
		.device = info.lo_device,
		.inode = info.lo_inode,
		.from = info.lo_offset,
		.to = info.lo_offset + size,
	};
}

void guard_loops_read(struct guard_loops *loops, const struct words *all)
{
	char line[4096];

	*loops = (struct guard_loops){ NULL, 0, 0 };
	for (size_t i = 0; i < all->n; i++)
		if (!block_device_attribute(all->v[i], "loop/backing_file", line, sizeof(line)))
			add(loops, all->v[i]);
}

void guard_loops_release(struct guard_loops *loops)
{
	for (size_t i = 0; i < loops->n; i++)
		free(loops->v[i].name);
	free(loops->v);
	*loops = (struct guard_loops){ NULL, 0, 0 };
}

const char *guard_loops_on(const struct guard_loops *loops, dev_t disk)
{
	for (size_t i = 0; i < loops->n; i++)
		if (loops->v[i].disk && loops->v[i].disk == disk)
			return loops->v[i].name;
	return NULL;
}

static bool share_bytes(const struct guard_loop *a, const struct guard_loop *b)
{
	bool one = a->disk ? a->disk == b->disk :
			     !b->disk && a->device == b->device && a->inode == b->inode;

	return one && a->from < b->to && b->from < a->to;
}

const char *guard_loops_beside(const struct guard_loops *loops, const char *name)
{
	const struct guard_loop *is = NULL;

	for (size_t i = 0; i < loops->n && !is; i++)
		if (!strcmp(loops->v[i].name, name))
			is = &loops->v[i];
	for (size_t i = 0; is && i < loops->n; i++)
		if (&loops->v[i] != is && share_bytes(is, &loops->v[i]))
			return loops->v[i].name;
	return NULL;
}
