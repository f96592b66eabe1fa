// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/guard_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "machine/block_device.h"

struct guard_lock {
	char *disk;
	int fd;
	size_t users;
	struct guard_lock *next;
};

static struct guard_lock *held;

int guard_lock_take(const char *disk, int64_t end_ns, struct guard_lock **out)
{
	auto_free char *path = block_device_path(disk);
	struct guard_lock *lock;
	int fd, rc;

	for (lock = held; lock; lock = lock->next) {
		if (strcmp(lock->disk, disk) != 0)
			continue;
		lock->users++;
		*out = lock;
		return 0;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = block_device_lock_until(fd, end_ns);
	if (rc) {
		close(fd);
		return rc;
	}
	lock = xcalloc(1, sizeof(*lock));
	*lock = (struct guard_lock){ .disk = xstrdup(disk), .fd = fd, .users = 1, .next = held };
	*out = held = lock;
	return 0;
}

void guard_lock_drop(struct guard_lock *lock)
{
	struct guard_lock **p = &held;

	if (!lock || --lock->users)
		return;
	while (*p != lock)
		p = &(*p)->next;
	*p = lock->next;
	close(lock->fd);
	free(lock->disk);
	free(lock);
}
