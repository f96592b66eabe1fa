// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "machine/gate.h"

#define CHILDREN 20
#define LONG_NS (60 * NS_PER_S)

/* Exits with 0 when the gate opened, not before it was opened; 2 when it was given up. */
static void __attribute__((noreturn)) be_child(struct gate *gate)
{
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rc = gate_wait(gate);
	if (rc == -ECANCELED)
		_exit(2);
	_exit(rc == 0 && gate->opened_ns > 0 && clock_mono_ns() >= gate->opened_ns ? 0 : 1);
}

static void start_children(struct gate *gate, pid_t pids[CHILDREN])
{
	for (int i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			be_child(gate);
	}
}

static void assert_exits(const pid_t pids[CHILDREN], int expected)
{
	int status;

	for (int i = 0; i < CHILDREN; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), expected);
	}
}

/* Twice: a gate is used again for the next run. */
static void test_opens_for_all(void **state)
{
	struct gate *gate = gate_new();
	pid_t pids[CHILDREN];
	int64_t before, start;

	(void)state;
	assert_non_null(gate);
	for (int run = 0; run < 2; run++) {
		gate_reset(gate);
		start_children(gate, pids);
		assert_int_equal(gate_wait_ready(gate, CHILDREN, P_ALL, 0, LONG_NS), 0);
		for (int i = 0; i < CHILDREN; i++)
			assert_int_equal(waitpid(pids[i], NULL, WNOHANG), 0);
		before = clock_mono_ns();
		start = gate_open(gate);
		assert_true(start >= before && start <= clock_mono_ns());
		assert_true(gate->opened_ns == start);
		assert_exits(pids, 0);
	}
	gate_free(gate);
}

static void test_given_up(void **state)
{
	struct gate *gate = gate_new();
	pid_t pids[CHILDREN];

	(void)state;
	assert_non_null(gate);
	start_children(gate, pids);
	assert_int_equal(gate_wait_ready(gate, CHILDREN, P_ALL, 0, LONG_NS), 0);
	gate_give_up(gate);
	assert_exits(pids, 2);
	assert_int_equal(gate_wait(gate), -ECANCELED); /* a latecomer */
	gate_free(gate);
}

static void test_not_all_come(void **state)
{
	struct gate *gate = gate_new();

	(void)state;
	assert_non_null(gate);
	assert_int_equal(gate_wait_ready(gate, 1, P_ALL, 0, 3 * NS_PER_MS), -ETIMEDOUT);
	assert_int_equal(gate_wait_ready(gate, 0, P_ALL, 0, 0), 0);
	gate_free(gate);
	gate_free(NULL);
}

/* It would be waited for until the deadline. */
static void test_who_dies_before_the_gate_is_not_waited_for(void **state)
{
	struct gate *gate = gate_new();
	pid_t pids[CHILDREN], dead = fork();

	(void)state;
	assert_non_null(gate);
	assert_true(dead >= 0);
	if (dead == 0)
		_exit(3);
	assert_int_equal(gate_wait_ready(gate, 1, P_PID, (id_t)dead, LONG_NS), -ECHILD);
	/* not all of a group come, although some do */
	start_children(gate, pids);
	assert_int_equal(gate_wait_ready(gate, CHILDREN + 1, P_PGID, (id_t)getpgrp(), LONG_NS),
			 -ECHILD);
	gate_give_up(gate);
	assert_exits(pids, 2);
	assert_int_equal(waitpid(dead, NULL, 0), dead); /* left to us */
	gate_free(gate);
}

/* In a child, since an interrupt cannot be taken back. */
static void test_interrupted(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		struct gate *gate = gate_new();

		if (!gate || interrupt_init() || raise(SIGTERM))
			_exit(1);
		_exit(gate_wait_ready(gate, 1, P_ALL, 0, LONG_NS) == -EINTR ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opens_for_all),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_not_all_come),
		cmocka_unit_test(test_who_dies_before_the_gate_is_not_waited_for),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
