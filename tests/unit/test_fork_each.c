// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fork_each.h"
#include "base/interrupt.h"
#include "base/xalloc.h"

enum { WORKS = 0, FAILS = 3, HANGS = 5, DIES = 6 };

static int work(void *arg, size_t i, void *result, struct err *err)
{
	int *out = result;

	assert_ptr_equal(arg, &work);
	*out = (int)i * 10;
	if (i == FAILS)
		return err_set(err, EXDEV, "number %zu", i);
	if (i == HANGS)
		for (;;)
			pause();
	if (i == DIES)
		abort();
	return 0;
}

static struct fork_results run(size_t count, int64_t timeout_ns)
{
	const struct fork_each each = {
		.count = count,
		.work = work,
		.arg = (void *)&work,
		.result_size = sizeof(int),
		.timeout_ns = timeout_ns,
	};
	struct fork_results results;
	struct err err = { .text = "" };

	if (fork_each(&each, &results, &err))
		fail_msg("%s", err.text);
	assert_int_equal(results.count, count);
	return results;
}

static void each_gives_its_result(void **state)
{
	struct fork_results results = run(3, 60 * NS_PER_S);
	struct err err;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(((int *)(void *)results.results)[i], 10 * i);
	assert_int_equal(fork_each_first(&results, &err), 0);
	fork_each_release(&results);
}

static void an_error_comes_with_its_text(void **state)
{
	struct fork_results results = run(4, 60 * NS_PER_S);
	struct err err;

	(void)state;
	assert_int_equal(results.codes[FAILS], -EXDEV);
	assert_int_equal(fork_each_first(&results, &err), -EXDEV);
	assert_string_equal(err.text, "number 3");
	fork_each_release(&results);
}

static void one_that_hangs_or_dies_does_not_keep_the_others(void **state)
{
	struct fork_results results = run(8, 2 * NS_PER_S);

	(void)state;
	assert_int_equal(results.codes[HANGS], -ETIMEDOUT);
	assert_int_equal(results.codes[DIES], -ECHILD);
	assert_int_equal(results.codes[7], 0);
	assert_int_equal(((int *)(void *)results.results)[7], 70);
	fork_each_release(&results);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* all are reaped */
}

static void none_is_fine(void **state)
{
	struct fork_results results = run(0, NS_PER_S);

	(void)state;
	assert_int_equal(fork_each_first(&results, NULL), 0);
	fork_each_release(&results);
}

static struct fork_each hanging(bool interruptible, int64_t timeout_ns)
{
	return (struct fork_each){
		.count = HANGS + 1,
		.work = work,
		.arg = (void *)&work,
		.result_size = sizeof(int),
		.timeout_ns = timeout_ns,
		.interruptible = interruptible,
	};
}

/* The last one: an interrupt stays. */
static void an_interrupt_ends_it_where_it_may(void **state)
{
	struct fork_each each = hanging(true, 600 * NS_PER_S);
	struct fork_results results;
	struct err err = { .text = "" };

	(void)state;
	assert_int_equal(interrupt_init(), 0);
	raise(SIGINT);
	assert_int_equal(fork_each(&each, &results, &err), -EINTR);
	assert_string_equal(err.text, "interrupted");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* all are reaped */
	/* what undoes something goes on */
	each = hanging(false, NS_PER_S);
	assert_int_equal(fork_each(&each, &results, &err), 0);
	assert_int_equal(results.codes[HANGS], -ETIMEDOUT);
	assert_int_equal(results.codes[WORKS], 0);
	fork_each_release(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_gives_its_result),
		cmocka_unit_test(an_error_comes_with_its_text),
		cmocka_unit_test(one_that_hangs_or_dies_does_not_keep_the_others),
		cmocka_unit_test(none_is_fine),
		cmocka_unit_test(an_interrupt_ends_it_where_it_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
