// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A run: devices back to the same state, workers to the gate, all let go at once, and afterwards
 * a look at whether each device holds what its last cycle claims to have made.
 */
#include "workloads/storm_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/fork_each.h"
#include "base/interrupt.h"
#include "base/xalloc.h"
#include "machine/accounting.h"
#include "machine/btrfs_device.h"
#include "workloads/fs_check.h"
#include "workloads/storm_fill.h"
#include "workloads/storm_result.h"
#include "workloads/storm_uuid.h"

#define SETTLE_NS (5 * NS_PER_S)
#define CHECK_NS (60 * NS_PER_S)
#define CHECKERS 8 /* xfs_repair, btrfs check */
#define FREE_TRIES 30 /* of a second each: how long a dropped mount may go on writing */

static int random_number(uint64_t *out, struct err *err)
{
	if (getrandom(out, sizeof(*out), 0) != (ssize_t)sizeof(*out))
		return err_sys(err, errno, "random numbers");
	return 0;
}

/* Forks the workers and brings them to the gate. */
static int start_crew(struct storm *storm, uint32_t repeat, struct err *err)
{
	const struct storm_options *options = &storm->options;
	struct storm_job job = {
		.gate = storm->crew.gate,
		.barrier = storm->crew.barrier,
		.lockstep = options->lockstep,
		.repeat = repeat,
		.mkfs_path = storm->mkfs_path,
		.envp = storm->envp.v,
		.fs = options->fs,
		.mount_flags = options->mount.flags,
		.mount_data = options->mount.data,
		.mount_text = options->mount.text,
		.mount_path = storm->mount_path,
		.umount_path = storm->umount_path,
		.pattern = storm->pattern,
		.fill = options->fill,
	};
	uint64_t random;
	int rc = random_number(&random, err);

	if (!rc)
		rc = storm_place_refresh(&storm->place, err);
	if (rc)
		return rc;
	job.mount_ns = storm->place.mount_ns;
	storm_tasks_renew(&storm->tasks, storm->token, random, storm->place.points, &storm->crew);
	return storm_crew_start(&storm->crew, &job, options->parallel, storm->tasks.v, err);
}

/* Generous: 5 minutes, 5 s a cycle, 4 MiB/s for the files, ten times the longest run so far. */
static int64_t deadline_ns(const struct storm *storm, uint32_t repeat)
{
	double cycles = (double)repeat * (double)storm->media.count;
	double s = 300 + cycles * (5 + (double)storm->options.fill / (4 << 20));
	double ns = s * 1e9 + 10 * (double)storm->longest_ns;

	if (storm->options.deadline_ns)
		return storm->options.deadline_ns;
	return ns < 1e18 ? (int64_t)ns : (int64_t)1e18;
}

/*
 * After workers that were ended or failed: nothing may stay mounted, or the next run would meet
 * it. A mount that was dropped with its namespace ends a moment later.
 */
static int come_clean(struct storm *storm, struct err *err)
{
	int rc;

	if (!storm->unclean)
		return 0;
	if (!storm_crew_stop(&storm->crew))
		return err_set(err, EBUSY, "workers of an earlier run hang");
	rc = storm_place_renew(&storm->place, err);
	for (size_t i = 0; !rc && i < storm->media.count; i++) {
		for (int tries = 0; tries < FREE_TRIES; tries++) {
			rc = media_check_free(&storm->media, i, err);
			if (rc != -EBUSY || interrupt_count() > 1)
				break;
		}
	}
	storm->unclean = rc != 0;
	return rc;
}

/* Lets the crew work, and ends it when it must be. A hang is said in err: -ETIMEDOUT. */
static int run_crew(struct storm *storm, uint32_t repeat, struct err *err)
{
	int64_t timeout_ns = deadline_ns(storm, repeat);
	auto_buf struct buf hanging = BUF_INIT;
	int rc;

	storm->unclean = true;
	rc = storm_crew_run(&storm->crew, timeout_ns);
	if (!rc)
		return 0;
	if (rc == -ETIMEDOUT) {
		storm_crew_add_hanging(&storm->crew, storm->tasks.v, &hanging);
		err_set(err, ETIMEDOUT, "not done after %lld s: %s",
			(long long)(timeout_ns / NS_PER_S), hanging.s ? hanging.s : "no worker");
	} else if (rc == -EINTR) {
		err_set(err, EINTR, "interrupted");
	} else {
		err_sys(err, -rc, "waiting for the workers");
	}
	storm->timed_out = rc == -ETIMEDOUT;
	storm_crew_stop(&storm->crew);
	return rc;
}

static struct storm_result result_of(const struct storm *storm, uint32_t repeat)
{
	return (struct storm_result){
		.crew = &storm->crew,
		.devices = storm->media.devices,
		.repeat = repeat,
		.filled = storm->options.fill > 0,
	};
}

