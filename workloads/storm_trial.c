// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/process.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/memory.h"
#include "workloads/storm_words.h"

#define MIB (1024 * 1024ULL)
#define XFS_LOG_MAX (2048 * MIB)

static const char any_uuid[] = "00000000-0000-4000-8000-000000000000";

/* The file's path means nothing to whoever reads it in a message. */
static void hide_path(char *words, const char *path)
{
	static const char instead[] = "the device";
	char *p;

	while ((p = strstr(words, path))) {
		memcpy(p, instead, strlen(instead));
		memmove(p + strlen(instead), p + strlen(path), strlen(p + strlen(path)) + 1);
	}
}

static int run_mkfs(const struct storm_options *options, const char *path, struct err *err)
{
	const struct storm_fs *fs = storm_fs_find(options->fs);
	auto_words struct words argv = WORDS_INIT;
	auto_buf struct buf words = BUF_INIT, text = BUF_INIT;
	int status, rc;

	fs->argv(options, true, any_uuid, path, &argv);
	rc = process_capture((const char *const *)argv.v, &words, &status, err);
	if (rc == -ENOENT)
		return err_missing(err, "%s is missing (package %s)", fs->mkfs, fs->package);
	if (rc || status == 0)
		return rc;
	process_add_status(&text, status);
	if (words.len)
		hide_path(words.s, path); /* "/proc/N/fd/N" is longer than what replaces it */
	storm_words_add_reason(words.s, &text);
	return err_usage(err, "%s does not take these options: %s", fs->mkfs, text.s);
}

static int check_kind(const struct storm_options *options, uint64_t device_size,
		      const struct ext_figures *is, struct err *err)
{
	auto_buf struct buf size = BUF_INIT;

	units_add_size(&size, device_size);
	if (!strcmp(options->fs, "ext3") && !is->journal)
		return err_usage(err, "a device of %s has no room for the journal that makes it "
				 "ext3; larger devices, or fs=ext2", size.s);
	if (!strcmp(options->fs, "ext2") && is->journal)
		return err_usage(err, "mkfs_options give a journal, which fs=ext2 has not; "
				 "say fs=ext3");
	if (strcmp(options->fs, "ext4") != 0 && is->extents)
		return err_usage(err, "mkfs_options give extents, which fs=%s has not; "
				 "say fs=ext4", options->fs);
	return 0;
}

/* Blocks that point to blocks are at most 1 in 128, where blocks have 1 KiB. */
static int check_fill(const struct storm_options *options, uint64_t room, struct err *err)
{
	auto_buf struct buf fill = BUF_INIT, there = BUF_INIT;

	if (!options->fill || options->fill + options->fill / 128 + 64 * 1024 <= room)
		return 0;
	units_add_size(&fill, options->fill);
	units_add_size(&there, room);
	return err_usage(err, "fill=%s does not fit in: the fresh file system has %s free; give "
			 "less, or fill=0", fill.s, there.s);
}

/*
 * Of a file system that no library reads: what its mkfs wrote. What else it keeps for itself while a
 * file is written hangs on its version: a tenth (xfs), half (btrfs, where metadata have two copies
 * and chunks are given out as wholes) is more than enough.
 */
static int look_from_outside(const struct storm_options *options, int fd, uint64_t size,
			     struct storm_figures *out, struct err *err)
{
	struct stat st;
	uint64_t left;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "a file in memory");
	out->used = (uint64_t)st.st_blocks * 512;
	left = size > out->used ? size - out->used : 0;
	out->free = !strcmp(options->fs, "xfs") ? left - left / 10 : left / 2;
	return 0;
}

/* mkfs.xfs writes all of its log, 1/2048 of the device and 2 GiB at most, which memory has to hold. */
static int check_memory(const struct storm_options *options, uint64_t size, struct err *err)
{
	uint64_t log = size / 2048 < XFS_LOG_MAX ? size / 2048 : XFS_LOG_MAX;
	uint64_t available = memory_available();
	auto_buf struct buf need = BUF_INIT, there = BUF_INIT;

	if (strcmp(options->fs, "xfs") != 0 || !available || log <= available - available / 10)
		return 0;
	for (size_t i = 0; i < options->mkfs.n; i++)
		if (!strcmp(options->mkfs.v[i], "-l"))
			return 0;
	units_add_size(&need, log / MIB * MIB);
	units_add_size(&there, available / MIB * MIB);
	return err_missing(err, "trying mkfs.xfs beforehand takes %s of memory for its log, %s are "
			   "available; mkfs_options='-l size=64m' takes less", need.s, there.s);
}

