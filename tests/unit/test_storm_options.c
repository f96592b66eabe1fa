// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/mount.h>

#include "base/xalloc.h"
#include "workloads/storm_fs.h"
#include "workloads/storm_options.h"
#include "workloads/storm_tasks.h"
#include "workloads/storm_words.h"

static struct keys keys_of(const char *name, const char *value)
{
	struct keys keys = KEYS_INIT;

	if (name)
		keys_set(&keys, name, value);
	return keys;
}

static char *argv_text(const char *name, const char *value, bool trial)
{
	auto_keys struct keys keys = keys_of(name, value);
	auto_words struct words argv = WORDS_INIT;
	struct storm_options options;
	struct err err;

	assert_int_equal(keys_check(&keys, storm_keys, "storm", &err), 0);
	assert_int_equal(storm_options_read(&keys, &options, &err), 0);
	storm_fs_find(options.fs)->argv(&options, trial, "U-U", "/dev/loop3", &argv);
	storm_options_release(&options);
	return words_quote_shell((const char *const *)argv.v, argv.n);
}

static void check_argv(const char *name, const char *value, bool trial, const char *expected)
{
	auto_free char *text = argv_text(name, value, trial);

	assert_string_equal(text, expected);
}

static void defaults_are_sensible(void **state)
{
	auto_keys struct keys keys = KEYS_INIT;
	struct storm_options options;
	struct err err;

	(void)state;
	for (const struct key_spec *spec = storm_keys; spec->name; spec++)
		if (spec->fallback)
			assert_int_equal(key_check(spec, spec->fallback, &err), 0);
	assert_int_equal(storm_options_read(&keys, &options, &err), 0);
	assert_int_equal(options.devices.count, 10);
	assert_string_equal(options.fs, "ext3");
	assert_int_equal(options.block_size, 4096);
	assert_int_equal(options.fill, 16 << 20);
	assert_int_equal(options.repeat, 1);
	assert_int_equal(options.min_run_ns, 0);
	assert_false(options.lazy || options.discard || options.mount_program || options.host_ns);
	assert_int_equal(options.cache, STORM_CACHE_COLD);
	assert_null(options.mount.data);
	storm_options_release(&options);
}

static void mkfs_is_told_all_that_matters(void **state)
{
	(void)state;
	check_argv(NULL, NULL, false,
		   "mke2fs -q -F -t ext3 -b 4096 -U U-U "
		   "-E lazy_itable_init=0,lazy_journal_init=0,nodiscard /dev/loop3");
	check_argv("fs", "ext2", false,
		   "mke2fs -q -F -t ext2 -b 4096 -U U-U "
		   "-E lazy_itable_init=0,nodiscard /dev/loop3");
	check_argv("discard", "yes", false,
		   "mke2fs -q -F -t ext3 -b 4096 -U U-U "
		   "-E lazy_itable_init=0,lazy_journal_init=0,discard /dev/loop3");
	check_argv("lazy", "yes", false,
		   "mke2fs -q -F -t ext3 -b 4096 -U U-U "
		   "-E lazy_itable_init=1,lazy_journal_init=1,nodiscard /dev/loop3");
	check_argv("discard", "yes", true,
		   "mke2fs -q -F -t ext3 -b 4096 -U U-U "
		   "-E lazy_itable_init=1,lazy_journal_init=1,nodiscard /dev/loop3");
}

/* mke2fs heeds only the last -E. */
static void extended_options_are_joined(void **state)
{
	(void)state;
	check_argv("mkfs_options", "-jE stride=4 -L 'a b' -Estripe-width=8 -O^dir_index", false,
		   "mke2fs -q -F -t ext3 -b 4096 -U U-U -j -L 'a b' -O '^dir_index' "
		   "-E lazy_itable_init=0,lazy_journal_init=0,nodiscard,stride=4,stripe-width=8 "
		   "/dev/loop3");
}