/* One cycle that nobody times, so that the page cache is what it is after one. */
static int warm_up(struct storm *storm, const struct run_context *context, struct err *err)
{
	struct storm_result result = result_of(storm, 1);
	auto_buf struct buf why = BUF_INIT;
	int rc = start_crew(storm, 1, err);

	if (!rc)
		rc = run_crew(storm, 1, err);
	for (size_t i = 0; !rc && i < storm->media.count; i++)
		if (storm_result_failure(&result, i, &why))
			rc = err_set(err, EIO, "%s", why.s);
	if (rc)
		return err_context(err, rc, "the cycle before the run");
	storm->unclean = false;
	rc = media_sync(&storm->media, err);
	if (!rc && accounting_settle(context->idle_rate, SETTLE_NS) == -EINTR)
		rc = err_set(err, EINTR, "interrupted");
	return rc;
}

static int drop_all_caches(struct err *err)
{
	int rc;

	sync();
	rc = files_write_value_at(AT_FDCWD, "/proc/sys/vm/drop_caches", "3");
	return rc ? err_sys(err, -rc, "/proc/sys/vm/drop_caches") : 0;
}

/* The same state of devices and page cache before each run. */
static int reset_devices(struct storm *storm, const struct run_context *context, struct err *err)
{
	int rc = media_reset(&storm->media, err);

	if (rc)
		return rc;
	switch (storm->options.cache) {
	case STORM_CACHE_WARM:
		return warm_up(storm, context, err);
	case STORM_CACHE_COLD_SYSTEM:
		rc = drop_all_caches(err);
		break;
	case STORM_CACHE_COLD:
		break;
	}
	return rc ? rc : media_flush_cache(&storm->media, err);
}

int storm_prepare(void *state, struct run_context *context, struct target *target,
		  struct err *err)
{
	struct storm *storm = state;
	int rc = come_clean(storm, err);

	if (rc)
		return rc;
	storm->timed_out = false;
	words_release(&storm->envp);
	storm_environment(context->environment, &storm->envp);
	rc = reset_devices(storm, context, err);
	if (!rc)
		rc = start_crew(storm, storm->options.repeat, err);
	if (rc)
		return rc;
	*target = (struct target){
		.devices = storm->media.devices,
		.ndevices = storm->media.count,
		.traced = storm->traced.v,
		.ntraced = storm->traced.n,
		.pgid = storm->crew.processes.pgid,
	};
	return 0;
}

int storm_execute(void *state, struct run_context *context, struct err *err)
{
	struct storm *storm = state;
	int64_t start_ns = clock_mono_ns(), took_ns;
	int rc = run_crew(storm, storm->options.repeat, err);

	if (rc == -ETIMEDOUT) {
		run_fail(context->run, "%s", err->text);
		return 0;
	}
	took_ns = clock_mono_ns() - start_ns;
	if (!rc && took_ns > storm->longest_ns)
		storm->longest_ns = took_ns;
	return rc;
}

int storm_settle(void *state, struct run_context *context, struct err *err)
{
	struct storm *storm = state;
	int rc = media_sync(&storm->media, err);

	if (rc)
		return rc;
	rc = accounting_settle(context->idle_rate, SETTLE_NS);
	if (rc == -ETIMEDOUT) {
		run_mark(context->run, "unsettled", "kernel threads were still busy 5 s after "
			 "the run");
		return 0;
	}
	return rc ? err_sys(err, -rc, "waiting until the kernel has settled") : 0;
}

/* Keeps what the programs said beside the run: all of it, where the reason is one line. */
static void keep_words(const struct storm *storm, size_t i, const struct run_context *context)
{
	const struct storm_record *record = &storm->crew.records[i];
	auto_free char *name = NULL;
	auto_close int fd = -1;

	if (!record->words[0] || context->folder_fd < 0)
		return;
	name = xasprintf("%s-%s.txt", storm->media.devices[i].name,
			 storm_phase_name(record->failure.phase));
	fd = openat(context->folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd >= 0)
		files_write_all(fd, record->words, strlen(record->words));
}

static bool find_failures(const struct storm *storm, const struct storm_result *result,
			  const struct run_context *context)
{
	auto_buf struct buf why = BUF_INIT;
	size_t failed = 0, first_len = 0;

	for (size_t i = 0; i < storm->media.count; i++) {
		if (!storm_result_failure(result, i, &why))
			continue;
		if (!failed++)
			first_len = why.len;
		keep_words(storm, i, context);
	}
	if (failed == 1)
		run_fail(context->run, "%s", why.s);
	else if (failed)
		run_fail(context->run, "%.*s (and %zu more)", (int)first_len, why.s,
			 failed - 1);
	return failed != 0;
}

struct fill_arg {
	const unsigned char *pattern;
	uint64_t seed;
};

