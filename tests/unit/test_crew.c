// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "workloads/crew.h"

enum { COUNT = 3 };

static int64_t in_s(int64_t s)
{
	return clock_mono_ns() + s * NS_PER_S;
}

static void begin(struct crew *crew, int (*work)(void *arg, size_t i), void *arg)
{
	struct err err;

	crew_init(crew, COUNT);
	if (crew_fork(crew, work, arg, &err))
		fail_msg("%s", err.text);
	assert_true(crew->pgid > 0);
	assert_int_not_equal(crew->pgid, getpgrp());
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(getpgid(crew->members[i].pid), crew->pgid);
}

/* All are gone, and were waited for. */
static void finish(struct crew *crew)
{
	crew_forget(crew);
	crew_release(crew);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int number(void *arg, size_t i)
{
	return *(const int *)arg + (int)i;
}

static void each_does_its_part_and_is_reaped(void **state)
{
	struct crew crew;
	int first = 40;

	(void)state;
	begin(&crew, number, &first);
	assert_int_equal(crew_wait(&crew, in_s(60)), 0);
	assert_int_equal(getpgid(crew.pgid), crew.pgid); /* not reaped: the number stays theirs */
	crew_reap(&crew);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(WEXITSTATUS(crew.members[i].status), 40 + i);
		assert_int_equal(crew.members[i].pid, 0);
	}
	finish(&crew);
}

static int hang(void *arg, size_t i)
{
	(void)arg;
	(void)i;
	signal(SIGTERM, SIG_IGN);
	sleep(1000);
	return 0;
}

static void who_does_not_end_is_killed(void **state)
{
	struct crew crew;

	(void)state;
	begin(&crew, hang, NULL);
	assert_int_equal(crew_wait(&crew, clock_mono_ns() + 20 * NS_PER_MS), -ETIMEDOUT);
	assert_int_equal(crew_wait_leaving(&crew, 20 * NS_PER_MS), -ETIMEDOUT);
	assert_true(crew_kill(&crew, 60 * NS_PER_S));
	assert_false(crew.stuck);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(WTERMSIG(crew.members[i].status), SIGKILL);
	finish(&crew);
}

/* It was 0, which kill(2) takes for the caller's own group. */
static void a_crew_of_nobody_kills_nobody(void **state)
{
	struct crew crew;

	(void)state;
	crew_init(&crew, COUNT);
	assert_true(crew_kill(&crew, NS_PER_S));
	finish(&crew);
}

/* Returns 1 where brunt's own dispositions or its mask would be left. */
static int look_at_signals(void *arg, size_t i)
{
	struct sigaction action;
	sigset_t mask;

	(void)arg;
	(void)i;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigaction(SIGPIPE, NULL, &action);
	return sigismember(&mask, SIGUSR1) || sigismember(&mask, SIGTERM) ||
	       action.sa_handler != SIG_DFL;
}

static void signals_are_as_a_program_finds_them(void **state)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	struct crew crew;
	sigset_t mask;

	(void)state;
	begin(&crew, look_at_signals, NULL);
	assert_int_equal(crew_wait(&crew, in_s(60)), 0);
	crew_reap(&crew);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(crew.members[i].status, 0);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	assert_false(sigismember(&mask, SIGTERM)); /* and ours are as before */
	signal(SIGPIPE, old);
	finish(&crew);
}

static pid_t *shared_pids(void)
{
	void *map = mmap(NULL, COUNT * sizeof(pid_t), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	return map;
}

static int leave_a_program(void *arg, size_t i)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("sleep", "sleep", "1000", NULL);
		_exit(127);
	}
	((pid_t *)arg)[i] = pid;
	return 0;
}

static void programs_that_workers_left_are_killed_too(void **state)
{
	pid_t *pids = shared_pids();
	struct crew crew;
	int status;

	(void)state;
	process_adopt_orphans();
	begin(&crew, leave_a_program, pids);
	assert_int_equal(crew_wait(&crew, in_s(60)), 0);
	assert_true(crew_kill(&crew, 60 * NS_PER_S));
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(process_wait(pids[i], &status, NULL), 0);
		assert_int_equal(WTERMSIG(status), SIGKILL);
	}
	finish(&crew);
}

/* Somebody else's workers, whose pids come through shared memory. */
static void they_die_with_their_parent(void **state)
{
	pid_t *pids = shared_pids(), parent;
	struct crew crew;
	int status;

	(void)state;
	process_adopt_orphans();
	parent = fork();
	if (parent == 0) {
		begin(&crew, hang, NULL);
		for (int i = 0; i < COUNT; i++)
			pids[i] = crew.members[i].pid;
		_exit(0);
	}
	assert_int_equal(process_wait(parent, &status, NULL), 0);
	assert_int_equal(status, 0);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(process_wait(pids[i], &status, NULL), 0);
		assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 1);
	}
}

/* The last one: an interrupt stays. */
static void an_interrupt_ends_the_wait_but_not_that_for_the_leaving(void **state)
{
	struct crew crew;

	(void)state;
	assert_int_equal(interrupt_init(), 0);
	begin(&crew, hang, NULL);
	raise(SIGINT);
	assert_int_equal(crew_wait(&crew, in_s(600)), -EINTR);
	assert_int_equal(crew_wait_leaving(&crew, 20 * NS_PER_MS), -ETIMEDOUT);
	assert_true(crew_kill(&crew, 60 * NS_PER_S));
	finish(&crew);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_does_its_part_and_is_reaped),
		cmocka_unit_test(who_does_not_end_is_killed),
		cmocka_unit_test(a_crew_of_nobody_kills_nobody),
		cmocka_unit_test(signals_are_as_a_program_finds_them),
		cmocka_unit_test(programs_that_workers_left_are_killed_too),
		cmocka_unit_test(they_die_with_their_parent),
		cmocka_unit_test(an_interrupt_ends_the_wait_but_not_that_for_the_leaving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
