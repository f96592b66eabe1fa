// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MEDIA_H
#define BRUNT_WORKLOADS_MEDIA_H

#include <jansson.h>
#include <stdbool.h>

#include "machine/disk_set.h"
#include "machine/loop.h"
#include "workloads/device_spec.h"
#include "workloads/workload.h"

/* The devices of a workload: loop devices that brunt makes, or disks that the user named. */
struct media {
	bool named;
	struct loop_set loops;
	struct disk_set disks;
	const struct target_device *devices; /* count of them, of whichever it is */
	size_t count;
};

int media_make(struct media *media, const struct device_spec *devices,
		     const struct workload_site *site, struct err *err);

/* The same state before each run: no file system; nothing on a loop device at all. */
int media_reset(struct media *media, struct err *err);

/* Drops the devices' page cache. */
int media_flush_cache(struct media *media, struct err *err);

/* Brings what loop devices hold to the disk that their files are on. */
int media_sync(struct media *media, struct err *err);

/*
 * Is what is there still what was made or named, and free (machine/block_device.h)? -EBUSY,
 * -ENODEV.
 */
int media_check_free(const struct media *media, size_t i, struct err *err);

/* Facts for the session: an array, an object a device. */
json_t *media_describe(const struct media *media);

/* "10 loop devices of 1 GiB (tmpfs)", "2 disks of 8 GiB (sda sdb)" */
void media_tell(const struct media *media, struct buf *out);

/* Fine on zeroed or released media. */
void media_release(struct media *media);

#endif
