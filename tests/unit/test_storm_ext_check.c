// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ext2fs/ext2fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "workloads/ext_check.h"

#define UUID "01234567-89ab-4cde-800f-002a00000003"
#define BYTES "what is in the file\n"

static const unsigned char uuid_bytes[16] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0x4c, 0xde, 0x80, 0x0f, 0x00, 0x2a, 0, 0, 0, 3,
};

static char folder[64];
static char *image;

static void need_tools(void)
{
	auto_free char *mkfs = NULL;
	auto_free char *tune = NULL;

	if (!process_find("mke2fs", &mkfs) && !process_find("tune2fs", &tune))
		return;
	print_message("mke2fs or tune2fs is missing (package e2fsprogs)\n");
	skip();
}

static bool same(const void *arg, uint64_t offset, const void *bytes, size_t n)
{
	return !memcmp((const char *)arg + offset, bytes, n);
}

/* What mke2fs -t TYPE with a file makes, after it was mounted once, as far as it says itself. */
static void make_image(const char *type)
{
	auto_free char *source = xasprintf("%s/root", folder);
	auto_free char *file = xasprintf("%s/root/fill", folder);
	const char *const mkfs[] = { "mke2fs", "-q", "-F", "-t", type, "-b", "4096", "-U", UUID,
				     "-d", source, image, "16M", NULL };
	const char *const tune[] = { "tune2fs", "-C", "1", image, NULL };
	auto_buf struct buf out = BUF_INIT;
	struct err err;
	int status;

	unlink(image);
	mkdir(source, 0700);
	assert_int_equal(files_replace(file, BYTES, strlen(BYTES), &err), 0);
	if (process_capture(mkfs, &out, &status, &err) || status)
		fail_msg("mke2fs: %s", out.s ? out.s : err.text);
	if (process_capture(tune, &out, &status, &err) || status)
		fail_msg("tune2fs: %s", out.s ? out.s : err.text);
}

static struct ext_expected expect(void)
{
	struct ext_expected expected = {
		.file = "fill",
		.file_size = strlen(BYTES),
		.same = same,
		.chunk = 8,
		.arg = BYTES,
	};
	struct err err;

	assert_int_equal(ext_figures_read(image, &expected.figures, &err), 0);
	memcpy(expected.uuid, uuid_bytes, 16);
	return expected;
}

static void check_wrong(const struct ext_expected *expected, const char *text)
{
	struct err err = { .text = "" };

	assert_true(ext_check(image, expected, &err) < 0);
	if (!strstr(err.text, text))
		fail_msg("'%s' lacks '%s'", err.text, text);
}

/* Changes the superblock as a crash or a fault would. */
static void patch(uint16_t clear_state, uint16_t set_state, uint32_t set_incompat, uint16_t mounts)
{
	ext2_filsys fs;

	assert_int_equal(ext2fs_open(image, EXT2_FLAG_RW | EXT2_FLAG_64BITS, 0, 0,
				     unix_io_manager, &fs), 0);
	fs->super->s_state = (uint16_t)((fs->super->s_state & ~clear_state) | set_state);
	fs->super->s_feature_incompat |= set_incompat;
	fs->super->s_mnt_count = (int16_t)mounts;
	ext2fs_mark_super_dirty(fs);
	assert_int_equal(ext2fs_close_free(&fs), 0);
}

static void figures_tell_the_kinds_apart(void **state)
{
	struct ext_figures figures;
	struct err err;

	(void)state;
	need_tools();
	make_image("ext2");
	assert_int_equal(ext_figures_read(image, &figures, &err), 0);
	assert_int_equal(figures.blocks, 4096);
	assert_int_equal(figures.block_size, 4096);
	assert_in_range(figures.free_blocks, 3000, 4090);
	assert_false(figures.journal || figures.extents);
	make_image("ext3");
	assert_int_equal(ext_figures_read(image, &figures, &err), 0);
	assert_true(figures.journal && !figures.extents);
	make_image("ext4");
	assert_int_equal(ext_figures_read(image, &figures, &err), 0);
	assert_true(figures.journal && figures.extents);
}

static void the_expected_one_passes(void **state)
{
	struct ext_expected expected;
	struct err err;

	(void)state;
	need_tools();
	for (int i = 2; i <= 4; i++) {
		const char type[] = { 'e', 'x', 't', (char)('0' + i), '\0' };

		make_image(type);
		expected = expect();
		if (ext_check(image, &expected, &err))
			fail_msg("%s: %s", type, err.text);
		expected.file = NULL;
		assert_int_equal(ext_check(image, &expected, &err), 0);
	}
}

static void each_difference_is_named(void **state)
{
	struct ext_expected expected;

	(void)state;
	need_tools();
	make_image("ext3");
	expected = expect();
	expected.uuid[15] = 4;
	check_wrong(&expected, "not that of the last cycle");
	expected = expect();
	expected.figures.journal = false;
	check_wrong(&expected, "a journal");
	expected = expect();
	expected.figures.extents = true;
	check_wrong(&expected, "no extents");
	expected = expect();
	expected.figures.block_size = 1024;
	check_wrong(&expected, "blocks of 4096 bytes, not 1024");
	expected = expect();
	expected.figures.blocks++;
	check_wrong(&expected, "4096 blocks, not 4097");
	expected = expect();
	expected.file = "other";
	check_wrong(&expected, "other: ");
	expected = expect();
	expected.file_size++;
	check_wrong(&expected, "20 bytes, not 21");
	expected = expect();
	expected.arg = "what is in the FILE\n";
	check_wrong(&expected, "from byte 8 on");
}

static void unclean_ones_are_named(void **state)
{
	struct ext_expected expected;

	(void)state;
	need_tools();
	make_image("ext3");
	expected = expect();
	patch(0, 0, 0, 0);
	check_wrong(&expected, "never mounted");
	patch(0, EXT2_ERROR_FS, 0, 1);
	check_wrong(&expected, "has errors");
	patch(EXT2_ERROR_FS | EXT2_VALID_FS, 0, 0, 1);
	check_wrong(&expected, "not unmounted cleanly");
	patch(0, EXT2_VALID_FS, EXT3_FEATURE_INCOMPAT_RECOVER, 1);
	check_wrong(&expected, "not unmounted cleanly");
}

static void nothing_there_is_said(void **state)
{
	const struct ext_expected expected = { .file = NULL };
	struct ext_figures figures = { .blocks = 77 };
	struct err err;

	(void)state;
	unlink(image);
	check_wrong(&expected, "no ext file system");
	assert_int_equal(files_replace(image, "short", 5, &err), 0);
	check_wrong(&expected, "no ext file system");
	assert_true(ext_figures_read(image, &figures, &err) < 0);
	assert_int_equal(figures.blocks, 77);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/brunt-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	image = files_join(folder, "image");
	return 0;
}

static int remove_folder(void **state)
{
	auto_free char *root = files_join(folder, "root");
	auto_free char *file = files_join(root, "fill");

	(void)state;
	unlink(file);
	rmdir(root);
	unlink(image);
	free(image);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_tell_the_kinds_apart),
		cmocka_unit_test(the_expected_one_passes),
		cmocka_unit_test(each_difference_is_named),
		cmocka_unit_test(unclean_ones_are_named),
		cmocka_unit_test(nothing_there_is_said),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