static int look_inside(const char *path, struct storm_figures *out, struct err *err)
{
	int rc = ext_figures_read(path, &out->ext, err);

	if (rc)
		return rc;
	out->free = out->ext.free_blocks * out->ext.block_size;
	out->used = (out->ext.blocks - out->ext.free_blocks) * out->ext.block_size;
	return 0;
}

/* Makes the file system in memory and looks at it. */
static int make_figures(const struct storm_options *options, uint64_t size,
			struct storm_figures *out, struct err *err)
{
	auto_close int fd = files_open_memory("brunt-trial");
	char path[64];
	int rc;

	if (fd < 0)
		return err_sys(err, -fd, "a file in memory");
	rc = check_memory(options, size, err);
	if (rc)
		return rc;
	if (ftruncate(fd, (off_t)size) < 0)
		return err_sys(err, errno, "a file in memory of the devices' size");
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	rc = run_mkfs(options, path, err);
	if (rc)
		return rc;
	*out = (struct storm_figures){ .used = 0 };
	return storm_fs_is_ext(storm_fs_find(options->fs)) ?
		       look_inside(path, out, err) :
		       look_from_outside(options, fd, size, out, err);
}

/* What was found so far: cells that differ in other keys make the same file system. */
static struct known {
	char *what;
	struct storm_figures figures;
} *known;
static size_t nknown, known_cap;

/* All that the figures hang on. */
static char *describe(const struct storm_options *options, uint64_t size)
{
	auto_words struct words argv = WORDS_INIT;
	auto_free char *line = NULL;

	storm_fs_find(options->fs)->argv(options, true, any_uuid, "", &argv);
	line = words_quote_shell((const char *const *)argv.v, argv.n);
	return xasprintf("%llu %s", (unsigned long long)size, line);
}

static int find_figures(const struct storm_options *options, uint64_t size,
			struct storm_figures *out, struct err *err)
{
	auto_free char *what = describe(options, size);
	int rc;

	for (size_t i = 0; i < nknown; i++) {
		if (strcmp(known[i].what, what) != 0)
			continue;
		*out = known[i].figures;
		return 0;
	}
	rc = make_figures(options, size, out, err);
	if (rc)
		return rc;
	GROW(known, nknown, known_cap);
	known[nknown++] = (struct known){ .what = what, .figures = *out };
	what = NULL;
	return 0;
}

int storm_trial(const struct storm_options *options, uint64_t size, struct storm_figures *out,
		struct err *err)
{
	struct storm_figures figures = { .used = 0 };
	int rc = storm_fs_check_size(options, size, err);

	if (!rc)
		rc = find_figures(options, size, &figures, err);
	if (!rc && storm_fs_is_ext(storm_fs_find(options->fs)))
		rc = check_kind(options, size, &figures.ext, err);
	if (!rc)
		rc = check_fill(options, figures.free, err);
	if (rc)
		return rc;
	*out = figures;
	return 0;
}

static bool kernel_lists(const char *fs)
{
	auto_buf struct buf list = BUF_INIT;
	auto_free char *line = xasprintf("\t%s\n", fs);

	return files_read_at(AT_FDCWD, "/proc/filesystems", 1 << 16, &list) == 0 &&
	       strstr(list.s, line);
}

int storm_trial_kernel(const struct storm_fs *fs, struct err *err)
{
	auto_free char *module = xasprintf("fs-%s", fs->name);
	const char *const argv[] = { "modprobe", "-n", "-q", module, NULL };
	auto_buf struct buf out = BUF_INIT;
	int status;

	if (kernel_lists(fs->name))
		return 0;
	if (process_capture(argv, &out, &status, NULL) == 0 && status == 0)
		return 0;
	return err_missing(err, "the kernel has no %s (%s)", fs->name, fs->config);
}

uint64_t storm_need_each(uint64_t used, uint64_t fill)
{
	uint64_t most = used + fill;

	return (most + most / 20 + MIB + MIB - 1) / MIB * MIB;
}
