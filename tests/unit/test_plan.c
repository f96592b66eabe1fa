// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include "base/xalloc.h"
#include "runner/plan.h"
#include "tests/unit/experiment_line.h"

enum { MAX_CONFIGS = 7, MAX_ROUNDS = 40 };

/* storm with this many configurations, and what else stands on the line. */
static void make_experiment(struct experiment *experiment, size_t nconfigs, const char *more)
{
	auto_buf struct buf line = BUF_INIT;

	buf_addf(&line, "storm %s", more);
	for (size_t i = 0; i < nconfigs; i++)
		buf_addf(&line, " -c c%zu", i);
	experiment_of(experiment, line.s);
}

static void assert_fair(size_t count, size_t total, size_t places)
{
	assert_true(count >= total / places);
	assert_true(count <= (total + places - 1) / places);
}

/* Each configuration of each point once a round, and in each position equally often. */
static void assert_balanced(const struct plan *plan, size_t nconfigs, unsigned int rounds,
			    bool warmup)
{
	size_t cells = plan->npoints * nconfigs;
	size_t *positions = xcalloc(cells * nconfigs, sizeof(*positions));
	size_t *seen = xcalloc((rounds + 1) * cells, sizeof(*seen));

	for (size_t i = 0; i < plan->nsteps; i++) {
		const struct plan_step *step = &plan->steps[i];
		size_t cell = step->point * nconfigs + step->config;

		if (step->warmup != warmup)
			continue;
		assert_in_range(step->round, 1, rounds);
		assert_in_range(step->position, 1, nconfigs);
		assert_in_range(step->point, 0, plan->npoints - 1);
		assert_in_range(step->config, 0, nconfigs - 1);
		seen[step->round * cells + cell]++;
		positions[cell * nconfigs + step->position - 1]++;
	}
	for (size_t i = cells; i < (rounds + 1) * cells; i++)
		assert_int_equal(seen[i], 1);
	for (size_t i = 0; i < cells * nconfigs; i++)
		assert_fair(positions[i], rounds, nconfigs);
	free(positions);
	free(seen);
}

static void test_each_configuration_stands_in_each_position_equally_often(void **state)
{
	static const uint32_t seeds[] = { 0, 1, 2, 42, 0x7fffffff, UINT32_MAX };

	(void)state;
	for (size_t n = 1; n <= MAX_CONFIGS; n++) {
		auto_experiment struct experiment experiment;

		make_experiment(&experiment, n, "");
		for (unsigned int rounds = 1; rounds <= MAX_ROUNDS; rounds++) {
			for (size_t s = 0; s < ARRAY_SIZE(seeds); s++) {
				struct plan plan;

				plan_make(&plan, &experiment, rounds, 2, seeds[s]);
				assert_int_equal(plan.npoints, 1);
				assert_int_equal(plan.nsteps, (rounds + 2) * n);
				assert_balanced(&plan, n, rounds, false);
				assert_balanced(&plan, n, 2, true);
				plan_release(&plan);
			}
		}
	}
}

/* Neighbours that mirror each other would make their differences alike where noise lasts. */
static void test_rounds_are_no_pairs_of_mirrors(void **state)
{
	size_t mirrors = 0, pairs = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 200; seed++) {
		auto_experiment struct experiment experiment;
		size_t first[MAX_ROUNDS];
		struct plan plan;

		make_experiment(&experiment, 2, "");
		plan_make(&plan, &experiment, 20, 0, seed);
		for (size_t i = 0; i < plan.nsteps; i++)
			if (plan.steps[i].position == 1)
				first[plan.steps[i].round - 1] = plan.steps[i].config;
		for (size_t i = 0; i < 20; i += 2, pairs++)
			mirrors += first[i] != first[i + 1];
		plan_release(&plan);
	}
	/* with balance alone it would be 10 in 19 of 2000, sd 22 */
	assert_in_range(mirrors, 860, 1000);
	assert_int_equal(pairs, 2000);
}

/* Wherever --until ends: after the first rounds and each time as many more. */
static void test_rounds_that_may_end_early_are_balanced_in_parts(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 20; seed++) {
		auto_experiment struct experiment experiment;
		struct plan plan;

		make_experiment(&experiment, 3, "");
		experiment.rounds = 12;
		experiment.until_pct = 2;
		experiment.until_max = 40;
		plan_make(&plan, &experiment, 40, 0, seed);
		for (unsigned int rounds = 12; rounds <= 36; rounds += 12) {
			struct plan part = plan;

			part.nsteps = rounds * 3;
			assert_balanced(&part, 3, rounds, false);
		}
		plan_release(&plan);
	}
}

