// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Many devices at once, each through mkfs, mount, a file, umount. brunt makes the devices, so
 * that the work is the same everywhere and nothing can be lost, or takes disks that the guard let
 * pass; the workers are forked and held
 * at a gate in prepare, so that the timed part begins with all of them at once.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_content.h"
#include "machine/disk_names.h"
#include "machine/disk_set.h"
#include "machine/cgroup.h"
#include "workloads/storm_cpus.h"
#include "workloads/storm_fill.h"
#include "workloads/storm_limits.h"
#include "workloads/storm_result.h"
#include "workloads/storm_run.h"
#include "workloads/storm_tell.h"
#include "workloads/storm_trial.h"
#include "workloads/workload.h"

static const char *unavailable(void)
{
	return geteuid() != 0 ? "needs root" : NULL;
}

static int find_program(const char *name, const char *package, char **path, struct err *err)
{
	if (process_find(name, path) == 0)
		return 0;
	return err_missing(err, "%s is missing (package %s)", name, package);
}

static int check_program(const char *name, const char *package, struct err *err)
{
	auto_free char *path = NULL;

	return find_program(name, package, &path, err);
}

/* What plan and setup have in common: no side effects. */
static int judge(const struct keys *keys, struct storm *storm, struct err *err)
{
	const struct storm_options *options = &storm->options;
	struct cpu_list *cpus = NULL;
	int rc = storm_options_read(keys, &storm->options, err);

	if (rc)
		return rc;
	storm->fs = storm_fs_find(options->fs);
	rc = storm_cpus(options->cpus, NULL, 0, &cpus, err);
	free(cpus);
	if (!rc)
		rc = find_program(storm->fs->mkfs, storm->fs->package, &storm->mkfs_path, err);
	if (!rc && storm->fs->checker)
		rc = check_program(storm->fs->checker, storm->fs->package, err);
	if (!rc && options->mount_program)
		rc = find_program("mount", "mount", &storm->mount_path, err);
	if (!rc && options->mount_program)
		rc = find_program("umount", "mount", &storm->umount_path, err);
	if (!rc && options->devices.zram && !files_exists("/sys/class/zram-control/hot_add"))
		rc = err_missing(err, "no zram here (module zram, CONFIG_ZRAM)");
	if (!rc && options->devices.zram &&
	    options->block_size < (unsigned int)sysconf(_SC_PAGESIZE))
		rc = err_usage(err, "block_size=%u is less than a sector of zram, which is a page",
			       options->block_size);
	if (!rc && !options->devices.names.n && !options->devices.zram &&
	    !files_exists("/dev/loop-control"))
		rc = err_missing(err, "no loop driver: /dev/loop-control is missing");
	return rc ? rc : storm_trial_kernel(storm->fs, err);
}

/* A file system of each size that there is, once. */
static int try_disks(struct storm *storm, const struct target_device *devices, size_t count,
		     struct err *err)
{
	unsigned int block_size = storm->options.block_size;
	size_t same;
	int rc = 0;

	rc = storm_limits_check(&storm->options, count, err);
	storm->figures = xcalloc(count, sizeof(*storm->figures));
	for (size_t i = 0; !rc && i < count; i++) {
		if (block_device_queue_value(devices[i].name, "logical_block_size", 512) > block_size)
			return err_usage(err, "block_size=%u is less than a sector of %s",
					 block_size, devices[i].path);
		for (same = 0; devices[same].size != devices[i].size;)
			same++;
		if (same < i)
			storm->figures[i] = storm->figures[same];
		else
			rc = storm_trial(&storm->options, devices[i].size, &storm->figures[i], err);
		if (rc)
			rc = err_context(err, rc, "%s", devices[i].path);
	}
	return rc;
}

static int try_loops(struct storm *storm, struct err *err)
{
	const struct device_spec *devices = &storm->options.devices;
	struct storm_figures figures;
	int rc = storm_limits_check(&storm->options, devices->count, err);

	if (!rc)
		rc = storm_trial(&storm->options, devices->size, &figures, err);
	if (rc)
		return rc;
	storm->figures = xcalloc(devices->count, sizeof(*storm->figures));
	for (size_t i = 0; i < devices->count; i++)
		storm->figures[i] = figures;
	storm->need_each = storm_need_each(figures.used, storm->options.fill);
	return device_spec_check_room(devices, storm->need_each, err);
}