static bool same_fill(const void *arg, uint64_t offset, const void *bytes, size_t n)
{
	const struct fill_arg *fill = arg;

	return storm_fill_same(fill->pattern, fill->seed, offset, bytes, n);
}

/* Is on device i what the last cycle left? */
static int check_device(const struct storm *storm, size_t i, struct err *err)
{
	const uint32_t last_cycle = storm->options.repeat - 1;
	const struct storm_task *task = &storm->tasks.v[i];
	const struct fill_arg fill = {
		.pattern = storm->pattern,
		.seed = task->fill_seed + last_cycle,
	};
	const struct fs_place place = {
		.fs = storm->options.fs,
		.device = task->device,
		.point = storm->place.points[i],
		.mount_ns = storm->place.mount_ns,
	};
	struct ext_expected expected = {
		.figures = storm->figures[i].ext,
		.file = storm->options.fill ? STORM_FILL_NAME : NULL,
		.file_size = storm->options.fill,
		.same = same_fill,
		.chunk = STORM_FILL_CHUNK,
		.arg = &fill,
	};
	char uuid[STORM_UUID_SIZE];

	memcpy(uuid, task->uuid, sizeof(uuid));
	storm_uuid_set_cycle(uuid, last_cycle);
	storm_uuid_bytes(uuid, expected.uuid);
	return storm_fs_is_ext(storm->fs) ? ext_check(task->device, &expected, err) :
					    fs_check(&place, &expected, err);
}

/* Some of the devices, from one on. */
struct checks {
	struct storm *storm;
	size_t first;
};

static int check_in_child(void *arg, size_t i, void *result, struct err *err)
{
	const struct checks *checks = arg;

	(void)result;
	return check_device(checks->storm, checks->first + i, err);
}

/* By children, since a device may hang that has just worked. */
static int check_some(struct storm *storm, size_t first, size_t count, struct run *run,
		      struct err *err)
{
	const int64_t each_ns = (1 + (int64_t)(storm->options.fill >> 22)) * NS_PER_S;
	struct checks checks = { .storm = storm, .first = first };
	const struct fork_each each = {
		.count = count,
		.work = check_in_child,
		.arg = &checks,
		.timeout_ns = CHECK_NS + (int64_t)count * each_ns,
	};
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < results.count; i++) {
		if (results.codes[i])
			run_invalid(run, "%s: %s", storm->media.devices[first + i].name,
				    results.errs[i].text);
		storm->timed_out |= results.codes[i] == -ETIMEDOUT;
	}
	storm->unclean |= storm->timed_out;
	fork_each_release(&results);
	return 0;
}

/* Programs that check take memory by the size of the machine: not too many at a time. */
static int check_devices(struct storm *storm, struct run *run, struct err *err)
{
	size_t batch = storm_fs_is_ext(storm->fs) ? storm->media.count : CHECKERS, n;
	int rc = 0;

	for (size_t first = 0; !rc && first < storm->media.count; first += n) {
		n = storm->media.count - first < batch ? storm->media.count - first : batch;
		rc = check_some(storm, first, n, run, err);
	}
	return rc;
}

/* A umount that returned 0 may have unmounted nothing: somebody else may hold a copy of it. */
static bool all_free(struct storm *storm, struct run *run)
{
	struct err err;

	for (size_t i = 0; i < storm->media.count; i++) {
		if (media_check_free(&storm->media, i, &err)) {
			run_invalid(run, "%s: umount unmounted nothing: %s",
				    storm->media.devices[i].name, err.text);
			return false;
		}
	}
	return true;
}

int storm_verify(void *state, struct run_context *context, struct err *err)
{
	struct storm *storm = state;
	struct storm_result result = result_of(storm, storm->options.repeat);
	int rc;

	storm_result_details(&result, context->run);
	storm_result_metrics(&result, context->run);
	if (find_failures(storm, &result, context) || !all_free(storm, context->run))
		return 0;
	storm->unclean = false;
	rc = media_flush_cache(&storm->media, err);
	return rc ? rc : check_devices(storm, context->run, err);
}

void storm_cleanup(void *state, struct run_context *context)
{
	struct storm *storm = state;
	struct err err;

	storm_crew_stop(&storm->crew);
	/* Names and numbers of devices come again: what the kernel knows of them must not. */
	for (size_t i = 0; !strcmp(storm->options.fs, "btrfs") && i < storm->media.count; i++)
		btrfs_device_forget(storm->media.devices[i].path);
	if (come_clean(storm, &err)) {
		run_mark(context->run, "unclean", "%s", err.text);
		/* What did not answer to its deadline will hardly do so for the next run. */
		context->stuck = storm->timed_out;
		return;
	}
	/*
	 * The memory of loop devices is wanted by the other storms of the session; prepare reports
	 * what fails.
	 */
	if (!storm->media.named)
		media_reset(&storm->media, &err);
}
