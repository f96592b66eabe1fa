// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * IO on many devices at once: a few workers keep each device at its depth for a while, and tell how
 * many IOs completed and how long they took.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_content.h"
#include "machine/disk_names.h"
#include "machine/disk_set.h"
#include "machine/guard_read.h"
#include "workloads/io_cpus.h"
#include "workloads/io_limits.h"
#include "workloads/io_probe.h"
#include "workloads/io_result.h"
#include "workloads/io_run.h"

#define SECTOR 512
#define FS_SHARE(size) ((size) / 4 * 3) /* what files may take of a device */

static const char *unavailable(void)
{
	return geteuid() != 0 ? "needs root" : NULL;
}

/* ---- ranges ---- */

/* A file on a device: its size follows from the range, half of the device where none is given. */
static int file_range(const struct io_options *options, const struct target_device *device,
		      uint32_t block, struct io_pattern_spec *out, struct err *err)
{
	uint64_t most = FS_SHARE(device->size) / options->numjobs;
	uint64_t size = options->pattern.size ? options->pattern.offset + options->pattern.size :
						device->size / 2 / options->numjobs;

	if (size > most)
		return err_usage(err, "%s is too small: %u files of %llu bytes, at most %llu fit",
				 device->name, options->numjobs, (unsigned long long)size,
				 (unsigned long long)most);
	return io_options_range(options, device->name, size, block, out, err);
}

static int device_range(const struct io_options *options, const struct target_device *device,
			uint32_t block, struct io_pattern_spec *out, struct err *err)
{
	return options->fs ? file_range(options, device, block, out, err) :
			     io_options_range(options, device->name, device->size, block, out, err);
}

static int device_ranges(const struct io_options *options, const struct target_device *devices,
			 size_t count, struct io_pattern_spec *out, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = device_range(options, &devices[i],
				  (uint32_t)block_device_queue_value(devices[i].name,
								     "logical_block_size", SECTOR),
				  &out[i], err);
	return rc;
}

static int folder_range(const struct io_options *options, struct io_pattern_spec *out,
			struct err *err)
{
	uint64_t size = options->pattern.size ? options->pattern.offset + options->pattern.size :
						options->pattern.offset + IO_DEFAULT_FILE_SIZE;

	return io_options_range(options, options->directory, size, SECTOR, out, err);
}

/* ---- check: no side effects ---- */

static int check_limits(const struct io_options *options, const struct target_device *devices,
			size_t count, struct err *err)
{
	size_t jobs = (options->directory ? 1 : count) * options->numjobs;
	struct cpu_list cpus;
	unsigned int ncpus = io_cpus_find(devices, devices ? count : 0, &cpus);

	return io_limits_check(options, jobs, io_limits_workers(options, jobs, ncpus), err);
}

static int check_loops(const struct io_options *options, const char *text, struct buf *plan_text,
		       struct err *err)
{
	const struct device_spec *spec = &options->devices;
	const struct target_device any = { .name = "a device", .size = spec->size };
	struct io_pattern_spec range;
	uint64_t need;
	int rc = device_range(options, &any,
			      spec->zram ? (uint32_t)sysconf(_SC_PAGESIZE) : SECTOR, &range, err);

	if (!rc && options->fs)
		rc = io_fs_check(options, spec->size, err);
	if (!rc)
		rc = check_limits(options, NULL, spec->count, err);
	if (rc)
		return rc;
	need = options->fs ? spec->size : range.size;
	if (!options->fs && (options->engine->touches_nothing || options->fill == IO_NO))
		need = options->writes && !options->engine->touches_nothing ? range.size : 0;
	if (!io_media_is_held(text, options))
		rc = device_spec_check_room(spec, need, err);
	if (!rc)
		device_spec_describe(spec, need, plan_text);
	return rc;
}

static void tell_read_disks(const struct target_device *devices, size_t count, struct buf *out)
{
	buf_addf(out, "%zu disk%s (", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < count; i++) {
		buf_addf(out, "%s%s ", i ? ", " : "", devices[i].name);
		units_add_size(out, devices[i].size);
	}
	buf_add(out, "), only read");
}

/* The guard's word at plan time, of the one that writing needs, or of the other. */
static int guard(const struct io_options *options, const struct words *names,
		 const struct guard_consent *consent, struct guarded *guarded, struct buf *plan_text,
		 struct err *err)
{
	const struct guard_request request = {
		.names = names,
		.consent = consent,
		.shared_ok = options->devices.shared_ok,
	};
	auto_words struct words lines = WORDS_INIT;
	int rc = io_options_destroy(options) ? guard_devices(&request, guarded, &lines, err) :
					       guard_read_devices(names, guarded, &lines, err);

	for (size_t i = 0; i < lines.n; i++)
		buf_addf(plan_text, "%s\n", lines.v[i]);
	return rc;
}

