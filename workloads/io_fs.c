// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fork_each.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/mount_ns.h"
#include "workloads/io_fill.h"
#include "workloads/storm_fs.h"
#include "workloads/storm_trial.h"
#include "workloads/storm_uuid.h"

#define MAKE_NS (120 * NS_PER_S)
#define BYTES_PER_S (4ULL << 20) /* what is slower than that has hung */
#define UNMOUNT_NS (60 * NS_PER_S)
#define ARGS 16
#define EXT_LEAST (8ULL << 20)

int io_fs_check(const struct io_options *options, uint64_t device_size, struct err *err)
{
	const struct storm_fs *kind = storm_fs_find(options->fs);
	uint64_t least = kind->min_size > EXT_LEAST ? kind->min_size : EXT_LEAST;
	auto_free char *path = NULL;

	if (device_size < least)
		return err_usage(err, "fs=%s needs devices of %llu MiB", kind->name,
				 (unsigned long long)(least >> 20));
	if (process_find(kind->mkfs, &path))
		return err_missing(err, "%s is missing (package %s)", kind->mkfs, kind->package);
	return storm_trial_kernel(kind, err);
}

/* All that is zeroed later by itself is made at once: it would be IO beside the storm's. */
static void make_argv(const struct storm_fs *kind, const char *uuid, const char *device,
		      const char **argv)
{
	const char *const ext[] = { "mke2fs", "-q", "-F", "-t", kind->name, "-U", uuid, "-E",
				    "lazy_itable_init=0,nodiscard", device, NULL };
	const char *const journal[] = { "mke2fs", "-q", "-F", "-t", kind->name, "-U", uuid, "-E",
					"lazy_itable_init=0,lazy_journal_init=0,nodiscard", device,
					NULL };
	const char *const btrfs[] = { "mkfs.btrfs", "-q", "-f", "-K", "-U", uuid, device, NULL };
	const char *const xfs[] = { "mkfs.xfs", "-q", "-f", "-K", "-m", NULL, device, NULL };

	if (!strcmp(kind->name, "ext2"))
		memcpy(argv, ext, sizeof(ext));
	else if (storm_fs_is_ext(kind))
		memcpy(argv, journal, sizeof(journal));
	else if (!strcmp(kind->name, "btrfs"))
		memcpy(argv, btrfs, sizeof(btrfs));
	else
		memcpy(argv, xfs, sizeof(xfs));
}

static int make_one(const struct io_fs *fs, size_t i, struct err *err)
{
	const struct storm_fs *kind = storm_fs_find(fs->options->fs);
	const char *argv[ARGS], *device = fs->devices[i].path;
	auto_free char *xfs_uuid = NULL;
	auto_buf struct buf words = BUF_INIT;
	char uuid[STORM_UUID_SIZE];
	uint16_t random = 0;
	int status, rc;

	getrandom(&random, sizeof(random), GRND_NONBLOCK);
	storm_uuid_make(uuid, fs->token << 16 | random, i);
	make_argv(kind, uuid, device, argv);
	if (!strcmp(kind->name, "xfs"))
		argv[5] = xfs_uuid = xasprintf("uuid=%s", uuid);
	rc = process_capture(argv, &words, &status, err);
	if (rc || !status)
		return rc;
	return err_set(err, EIO, "%s: %s: %.300s", device, kind->mkfs,
		       words.len ? strtok(words.s, "\n") : "it failed without a word");
}

static uint64_t file_size(const struct io_fs *fs, size_t device)
{
	return fs->ranges[device].offset + fs->ranges[device].size;
}

uint64_t io_fs_bytes(const struct io_fs *fs)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < fs->count; i++)
		bytes += fs->options->numjobs * file_size(fs, i);
	return bytes;
}

static int write_files(const struct io_fs *fs, size_t i, struct err *err)
{
	int rc = 0;

	for (size_t file = 0; !rc && file < fs->options->numjobs; file++) {
		auto_free char *path = io_fs_path(fs, i, file);
		struct io_fill fill = { .path = path, .size = file_size(fs, i), .seed = i + file };
		auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		if (fd < 0)
			return err_sys(err, errno, "%s", path);
		rc = io_fill_fd(fd, &fill, err);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	return rc;
}

/* In a child. */
static int make_and_mount(void *arg, size_t i, void *result, struct err *err)
{
	const struct io_fs *fs = arg;
	const char *point = fs->place.points[i];
	int rc = make_one(fs, i, err);

	(void)result;
	if (rc)
		return rc;
	rc = mount_ns_enter(fs->place.mount_ns);
	if (rc)
		return err_sys(err, -rc, "entering the mount namespace");
	if (mkdir(point, 0700) < 0 && errno != EEXIST)
		return err_sys(err, errno, "%s", point);
	if (mount(fs->devices[i].path, point, fs->options->fs, MS_NOATIME, NULL) < 0)
		return err_sys(err, errno, "mounting %s", fs->devices[i].path);
	return write_files(fs, i, err);
}

static int on_each(const struct fork_each *each, struct err *err)
{
	const struct io_fs *fs = each->arg;
	struct fork_results results;
	int rc = fork_each(each, &results, err);

	for (size_t i = 0; !rc && i < fs->count; i++) {
		rc = results.codes[i];
		if (rc && err)
			*err = results.errs[i];
		if (rc == -ETIMEDOUT || rc == -ECHILD)
			rc = err_context(err, rc, "%s", fs->devices[i].path);
	}
	fork_each_release(&results);
	return rc;
}

int io_fs_make(struct io_fs *fs, struct err *err)
{
	const struct fork_each each = {
		.count = fs->count,
		.work = make_and_mount,
		.arg = fs,
		.timeout_ns = MAKE_NS + (int64_t)fs->count * NS_PER_S +
			      (int64_t)(io_fs_bytes(fs) / BYTES_PER_S) * NS_PER_S,
		.interruptible = true,
	};
	int rc = storm_place_refresh(&fs->place, err);

	return rc ? rc : on_each(&each, err);
}

char *io_fs_path(const struct io_fs *fs, size_t device, size_t file)
{
	return xasprintf("%s/brunt.%zu", fs->place.points[device], file);
}

static int unmount_one(void *arg, size_t i, void *result, struct err *err)
{
	const struct io_fs *fs = arg;
	int rc = mount_ns_enter(fs->place.mount_ns);

	(void)result;
	if (rc)
		return err_sys(err, -rc, "entering the mount namespace");
	if (umount2(fs->place.points[i], UMOUNT_NOFOLLOW) < 0 && errno != EINVAL && errno != ENOENT)
		return err_sys(err, errno, "unmounting %s", fs->devices[i].path);
	return 0;
}

int io_fs_unmount(struct io_fs *fs, struct err *err)
{
	const struct fork_each each = {
		.count = fs->count,
		.work = unmount_one,
		.arg = fs,
		.timeout_ns = UNMOUNT_NS + (int64_t)fs->count * NS_PER_S,
	};
	int rc = storm_place_refresh(&fs->place, err);

	return rc ? rc : on_each(&each, err);
}