static void test_each_point_has_a_balanced_order_of_its_own(void **state)
{
	auto_experiment struct experiment experiment;
	bool differs = false;
	struct plan plan;

	(void)state;
	make_experiment(&experiment, 4, "--sweep fs=ext2,ext3,ext4 --sweep lazy=yes,no");
	plan_make(&plan, &experiment, 13, 1, 7);
	assert_int_equal(plan.npoints, 6);
	assert_balanced(&plan, 4, 13, false);
	assert_balanced(&plan, 4, 1, true);
	/* Points of one round do not all have the same order of configurations. */
	for (size_t i = 24; i < 48; i++)
		differs = differs || plan.steps[i].config != plan.steps[i % 4 + 24].config;
	assert_true(differs);
	plan_release(&plan);
}

static void test_rounds_follow_each_other_and_positions_count_up(void **state)
{
	auto_experiment struct experiment experiment;
	struct plan plan;

	(void)state;
	make_experiment(&experiment, 3, "--sweep fs=ext3,ext4");
	plan_make(&plan, &experiment, 5, 2, 3);
	assert_int_equal(plan.nsteps, 7 * 6);
	for (size_t i = 0; i < plan.nsteps; i++) {
		const struct plan_step *step = &plan.steps[i];

		assert_int_equal(step->warmup, i < 12);
		assert_int_equal(step->round, (i < 12 ? i : i - 12) / 6 + 1);
		assert_int_equal(step->position, i % 3 + 1);
		assert_int_equal(step->point, plan.steps[i / 3 * 3].point);
	}
	plan_release(&plan);
}

static bool equal_plans(const struct plan *a, const struct plan *b)
{
	assert_int_equal(a->nsteps, b->nsteps);
	for (size_t i = 0; i < a->nsteps; i++)
		if (a->steps[i].config != b->steps[i].config ||
		    a->steps[i].point != b->steps[i].point ||
		    a->steps[i].round != b->steps[i].round ||
		    a->steps[i].position != b->steps[i].position ||
		    a->steps[i].warmup != b->steps[i].warmup)
			return false;
	return true;
}

static void test_the_seed_decides(void **state)
{
	auto_experiment struct experiment experiment;
	struct plan first, same, other;

	(void)state;
	make_experiment(&experiment, 3, "--sweep fs=ext3,ext4");
	plan_make(&first, &experiment, 12, 1, 99);
	plan_make(&same, &experiment, 12, 1, 99);
	assert_true(equal_plans(&first, &same));
	for (uint32_t seed = 100; seed < 120; seed++) {
		plan_make(&other, &experiment, 12, 1, seed);
		assert_false(equal_plans(&first, &other));
		plan_release(&other);
	}
	plan_release(&first);
	plan_release(&same);
}

static void test_every_order_comes_up(void **state)
{
	auto_experiment struct experiment experiment;
	size_t counts[3] = { 0 };

	(void)state;
	make_experiment(&experiment, 3, "");
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct plan plan;

		plan_make(&plan, &experiment, 1, 0, seed);
		counts[plan.steps[0].config]++;
		plan_release(&plan);
	}
	for (size_t i = 0; i < 3; i++) /* 100 expected, sd 8 */
		assert_in_range(counts[i], 60, 140);
}

static void test_points_are_the_product_of_the_sweeps_in_order(void **state)
{
	static const char *const expected[] = {
		"fs=ext3 fill=0", "fs=ext3 fill=1M", "fs=ext3 fill=16M",
		"fs=ext4 fill=0", "fs=ext4 fill=1M", "fs=ext4 fill=16M",
	};
	auto_experiment struct experiment experiment;
	struct plan plan;

	(void)state;
	make_experiment(&experiment, 2, "--sweep fs=ext3,ext4 --sweep fill=0,1M,16M");
	plan_make(&plan, &experiment, 1, 0, 1);
	assert_int_equal(plan.npoints, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(plan.points[i].text, expected[i]);
		assert_int_equal(plan.points[i].values.n, 2);
		assert_string_equal(keys_get(&plan.points[i].values, "fs"),
				    i < 3 ? "ext3" : "ext4");
	}
	plan_release(&plan);
}

static void test_points_of_several_workloads(void **state)
{
	auto_experiment struct experiment experiment;
	struct plan plan;
	struct err err;

	(void)state;
	assert_int_equal(experiment_text(&experiment,
					 "workloads:\n"
					 "- {workload: storm, fs: [ext3, ext4]}\n"
					 "- {workload: command, argv: 'true'}\n"
					 "configs: [{name: a}, {name: b}]\n",
					 &err),
			 0);
	plan_make(&plan, &experiment, 10, 1, 1);
	assert_int_equal(plan.npoints, 3);
	assert_int_equal(plan.points[1].workload, 0);
	assert_string_equal(plan.points[1].text, "fs=ext4");
	assert_int_equal(plan.points[2].workload, 1);
	assert_string_equal(plan.points[2].text, "");
	assert_int_equal(plan.points[2].values.n, 0);
	assert_balanced(&plan, 2, 10, false);
	plan_release(&plan);
}

