// SPDX-License-Identifier: GPL-3.0-or-later
/* Which cells are held against which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/compare_tests.h"

static void a_set_alone_is_held_against_its_baseline(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(p.analysis.ncomparisons, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct analysis_comparison *c = &p.analysis.comparisons[i];

		assert_string_equal(c->kind, "config");
		assert_string_equal(c->base->cell->config, "none");
		assert_string_equal(c->fresh->cell->config, "trace");
		assert_string_equal(c->base->cell->label, c->fresh->cell->label);
		assert_true(c->paired);
		assert_int_equal(c->family_size, 2);
	}
	assert_int_equal(p.analysis.ninteractions, 1);
	release(&p);
}

static void one_label_of_a_set_alone(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "6.2/", NULL, NULL), 0);
	assert_string_equal(only(&p)->base->cell->label, "6.2");
	assert_int_equal(only(&p)->family_size, 1);
	assert_int_equal(p.analysis.ncells, 2);
	assert_int_equal(p.analysis.ninteractions, 0);
	release(&p);
}

static void one_configuration_alone_is_held_against_the_first_label(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "/none", NULL, NULL), 0);
	assert_string_equal(only(&p)->kind, "label");
	assert_string_equal(only(&p)->base->cell->label, "6.1");
	assert_string_equal(only(&p)->fresh->cell->label, "6.2");
	assert_string_equal(only(&p)->fresh->cell->config, "none");
	release(&p);
}

static void configurations_of_the_same_sessions_are_pairs(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "6.1/none", *state, "6.1/trace"), 0);
	assert_true(only(&p)->paired);
	assert_string_equal(only(&p)->unit, "round");
	assert_double(only(&p)->change_pct, 100 * (1.21 / 1.02 - 1), 1e-9);
	release(&p);
	assert_int_equal(pick(&p, *state, "6.1/trace", *state, "6.1/none"), 0);
	assert_double(only(&p)->change_pct, 100 * (1.02 / 1.21 - 1), 1e-9);
	assert_int_equal(only(&p)->verdict, VERDICT_BETTER);
	release(&p);
}

static void labels_and_configurations_at_once_are_no_pairs(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "6.1/none", *state, "6.2/trace"), 0);
	assert_false(only(&p)->paired);
	assert_string_equal(only(&p)->kind, "label");
	assert_true(only(&p)->confounded);
	release(&p);
}

static void like_is_held_against_like(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "6.1/", *state, "6.2/"), 0);
	assert_int_equal(p.analysis.ncomparisons, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(p.analysis.comparisons[i].base->cell->config,
				    p.analysis.comparisons[i].fresh->cell->config);
	assert_int_equal(p.analysis.ninteractions, 1);
	release(&p);
}

static void two_sets_are_never_pooled(void **state)
{
	struct made_set *made = *state, other;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	made_set_init(&other);
	add_runs(&other, "none", slow, 4);
	assert_int_equal(pick(&p, made, "/", &other, "/"), 0);
	assert_false(only(&p)->paired);
	assert_int_equal(only(&p)->base->n, 6);
	assert_int_equal(only(&p)->fresh->n, 4);
	assert_int_equal(only(&p)->n, 4);
	assert_string_equal(only(&p)->base->cell->set, made->path);
	assert_string_equal(only(&p)->fresh->cell->set, other.path);
	/* one label on both sides: nothing of a kernel is claimed */
	assert_false(only(&p)->confounded);
	assert_int_equal(only(&p)->verdict, VERDICT_WORSE);
	release(&p);
	/* other names, where each side has one */
	other.label = "patched";
	assert_int_equal(pick(&p, made, "/none", &other, "/none"), 0);
	release(&p);
	made_set_release(&other);
}

static void sets_of_two_labels_interact(void **state)
{
	struct made_set *made = *state, other;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	add_runs(made, "trace", fast, 6);
	made_set_init(&other);
	other.label = "6.2";
	add_runs(&other, "none", fast, 6);
	add_runs(&other, "trace", slow, 6);
	assert_int_equal(pick(&p, made, "/", &other, "/"), 0);
	assert_int_equal(p.analysis.ncomparisons, 2);
	assert_int_equal(p.analysis.ninteractions, 1);
	assert_double(p.analysis.interactions[0].c.difference, 1.21 - 1.02, 1e-9);
	assert_double(p.analysis.interactions[0].c.change_pct, 18.63, 1e-3);
	assert_true(p.analysis.interactions[0].c.p < 1e-6);
	assert_string_equal(p.analysis.interactions[0].c.unit, "round");
	assert_true(p.analysis.interactions[0].c.confounded);
	release(&p);
	made_set_release(&other);
}

static void sides_that_no_session_has_both_of_are_no_pairs(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", "");
	add_runs(made, "none", fast, 6);
	made->session = "s2";
	made_session(made, "2026-01-01T00:00:02Z", "[{\"name\":\"late\"}]", "");
	add_runs(made, "late", slow, 6);
	assert_int_equal(pick(&p, made, "/none", made, "/late"), 0);
	assert_false(only(&p)->paired);
	assert_int_equal(only(&p)->n, 6);
	assert_string_equal(only(&p)->kind, "config");
	assert_int_equal(only(&p)->verdict, VERDICT_WORSE);
	release(&p);
}

static void points_stay_apart(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	made->point = "{\"jobs\":\"1\"}";
	add_runs(made, "none", fast, 6);
	add_runs(made, "trace", slow, 6);
	made->point = "{\"jobs\":\"2\"}";
	add_runs(made, "none", fast, 6);
	add_runs(made, "trace", fast, 6);
	assert_int_equal(pick(&p, made, "/none", made, "/trace"), 0);
	assert_int_equal(p.analysis.ncomparisons, 2);
	assert_int_equal(p.analysis.nsections, 2);
	assert_int_equal(p.analysis.comparisons[0].family_size, 2);
	assert_int_equal(p.analysis.comparisons[0].verdict, VERDICT_WORSE);
	assert_int_equal(p.analysis.comparisons[1].verdict, VERDICT_EQUIVALENT);
	release(&p);
}

static void what_cannot_be_compared_is_said(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	assert_int_not_equal(pick(&p, made, "/", NULL, NULL), 0);
	refused(&p, EXIT_USAGE, "nothing to compare");
	assert_int_not_equal(pick(&p, made, "/", made, "/"), 0);
	refused(&p, EXIT_USAGE, "both sides are the same");
	assert_int_not_equal(pick(&p, made, "/nine", NULL, NULL), 0);
	refused(&p, EXIT_USAGE, "did you mean 'none'");
	assert_int_not_equal(pick(&p, made, "6.2/", NULL, NULL), 0);
	refused(&p, EXIT_USAGE, "no label '6.2'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_set_alone_is_held_against_its_baseline),
		MADE_TEST(one_label_of_a_set_alone),
		MADE_TEST(one_configuration_alone_is_held_against_the_first_label),
		MADE_TEST(configurations_of_the_same_sessions_are_pairs),
		MADE_TEST(labels_and_configurations_at_once_are_no_pairs),
		MADE_TEST(like_is_held_against_like),
		MADE_TEST(two_sets_are_never_pooled),
		MADE_TEST(sets_of_two_labels_interact),
		MADE_TEST(sides_that_no_session_has_both_of_are_no_pairs),
		MADE_TEST(points_stay_apart),
		MADE_TEST(what_cannot_be_compared_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
