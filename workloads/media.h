// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MEDIA_H
#define BRUNT_WORKLOADS_MEDIA_H

#include <jansson.h>
#include <stdbool.h>

#include "base/keys.h"
#include "machine/disk_set.h"
#include "machine/loop.h"
#include "machine/zram.h"
#include "workloads/device_spec.h"
#include "workloads/workload.h"

/*
 * The devices of a workload: loop or zram devices that brunt makes, or disks that the user named.
 * A workload has MEDIA_KEYS in its table of keys beside `devices`, and reads them with
 * media_read_keys() behind device_spec_parse(); without that the defaults hold.
 */
struct media {
	bool named, zram; /* neither: loop devices */
	struct loop_set loops;
	struct zram_set zrams;
	struct disk_set disks;
	enum disk_reset reset;
	const struct target_device *devices; /* count of them, of whichever it is */
	size_t count;
};

#define MEDIA_KEYS                                                                               \
	{ .name = "reset", .type = KEY_ENUM, .fallback = "none", .values = "discard|zero|none",  \
	  .summary = "disks before each run: all of them trimmed, or zeroed, or only both ends " \
		     "zeroed" },                                                                 \
	{ .name = "leave", .type = KEY_BOOL, .fallback = "no",                                   \
	  .summary = "leave on disks what the last run made; else they are wiped" },             \
	{ .name = "shared", .type = KEY_ENUM, .fallback = "no", .values = "no|ok",               \
	  .summary = "ok: no other host uses the disks of a network that it could use, too" }

/* Usage errors where they say something of devices that brunt makes. */
int media_read_keys(const struct keys *keys, const struct key_spec *specs,
		    struct device_spec *devices, struct err *err);

int media_make(struct media *media, const struct device_spec *devices,
		     const struct workload_site *site, struct err *err);

/* The same state before each run: no file system; nothing on a made device at all. */
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

/*
 * As struct workload has it: which disks patterns and @FILE have led to, by what names them for
 * good, or by name. null: devices of our own.
 */
json_t *media_found(const struct media *media);

/* "10 loop devices of 1 GiB (tmpfs)", "2 disks of 8 GiB (sda sdb)" */
void media_tell(const struct media *media, struct buf *out);

/* Fine on zeroed or released media. */
void media_release(struct media *media);

#endif