static void test_no_rounds_still_give_the_points(void **state)
{
	auto_experiment struct experiment experiment;
	struct plan plan;

	(void)state;
	make_experiment(&experiment, 2, "--sweep fs=ext3,ext4");
	plan_make(&plan, &experiment, 0, 0, 0);
	assert_int_equal(plan.npoints, 2);
	assert_int_equal(plan.nsteps, 0);
	plan_release(&plan);
}

static void test_one_more_round_of_one_point(void **state)
{
	auto_experiment struct experiment experiment;
	size_t first[4] = { 0 };
	struct plan plan, again;

	(void)state;
	make_experiment(&experiment, 4, "--sweep fs=ext3,ext4");
	plan_make(&plan, &experiment, 2, 0, 5);
	plan_make(&again, &experiment, 2, 0, 5);
	for (unsigned int round = 3; round < 103; round++) {
		size_t seen[4] = { 0 }, start = plan.nsteps;

		plan_add_round(&plan, &experiment, 1, round, 5);
		plan_add_round(&again, &experiment, 1, round, 5);
		assert_int_equal(plan.nsteps, start + 4);
		for (size_t i = 0; i < 4; i++) {
			const struct plan_step *step = &plan.steps[start + i];

			assert_int_equal(step->round, round);
			assert_int_equal(step->position, i + 1);
			assert_int_equal(step->point, 1);
			assert_false(step->warmup);
			seen[step->config]++;
		}
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(seen[i], 1);
		first[plan.steps[start].config]++;
	}
	assert_true(equal_plans(&plan, &again));
	for (size_t i = 0; i < 4; i++) /* 25 expected, sd 4.3 */
		assert_in_range(first[i], 5, 45);
	plan_release(&plan);
	plan_release(&again);
}

static void test_the_plan_as_json(void **state)
{
	auto_experiment struct experiment experiment;
	auto_json json_t *array = NULL;
	const json_t *step;
	struct plan plan;
	size_t i;

	(void)state;
	make_experiment(&experiment, 2, "--sweep fs=ext3,ext4");
	plan_make(&plan, &experiment, 3, 1, 1);
	array = plan_to_json(&plan, &experiment);
	assert_int_equal(json_array_size(array), plan.nsteps);
	json_array_foreach(array, i, step)
	{
		const struct plan_step *s = &plan.steps[i];

		assert_int_equal(json_get_int(step, "round", -1), s->round);
		assert_int_equal(json_get_int(step, "position", -1), s->position);
		assert_string_equal(json_get_text(step, "workload", ""), "storm");
		assert_string_equal(json_get_text(step, "config", ""),
				    experiment.configs[s->config].name);
		assert_string_equal(json_get_text(step, "role", ""),
				    s->warmup ? "warmup" : "measured");
		assert_string_equal(json_get_text(json_object_get(step, "point"), "fs", ""),
				    s->point ? "ext4" : "ext3");
	}
	plan_release(&plan);
}

static void assert_too_large(const char *line, unsigned int rounds, const char *message)
{
	struct experiment experiment;
	struct err err = { 0 };

	experiment_of(&experiment, line);
	assert_int_equal(plan_check_size(&experiment, rounds, 1, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	if (!strstr(err.text, message))
		fail_msg("%s: %s", line, err.text);
	experiment_release(&experiment);
}

static void test_a_plan_that_no_memory_holds_is_refused(void **state)
{
	static const char many[] = "storm --sweep fill=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20 "
				   "--sweep repeat=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20 "
				   "--sweep fs=ext2,ext3,ext4 --sweep cache=cold,warm "
				   "--sweep discard=yes,no --sweep lazy=yes,no";
	struct experiment experiment;

	(void)state;
	assert_too_large(many, 1, "points of 1 configuration are too many");
	assert_too_large("command -c a -c b -- true", 1000000, "are 2000002: at most 200000");
	experiment_of(&experiment, "command -c a -c b -- true");
	assert_int_equal(plan_check_size(&experiment, 99999, 1, NULL), 0);
	assert_int_equal(plan_check_size(&experiment, 100000, 1, NULL), -EINVAL);
	experiment_release(&experiment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_plan_that_no_memory_holds_is_refused),
		cmocka_unit_test(test_each_configuration_stands_in_each_position_equally_often),
		cmocka_unit_test(test_rounds_are_no_pairs_of_mirrors),
		cmocka_unit_test(test_rounds_that_may_end_early_are_balanced_in_parts),
		cmocka_unit_test(test_each_point_has_a_balanced_order_of_its_own),
		cmocka_unit_test(test_rounds_follow_each_other_and_positions_count_up),
		cmocka_unit_test(test_the_seed_decides),
		cmocka_unit_test(test_every_order_comes_up),
		cmocka_unit_test(test_points_are_the_product_of_the_sweeps_in_order),
		cmocka_unit_test(test_points_of_several_workloads),
		cmocka_unit_test(test_no_rounds_still_give_the_points),
		cmocka_unit_test(test_one_more_round_of_one_point),
		cmocka_unit_test(test_the_plan_as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
