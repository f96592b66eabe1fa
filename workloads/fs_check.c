// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/fs_check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/mount_ns.h"
#include "workloads/storm_words.h"

/* Where the superblock has magic and UUID, from fs/xfs/libxfs/xfs_format.h and btrfs_tree.h. */
static const struct superblock {
	const char *fs, *magic;
	off_t magic_at, uuid_at;
} superblocks[] = {
	{ "xfs", "XFSB", 0, 32 },
	{ "btrfs", "_BHRfS_M", 65536 + 64, 65536 + 32 },
};

static int check_uuid(const struct fs_place *place, const unsigned char uuid[16], struct err *err)
{
	auto_close int fd = open(place->device, O_RDONLY | O_CLOEXEC);
	const struct superblock *super = superblocks;
	unsigned char is[16];
	char magic[8];
	size_t n;

	while (strcmp(super->fs, place->fs) != 0)
		super++;
	n = strlen(super->magic);
	if (fd < 0 || pread(fd, magic, n, super->magic_at) != (ssize_t)n ||
	    pread(fd, is, sizeof(is), super->uuid_at) != (ssize_t)sizeof(is))
		return err_sys(err, errno ? errno : EIO, "reading the superblock");
	if (memcmp(magic, super->magic, n) != 0)
		return err_set(err, EUCLEAN, "there is no %s", place->fs);
	if (memcmp(is, uuid, sizeof(is)) != 0)
		return err_set(err, EUCLEAN, "the file system is not that of the last cycle");
	return 0;
}

static int run_checker(const struct fs_place *place, struct err *err)
{
	const char *const xfs[] = { "xfs_repair", "-n", "-P", place->device, NULL };
	const char *const btrfs[] = { "btrfs", "check", "--readonly", place->device, NULL };
	const char *const *argv = !strcmp(place->fs, "xfs") ? xfs : btrfs;
	auto_buf struct buf words = BUF_INIT, text = BUF_INIT;
	int status, rc = process_capture(argv, &words, &status, err);

	if (rc || status == 0)
		return rc;
	buf_addf(&text, "%s finds a fault: ", argv[0]);
	process_add_status(&text, status);
	storm_words_add_reason(words.s, &text);
	return err_set(err, EUCLEAN, "%s", text.s);
}

static int check_bytes(int fd, const struct ext_expected *expected, struct err *err)
{
	auto_free unsigned char *bytes = xmalloc(expected->chunk);
	size_t want;

	for (uint64_t at = 0; at < expected->file_size; at += want) {
		want = expected->file_size - at < expected->chunk ?
			       (size_t)(expected->file_size - at) :
			       expected->chunk;
		if (pread(fd, bytes, want, (off_t)at) != (ssize_t)want ||
		    !expected->same(expected->arg, at, bytes, want))
			return err_set(err, EUCLEAN,
				       "the file '%s' does not hold what was written from byte %"
				       PRIu64 " on", expected->file, at);
	}
	return 0;
}

static int check_file(const char *folder, const struct ext_expected *expected, struct err *err)
{
	auto_free char *path = files_join(folder, expected->file);
	auto_close int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(err, EUCLEAN, "%s: %s", expected->file, strerror(errno));
	if ((uint64_t)st.st_size != expected->file_size)
		return err_set(err, EUCLEAN, "the file '%s' has %" PRIu64 " bytes, not %" PRIu64,
			       expected->file, (uint64_t)st.st_size, expected->file_size);
	return check_bytes(fd, expected, err);
}

/* Ours alone: nobody shall meet this mount. In a chroot / is no mount point: then it is a slave. */
static int enter_own_namespace(const struct fs_place *place, struct err *err)
{
	int rc = place->mount_ns >= 0 ? mount_ns_enter(place->mount_ns) : 0;

	if (rc)
		return err_sys(err, -rc, "the mount namespace");
	if (unshare(CLONE_NEWNS) < 0)
		return err_sys(err, errno, "a mount namespace");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 && place->mount_ns < 0 &&
	    errno != EINVAL)
		return err_sys(err, errno, "a mount namespace");
	return 0;
}

int fs_check(const struct fs_place *place, const struct ext_expected *expected, struct err *err)
{
	int rc = check_uuid(place, expected->uuid, err);

	if (!rc)
		rc = run_checker(place, err);
	if (rc || !expected->file)
		return rc;
	rc = enter_own_namespace(place, err);
	if (rc)
		return rc;
	if (mount(place->device, place->point, place->fs, MS_RDONLY | MS_NOATIME, NULL) < 0)
		return err_set(err, EUCLEAN, "it cannot be mounted for reading: %s",
			       strerror(errno));
	rc = check_file(place->point, expected, err);
	if (umount2(place->point, UMOUNT_NOFOLLOW) < 0 && !rc)
		rc = err_sys(err, errno, "unmounting it");
	return rc;
}
