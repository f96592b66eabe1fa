// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "workloads/media.h"

static int check_block_size(const char *value, struct err *err)
{
	uint64_t size;

	if (units_parse_size(value, &size))
		return err_usage(err, "block_size=%s is no size", value);
	if (size < 1024 || size & (size - 1) || size > (uint64_t)sysconf(_SC_PAGESIZE))
		return err_usage(err, "block_size=%s: give 1024, 2048 or 4096 (at most a page, or "
				 "it cannot be mounted)", value);
	return 0;
}

static int check_mkfs_options(const char *value, struct err *err)
{
	auto_words struct words rest = WORDS_INIT;
	auto_free char *extended = NULL;

	return storm_mkfs_options(value, &rest, &extended, err);
}

static int check_mount_options(const char *value, struct err *err)
{
	struct storm_mount mount;
	int rc = storm_mount_options(value, &mount, err);

	if (!rc)
		storm_mount_release(&mount);
	return rc;
}

const struct key_spec storm_keys[] = {
	{ .name = "devices", .type = KEY_LIST, .fallback = "loop:10:1G",
	  .values = "loop:N:SIZE[:DIR], zram:N:SIZE or DEV+DEV...", .check = device_spec_check,
	  .summary = "N loop devices that brunt makes, in memory, or on the disk of DIR; RAM disks; "
		     "or disks that --destroy gives away: names, paths, patterns, WWIDs, @FILE" },
	MEDIA_KEYS,
	{ .name = "fs", .type = KEY_ENUM, .fallback = "ext3", .values = "ext2|ext3|ext4",
	  .summary = "file system that is made" },
	{ .name = "block_size", .type = KEY_SIZE, .fallback = "4096", .values = "SIZE",
	  .check = check_block_size, .summary = "block size of the file system" },
	{ .name = "mkfs_options", .type = KEY_STRING, .fallback = "", .values = "OPTIONS",
	  .check = check_mkfs_options,
	  .summary = "more options of mke2fs, split into words as sh does" },
	{ .name = "lazy", .type = KEY_BOOL, .fallback = "no",
	  .summary = "leave inode tables and journal to be zeroed after the mount" },
	{ .name = "discard", .type = KEY_BOOL, .fallback = "no",
	  .summary = "mke2fs discards the device first" },
	{ .name = "mount_options", .type = KEY_LIST, .fallback = "", .values = "OPTION,OPTION",
	  .check = check_mount_options, .summary = "options of the mount" },
	{ .name = "mount_method", .type = KEY_ENUM, .fallback = "syscall",
	  .values = "syscall|program", .summary = "mount(2) and umount(2), or the programs" },
	{ .name = "mount_ns", .type = KEY_ENUM, .fallback = "private", .values = "private|host",
	  .summary = "mount in a mount namespace of the session's own, or in the host's" },
	{ .name = "fill", .type = KEY_SIZE, .fallback = "16M", .values = "SIZE",
	  .summary = "size of a file written between mount and umount; 0: none" },
	{ .name = "repeat", .type = KEY_INT, .fallback = "1", .values = "K", .min = 1,
	  .max = STORM_MAX_REPEAT,
	  .summary = "cycles of mkfs, mount, fill, umount a device and run" },
	{ .name = "min_run", .type = KEY_TIME, .values = "TIME", .min = 1,
	  .summary = "let the warm-up choose repeat, so that a run takes this long" },
	{ .name = "deadline", .type = KEY_TIME, .values = "TIME", .min = 1000000000,
	  .summary = "when a device that hangs fails the run (minutes, more for more work)" },
	{ .name = "cache", .type = KEY_ENUM, .fallback = "cold",
	  .values = "cold|warm|cold-system",
	  .summary = "page cache before a run: the devices' dropped, kept, or all dropped" },
	{ .name = "phases", .type = KEY_ENUM, .fallback = "pipeline", .values = "pipeline",
	  .summary = "each device goes through its cycles on its own" },
	{ .name = NULL },
};

void storm_options_release(struct storm_options *options)
{
	free(options->fs);
	free(options->extended);
	device_spec_release(&options->devices);
	storm_mount_release(&options->mount);
	words_release(&options->mkfs);
	*options = (struct storm_options){ 0 };
}

static enum storm_cache cache_of(const char *name)
{
	if (!strcmp(name, "warm"))
		return STORM_CACHE_WARM;
	return !strcmp(name, "cold") ? STORM_CACHE_COLD : STORM_CACHE_COLD_SYSTEM;
}

int storm_options_read(const struct keys *keys, struct storm_options *out, struct err *err)
{
	struct storm_options options = { 0 };
	int rc;

	rc = device_spec_parse(keys_text(keys, storm_keys, "devices"), &options.devices, err);
	if (!rc)
		rc = media_read_keys(keys, storm_keys, &options.devices, err);
	if (!rc)
		rc = storm_mkfs_options(keys_text(keys, storm_keys, "mkfs_options"),
					&options.mkfs, &options.extended, err);
	if (!rc)
		rc = storm_mount_options(keys_text(keys, storm_keys, "mount_options"),
					 &options.mount, err);
	if (rc) {
		storm_options_release(&options);
		return rc;
	}
	options.fs = xstrdup(keys_text(keys, storm_keys, "fs"));
	options.block_size = (unsigned int)keys_size(keys, storm_keys, "block_size");
	options.lazy = keys_bool(keys, storm_keys, "lazy");
	options.discard = keys_bool(keys, storm_keys, "discard");
	options.fill = keys_size(keys, storm_keys, "fill");
	options.repeat = (uint32_t)keys_int(keys, storm_keys, "repeat");
	options.min_run_ns = keys_time_ns(keys, storm_keys, "min_run");
	options.deadline_ns = keys_time_ns(keys, storm_keys, "deadline");
	options.mount_program = !strcmp(keys_text(keys, storm_keys, "mount_method"), "program");
	options.host_ns = !strcmp(keys_text(keys, storm_keys, "mount_ns"), "host");
	options.cache = cache_of(keys_text(keys, storm_keys, "cache"));
	*out = options;
	return 0;
}

void storm_mkfs_argv(const struct storm_options *options, bool trial, const char *uuid,
		     const char *device, struct words *out)
{
	auto_buf struct buf extended = BUF_INIT;
	int lazy = options->lazy || trial;

	buf_addf(&extended, "lazy_itable_init=%d", lazy);
	if (strcmp(options->fs, "ext2") != 0)
		buf_addf(&extended, ",lazy_journal_init=%d", lazy);
	buf_add(&extended, options->discard && !trial ? ",discard" : ",nodiscard");
	if (options->extended)
		buf_addf(&extended, ",%s", options->extended);

	words_add(out, "mke2fs");
	words_add(out, "-q");
	words_add(out, "-F");
	words_add(out, "-t");
	words_add(out, options->fs);
	words_add(out, "-b");
	words_add_taken(out, xasprintf("%u", options->block_size));
	words_add(out, "-U");
	words_add(out, uuid);
	for (size_t i = 0; i < options->mkfs.n; i++)
		words_add(out, options->mkfs.v[i]);
	words_add(out, "-E");
	words_add(out, extended.s);
	words_add(out, device);
}
