// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/pool.h"

struct marks {
	pthread_barrier_t together;
	unsigned int done[100];
};

static void mark(void *arg, size_t i)
{
	struct marks *marks = arg;

	__atomic_add_fetch(&marks->done[i], 1, __ATOMIC_SEQ_CST);
}

static void test_each_job_is_done_once(void **state)
{
	struct marks marks = { .done = { 0 } };

	(void)state;
	pool_run(mark, &marks, 0);
	pool_run(mark, &marks, 1);
	pool_run(mark, &marks, 100);
	assert_int_equal(marks.done[0], 2);
	for (size_t i = 1; i < 100; i++)
		assert_int_equal(marks.done[i], 1);
}

/* Ends only where all of them wait at the same time. */
static void wait_for_others(void *arg, size_t i)
{
	struct marks *marks = arg;

	pthread_barrier_wait(&marks->together);
	marks->done[i] = 1;
}

static void test_jobs_that_wait_do_not_wait_for_each_other(void **state)
{
	struct marks marks = { .done = { 0 } };

	(void)state;
	pthread_barrier_init(&marks.together, NULL, POOL_THREADS);
	pool_run(wait_for_others, &marks, POOL_THREADS);
	for (size_t i = 0; i < POOL_THREADS; i++)
		assert_int_equal(marks.done[i], 1);
	pthread_barrier_destroy(&marks.together);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_job_is_done_once),
		cmocka_unit_test(test_jobs_that_wait_do_not_wait_for_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
