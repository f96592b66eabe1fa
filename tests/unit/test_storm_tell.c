// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "workloads/storm_run.h"
#include "workloads/storm_tell.h"

/* What a storm with these keys ("fs=ext4 fill=0") says of itself. */
static void check_words(const char *line, size_t count, const char *backing, const char *expected)
{
	struct target_device devices[16] = { { .name = NULL } };
	struct storm storm = { .media = { .loops.backing_fs = (char *)backing, .devices = devices,
					  .count = count } };
	auto_keys struct keys keys = KEYS_INIT;
	auto_words struct words words = WORDS_INIT;
	auto_buf struct buf out = BUF_INIT;
	struct err err = { 0 };

	words_split_shell(line, &words, &err);
	for (size_t i = 0; i < words.n; i++) {
		char *equals = strchr(words.v[i], '=');

		*equals = '\0';
		keys_set(&keys, words.v[i], equals + 1);
	}
	assert_int_equal(storm_options_read(&keys, &storm.options, &err), 0);
	for (size_t i = 0; i < count; i++)
		devices[i].size = storm.options.devices.size;
	storm_tell(&storm, &keys, &out);
	assert_string_equal(out.s, expected);
	storm_options_release(&storm.options);
}

static void the_words_are_those_of_a_report(void **state)
{
	(void)state;
	check_words("", 10, "tmpfs",
		    "10 loop devices of 1 GiB (tmpfs), ext3, 1 cycle, pipeline, cold");
	check_words("devices=loop:1:64M fs=ext4 repeat=10 cache=warm", 1, NULL,
		    "1 loop device of 64 MiB, ext4, 10 cycles, pipeline, warm");
}

static void disks_that_were_named_are_told_by_name(void **state)
{
	static const char *const names[] = { "sda", "sdb", "sdc" };
	struct target_device devices[12];
	struct storm storm = { .media = { .named = true, .devices = devices, .count = 3 } };
	auto_keys struct keys keys = KEYS_INIT;
	auto_buf struct buf out = BUF_INIT;
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		devices[i] = (struct target_device){ .name = names[i % 3], .size = 1 << 30 };
	assert_int_equal(storm_options_read(&keys, &storm.options, &err), 0);
	storm_tell(&storm, &keys, &out);
	assert_string_equal(out.s, "3 disks of 1 GiB (sda sdb sdc), ext3, 1 cycle, pipeline, cold");
	devices[2].size = 1 << 20;
	storm.media.count = 12;
	buf_clear(&out);
	storm_tell(&storm, &keys, &out);
	assert_string_equal(out.s, "12 disks (sda sdb sdc sda sdb sdc sda sdb sdc sda ...), ext3, 1 cycle, "
				   "pipeline, cold");
	storm_options_release(&storm.options);
}

static void a_number_of_cycles_that_was_found_says_so(void **state)
{
	(void)state;
	check_words("min_run=10s repeat=12", 10, "tmpfs",
		    "10 loop devices of 1 GiB (tmpfs), ext3, 12 cycles (found in the warm-up), "
		    "pipeline, cold");
	check_words("min_run=10s", 10, "tmpfs",
		    "10 loop devices of 1 GiB (tmpfs), ext3, 1 cycle, pipeline, cold");
}

static void other_keys_that_were_given_are_told_too(void **state)
{
	(void)state;
	check_words("fill=0 mount_options=noatime", 2, "ext4",
		    "2 loop devices of 1 GiB (ext4), ext3, 1 cycle, pipeline, cold, fill=0, "
		    "mount_options=noatime");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_words_are_those_of_a_report),
		cmocka_unit_test(disks_that_were_named_are_told_by_name),
		cmocka_unit_test(a_number_of_cycles_that_was_found_says_so),
		cmocka_unit_test(other_keys_that_were_given_are_told_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
