// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/ext_check.h"

#include <errno.h>
#include <et/com_err.h>
#include <ext2fs/ext2fs.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static int library_error(struct err *err, errcode_t code, const char *what)
{
	initialize_ext2_error_table();
	return err_set(err, EUCLEAN, "%s: %s", what, error_message(code));
}

static int open_fs(const char *path, ext2_filsys *out, struct err *err)
{
	errcode_t code = ext2fs_open(path, EXT2_FLAG_64BITS, 0, 0, unix_io_manager, out);

	return code ? library_error(err, code, "no ext file system that can be read") : 0;
}

static void read_figures(ext2_filsys fs, struct ext_figures *out)
{
	out->blocks = ext2fs_blocks_count(fs->super);
	out->free_blocks = ext2fs_free_blocks_count(fs->super);
	out->block_size = fs->blocksize;
	out->journal = ext2fs_has_feature_journal(fs->super);
	out->extents = ext2fs_has_feature_extents(fs->super);
}

int ext_figures_read(const char *path, struct ext_figures *out, struct err *err)
{
	ext2_filsys fs = NULL;
	int rc = open_fs(path, &fs, err);

	if (rc)
		return rc;
	read_figures(fs, out);
	ext2fs_close_free(&fs);
	return 0;
}

static int check_state(const struct ext2_super_block *super, struct err *err)
{
	if (super->s_state & EXT2_ERROR_FS)
		return err_set(err, EUCLEAN, "the file system has errors");
	if (!(super->s_state & EXT2_VALID_FS) || (super->s_feature_incompat &
						  EXT3_FEATURE_INCOMPAT_RECOVER))
		return err_set(err, EUCLEAN, "the file system was not unmounted cleanly");
	if (super->s_mnt_count < 1)
		return err_set(err, EUCLEAN, "the file system was never mounted");
	return 0;
}

static int check_figures(const struct ext_figures *is, const struct ext_figures *expected,
			 struct err *err)
{
	if (is->journal != expected->journal)
		return err_set(err, EUCLEAN, "the file system has %s journal",
			       is->journal ? "a" : "no");
	if (is->extents != expected->extents)
		return err_set(err, EUCLEAN, "the file system has %sextents",
			       is->extents ? "" : "no ");
	if (is->block_size != expected->block_size)
		return err_set(err, EUCLEAN, "the file system has blocks of %u bytes, not %u",
			       is->block_size, expected->block_size);
	if (is->blocks != expected->blocks)
		return err_set(err, EUCLEAN, "the file system has %" PRIu64 " blocks, not %" PRIu64,
			       is->blocks, expected->blocks);
	return 0;
}

/* Hands the open file to same() piece by piece. */
static int check_bytes(ext2_file_t file, const struct ext_expected *expected, struct err *err)
{
	auto_free unsigned char *bytes = xmalloc(expected->chunk);
	unsigned int got, want;
	errcode_t code;

	for (uint64_t at = 0; at < expected->file_size; at += want) {
		want = (unsigned int)(expected->file_size - at < expected->chunk ?
					      expected->file_size - at :
					      expected->chunk);
		code = ext2fs_file_read(file, bytes, want, &got);
		if (code)
			return library_error(err, code, expected->file);
		if (got != want || !expected->same(expected->arg, at, bytes, got))
			return err_set(err, EUCLEAN,
				       "the file '%s' does not hold what was written from byte %"
				       PRIu64 " on", expected->file, at);
	}
	return 0;
}

static int check_file(ext2_filsys fs, const struct ext_expected *expected, struct err *err)
{
	ext2_file_t file = NULL;
	ext2_ino_t inode;
	errcode_t code;
	__u64 size;
	int rc = 0;

	code = ext2fs_namei(fs, EXT2_ROOT_INO, EXT2_ROOT_INO, expected->file, &inode);
	if (!code)
		code = ext2fs_file_open(fs, inode, 0, &file);
	if (code)
		return library_error(err, code, expected->file);
	code = ext2fs_file_get_lsize(file, &size);
	if (code)
		rc = library_error(err, code, expected->file);
	else if (size != expected->file_size)
		rc = err_set(err, EUCLEAN, "the file '%s' has %" PRIu64 " bytes, not %" PRIu64,
			     expected->file, (uint64_t)size, expected->file_size);
	else
		rc = check_bytes(file, expected, err);
	ext2fs_file_close(file);
	return rc;
}

static int check_open(ext2_filsys fs, const struct ext_expected *expected, struct err *err)
{
	struct ext_figures is;
	int rc;

	if (memcmp(fs->super->s_uuid, expected->uuid, sizeof(expected->uuid)) != 0)
		return err_set(err, EUCLEAN, "the file system is not that of the last cycle");
	rc = check_state(fs->super, err);
	if (rc)
		return rc;
	read_figures(fs, &is);
	rc = check_figures(&is, &expected->figures, err);
	return rc || !expected->file ? rc : check_file(fs, expected, err);
}

int ext_check(const char *path, const struct ext_expected *expected, struct err *err)
{
	ext2_filsys fs = NULL;
	int rc = open_fs(path, &fs, err);

	if (rc)
		return rc;
	rc = check_open(fs, expected, err);
	ext2fs_close_free(&fs);
	return rc;
}
