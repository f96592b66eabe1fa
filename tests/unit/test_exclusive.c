// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/exclusive.h"

static void test_second_is_refused(void **state)
{
	pid_t owner = -1, parent = getpid(), pid;
	int fd = exclusive_take(&owner), status;

	(void)state;
	assert_true(fd >= 0);
	for (int i = 0; i < 3; i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			_exit(exclusive_take(&owner) == -EADDRINUSE && owner == parent ? 0 : 1);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	close(fd);
	fd = exclusive_take(&owner);
	assert_true(fd >= 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_second_is_refused) };

	/* Abstract sockets are a network namespace's: a measurement elsewhere does not matter. */
	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		fprintf(stderr, "no network namespace for the test: %s\n", strerror(errno));
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