static int check_traced(const struct storm_options *options, const struct target_device *devices,
			size_t count, struct err *err)
{
	struct traced traced;
	int rc = traced_find(&traced, options->trace, devices, count, err);

	traced_release(&traced);
	return rc;
}

/* The guard's word at plan time; the devices are let go again. */
static int check_disks(struct storm *storm, const struct guard_consent *consent,
		       struct buf *plan_text, struct err *err)
{
	auto_words struct words names = WORDS_INIT, lines = WORDS_INIT;
	auto_free struct target_device *devices = NULL;
	auto_free struct guarded *guarded = NULL;
	const struct guard_request request = {
		.names = &names,
		.consent = consent,
		.shared_ok = storm->options.devices.shared_ok,
	};
	int rc = disk_names_expand(&storm->options.devices.names, true, &names, err);

	if (rc)
		return rc;
	guarded = xcalloc(names.n, sizeof(*guarded));
	devices = xcalloc(names.n, sizeof(*devices));
	rc = guard_devices(&request, guarded, &lines, err);
	for (size_t i = 0; i < lines.n; i++)
		buf_addf(plan_text, "%s\n", lines.v[i]);
	if (rc)
		return rc;
	for (size_t i = 0; i < names.n; i++)
		devices[i] = guarded[i].device;
	rc = disk_set_check_reset(devices, names.n, storm->options.devices.reset, err);
	if (!rc)
		rc = check_traced(&storm->options, devices, names.n, err);
	if (!rc)
		rc = try_disks(storm, devices, names.n, err);
	if (!rc)
		device_spec_describe_disks(guarded, names.n, plan_text);
	for (size_t i = 0; i < names.n; i++)
		guarded_release(&guarded[i]);
	return rc;
}

static void teardown(void *state)
{
	struct storm *storm = state;

	/* Where something hangs, its mounts and devices are left to the journal. */
	storm->place.abandoned = !storm_crew_stop(&storm->crew);
	storm_crew_release(&storm->crew);
	storm_place_close(&storm->place);
	storm_tasks_release(&storm->tasks);
	media_release(&storm->media);
	storm_options_release(&storm->options);
	words_release(&storm->envp);
	free(storm->figures);
	free(storm->cpus);
	traced_release(&storm->traced);
	free(storm->pattern);
	free(storm->mkfs_path);
	free(storm->mkfs_version);
	free(storm->checker_version);
	free(storm->mount_path);
	free(storm->umount_path);
	free(storm);
}

static int check(const struct keys *keys, const struct guard_consent *consent,
		 struct buf *plan_text, struct err *err)
{
	struct storm storm = { .crew = STORM_CREW_INIT, .place.mount_ns = -1 };
	int rc = 0;

	if (keys_get(keys, "repeat") && keys_get(keys, "min_run"))
		rc = err_usage(err, "repeat and min_run exclude each other: min_run lets the "
			       "warm-up choose repeat");
	if (!rc)
		rc = judge(keys, &storm, err);
	if (!rc && storm.options.devices.names.n) {
		rc = check_disks(&storm, consent, plan_text, err);
	} else if (!rc) {
		rc = try_loops(&storm, err);
		if (!rc)
			device_spec_describe(&storm.options.devices, storm.need_each, plan_text);
	}
	storm_options_release(&storm.options);
	free(storm.figures);
	free(storm.mkfs_path);
	free(storm.mount_path);
	free(storm.umount_path);
	return rc;
}

/*
 * In a cgroup of their own, so that `brunt clean` finds what programs of killed workers have
 * started, too; where there is none to be had only the workers and their programs die with us.
 */
static int make_crew(struct storm *storm, const struct workload_site *site, struct err *err)
{
	static unsigned int instance;
	auto_free char *name = xasprintf("brunt-%s-storm-%u", site->session, ++instance);
	struct cgroup *cgroup = NULL;

	if (cgroup_make(name, site->undo, &cgroup, NULL))
		cgroup = NULL;
	return storm_crew_init(&storm->crew, storm->media.count, cgroup, err);
}

