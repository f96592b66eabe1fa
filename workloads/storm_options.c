// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/cpu_list.h"
#include "workloads/media.h"
#include "workloads/storm_fs.h"
#include "workloads/traced.h"

#define MAX_PARALLEL 1000000

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

static int check_cpus(const char *value, struct err *err)
{
	struct cpu_list list;

	if (!strcmp(value, "all") || !strcmp(value, "local") || !cpu_list_parse(value, &list))
		return 0;
	return err_usage(err, "cpus=%s: give all, local, or numbers as 0-3+8", value);
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
	  .absolute = device_spec_absolute,
	  .summary = "N loop devices that brunt makes, in memory, or on the disk of DIR; RAM disks; "
		     "or disks that --destroy gives away: names, paths, patterns, WWIDs, @FILE" },
	MEDIA_KEYS,
	{ .name = "fs", .type = KEY_ENUM, .fallback = "ext3", .values = STORM_FS_NAMES,
	  .summary = "file system that is made" },
	{ .name = "block_size", .type = KEY_SIZE, .fallback = "4096", .values = "SIZE",
	  .check = check_block_size, .summary = "block size of the file system" },
	{ .name = "mkfs_options", .type = KEY_STRING, .fallback = "", .values = "OPTIONS",
	  .summary = "more options of its mkfs, split into words as sh does" },
	{ .name = "lazy", .type = KEY_BOOL, .fallback = "no",
	  .summary = "leave inode tables and journal to be zeroed after the mount" },
	{ .name = "discard", .type = KEY_BOOL, .fallback = "no",
	  .summary = "mkfs discards the device first" },
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
	{ .name = "phases", .type = KEY_ENUM, .fallback = "pipeline", .values = "pipeline|lockstep",
	  .summary = "each device goes through its cycles on its own, or all mkfs, then all mount ..." },
	{ .name = "parallel", .type = KEY_INT, .values = "N", .min = 1, .max = MAX_PARALLEL,
	  .summary = "so many devices at work at a time (all)" },
	{ .name = "cpus", .type = KEY_LIST, .fallback = "all", .values = "all|local|LIST",
	  .check = check_cpus,
	  .summary = "where the work runs: LIST as 0-3+8; local: the CPUs of each device's NUMA node" },
	TRACED_KEY,
	{ .name = NULL },
};

void storm_options_release(struct storm_options *options)
{
	free(options->fs);
	free(options->extended);
	free(options->cpus);
	free(options->trace);
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
	const struct storm_fs *fs = storm_fs_find(keys_text(keys, storm_keys, "fs"));
	struct storm_options options = { 0 };
	int rc;

	rc = device_spec_parse(keys_text(keys, storm_keys, "devices"), &options.devices, err);
	if (!rc)
		rc = media_read_keys(keys, storm_keys, &options.devices, err);
	if (!rc)
		rc = fs->judge(keys_text(keys, storm_keys, "mkfs_options"), &options.mkfs,
			       &options.extended, err);
	if (!rc && !storm_fs_is_ext(fs) && keys_bool(keys, storm_keys, "lazy"))
		rc = err_usage(err, "lazy=yes: %s has no inode tables to zero later", fs->name);
	if (!rc)
		rc = storm_mount_options(keys_text(keys, storm_keys, "mount_options"),
					 &options.mount, err);
	if (!rc && strcmp(keys_text(keys, storm_keys, "trace"), "devices") != 0 &&
	    !options.devices.names.n && !options.devices.folder)
		rc = err_usage(err, "trace=: devices in memory lie on no disk; loop:N:SIZE:DIR, or "
			       "trace=devices");
	if (rc) {
		storm_options_release(&options);
		return rc;
	}
	options.fs = xstrdup(fs->name);
	options.block_size = (unsigned int)keys_size(keys, storm_keys, "block_size");
	options.lazy = keys_bool(keys, storm_keys, "lazy");
	options.discard = keys_bool(keys, storm_keys, "discard");
	options.fill = keys_size(keys, storm_keys, "fill");
	options.repeat = (uint32_t)keys_int(keys, storm_keys, "repeat");
	options.min_run_ns = keys_time_ns(keys, storm_keys, "min_run");
	options.deadline_ns = keys_time_ns(keys, storm_keys, "deadline");
	options.mount_program = !strcmp(keys_text(keys, storm_keys, "mount_method"), "program");
	options.host_ns = !strcmp(keys_text(keys, storm_keys, "mount_ns"), "host");
	options.lockstep = !strcmp(keys_text(keys, storm_keys, "phases"), "lockstep");
	if (keys_get(keys, "parallel"))
		options.parallel = (uint32_t)keys_int(keys, storm_keys, "parallel");
	options.trace = xstrdup(keys_text(keys, storm_keys, "trace"));
	options.cpus = xstrdup(keys_text(keys, storm_keys, "cpus"));
	options.cache = cache_of(keys_text(keys, storm_keys, "cache"));
	*out = options;
	return 0;
}
