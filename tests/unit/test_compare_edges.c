// SPDX-License-Identifier: GPL-3.0-or-later
/* Few runs, no spread, nothing above 0, sides of which little is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/compare_tests.h"

static void so_few_runs_are_never_enough(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	add_imported(made, fast, 1, slow, 6, "s");
	assert_int_equal(pick(&p, made, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->n, 1);
	assert_nan(only(&p)->p);
	assert_nan(only(&p)->ci95_pct[0]);
	assert_int_equal(only(&p)->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(only(&p)->reason, "too few: 1, need 3");
	assert_int_equal(status_of(&p, 1, NAN, false), EXIT_OK);
	assert_int_equal(status_of(&p, NAN, 50, false), EXIT_NOT_WITHIN);
	assert_int_equal(status_of(&p, 1, NAN, true), GATE_UNDECIDED);
	release(&p);
	made->session = "s1";
	made->label = "old";
	add_runs(made, "none", fast, 1);
	assert_int_equal(pick(&p, made, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->n, 2);
	assert_false(isnan(only(&p)->p));
	assert_string_equal(only(&p)->reason, "too few: 2, need 3");
	assert_int_equal(status_of(&p, NAN, 99, false), EXIT_NOT_WITHIN);
	release(&p);
}

static void a_side_without_runs_is_said(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	for (unsigned int i = 1; i < 4; i++)
		made_run(made, "trace", i, "warmup", "ok", MADE_METRIC("real", "1"));
	assert_int_not_equal(pick(&p, made, "/none", made, "/trace"), 0);
	refused(&p, EXIT_FAILED, "no finished run");
}

/* The rounding of what was printed is the spread that equal values have. */
static void equal_values_have_the_spread_of_their_last_digit(void **state)
{
	struct picked p = { .options = defaults };
	static const double one[] = { 2, 2, 2 }, other[] = { 2.1, 2.1, 2.1 };

	add_imported(*state, one, 3, one, 3, "s");
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_double(only(&p)->change_pct, 0, 0);
	assert_double(only(&p)->p, 1, 1e-12);
	assert_true(only(&p)->ci95_pct[0] < -1 && only(&p)->ci95_pct[1] > 1);
	release(&p);
	assert_string_equal(((struct made_set *)*state)->label, "new");
	add_runs(*state, "none", other, 3);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->fresh->n, 6);
	release(&p);
}

static void means_that_are_not_above_0_have_no_percent(void **state)
{
	struct picked p = { .options = defaults };
	static const double below[] = { -1, -2, -3, -2 }, above[] = { 5, 6, 5, 6 };

	add_imported(*state, below, 4, above, 4, "s");
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_nan(only(&p)->change_pct);
	assert_nan(only(&p)->ci95_pct[0]);
	assert_nan(only(&p)->at_best_pct);
	assert_true(only(&p)->ci95_units[0] > 0);
	assert_true(only(&p)->p < .01);
	/* what is proven to be worse passes no gate for want of a percentage; nothing is within */
	assert_int_equal(only(&p)->verdict, VERDICT_WORSE);
	assert_int_equal(status_of(&p, 1, NAN, false), EXIT_WORSE);
	assert_int_equal(status_of(&p, NAN, 1, false), EXIT_NOT_WITHIN);
	assert_int_equal(status_of(&p, 1, NAN, true), GATE_BAD);
	release(&p);
}

static void imported_runs_are_in_no_round(void **state)
{
	struct picked p = { .options = defaults };

	add_imported(*state, fast, 3, slow, 6, "s");
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->base->n, 3);
	assert_int_equal(only(&p)->fresh->n, 6);
	assert_false(only(&p)->paired);
	assert_false(only(&p)->confounded);
	assert_nan(only(&p)->base->lag1); /* the order is not known */
	assert_int_equal(p.analysis.counts[1].broken_rounds, 0);
	release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(so_few_runs_are_never_enough),
		MADE_TEST(a_side_without_runs_is_said),
		MADE_TEST(equal_values_have_the_spread_of_their_last_digit),
		MADE_TEST(means_that_are_not_above_0_have_no_percent),
		MADE_TEST(imported_runs_are_in_no_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
