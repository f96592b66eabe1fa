// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_MEDIA_H
#define BRUNT_WORKLOADS_STORM_MEDIA_H

#include <jansson.h>
#include <stdbool.h>

#include "machine/disk_set.h"
#include "machine/loop.h"
#include "workloads/storm_devices.h"
#include "workloads/workload.h"

/* The devices of a storm: loop devices that it makes, or disks that the user named. */
struct storm_media {
	bool named;
	struct loop_set loops;
	struct disk_set disks;
	const struct target_device *devices; /* count of them, of whichever it is */
	size_t count;
};

int storm_media_make(struct storm_media *media, const struct storm_devices *devices,
		     const struct workload_site *site, struct err *err);

/* The same state before each run: no file system; nothing on a loop device at all. */
int storm_media_reset(struct storm_media *media, struct err *err);

/* Drops the devices' page cache. */
int storm_media_flush_cache(struct storm_media *media, struct err *err);

/* Brings what loop devices hold to the disk that their files are on. */
int storm_media_sync(struct storm_media *media, struct err *err);

/*
 * Is what is there still what was made or named, and free (machine/block_device.h)? -EBUSY,
 * -ENODEV.
 */
int storm_media_check_free(const struct storm_media *media, size_t i, struct err *err);

/* Facts for the session: an array, an object a device. */
json_t *storm_media_describe(const struct storm_media *media);

/* Fine on zeroed or released media. */
void storm_media_release(struct storm_media *media);

#endif