static int make(struct storm *storm, const struct workload_site *site, struct err *err)
{
	const struct storm_options *options = &storm->options;
	struct media *media = &storm->media;
	int rc = 0;

	if (!options->devices.names.n)
		rc = try_loops(storm, err);
	if (!rc)
		rc = media_make(media, &options->devices, site, err);
	if (!rc && media->named)
		rc = try_disks(storm, media->devices, media->count, err);
	if (!rc)
		rc = storm_place_open(&storm->place, options->host_ns, site->session,
				      media->devices, media->count, site->undo, err);
	if (!rc)
		rc = traced_find(&storm->traced, options->trace, media->devices, media->count,
				 err);
	if (!rc)
		rc = storm_cpus(options->cpus, media->devices, media->count, &storm->cpus, err);
	if (!rc)
		rc = make_crew(storm, site, err);
	if (rc)
		return rc;
	storm_tasks_make(&storm->tasks, options, media->devices, media->count);
	for (size_t i = 0; storm->cpus && i < media->count; i++)
		storm->tasks.v[i].cpus = &storm->cpus[i];
	storm->token = disk_token(site->session);
	storm->pattern = storm_fill_pattern();
	storm->mkfs_version = storm_fs_version(storm->fs->mkfs, "-V");
	if (storm->fs->checker)
		storm->checker_version = storm_fs_version(
			storm->fs->checker, strcmp(storm->fs->checker, "btrfs") ? "-V" : "--version");
	return 0;
}

static int setup(const struct keys *keys, const struct workload_site *site, void **state,
		 struct err *err)
{
	struct storm *storm = xcalloc(1, sizeof(*storm));
	int rc;

	storm->crew = (struct storm_crew)STORM_CREW_INIT;
	storm->place.mount_ns = -1;
	rc = judge(keys, storm, err);
	if (!rc)
		rc = make(storm, site, err);
	if (rc) {
		teardown(storm);
		return rc;
	}
	if (keys_get(keys, "repeat"))
		storm->options.min_run_ns = 0; /* chosen already */
	*state = storm;
	return 0;
}

static void devices(const void *state, struct target *target)
{
	const struct storm *storm = state;

	target->devices = storm->media.devices;
	target->ndevices = storm->media.count;
	target->traced = storm->traced.v;
	target->ntraced = storm->traced.n;
}

static int calibrate(void *state, const struct run *warmup, struct keys *chosen, struct err *err)
{
	struct storm *storm = state;
	double took_s = run_value(warmup, "real"), repeat;
	auto_free char *text = NULL;

	if (!storm->options.min_run_ns)
		return 0;
	if (!(took_s > 0))
		return err_set(err, EINVAL, "min_run: the warm-up gave no time to choose "
			       "repeat by");
	/* The warm-up may itself have had several cycles. */
	repeat = ceil((double)storm->options.min_run_ns / 1e9 / took_s *
		      (double)storm->options.repeat);
	if (repeat > STORM_MAX_REPEAT)
		repeat = STORM_MAX_REPEAT;
	storm->options.repeat = repeat < 1 ? 1 : (uint32_t)repeat;
	text = xasprintf("%u", storm->options.repeat);
	keys_set(chosen, "repeat", text);
	return 0;
}

static void places(const void *state, struct words *out)
{
	const struct storm *storm = state;

	if (storm->options.devices.folder)
		words_add(out, storm->options.devices.folder);
}

static json_t *describe(const void *state)
{
	const struct storm *storm = state;
	json_t *facts = json_object();

	json_object_set_new(facts, "devices", media_describe(&storm->media));
	json_object_set_new(facts, "traced", traced_describe(&storm->traced));
	json_object_set_new(facts, storm->fs->mkfs, json_text(storm->mkfs_version));
	if (storm->fs->checker)
		json_object_set_new(facts, storm->fs->checker,
				    json_text(storm->checker_version));
	if (!storm->media.named)
		json_object_set_new(facts, "need_bytes",
				    json_integer((json_int_t)(storm->need_each *
							      storm->media.count)));
	return facts;
}

static json_t *found(const void *state)
{
	return media_found(&((const struct storm *)state)->media);
}

const struct workload workload_storm = {
	.name = "storm",
	.summary = "parallel mkfs, mount, write, umount over many devices",
	.keys = storm_keys,
	.metrics = storm_metrics,
	.has_devices = true,
	.unavailable = unavailable,
	.check = check,
	.setup = setup,
	.teardown = teardown,
	.devices = devices,
	.prepare = storm_prepare,
	.execute = storm_execute,
	.settle = storm_settle,
	.verify = storm_verify,
	.cleanup = storm_cleanup,
	.calibrate = calibrate,
	.describe = describe,
	.found = found,
	.places = places,
	.tell = storm_tell,
};
