// SPDX-License-Identifier: GPL-3.0-or-later
/* Groups: which runs count, and in which round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/analysis_tests.h"
#include "tests/unit/published.h"

static void a_set_without_runs_gives_nothing(void **state)
{
	struct made_analysis m;

	made_analyse(*state, &defaults, &m);
	assert_int_equal(m.analysis.ngroups, 0);
	assert_int_equal(m.analysis.ncomparisons, 0);
	assert_int_equal(m.analysis.ncells, 0);
	assert_false(m.analysis.untrusted);
	made_analysis_release(&m);
}

static void one_run_has_no_sd(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_group *g;

	made_value(made, "none", 1, "real", 2.5);
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.ngroups, 1);
	assert_int_equal(m.analysis.ncomparisons, 0);
	g = &m.analysis.groups[0];
	assert_int_equal(g->n, 1);
	assert_double(g->mean, 2.5, 0);
	assert_double(g->median, 2.5, 0);
	assert_double(g->max, 2.5, 0);
	assert_nan(g->sd);
	assert_nan(g->ci95[0]);
	made_analysis_release(&m);
}

static void warmups_failed_and_invalid_runs_are_left_out_and_counted(void **state)
{
	static const char metrics[] = MADE_METRIC("real", "99");
	struct made_set *made = *state;
	struct made_analysis m;

	made_run(made, "none", 1, "warmup", "ok", metrics);
	made_value(made, "none", 1, "real", 1);
	made_run(made, "none", 2, "measured", "failed: disk", metrics);
	made_run(made, "none", 3, "measured", "invalid: lost", metrics);
	made_value(made, "none", 4, "real", 3);
	made_run(made, "none", 5, "measured", "failed: interrupted", metrics);
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.ngroups, 1);
	assert_int_equal(m.analysis.groups[0].n, 2);
	assert_double(m.analysis.groups[0].mean, 2, 1e-15);
	assert_int_equal(count(&m, "none")->ok, 2);
	assert_int_equal(count(&m, "none")->failed, 2);
	assert_int_equal(count(&m, "none")->invalid, 1);
	assert_int_equal(count(&m, "none")->warmup, 1);
	assert_int_equal(count(&m, "none")->interrupted, 1);
	assert_int_equal(m.analysis.nlost, 3);
	assert_string_equal(m.analysis.lost[0]->reason, "disk");
	made_analysis_release(&m);
}

static void a_broken_round_is_out_for_all_configurations(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	rounds(made, (double[]){ 1, 2, 3 }, (double[]){ 2, 4, 6 }, 3);
	made_value(made, "none", 4, "real", 100);
	run_status_of(made, "trace", 4, "invalid: lost", 1);
	made_value(made, "trace", 5, "real", 100); /* killed before none ran */
	made_analyse(made, &defaults, &m);
	assert_int_equal(group(&m, "6.1", "none", "real")->n, 3);
	assert_double(group(&m, "6.1", "none", "real")->mean, 2, 1e-15);
	assert_double(group(&m, "6.1", "trace", "real")->mean, 4, 1e-15);
	assert_int_equal(count(&m, "none")->broken_rounds, 1);
	assert_int_equal(count(&m, "trace")->broken_rounds, 1);
	assert_int_equal(comparison(&m, "config", "trace", "real")->n, 3);
	made_analysis_release(&m);
}

