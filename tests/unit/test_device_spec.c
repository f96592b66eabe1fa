// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "workloads/device_spec.h"
#include "workloads/storm_trial.h"

#define MIB (1024 * 1024ULL)

static void parses_count_size_and_folder(void **state)
{
	struct device_spec devices;
	struct err err;

	(void)state;
	assert_int_equal(device_spec_parse("loop:10:1G", &devices, &err), 0);
	assert_int_equal(devices.count, 10);
	assert_int_equal(devices.size, 1024 * MIB);
	assert_null(devices.folder);
	device_spec_release(&devices);

	assert_int_equal(device_spec_parse("loop:1:64M:/a:b", &devices, &err), 0);
	assert_int_equal(devices.count, 1);
	assert_int_equal(devices.size, 64 * MIB);
	assert_string_equal(devices.folder, "/a:b");
	device_spec_release(&devices);
}

static void parses_names_of_disks(void **state)
{
	struct device_spec devices;
	struct err err;

	(void)state;
	assert_int_equal(device_spec_parse("sda+/dev/disk/by-path/a:0+cciss/c0d0", &devices,
					     &err), 0);
	assert_int_equal(devices.count, 3);
	assert_int_equal(devices.names.n, 3);
	assert_string_equal(devices.names.v[0], "sda");
	assert_string_equal(devices.names.v[1], "/dev/disk/by-path/a:0");
	assert_string_equal(devices.names.v[2], "cciss/c0d0");
	device_spec_release(&devices);
}

static void files_and_paths_are_the_same_from_any_folder(void **state)
{
	auto_free char *here = getcwd(NULL, 0);
	const struct {
		const char *text, *absolute; /* %s: the folder */
	} tries[] = {
		{ "@list", "@%s/list" }, { "sda+nvme?n1+naa.5000", "sda+nvme?n1+naa.5000" },
		{ "sda+./link", "sda+%s/link" }, { "/dev/sda+@/list", "/dev/sda+@/list" },
		{ "loop:2:1G:at", "loop:2:1G:%s/at" }, { "loop:2:1G", "loop:2:1G" },
		{ "zram:2:1G", "zram:2:1G" }, { "/dev/a\\+b+sdc", "/dev/a\\+b+sdc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		auto_free char *is = device_spec_absolute(tries[i].text);
		const char *folder = strstr(tries[i].absolute, "%s");
		auto_free char *expected =
			folder ? xasprintf("%.*s%s%s", (int)(folder - tries[i].absolute),
					   tries[i].absolute, here, folder + 2) :
				 xstrdup(tries[i].absolute);

		assert_string_equal(is, expected);
	}
}

static void refuses_what_it_cannot_make(void **state)
{
	static const char *const wrong[] = {
		"",	      "sda+",	     "loop",	    "loop:",	    "loop:10",
		"loop:10:",   "loop:0:1G",   "loop:-1:1G",  "loop:x:1G",    "loop:5000:1G",
		"loop:10:1x", "loop:10:0",   "loop:10:1k",  "loop:10:1M1",  "loop:10:17T",
		"loop:2:1G:", "loop:2:65537", "zram:2",  "loop:1.5:1G",  " loop:2:1G",
		"+sda",	      "sda++sdb",    "/",	    "sda loop:2:1G",
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (!device_spec_check(wrong[i], &err))
			fail_msg("accepted '%s'", wrong[i]);
		assert_int_equal(err.status, EXIT_USAGE);
		assert_non_null(strstr(err.text, "devices="));
	}
}

static void need_is_used_fill_and_reserve(void **state)
{
	const uint64_t used = 12644 * 4096ULL;

	(void)state;
	/* 12644 blocks and 16 MiB are 65.39 MiB; 5 % and 1 MiB more 69.66 */
	assert_int_equal(storm_need_each(used, 16 * MIB), 70 * MIB);
	/* 49.39 MiB alone: 52.86 */
	assert_int_equal(storm_need_each(used, 0), 53 * MIB);
}

static void says_what_is_short(void **state)
{
	struct device_spec devices = { .count = 10, .size = 1024 * MIB };
	struct err err;

	(void)state;
	assert_int_equal(device_spec_check_amount(&devices, 70 * MIB, 700 * MIB, &err), 0);
	assert_int_equal(device_spec_check_amount(&devices, 70 * MIB, 0, &err), 0);
	assert_true(device_spec_check_amount(&devices, 70 * MIB, 300 * MIB + 5, &err) < 0);
	assert_int_equal(err.status, EXIT_MISSING);
	assert_string_equal(err.text,
			    "10 devices of 1 GiB need 700 MiB of memory, 300 MiB are available; "
			    "fewer or smaller devices, or loop:N:SIZE:DIR");

	devices.count = 1;
	devices.folder = (char *)"/srv/x";
	assert_true(device_spec_check_amount(&devices, 70 * MIB, 4096, &err) < 0);
	assert_string_equal(err.text,
			    "1 device of 1 GiB needs 70 MiB in /srv/x, 4 KiB are available; "
			    "fewer or smaller devices, or another DIR");
}

static void looks_at_the_folder(void **state)
{
	char folder[] = "/tmp/brunt-test-XXXXXX";
	struct device_spec devices = { .count = 1, .size = MIB, .folder = folder };
	struct err err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(device_spec_check_room(&devices, 1, &err), 0);
	/* more than any disk has */
	assert_true(device_spec_check_room(&devices, 1ULL << 62, &err) < 0);
	assert_int_equal(err.status, EXIT_MISSING);
	rmdir(folder);
	assert_true(device_spec_check_room(&devices, 1, &err) < 0);
	assert_int_equal(err.status, EXIT_USAGE);
	devices.folder = (char *)"/dev/null";
	assert_true(device_spec_check_room(&devices, 1, &err) < 0);
	assert_non_null(strstr(err.text, "no folder"));
}

static void memory_is_never_replaced(void **state)
{
	const struct device_spec devices = { .count = 1, .size = MIB };
	struct err err;

	(void)state;
	assert_true(device_spec_check_room(&devices, 1ULL << 62, &err) < 0);
	assert_int_equal(err.status, EXIT_MISSING);
	assert_non_null(strstr(err.text, "of memory"));
}

static void describes_for_the_plan(void **state)
{
	struct device_spec devices = { .count = 10, .size = 1024 * MIB };
	auto_buf struct buf text = BUF_INIT;

	(void)state;
	device_spec_describe(&devices, 70 * MIB, &text);
	assert_string_equal(text.s, "10 loop devices of 1 GiB (tmpfs), need 700 MiB");
	buf_clear(&text);
	devices.count = 1;
	devices.folder = (char *)"/srv";
	device_spec_describe(&devices, 70 * MIB, &text);
	assert_string_equal(text.s, "1 loop device of 1 GiB (/srv), need 70 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_count_size_and_folder),
		cmocka_unit_test(parses_names_of_disks),
		cmocka_unit_test(files_and_paths_are_the_same_from_any_folder),
		cmocka_unit_test(refuses_what_it_cannot_make),
		cmocka_unit_test(need_is_used_fill_and_reserve),
		cmocka_unit_test(says_what_is_short),
		cmocka_unit_test(looks_at_the_folder),
		cmocka_unit_test(memory_is_never_replaced),
		cmocka_unit_test(describes_for_the_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
