// SPDX-License-Identifier: GPL-3.0-or-later
/* Disks of a test's own: loop devices over files in memory, as a user's disks would be. */
#ifndef BRUNT_TESTS_LOOP_DISK_H
#define BRUNT_TESTS_LOOP_DISK_H

#include <fcntl.h>
#include <linux/loop.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

struct loop_disk {
	char path[32]; /* "/dev/loop3" */
	int fd, memory; /* the disk, and what is behind it */
};

/*
 * Over bytes of a file or disk, which becomes the loop disk's own; size 0: to its end. False where
 * loop devices cannot be had.
 */
static inline bool loop_disk_over(struct loop_disk *disk, int backing, off_t from, off_t size)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), number;
	struct loop_config config = {
		.fd = (__u32)backing,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR,
		.info.lo_offset = (__u64)from,
		.info.lo_sizelimit = (__u64)size,
	};

	if (control < 0)
		return false;
	disk->memory = backing;
	/* somebody may take the number before us */
	for (int tries = 0; tries < 20; tries++) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		if (number < 0)
			break;
		snprintf(disk->path, sizeof(disk->path), "/dev/loop%d", number);
		disk->fd = open(disk->path, O_RDWR | O_CLOEXEC);
		if (disk->fd >= 0 && ioctl(disk->fd, LOOP_CONFIGURE, &config) == 0) {
			close(control);
			return true;
		}
		close(disk->fd);
	}
	close(control);
	return false;
}

/* The same over memory. */
static inline bool loop_disk_make(struct loop_disk *disk, off_t size)
{
	int memory = memfd_create("brunt-test-disk", MFD_CLOEXEC);

	return memory >= 0 && ftruncate(memory, size) == 0 && loop_disk_over(disk, memory, 0, 0);
}

static inline const char *loop_disk_name(const struct loop_disk *disk)
{
	return strrchr(disk->path, '/') + 1;
}

static inline void loop_disk_end(struct loop_disk *disk)
{
	close(disk->fd);
	close(disk->memory);
}

#endif
