// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Many devices at once, each through mkfs, mount, a file, umount. brunt makes the devices, so
 * that the work is the same everywhere and nothing can be lost; the workers are forked and held
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
#include "machine/cgroup.h"
#include "workloads/storm_fill.h"
#include "workloads/storm_result.h"
#include "workloads/storm_run.h"
#include "workloads/storm_tell.h"
#include "workloads/storm_trial.h"
#include "workloads/workload.h"

#define SECTOR 512

static const char *unavailable(void)
{
	if (geteuid() != 0)
		return "needs root";
	if (!files_exists("/dev/loop-control"))
		return "no loop driver: /dev/loop-control is missing";
	return NULL;
}

static int find_program(const char *name, const char *package, char **path, struct err *err)
{
	if (process_find(name, path) == 0)
		return 0;
	return err_missing(err, "%s is missing (package %s)", name, package);
}

/* What plan and setup have in common: no side effects. */
static int judge(const struct keys *keys, struct storm *storm, struct err *err)
{
	const struct storm_options *options = &storm->options;
	int rc = storm_options_read(keys, &storm->options, err);

	if (!rc)
		rc = find_program("mke2fs", "e2fsprogs", &storm->mkfs_path, err);
	if (!rc && options->mount_program)
		rc = find_program("mount", "mount", &storm->mount_path, err);
	if (!rc && options->mount_program)
		rc = find_program("umount", "mount", &storm->umount_path, err);
	if (!rc)
		rc = storm_trial_kernel(options->fs, err);
	if (!rc)
		rc = storm_trial(options, &storm->figures, err);
	if (rc)
		return rc;
	storm->need_each = storm_devices_need_each(&storm->figures, options->fill);
	return storm_devices_check_room(&options->devices, storm->need_each, err);
}

static void teardown(void *state)
{
	struct storm *storm = state;

	storm_crew_release(&storm->crew);
	storm_place_close(&storm->place);
	storm_tasks_release(&storm->tasks);
	loop_set_release(&storm->loops);
	storm_options_release(&storm->options);
	words_release(&storm->envp);
	free(storm->pattern);
	free(storm->mkfs_path);
	free(storm->mkfs_version);
	free(storm->mount_path);
	free(storm->umount_path);
	free(storm);
}

static int check(const struct keys *keys, struct buf *plan_text, struct err *err)
{
	struct storm storm = { .crew.ended_fd = -1, .place.mount_ns = -1 };
	int rc = 0;

	if (keys_get(keys, "repeat") && keys_get(keys, "min_run"))
		rc = err_usage(err, "repeat and min_run exclude each other: min_run lets the "
			       "warm-up choose repeat");
	if (!rc)
		rc = judge(keys, &storm, err);
	if (!rc)
		storm_devices_describe(&storm.options.devices, storm.need_each, plan_text);
	storm_options_release(&storm.options);
	free(storm.mkfs_path);
	free(storm.mount_path);
	free(storm.umount_path);
	return rc;
}

/* "mke2fs 1.47.0 (5-Feb-2023)"; NULL where it does not say. */
static char *read_version(void)
{
	const char *const argv[] = { "mke2fs", "-V", NULL };
	auto_buf struct buf words = BUF_INIT;
	int status;

	if (process_capture(argv, &words, &status, NULL) || !words.len)
		return NULL;
	return xstrndup(words.s, strcspn(words.s, "\n"));
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
	return storm_crew_init(&storm->crew, storm->loops.count, cgroup, err);
}

static int make(struct storm *storm, const struct workload_site *site, struct err *err)
{
	const struct storm_options *options = &storm->options;
	const struct loop_spec spec = {
		.count = options->devices.count,
		.size = options->devices.size,
		.folder = options->devices.folder,
		.block_size = SECTOR,
	};
	auto_free char *token = xasprintf("brunt:%s", site->session);
	int rc = loop_set_make(&storm->loops, &spec, site->undo, token, err);

	if (rc)
		return rc;
	rc = storm_place_open(&storm->place, options->host_ns, site->session,
			      storm->loops.devices, storm->loops.count, site->undo, err);
	if (!rc)
		rc = make_crew(storm, site, err);
	if (rc)
		return rc;
	storm_tasks_make(&storm->tasks, options, storm->loops.devices, storm->loops.count);
	storm->pattern = storm_fill_pattern();
	storm->mkfs_version = read_version();
	return 0;
}

static int setup(const struct keys *keys, const struct workload_site *site, void **state,
		 struct err *err)
{
	struct storm *storm = xcalloc(1, sizeof(*storm));
	int rc;

	storm->crew.ended_fd = -1;
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

	target->devices = storm->loops.devices;
	target->ndevices = storm->loops.count;
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

static json_t *describe(const void *state)
{
	const struct storm *storm = state;
	json_t *facts = json_object(), *devices = json_array(), *device;

	for (size_t i = 0; i < storm->loops.count; i++) {
		device = json_object();
		json_object_set_new(device, "name", json_text(storm->loops.devices[i].name));
		json_object_set_new(device, "size_bytes",
				    json_integer((json_int_t)storm->loops.devices[i].size));
		json_object_set_new(device, "backing_fs", json_text(storm->loops.backing_fs));
		json_object_set_new(device, "direct_io", json_boolean(storm->loops.direct_io));
		json_object_set_new(device, "block_size", json_integer(storm->loops.block_size));
		json_array_append_new(devices, device);
	}
	json_object_set_new(facts, "devices", devices);
	json_object_set_new(facts, "mke2fs", json_text(storm->mkfs_version));
	json_object_set_new(facts, "need_bytes",
			    json_integer((json_int_t)(storm->need_each * storm->loops.count)));
	return facts;
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
	.tell = storm_tell,
};
