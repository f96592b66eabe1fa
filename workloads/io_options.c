// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/disk_content.h"
#include "workloads/media.h"

#define SECTOR 512

static int check_bs(const char *value, struct err *err)
{
	uint32_t least, most;

	return io_options_bs(value, &least, &most, err);
}

const struct key_spec io_keys[] = {
	{ .name = "devices", .type = KEY_LIST, .fallback = "loop:1:1G",
	  .values = "loop:N:SIZE[:DIR] or zram:N:SIZE or DEV+DEV...", .check = device_spec_check,
	  .absolute = device_spec_absolute,
	  .summary = "N loop devices or RAM disks that brunt makes and fills, or disks: what writes "
		     "to them needs --destroy, what only reads does not" },
	MEDIA_KEYS,
	{ .name = "fs", .type = KEY_ENUM, .fallback = "none", .values = "none|ext2|ext3|ext4|xfs|btrfs",
	  .summary = "files on such a file system, made on each device, instead of the device" },
	{ .name = "directory", .type = KEY_STRING, .values = "DIR", .absolute = files_absolute,
	  .summary = "files without a name in this folder, instead of devices" },
	{ .name = "engine", .type = KEY_ENUM, .fallback = "io_uring", .values = IO_ENGINE_NAMES,
	  .summary = "how IO gets to the kernel; nop and null do none and show what the storm costs" },
	{ .name = "rw", .type = KEY_ENUM, .fallback = "randread",
	  .values = "read|write|randread|randwrite|rw|readwrite|randrw",
	  .summary = "sequential or random, reads, writes or both" },
	{ .name = "bs", .type = KEY_STRING, .fallback = "4k", .values = "SIZE[-SIZE]",
	  .check = check_bs,
	  .summary = "size of an IO, or a range, of which multiples of the least are drawn" },
	{ .name = "iodepth", .type = KEY_INT, .fallback = "1", .values = "N", .min = 1, .max = 32768,
	  .summary = "IOs in flight a device and job" },
	{ .name = "depth", .type = KEY_INT, .values = "N", .min = 1, .max = 32768,
	  .summary = "the same as iodepth" },
	{ .name = "iodepth_batch", .type = KEY_INT, .fallback = "0", .values = "N", .min = 0,
	  .max = 32768, .summary = "hand over at most so many at once; 0: all that are ready" },
	{ .name = "iodepth_batch_complete_min", .type = KEY_INT, .fallback = "1", .values = "N",
	  .min = 1, .max = 32768, .summary = "wait for so many to complete" },
	{ .name = "numjobs", .type = KEY_INT, .fallback = "1", .values = "N", .min = 1, .max = 4096,
	  .summary = "jobs a device, each with its own stream of IO" },
	{ .name = "workers", .type = KEY_INT, .fallback = "0", .values = "N", .min = 0, .max = 4096,
	  .summary = "processes that the jobs are dealt to; 0: one a CPU of the devices' node "
		     "(psync: one a job)" },
	{ .name = "offset", .type = KEY_SIZE, .fallback = "0", .values = "SIZE",
	  .summary = "where the range begins" },
	{ .name = "size", .type = KEY_SIZE, .fallback = "0", .values = "SIZE",
	  .summary = "length of the range; 0: the rest of the device, half of it for files on it, "
		     "64M in a folder" },
	{ .name = "rwmixread", .type = KEY_INT, .fallback = "50", .values = "PCT", .min = 0,
	  .max = 100, .summary = "share of reads where rw has both" },
	{ .name = "direct", .type = KEY_BOOL, .fallback = "yes",
	  .summary = "past the page cache (O_DIRECT)" },
	{ .name = "fsync", .type = KEY_INT, .fallback = "0", .values = "N", .min = 0,
	  .max = 1000000000, .summary = "fdatasync after so many writes of a job; 0: none" },
	{ .name = "rate", .type = KEY_SIZE, .fallback = "0", .values = "SIZE",
	  .summary = "at most so many bytes a second and job; 0: no limit" },
	{ .name = "ramp_time", .type = KEY_TIME, .fallback = "0", .values = "TIME",
	  .max = 86400000000000, .summary = "IO before the figures begin" },
	{ .name = "runtime", .type = KEY_TIME, .fallback = "10s", .values = "TIME", .min = 10000000,
	  .max = 86400000000000, .summary = "how long IO is measured" },
	{ .name = "time", .type = KEY_TIME, .values = "TIME", .min = 10000000,
	  .max = 86400000000000, .summary = "the same as runtime" },
	{ .name = "fill", .type = KEY_ENUM, .fallback = "auto", .values = "auto|yes|no",
	  .summary = "write the range once before the first run; auto: of devices that brunt makes "
		     "(files always are)" },
	{ .name = "fixedbufs", .type = KEY_ENUM, .fallback = "auto", .values = "auto|yes|no",
	  .summary = "io_uring: buffers that stay mapped in the kernel" },
	{ .name = "registerfiles", .type = KEY_ENUM, .fallback = "auto", .values = "auto|yes|no",
	  .summary = "io_uring: files that stay referenced in the kernel" },
	{ .name = "sqthread_poll", .type = KEY_BOOL, .fallback = "no",
	  .summary = "io_uring: a kernel thread takes what is handed over (SQPOLL); it needs a CPU" },
	{ .name = "hipri", .type = KEY_BOOL, .fallback = "no",
	  .summary = "io_uring: completions are polled for (IOPOLL); not all devices can" },
	{ .name = "randseed", .type = KEY_INT, .fallback = "1", .values = "N", .min = 0,
	  .max = INT64_MAX, .summary = "the same number gives the same IO in each run" },
	{ .name = NULL },
};

