// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process_tree.h"
#include "base/xalloc.h"

#define LONG_NS (20 * NS_PER_S)

/* A leader that adopts; below it a child, and a daemon that went away from both. */
struct family {
	pid_t leader, child, daemon;
};

static void __attribute__((noreturn)) sleep_for_ever(void)
{
	for (;;)
		pause();
}

static void __attribute__((noreturn)) lead(int out)
{
	struct family family = { .leader = getpid() };
	pid_t between;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	family.child = fork();
	if (!family.child)
		sleep_for_ever();
	between = fork();
	if (!between) {
		setsid();
		family.daemon = fork();
		if (!family.daemon)
			sleep_for_ever();
		_exit(write(out, &family.daemon, sizeof(family.daemon)) < 0);
	}
	waitpid(between, NULL, 0);
	_exit(write(out, &family.child, sizeof(family.child)) < 0 || (sleep_for_ever(), 0));
}

static void start(struct family *family)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	family->leader = fork();
	if (!family->leader)
		lead(ends[1]);
	assert_int_equal(read(ends[0], &family->daemon, sizeof(pid_t)), sizeof(pid_t));
	assert_int_equal(read(ends[0], &family->child, sizeof(pid_t)), sizeof(pid_t));
	close(ends[0]);
	close(ends[1]);
}

static bool is_among(pid_t pid, pid_t root)
{
	size_t n;
	auto_free pid_t *pids = process_descendants(root, &n);

	for (size_t i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static size_t count(pid_t root)
{
	size_t n;
	auto_free pid_t *pids = process_descendants(root, &n);

	assert_non_null(pids);
	return n;
}

static void daemons_are_below_who_adopts(void **state)
{
	struct family family;

	(void)state;
	start(&family);
	assert_int_equal(count(family.leader), 2);
	assert_true(is_among(family.child, family.leader));
	assert_true(is_among(family.daemon, family.leader));
	assert_false(is_among(family.leader, family.leader));
	assert_true(is_among(family.daemon, getpid()));
	assert_false(is_among(getpid(), family.leader));
	kill(family.leader, SIGKILL);
	waitpid(family.leader, NULL, 0);
	kill(family.child, SIGKILL);
	kill(family.daemon, SIGKILL);
}

static void a_signal_reaches_all_of_them(void **state)
{
	int64_t end = clock_mono_ns() + LONG_NS;
	struct family family;

	(void)state;
	start(&family);
	assert_int_equal(process_signal_descendants(family.leader, SIGKILL), 2);
	/* the leader does not wait for them: zombies count as gone */
	while (count(family.leader) && clock_mono_ns() < end)
		clock_sleep_ns(NS_PER_MS);
	assert_int_equal(count(family.leader), 0);
	assert_int_equal(process_signal_descendants(family.leader, SIGKILL), 0);
	assert_int_equal(kill(family.leader, 0), 0);
	kill(family.leader, SIGKILL);
	waitpid(family.leader, NULL, 0);
}

static void threads_hold_the_process_itself(void **state)
{
	size_t n;
	auto_free pid_t *tids = process_threads(getpid(), &n);

	(void)state;
	assert_int_equal(n, 1);
	assert_int_equal(tids[0], getpid());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(daemons_are_below_who_adopts),
		cmocka_unit_test(a_signal_reaches_all_of_them),
		cmocka_unit_test(threads_hold_the_process_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
