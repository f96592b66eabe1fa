// SPDX-License-Identifier: GPL-3.0-or-later
/* What the order of the runs shows, and runs far from the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/compare_tests.h"

static void a_run_far_from_the_others_is_named(void **state)
{
	struct picked p = { .options = defaults };
	double values[12];

	for (size_t i = 0; i < 12; i++)
		values[i] = fast[i % 6];
	values[7] = 2;
	add_runs(*state, "none", values, 12);
	add_runs(*state, "trace", fast, 6);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	/* complete rounds only: run 8 is none's eighth, without a partner */
	assert_int_equal(only(&p)->base->n, 6);
	assert_int_equal(only(&p)->base->noutliers, 0);
	release(&p);
	add_runs(*state, "trace", values, 12); /* rounds 1 to 6 again, and the rest */
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->base->n, 12);
	assert_int_equal(only(&p)->base->noutliers, 1);
	assert_int_equal(only(&p)->base->outliers[0]->number, 8);
	assert_false(only(&p)->base->drifts);
	release(&p);
}

static void a_step_in_the_middle_is_drift(void **state)
{
	struct picked p = { .options = defaults };
	double values[20];

	for (size_t i = 0; i < 20; i++)
		values[i] = 1 + (i >= 10 ? .5 : 0) + .01 * (double)(i % 3);
	add_runs(*state, "none", values, 20);
	add_runs(*state, "trace", values, 20);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_true(only(&p)->base->drifts);
	assert_true(only(&p)->base->lag1 > .7);
	assert_int_equal(only(&p)->base->noutliers, 0);
	assert_int_not_equal(only(&p)->verdict, VERDICT_INVALID); /* rounds take it out */
	release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_run_far_from_the_others_is_named),
		MADE_TEST(a_step_in_the_middle_is_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