static int judge_disks(const struct io_options *options, const struct target_device *devices,
		       size_t count, struct err *err)
{
	auto_free struct io_pattern_spec *ranges = xcalloc(count, sizeof(*ranges));
	int rc = device_ranges(options, devices, count, ranges, err);

	for (size_t i = 0; !rc && options->fs && i < count; i++)
		rc = io_fs_check(options, devices[i].size, err);
	return rc ? rc : check_limits(options, devices, count, err);
}

static int check_disks(const struct io_options *options, const struct guard_consent *consent,
		       struct buf *plan_text, struct err *err)
{
	auto_words struct words names = WORDS_INIT;
	auto_free struct guarded *guarded = NULL;
	auto_free struct target_device *devices = NULL;
	int rc = disk_names_expand(&options->devices.names, true, &names, err);

	if (rc)
		return rc;
	guarded = xcalloc(names.n, sizeof(*guarded));
	devices = xcalloc(names.n, sizeof(*devices));
	rc = guard(options, &names, consent, guarded, plan_text, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < names.n; i++)
		devices[i] = guarded[i].device;
	if (io_options_destroy(options))
		rc = disk_set_check_reset(devices, names.n, options->devices.reset, err);
	if (!rc)
		rc = judge_disks(options, devices, names.n, err);
	if (!rc && io_options_destroy(options))
		device_spec_describe_disks(guarded, names.n, plan_text);
	else if (!rc)
		tell_read_disks(devices, names.n, plan_text);
	for (size_t i = 0; i < names.n; i++)
		guarded_release(&guarded[i]);
	return rc;
}

static int check_folder(const struct io_options *options, struct buf *plan_text, struct err *err)
{
	struct io_pattern_spec range;
	int rc = folder_range(options, &range, err);

	if (!rc)
		rc = check_limits(options, NULL, 0, err);
	if (!rc)
		rc = io_files_check(options, options->numjobs, range.offset + range.size, err);
	if (rc)
		return rc;
	buf_addf(plan_text, "%u file%s of ", options->numjobs, options->numjobs == 1 ? "" : "s");
	units_add_size(plan_text, range.offset + range.size);
	buf_addf(plan_text, " in %s", options->directory);
	return 0;
}

static int judge(const struct keys *keys, struct io_options *options, struct err *err)
{
	int rc = io_options_read(keys, options, err);

	if (!rc && options->engine->check)
		rc = options->engine->check(err);
	if (!rc && options->devices.zram && !files_exists("/sys/class/zram-control/hot_add"))
		rc = err_missing(err, "no zram here (module zram, CONFIG_ZRAM)");
	if (!rc && !options->directory && !options->devices.names.n && !options->devices.zram &&
	    !files_exists("/dev/loop-control"))
		rc = err_missing(err, "no loop driver: /dev/loop-control is missing");
	return rc;
}

static int check(const struct keys *keys, const struct guard_consent *consent,
		 struct buf *plan_text, struct err *err)
{
	struct io_options options = { 0 };
	int rc = judge(keys, &options, err);

	if (rc)
		;
	else if (options.directory)
		rc = check_folder(&options, plan_text, err);
	else if (options.devices.names.n)
		rc = check_disks(&options, consent, plan_text, err);
	else
		rc = check_loops(&options, keys_text(keys, io_keys, "devices"), plan_text, err);
	io_options_release(&options);
	return rc;
}

/* ---- setup ---- */

static void teardown(void *state)
{
	struct io *io = state;

	io->fs.place.abandoned = !io_crew_stop(&io->crew);
	io_crew_release(&io->crew);
	storm_place_close(&io->fs.place);
	io_files_release(&io->files);
	io_media_release(&io->media);
	for (size_t i = 0; i < io->ntasks; i++)
		free(io->tasks[i].path);
	free(io->tasks);
	free(io->ranges);
	io_options_release(&io->options);
	free(io);
}

static void make_tasks(struct io *io)
{
	size_t targets = io->options.directory ? 1 : io->media.count;
	unsigned int cpus = io_cpus_find(io->media.devices, io->media.count, &io->cpus);

	io->ntasks = targets * io->options.numjobs;
	io->tasks = xcalloc(io->ntasks, sizeof(*io->tasks));
	for (size_t i = 0; i < io->ntasks; i++) {
		io->tasks[i].device = i % targets;
		io->tasks[i].range = io->ranges[i % targets];
	}
	io->workers = io_limits_workers(&io->options, io->ntasks, cpus);
}

static int make_fs(struct io *io, const struct workload_site *site, struct err *err)
{
	io->fs.options = &io->options;
	io->fs.devices = io->media.devices;
	io->fs.count = io->media.count;
	io->fs.ranges = io->ranges;
	io->fs.token = disk_token(site->session);
	return storm_place_open(&io->fs.place, false, site->session, io->media.devices,
				io->media.count, site->undo, err);
}

