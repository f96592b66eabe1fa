// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "machine/limits.h"

/* What another workload of the session holds already needs its place, too. */
static void files_that_are_open_are_counted(void **state)
{
	struct rlimit before, limit;
	struct err err = { .text = "" };
	int fds[100];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	if (before.rlim_max < 1000)
		skip();
	limit = (struct rlimit){ .rlim_cur = 200, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		assert_true(fds[i] >= 0);
	}
	if (limits_raise_files(100, "100 disks", &err))
		fail_msg("%s", err.text);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(limit.rlim_cur > 200 && limit.rlim_cur <= before.rlim_max);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_are_open_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