static void rounds_are_pairs_whatever_their_order(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_comparison *c;

	for (unsigned int i = 0; i < 10; i++)
		made_value(made, "none", i + 1, "real", 10 + sleep_extra[0][i]);
	for (unsigned int i = 10; i-- > 0;)
		made_value(made, "trace", i + 1, "real", 10 + sleep_extra[1][i]);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_true(c->paired);
	assert_string_equal(c->unit, "round");
	assert_int_equal(c->n, 10);
	assert_double(c->p, .0028328901974, 1e-9);
	assert_double(c->ci95_units[0], .7001142367, 1e-9);
	assert_double(c->ci95_units[1], 2.4598857633, 1e-9);
	assert_double(c->change_pct, 100 * (12.33 / 10.75 - 1), 1e-12);
	assert_int_equal(c->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
}

static void rounds_of_several_sessions_are_not_mixed_up(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	rounds(made, (double[]){ 1, 2, 3 }, (double[]){ 2, 3, 4 }, 3);
	made->session = "s2";
	made->boot = "boot2";
	rounds(made, (double[]){ 11, 12, 13 }, (double[]){ 12, 13, 14 }, 3);
	made_value(made, "none", 4, "real", 50);
	made_analyse(made, &defaults, &m);
	assert_int_equal(comparison(&m, "config", "trace", "real")->n, 6);
	/* 1 more in each round, so that the mix of sessions does not widen the interval */
	assert_double(comparison(&m, "config", "trace", "real")->ci95_units[0], 1, 1e-6);
	assert_int_equal(group(&m, "6.1", "none", "real")->n, 6);
	made_analysis_release(&m);
}

static void a_round_that_was_done_again_counts_as_it_was_last(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	rounds(made, (double[]){ 1, 2 }, (double[]){ 1, 2 }, 2);
	made_value(made, "none", 3, "real", 70);
	run_status_of(made, "trace", 3, "failed: umount", 70);
	made_value(made, "none", 3, "real", 3);
	made_value(made, "trace", 3, "real", 4);
	/* the second try broke: the first is no replacement for it */
	made_value(made, "none", 4, "real", 80);
	run_status_of(made, "trace", 4, "failed: umount", 80);
	run_status_of(made, "none", 4, "failed: umount", 80);
	made_value(made, "trace", 4, "real", 80);
	made_analyse(made, &defaults, &m);
	assert_int_equal(group(&m, "6.1", "none", "real")->n, 3);
	assert_double(group(&m, "6.1", "none", "real")->max, 3, 0);
	assert_double(group(&m, "6.1", "trace", "real")->max, 4, 0);
	assert_int_equal(count(&m, "none")->broken_rounds, 2);
	made_analysis_release(&m);
}

static void a_configuration_of_a_later_session_does_not_break_earlier_rounds(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS, "");
	rounds(made, (double[]){ 1, 2, 3 }, (double[]){ 2, 3, 4 }, 3);
	made->session = "s2";
	made_session(made, "2026-01-01T00:00:02Z",
		     "[{\"name\":\"none\"},{\"name\":\"trace\"},{\"name\":\"other\"}]", "");
	rounds(made, (double[]){ 1, 2, 3 }, (double[]){ 2, 3, 4 }, 3);
	made_value(made, "other", 1, "real", 9);
	made_analyse(made, &defaults, &m);
	assert_int_equal(group(&m, "6.1", "none", "real")->n, 4);
	assert_int_equal(group(&m, "6.1", "other", "real")->n, 1);
	made_analysis_release(&m);
}

static void points_hosts_and_sets_are_never_pooled(void **state)
{
	struct made_set *made = *state, second;
	struct analysis_options options = defaults;
	struct set_data sets[2];
	struct analysis analysis;
	struct err err = { 0 };

	made->point = "{\"jobs\":\"16\"}";
	rounds(made, (double[]){ 1, 2, 3 }, (double[]){ 2, 3, 4 }, 3);
	made->point = "{\"jobs\":\"4\"}";
	rounds(made, (double[]){ 5, 6, 7 }, (double[]){ 6, 7, 8 }, 3);
	made->host = "other";
	rounds(made, (double[]){ 5, 6, 7 }, (double[]){ 6, 7, 8 }, 3);
	made_set_init(&second);
	rounds(&second, (double[]){ 1, 2, 3 }, (double[]){ 2, 3, 4 }, 3);
	assert_int_equal(set_read(made->path, &sets[0], &err), 0);
	assert_int_equal(set_read(second.path, &sets[1], &err), 0);
	assert_int_equal(analysis_make(sets, 2, &options, &analysis, &err), 0);
	assert_int_equal(analysis.nsections, 4);
	assert_int_equal(analysis.ncells, 8);
	assert_int_equal(analysis.ngroups, 8);
	assert_int_equal(analysis.ncomparisons, 4);
	for (size_t i = 0; i < analysis.ngroups; i++)
		assert_int_equal(analysis.groups[i].n, 3);
	/* numbers inside names are numbers */
	assert_string_equal(analysis.cells[0]->point, "jobs=4");
	assert_string_equal(analysis.cells[2]->point, "jobs=16");
	assert_string_equal(analysis.cells[4]->host, "other");
	assert_string_equal(analysis.cells[6]->set, second.path);
	analysis_release(&analysis);
	set_data_release(&sets[0]);
	set_data_release(&sets[1]);
	made_set_release(&second);
}

static void metrics_of_another_unit_are_another_group(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made_run(made, "none", 1, "measured", "ok", "{\"lat\":{\"value\":1,\"unit\":\"us\"}}");
	made_run(made, "none", 2, "measured", "ok", "{\"lat\":{\"value\":1000,\"unit\":\"ns\"}}");
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.ngroups, 2);
	assert_int_equal(m.analysis.groups[0].n, 1);
	made_analysis_release(&m);
}

static void a_value_that_is_null_is_left_out_alone(void **state)
{
	static const char format[] = "{\"real\":{\"value\":%d,\"unit\":\"s\",\"better\":\"lower\"},"
				     "\"lat\":{\"value\":%s,\"unit\":\"s\",\"better\":\"lower\"}}";
	struct made_set *made = *state;
	struct made_analysis m;

	for (int i = 1; i <= 4; i++) {
		char *full = xasprintf(format, i, "5"), *holed = xasprintf(format, i, "null");

		made_run(made, "none", (unsigned int)i, "measured", "ok", i == 2 ? holed : full);
		made_run(made, "trace", (unsigned int)i, "measured", "ok", i == 3 ? holed : full);
		free(full);
		free(holed);
	}
	made_analyse(made, &defaults, &m);
	assert_int_equal(group(&m, "6.1", "none", "real")->n, 4);
	assert_int_equal(group(&m, "6.1", "none", "lat")->n, 3);
	assert_int_equal(comparison(&m, "config", "trace", "real")->n, 4);
	assert_int_equal(comparison(&m, "config", "trace", "lat")->n, 2);
	made_analysis_release(&m);
}