/* The first word that is no option would be the device that mke2fs overwrites. */
static void assert_refused(const char *fs, const char *text)
{
	auto_words struct words rest = WORDS_INIT;
	char *extended = NULL;
	struct err err;

	if (!storm_fs_find(fs)->judge(text, &rest, &extended, &err))
		fail_msg("%s: accepted '%s'", fs, text);
	assert_int_equal(err.status, EXIT_USAGE);
}

static void assert_words(const char *fs, const char *text, const char *expected)
{
	auto_words struct words rest = WORDS_INIT;
	auto_free char *line = NULL;
	char *extended = NULL;
	struct err err = { .text = "" };

	if (storm_fs_find(fs)->judge(text, &rest, &extended, &err))
		fail_msg("%s", err.text);
	assert_null(extended);
	line = words_quote_shell((const char *const *)rest.v, rest.n);
	assert_string_equal(line, expected);
}

static void mkfs_options_name_no_device(void **state)
{
	static const char *const wrong[] = {
		"/dev/sda",	"-j /dev/sda",	    "-L x /dev/sda",   "-Lx y",
		"--",		"-- /dev/sda",	    "-",	       "-O",
		"-L x -E",	"-U clear",	    "-b 1024",	       "-t ext4",
		"-n",		"-S",		    "-jn",	       "-J device=/dev/x",
		"-Jdevice=UUID=1", "-J size=4,device=/dev/sda", "-z undo",
		"-l bad-blocks", "-Z",		    "--help",	       "'-L",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_refused("ext3", wrong[i]);
	assert_words("ext3", "-L /dev/sda -m 0 -O ^x,y -d/etc", "-L /dev/sda -m 0 -O '^x,y' -d /etc");
}

static void mkfs_options_of_xfs_and_btrfs_name_no_device(void **state)
{
	static const char *const xfs[] = {
		"/dev/sda", "-d name=/dev/sda", "-dname=/dev/sda", "-d agcount=2,name=/dev/sda",
		"-l logdev=/dev/sda", "-r rtdev=/dev/sda", "-p proto", "-c options=f", "-N", "-K",
		"-m uuid=1", "-m crc=0,uuid=1", "-b size=1024", "-d", "--", "-d file=1", "-V", "-q",
	};
	static const char *const btrfs[] = {
		"/dev/sda", "-d raid1 /dev/sdb", "-r /etc", "--rootdir=/etc", "-U 1", "--uuid=1",
		"-b 1G", "-s 4096", "--sectorsize=4096", "-K", "--csum", "-d", "-V", "--shrink",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(xfs); i++)
		assert_refused("xfs", xfs[i]);
	for (size_t i = 0; i < ARRAY_SIZE(btrfs); i++)
		assert_refused("btrfs", btrfs[i]);
	assert_words("xfs", "-d agcount=2 -lsize=64m -m reflink=0 -L x", "-d agcount=2 -l size=64m "
		     "-m reflink=0 -L x");
	assert_words("btrfs", "-M -d single --csum=xxhash --nodesize 4096",
		     "-M -d single --csum xxhash --nodesize 4096");
}

static void mount_options_become_flags_and_data(void **state)
{
	struct storm_mount mount;
	struct err err;

	(void)state;
	assert_int_equal(storm_mount_options("noatime+data=journal,nodev,barrier=0", &mount,
					     &err), 0);
	assert_int_equal(mount.flags, MS_NOATIME | MS_NODEV);
	assert_string_equal(mount.data, "data=journal,barrier=0");
	assert_string_equal(mount.text, "noatime,data=journal,nodev,barrier=0");
	storm_mount_release(&mount);

	assert_int_equal(storm_mount_options("nodev,dev,rw", &mount, &err), 0);
	assert_int_equal(mount.flags, 0);
	assert_null(mount.data);
	storm_mount_release(&mount);
}

static void mounts_are_for_writing_and_of_one_device(void **state)
{
	static const char *const wrong[] = { "ro", "noatime,ro", "bind", "remount+rw", "loop",
					     "offset=4096", "logdev=/dev/sda", "noatime+rtdev=/dev/sda",
					     "device=/dev/sda", "journal_path=/dev/sda" };
	struct storm_mount mount;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_true(storm_mount_options(wrong[i], &mount, &err) < 0);
		assert_int_equal(err.status, EXIT_USAGE);
	}
}

