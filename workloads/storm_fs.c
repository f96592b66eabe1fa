// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_fs.h"

#include <string.h>

#include "base/buf.h"
#include "base/process.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "workloads/storm_mkfs_words.h"
#include "workloads/storm_options.h"

#define MIB (1024 * 1024ULL)
#define BTRFS_MIN 114294784 /* for metadata in two copies; mixed (-M) takes less */
#define BTRFS_MIXED_MIN (16 * MIB)

static void ext_argv(const struct storm_options *options, bool trial, const char *uuid,
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

static void xfs_argv(const struct storm_options *options, bool trial, const char *uuid,
		     const char *device, struct words *out)
{
	words_add(out, "mkfs.xfs");
	words_add(out, "-q");
	words_add(out, "-f");
	if (!options->discard || trial)
		words_add(out, "-K");
	words_add(out, "-b");
	words_add_taken(out, xasprintf("size=%u", options->block_size));
	words_add(out, "-m");
	words_add_taken(out, xasprintf("uuid=%s", uuid));
	for (size_t i = 0; i < options->mkfs.n; i++)
		words_add(out, options->mkfs.v[i]);
	words_add(out, device);
}

static void btrfs_argv(const struct storm_options *options, bool trial, const char *uuid,
		       const char *device, struct words *out)
{
	words_add(out, "mkfs.btrfs");
	words_add(out, "-q");
	words_add(out, "-f");
	if (!options->discard || trial)
		words_add(out, "-K");
	words_add(out, "-s");
	words_add_taken(out, xasprintf("%u", options->block_size));
	words_add(out, "-U");
	words_add(out, uuid);
	for (size_t i = 0; i < options->mkfs.n; i++)
		words_add(out, options->mkfs.v[i]);
	words_add(out, device);
}

#define EXT(name_)                                                                          \
	{ .name = name_, .mkfs = "mke2fs", .package = "e2fsprogs",                          \
	  .config = "CONFIG_EXT4_FS with CONFIG_EXT4_USE_FOR_EXT2, or CONFIG_EXT2_FS",      \
	  .judge = storm_mkfs_options, .argv = ext_argv }

static const struct storm_fs table[] = {
	EXT("ext2"),
	EXT("ext3"),
	EXT("ext4"),
	{ .name = "xfs", .mkfs = "mkfs.xfs", .package = "xfsprogs", .checker = "xfs_repair",
	  .config = "CONFIG_XFS_FS", .min_size = 300 * MIB, .judge = storm_mkfs_words_xfs,
	  .argv = xfs_argv },
	{ .name = "btrfs", .mkfs = "mkfs.btrfs", .package = "btrfs-progs", .checker = "btrfs",
	  .config = "CONFIG_BTRFS_FS", .min_size = BTRFS_MIN, .judge = storm_mkfs_words_btrfs,
	  .argv = btrfs_argv },
};

const struct storm_fs *storm_fs_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

bool storm_fs_is_ext(const struct storm_fs *fs)
{
	return !fs->checker;
}

static bool is_mixed(const struct storm_options *options)
{
	for (size_t i = 0; i < options->mkfs.n; i++)
		if (!strcmp(options->mkfs.v[i], "-M") || !strcmp(options->mkfs.v[i], "--mixed"))
			return true;
	return false;
}

int storm_fs_check_size(const struct storm_options *options, uint64_t size, struct err *err)
{
	const struct storm_fs *fs = storm_fs_find(options->fs);
	uint64_t least = fs->min_size;
	auto_buf struct buf is = BUF_INIT, needed = BUF_INIT;

	if (least == BTRFS_MIN && is_mixed(options))
		least = BTRFS_MIXED_MIN;
	if (size >= least)
		return 0;
	units_add_size(&is, size);
	units_add_size(&needed, (least + MIB - 1) / MIB * MIB);
	return err_usage(err, "a device of %s is too small for %s, which takes %s", is.s, fs->name,
			 needed.s);
}

char *storm_fs_version(const char *program, const char *option)
{
	const char *const argv[] = { program, option, NULL };
	auto_buf struct buf words = BUF_INIT;
	int status;

	if (process_capture(argv, &words, &status, NULL) || !words.len)
		return NULL;
	return xstrndup(words.s, strcspn(words.s, "\n"));
}
