// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/barrier.h"

#define MEMBERS 4
#define STEPS 50

/* Shared with the children. */
struct notes {
	uint32_t done[STEPS]; /* how many have done the step */
	uint32_t early;	      /* began one before all had done the last */
	uint32_t at_work, most;
};

static struct barrier *barrier;
static struct notes *notes;

static int make(void **state)
{
	(void)state;
	barrier = barrier_new();
	notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return !barrier || notes == MAP_FAILED;
}

static int end(void **state)
{
	(void)state;
	barrier_free(barrier);
	munmap(notes, sizeof(*notes));
	return 0;
}

static void fork_all(void (*work)(unsigned int i))
{
	pid_t pids[MEMBERS];
	int status;

	memset(notes, 0, sizeof(*notes));
	for (unsigned int i = 0; i < MEMBERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			alarm(60); /* a hang fails the test */
			work(i);
			_exit(0);
		}
		assert_true(pids[i] > 0);
	}
	for (unsigned int i = 0; i < MEMBERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
}

static void do_step(unsigned int step, uint32_t least_before)
{
	barrier_wait(barrier);
	if (step && __atomic_load_n(&notes->done[step - 1], __ATOMIC_SEQ_CST) < least_before)
		__atomic_add_fetch(&notes->early, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&notes->done[step], 1, __ATOMIC_SEQ_CST);
}

static void all_steps(unsigned int i)
{
	for (unsigned int step = 0; step < STEPS; step++) {
		if (i == step % MEMBERS)
			clock_sleep_ns(NS_PER_MS);
		do_step(step, MEMBERS);
	}
	barrier_resign(barrier);
}

static void nobody_goes_on_before_all_have_come(void **state)
{
	(void)state;
	barrier_reset(barrier, MEMBERS, 0);
	fork_all(all_steps);
	assert_int_equal(notes->early, 0);
	assert_int_equal(notes->done[STEPS - 1], MEMBERS);
	/* and again, after all have resigned */
	barrier_reset(barrier, MEMBERS, 0);
	fork_all(all_steps);
	assert_int_equal(notes->early, 0);
}

/* Member i gives up after i steps. */
static void some_steps(unsigned int i)
{
	for (unsigned int step = 0; step < i; step++)
		do_step(step, MEMBERS - step);
	barrier_resign(barrier);
}

static void who_resigns_is_not_waited_for(void **state)
{
	(void)state;
	barrier_reset(barrier, MEMBERS, 0);
	fork_all(some_steps);
	assert_int_equal(notes->early, 0);
	assert_int_equal(notes->done[0], MEMBERS - 1);
	assert_int_equal(notes->done[MEMBERS - 2], 1);
}

static void take_turns(unsigned int i)
{
	uint32_t now, most;

	(void)i;
	for (int turn = 0; turn < STEPS; turn++) {
		barrier_take_turn(barrier);
		now = __atomic_add_fetch(&notes->at_work, 1, __ATOMIC_SEQ_CST);
		most = __atomic_load_n(&notes->most, __ATOMIC_SEQ_CST);
		while (now > most && !__atomic_compare_exchange_n(&notes->most, &most, now, 0,
								  __ATOMIC_SEQ_CST,
								  __ATOMIC_SEQ_CST))
			;
		clock_sleep_ns(NS_PER_MS / 10);
		__atomic_sub_fetch(&notes->at_work, 1, __ATOMIC_SEQ_CST);
		barrier_end_turn(barrier);
	}
}

static void so_many_have_a_turn_at_a_time(void **state)
{
	(void)state;
	barrier_reset(barrier, MEMBERS, 2);
	fork_all(take_turns);
	assert_in_range(notes->most, 1, 2);
	barrier_reset(barrier, MEMBERS, 0);
	fork_all(take_turns);
	assert_in_range(notes->most, 1, MEMBERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_goes_on_before_all_have_come, make, end),
		cmocka_unit_test_setup_teardown(who_resigns_is_not_waited_for, make, end),
		cmocka_unit_test_setup_teardown(so_many_have_a_turn_at_a_time, make, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