static void block_size_is_a_power_of_two(void **state)
{
	const struct key_spec *spec = key_spec_find(storm_keys, "block_size");
	struct err err;

	(void)state;
	assert_int_equal(key_check(spec, "1k", &err), 0);
	assert_int_equal(key_check(spec, "4096", &err), 0);
	assert_true(key_check(spec, "512", &err) < 0);
	assert_true(key_check(spec, "3000", &err) < 0);
	assert_true(key_check(spec, "1M", &err) < 0);
}

static size_t count_variable(const struct words *words, const char *variable)
{
	size_t n = 0;

	for (size_t i = 0; i < words->n; i++)
		n += !strncmp(words->v[i], variable, strlen(variable));
	return n;
}

static void programs_speak_c(void **state)
{
	auto_words struct words added = WORDS_INIT, env = WORDS_INIT;

	(void)state;
	setenv("LC_MESSAGES", "de_DE.UTF-8", 1);
	setenv("LANG", "de_DE.UTF-8", 1);
	setenv("STORM_TEST", "before", 1);
	words_add(&added, "STORM_TEST=after");
	storm_environment(&added, &env);
	assert_int_equal(count_variable(&env, "LC_"), 1);
	assert_int_equal(count_variable(&env, "LC_ALL=C"), 1);
	assert_int_equal(count_variable(&env, "LANG"), 0);
	assert_int_equal(count_variable(&env, "STORM_TEST="), 1);
	assert_int_equal(count_variable(&env, "STORM_TEST=after"), 1);
	assert_null(env.v[env.n]);
}

static void check_reason(const char *words, const char *expected)
{
	auto_buf struct buf out = BUF_INIT;

	buf_add(&out, "x");
	storm_words_add_reason(words, &out);
	assert_string_equal(out.s, expected);
}

static void the_line_that_matters_is_found(void **state)
{
	(void)state;
	check_reason(NULL, "x");
	check_reason("", "x");
	check_reason("\n \n", "x");
	check_reason("mke2fs 1.45.6 (20-Mar-2020)\n/dev/vdb1 is apparently in use by the system; "
		     "will not make a filesystem here!\n",
		     "x: /dev/vdb1 is apparently in use by the system; "
		     "will not make a filesystem here!");
	check_reason("/dev/xvdf1 contains a crypto_LUKS file system\nProceed anyway? (y,N) y\n"
		     "/dev/xvdf1 is mounted; will not make a filesystem here!",
		     "x: /dev/xvdf1 is mounted; will not make a filesystem here!");
	check_reason("umount: /mnt/testfs: target is busy.\n        (In some cases useful info\n"
		     "         is found by lsof(8))\n", "x: umount: /mnt/testfs: target is busy");
	check_reason("mke2fs: too big for a\n\tfilesystem, specify less.\n\n",
		     "x: mke2fs: too big for a filesystem, specify less");
	check_reason("mke2fs 1.45.6 (20-Mar-2020)\n", "x: mke2fs 1.45.6 (20-Mar-2020)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_sensible),
		cmocka_unit_test(mkfs_is_told_all_that_matters),
		cmocka_unit_test(extended_options_are_joined),
		cmocka_unit_test(mkfs_options_name_no_device),
		cmocka_unit_test(mkfs_options_of_xfs_and_btrfs_name_no_device),
		cmocka_unit_test(mount_options_become_flags_and_data),
		cmocka_unit_test(mounts_are_for_writing_and_of_one_device),
		cmocka_unit_test(block_size_is_a_power_of_two),
		cmocka_unit_test(programs_speak_c),
		cmocka_unit_test(the_line_that_matters_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