static int parse_bs(const char *text, size_t len, uint64_t *out)
{
	auto_free char *part = xstrndup(text, len);

	return units_parse_size(part, out);
}

int io_options_bs(const char *text, uint32_t *least, uint32_t *most, struct err *err)
{
	const char *dash = strchr(text, '-');
	uint64_t low, high;

	if (parse_bs(text, dash ? (size_t)(dash - text) : strlen(text), &low) ||
	    (dash && parse_bs(dash + 1, strlen(dash + 1), &high)))
		return err_usage(err, "bs=%s is no size and no range, as 4k or 4k-64k", text);
	if (!dash)
		high = low;
	if (low < SECTOR || high > IO_MAX_BS || high < low)
		return err_usage(err, "bs=%s: give 512 to 32M, the lesser one first", text);
	if (low % SECTOR || high % low)
		return err_usage(err, "bs=%s: it must be a multiple of 512, and the greater one a "
				 "multiple of the lesser", text);
	*least = (uint32_t)low;
	*most = (uint32_t)high;
	return 0;
}

void io_options_release(struct io_options *options)
{
	device_spec_release(&options->devices);
	free(options->directory);
	free(options->fs);
	*options = (struct io_options){ 0 };
}

static enum io_want want(const struct keys *keys, const char *name)
{
	const char *text = keys_text(keys, io_keys, name);

	if (!strcmp(text, "auto"))
		return IO_AUTO;
	return !strcmp(text, "yes") ? IO_YES : IO_NO;
}

static int only_one(const struct keys *keys, const char *a, const char *b, struct err *err)
{
	if (!keys_get(keys, a) || !keys_get(keys, b))
		return 0;
	return err_usage(err, "%s and %s are the same key: give one", a, b);
}

static void read_operations(const struct keys *keys, struct io_options *options)
{
	const char *rw = keys_text(keys, io_keys, "rw");
	struct io_pattern_spec *pattern = &options->pattern;

	pattern->random = !strncmp(rw, "rand", 4);
	if (pattern->random)
		rw += 4;
	if (!strcmp(rw, "read"))
		pattern->read_pct = 100;
	else if (!strcmp(rw, "write"))
		pattern->read_pct = 0;
	else
		pattern->read_pct = (unsigned int)keys_int(keys, io_keys, "rwmixread");
	options->reads = pattern->read_pct > 0;
	options->writes = pattern->read_pct < 100;
	pattern->fsync_every = (uint32_t)keys_int(keys, io_keys, "fsync");
	pattern->offset = keys_size(keys, io_keys, "offset");
	pattern->size = keys_size(keys, io_keys, "size");
}

static int read_place(const struct keys *keys, struct io_options *options, struct err *err)
{
	const char *directory = keys_get(keys, "directory"), *fs = keys_text(keys, io_keys, "fs");
	int rc;

	if (!directory) {
		if (strcmp(fs, "none") != 0)
			options->fs = xstrdup(fs);
		rc = device_spec_parse(keys_text(keys, io_keys, "devices"), &options->devices, err);
		return rc ? rc : media_read_keys(keys, io_keys, &options->devices, err);
	}
	if (keys_get(keys, "devices") || strcmp(fs, "none") != 0)
		return err_usage(err, "directory excludes devices and fs: its files lie on the file "
				 "system that is there");
	if (!*directory)
		return err_usage(err, "directory= is empty");
	options->directory = xstrdup(directory);
	return 0;
}

