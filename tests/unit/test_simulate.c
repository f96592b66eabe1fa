// SPDX-License-Identifier: GPL-3.0-or-later
/* The simulations of `make simulate` in short: fixed seeds, so that they give the same each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/simulate/trials.h"

enum { REPEATS = 2000, FAMILIES = 500 };

/* In turn drift is taken for a change; in rounds it is not. */
static void rounds_keep_the_level_whatever_the_noise(void **state)
{
	(void)state;
	for (int k = 0; k < NOISES; k++) {
		struct false_alarms f = simulate_noise((enum noise)k, REPEATS, 1 + (unsigned int)k);

		if (k == NOISE_TAIL) /* conservative there */
			assert_true(f.rounds_paired < ALPHA);
		else
			assert_true(share_is(f.rounds_paired, ALPHA, REPEATS));
		if (k == NOISE_DRIFT || k == NOISE_AR || k == NOISE_STEP)
			assert_true(f.in_turn_welch > .3 && f.rounds_welch < .03);
	}
}

static void intervals_cover(void **state)
{
	struct coverage coverage = simulate_coverage(REPEATS, 11);

	(void)state;
	assert_true(share_is(coverage.paired, .95, REPEATS));
	assert_true(share_is(coverage.unpaired, .95, REPEATS));
}

static void a_family_errs_as_seldom_as_one_row(void **state)
{
	struct family_error family = simulate_family(FAMILIES, 12);

	(void)state;
	assert_true(share_is_at_most(family.holm, ALPHA, FAMILIES));
	assert_true(family.uncorrected > .8);
}

static void a_change_of_the_margin_is_seldom_called_equivalent(void **state)
{
	(void)state;
	assert_true(share_is(simulate_equivalence(1, .4, REPEATS, 13), ALPHA, REPEATS));
	assert_true(simulate_equivalence(1, 2, REPEATS, 14) < ALPHA);
}

static void changes_are_found_as_often_as_foretold(void **state)
{
	(void)state;
	for (unsigned int i = 1; i <= 4; i++) {
		struct found_power power = simulate_power(i / 2., 1, REPEATS, 20 + i);

		assert_true(share_is(power.found, power.foretold, REPEATS));
	}
}

static void stopping_by_the_width_costs_little_coverage(void **state)
{
	struct until_coverage ten = simulate_until(10, 1.5, REPEATS, 31);

	(void)state;
	assert_true(ten.reached > .99);
	assert_true(ten.coverage > .925 && ten.coverage < .96);
	assert_true(ten.rounds > 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_keep_the_level_whatever_the_noise),
		cmocka_unit_test(intervals_cover),
		cmocka_unit_test(a_family_errs_as_seldom_as_one_row),
		cmocka_unit_test(a_change_of_the_margin_is_seldom_called_equivalent),
		cmocka_unit_test(changes_are_found_as_often_as_foretold),
		cmocka_unit_test(stopping_by_the_width_costs_little_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