static int make(struct io *io, const char *text, const struct workload_site *site, struct err *err)
{
	const struct io_options *options = &io->options;
	int rc;

	if (options->directory) {
		io->ranges = xcalloc(1, sizeof(*io->ranges));
		return folder_range(options, &io->ranges[0], err);
	}
	rc = io_media_take(&io->media, text, options, site, err);
	if (rc)
		return rc;
	io->ranges = xcalloc(io->media.count, sizeof(*io->ranges));
	rc = device_ranges(options, io->media.devices, io->media.count, io->ranges, err);
	if (!rc && options->fs)
		rc = make_fs(io, site, err);
	if (!rc && options->iopoll)
		rc = io_probe(options, io->media.devices, io->ranges, io->media.count, err);
	return rc;
}

static int setup(const struct keys *keys, const struct workload_site *site, void **state,
		 struct err *err)
{
	struct io *io = xcalloc(1, sizeof(*io));
	int rc;

	io->crew = (struct io_crew)IO_CREW_INIT;
	io->fs.place.mount_ns = -1;
	rc = judge(keys, &io->options, err);
	if (!rc)
		rc = make(io, keys_text(keys, io_keys, "devices"), site, err);
	if (rc) {
		teardown(io);
		return rc;
	}
	make_tasks(io);
	*state = io;
	return 0;
}

static void devices(const void *state, struct target *target)
{
	const struct io *io = state;

	target->devices = io->media.devices;
	target->ndevices = io->media.count;
}

/* ---- words ---- */

static void places(const void *state, struct words *out)
{
	const struct io *io = state;

	if (io->options.directory)
		words_add(out, io->options.directory);
	else if (io_media_folder(&io->media))
		words_add(out, io_media_folder(&io->media));
}

static json_t *describe(const void *state)
{
	const struct io *io = state;
	json_t *facts = json_object();

	if (io->options.directory)
		json_object_set_new(facts, "directory", json_text(io->options.directory));
	else
		json_object_set_new(facts, "devices", io_media_describe(&io->media));
	json_object_set_new(facts, "workers", json_integer(io->workers));
	json_object_set_new(facts, "jobs", json_integer((json_int_t)io->ntasks));
	json_object_set_new(facts, "range_bytes",
			    json_integer((json_int_t)io->ranges[0].size));
	json_object_set_new(facts, "buffer_bytes",
			    json_integer((json_int_t)(io->ntasks * io->options.iodepth *
						      io_worker_stride(&io->options))));
	return facts;
}

/* Keys that the words have not: as they were given. */
static void tell_others(const struct keys *keys, struct buf *out)
{
	static const char *const told[] = { "devices", "directory", "fs", "engine", "rw", "bs",
					    "iodepth", "depth", "runtime", "time" };

	for (size_t i = 0; i < keys->n; i++) {
		bool is_told = false;

		for (size_t k = 0; k < ARRAY_SIZE(told); k++)
			is_told |= !strcmp(keys->v[i].name, told[k]);
		if (!is_told)
			buf_addf(out, ", %s=%s", keys->v[i].name, keys->v[i].value);
	}
}

static void tell(const void *state, const struct keys *keys, struct buf *out)
{
	const struct io *io = state;
	const struct io_options *options = &io->options;

	if (options->directory)
		buf_addf(out, "%zu file%s in %s", io->ntasks, io->ntasks == 1 ? "" : "s",
			 options->directory);
	else
		io_media_tell(&io->media, out);
	if (options->fs)
		buf_addf(out, ", files on %s", options->fs);
	buf_addf(out, ", %s %s, %s, %u in flight each, ", keys_text(keys, io_keys, "rw"),
		 keys_text(keys, io_keys, "bs"), options->engine->name, options->iodepth);
	units_add_duration(out, options->runtime_ns);
	tell_others(keys, out);
}

static bool promises(const struct keys *keys, const char *metric)
{
	struct io_options options = { 0 };
	bool has;

	if (io_options_read(keys, &options, NULL))
		return false;
	has = io_result_has(&options, metric);
	io_options_release(&options);
	return has;
}

const struct workload workload_io = {
	.name = "io",
	.summary = "IO on many devices: IOPS, bandwidth, latency and CPU",
	.keys = io_keys,
	.metrics = io_metrics,
	.promises = promises,
	.has_devices = true,
	.unavailable = unavailable,
	.check = check,
	.setup = setup,
	.teardown = teardown,
	.devices = devices,
	.prepare = io_prepare,
	.execute = io_execute,
	.settle = io_settle,
	.verify = io_verify,
	.cleanup = io_cleanup,
	.describe = describe,
	.places = places,
	.tell = tell,
};