/* What does not go together, whatever the devices are. */
static int judge(const struct keys *keys, const struct io_options *options, struct err *err)
{
	const char *engine = options->engine->name;
	bool uring = options->engine == &io_engine_uring;

	if (options->engine->synchronous && options->iodepth > 1)
		return err_usage(err, "engine=%s has one IO in flight a job: iodepth=1 and "
				 "numjobs=%u", engine, options->iodepth);
	if (options->engine->synchronous && options->workers)
		return err_usage(err, "engine=%s has a process a job: workers= says nothing there",
				 engine);
	if ((options->sqpoll || options->iopoll) && !uring)
		return err_usage(err, "%s needs engine=io_uring",
				 options->sqpoll ? "sqthread_poll" : "hipri");
	if (options->iopoll && !options->direct)
		return err_usage(err, "hipri needs direct=yes");
	if (options->iopoll && options->pattern.fsync_every)
		return err_usage(err, "hipri: a ring that polls takes no fsync");
	if (!uring && (keys_get(keys, "fixedbufs") || keys_get(keys, "registerfiles")))
		return err_usage(err, "fixedbufs and registerfiles are io_uring's");
	if (options->pattern.fsync_every && !options->writes)
		return err_usage(err, "fsync=%u: rw=%s has no writes", options->pattern.fsync_every,
				 keys_text(keys, io_keys, "rw"));
	if (options->batch_min > options->iodepth)
		return err_usage(err, "iodepth_batch_complete_min=%u: iodepth is only %u",
				 options->batch_min, options->iodepth);
	if (options->rate && options->rate < options->pattern.bs_max)
		return err_usage(err, "rate=%" PRIu64 " is less than one IO a second", options->rate);
	if (options->fill == IO_NO && (options->fs || options->directory))
		return err_usage(err, "fill=no: files are always written before they are used");
	return 0;
}

int io_options_read(const struct keys *keys, struct io_options *out, struct err *err)
{
	struct io_options options = { 0 };
	bool depth = keys_get(keys, "depth"), time = keys_get(keys, "time");
	int rc = only_one(keys, "iodepth", "depth", err);

	if (!rc)
		rc = only_one(keys, "runtime", "time", err);
	if (!rc)
		rc = read_place(keys, &options, err);
	if (!rc)
		rc = io_options_bs(keys_text(keys, io_keys, "bs"), &options.pattern.bs_min,
				   &options.pattern.bs_max, err);
	if (rc) {
		io_options_release(&options);
		return rc;
	}
	read_operations(keys, &options);
	options.engine = io_engine_find(keys_text(keys, io_keys, "engine"));
	options.iodepth = (uint32_t)keys_int(keys, io_keys, depth ? "depth" : "iodepth");
	options.batch = (uint32_t)keys_int(keys, io_keys, "iodepth_batch");
	options.batch_min = (uint32_t)keys_int(keys, io_keys, "iodepth_batch_complete_min");
	options.numjobs = (uint32_t)keys_int(keys, io_keys, "numjobs");
	options.workers = (uint32_t)keys_int(keys, io_keys, "workers");
	options.rate = keys_size(keys, io_keys, "rate");
	options.ramp_ns = keys_time_ns(keys, io_keys, "ramp_time");
	options.runtime_ns = keys_time_ns(keys, io_keys, time ? "time" : "runtime");
	options.direct = keys_bool(keys, io_keys, "direct");
	options.sqpoll = keys_bool(keys, io_keys, "sqthread_poll");
	options.iopoll = keys_bool(keys, io_keys, "hipri");
	options.fixed_buffers = want(keys, "fixedbufs");
	options.registered_files = want(keys, "registerfiles");
	options.fill = want(keys, "fill");
	options.seed = (uint64_t)keys_int(keys, io_keys, "randseed");
	rc = judge(keys, &options, err);
	if (rc) {
		io_options_release(&options);
		return rc;
	}
	*out = options;
	return 0;
}

bool io_options_destroy(const struct io_options *options)
{
	if (options->directory)
		return false;
	/* file systems are made whatever the engine does with their files */
	return options->fs || (!options->engine->touches_nothing &&
			       (options->writes || options->fill == IO_YES));
}

uint64_t io_options_kept(const struct io_options *options)
{
	return io_options_destroy(options) && options->devices.names.n && !options->fs ? DISK_EDGE :
											 0;
}

int io_options_range(const struct io_options *options, const char *name, uint64_t size,
		     uint32_t block, struct io_pattern_spec *out, struct err *err)
{
	struct io_pattern_spec range = options->pattern;
	uint64_t kept = io_options_kept(options);
	uint32_t bs = range.bs_min;

	size = size > kept ? size - kept : 0;
	if (options->direct && bs % block)
		return err_usage(err, "bs: %s takes direct IO in multiples of %u, not %u (or "
				 "direct=no)", name, block, bs);
	if (range.offset % bs || range.size % bs)
		return err_usage(err, "%s=%" PRIu64 " is no multiple of bs (%u)",
				 range.offset % bs ? "offset" : "size",
				 range.offset % bs ? range.offset : range.size, bs);
	if (range.offset > size || range.size > size - range.offset)
		return err_usage(err, "%s is too small: offset and size reach to %" PRIu64
				 ", it has %" PRIu64 "%s", name, range.offset + range.size, size,
				 kept ? " and 4 MiB for brunt's mark" : "");
	if (!range.size)
		range.size = (size - range.offset) / bs * bs;
	if (range.size < range.bs_max)
		return err_usage(err, "%s is too small: a range of %" PRIu64 " bytes for IO of %u",
				 name, range.size, range.bs_max);
	*out = range;
	return 0;
}