static void a_configuration_that_always_fails_costs_the_others_nothing(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	for (unsigned int i = 1; i <= 4; i++) {
		made_value(made, "none", i, "real", 1 + .01 * i);
		made_value(made, "trace", i, "real", 1.2 + .02 * i);
		run_status_of(made, "broken", i, i % 2 ? "failed: no" : "invalid: no", 9);
	}
	made_analyse(made, &defaults, &m);
	assert_int_equal(group(&m, "6.1", "none", "real")->n, 4);
	assert_int_equal(comparison(&m, "config", "trace", "real")->n, 4);
	assert_int_equal(count(&m, "none")->broken_rounds, 0);
	assert_true(m.analysis.untrusted);
	assert_int_equal(m.analysis.ncomparisons, 1);
	assert_int_equal(m.analysis.nunmatched, 1);
	assert_null(m.analysis.unmatched[0].base);
	assert_null(m.analysis.unmatched[0].fresh);
	assert_string_equal(m.analysis.unmatched[0].fresh_cell->config, "broken");
	made_analysis_release(&m);
	/* once it works, its rounds are those that count */
	made_value(made, "none", 5, "real", 1);
	made_value(made, "trace", 5, "real", 1);
	made_value(made, "broken", 5, "real", 1);
	made_analyse(made, &defaults, &m);
	assert_int_equal(group(&m, "6.1", "none", "real")->n, 1);
	made_analysis_release(&m);
}

static void a_configuration_that_was_stopped_is_missing_from_its_round(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made_value(made, "none", 1, "real", 1);
	run_status_of(made, "trace", 1, "failed: interrupted", 9);
	made_analyse(made, &defaults, &m);
	assert_null(group(&m, "6.1", "none", "real"));
	made_analysis_release(&m);
}

static void runs_without_a_metric_are_known(void **state)
{
	static const double none[] = { 1, 1.1, 1.2, 9 }, trace[] = { 2, 2.1, 2.2, 2.3 };
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;
	unsigned int last = 0;

	for (unsigned int i = 0; i < 4; i++) {
		made_value(made, "none", i + 1, "real", none[i]);
		if (i < 3)
			made_value(made, "trace", i + 1, "real", trace[i]);
		else
			last = made_value(made, "trace", i + 1, "cpu", trace[i]);
	}
	made_analyse(made, &defaults, &m);
	assert_int_equal(group(&m, "6.1", "none", "real")->nwithout, 0);
	assert_int_equal(group(&m, "6.1", "trace", "real")->nwithout, 1);
	assert_int_equal(group(&m, "6.1", "trace", "real")->without[0]->number, last);
	assert_int_equal(group(&m, "6.1", "trace", "cpu")->nwithout, 3);
	/* what is compared is of the rounds that both have */
	c = comparison(&m, "config", "trace", "real");
	assert_int_equal(c->base->n, 4);
	assert_int_equal(c->of_base.n, 3);
	assert_double(c->of_base.mean, 1.1, 1e-12);
	assert_double(c->of_base.sd, .1, 1e-12);
	assert_double(c->of_fresh.mean, 2.1, 1e-12);
	assert_double(c->difference, 1, 1e-12);
	assert_double(c->change_pct, 100 * (2.1 / 1.1 - 1), 1e-9);
	made_analysis_release(&m);
}

/* Runs in seconds and runs in milliseconds have no mean by position. */
static void units_are_not_mixed_in_the_check_of_positions(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made->position = 1;
	made_value(made, "none", 1, "real", 1);
	made->position = 2;
	made_run(made, "trace", 1, "measured", "ok",
		 "{\"real\":{\"value\":1000,\"unit\":\"ms\",\"better\":\"lower\"}}");
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.sections[0].npositions, 0);
	made_analysis_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_set_without_runs_gives_nothing),
		MADE_TEST(one_run_has_no_sd),
		MADE_TEST(warmups_failed_and_invalid_runs_are_left_out_and_counted),
		MADE_TEST(a_broken_round_is_out_for_all_configurations),
		MADE_TEST(rounds_are_pairs_whatever_their_order),
		MADE_TEST(rounds_of_several_sessions_are_not_mixed_up),
		MADE_TEST(a_round_that_was_done_again_counts_as_it_was_last),
		MADE_TEST(a_configuration_of_a_later_session_does_not_break_earlier_rounds),
		MADE_TEST(points_hosts_and_sets_are_never_pooled),
		MADE_TEST(metrics_of_another_unit_are_another_group),
		MADE_TEST(a_value_that_is_null_is_left_out_alone),
		MADE_TEST(a_configuration_that_always_fails_costs_the_others_nothing),
		MADE_TEST(a_configuration_that_was_stopped_is_missing_from_its_round),
		MADE_TEST(runs_without_a_metric_are_known),
		MADE_TEST(units_are_not_mixed_in_the_check_of_positions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
