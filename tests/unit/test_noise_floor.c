// SPDX-License-Identifier: GPL-3.0-or-later
/* Sets whose sessions say --aa, --primary or --until, and what the analysis and reports make of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "runner/gate.h"
#include "runner/until.h"
#include "tests/unit/report_tests.h"

#define AA_CONFIGS \
	"[{\"name\":\"none\"},{\"name\":\"x\"},{\"name\":\"none#2\",\"aa_of\":\"none\"}]"

/* x takes 10 % more, and none#2 more_pct more than none. */
static void aa_rounds(struct made_set *made, double more_pct)
{
	static const double noise[10] = { .01, -.02, .03, 0, -.01, .02, -.03, .01, .02, -.01 };

	for (unsigned int i = 0; i < 10; i++) {
		double other = noise[(i + 3) % 10], real = 5 + noise[i];

		made_times(made, "none", i + 1, real, 4 + noise[i], 3 + other);
		made_times(made, "x", i + 1, 1.1 * (5 + other), 4 + other, 3.3 + noise[i]);
		made_times(made, "none#2", i + 1, (5 + other) * (1 + more_pct / 100), 4 + other,
			   3 + noise[i]);
	}
}

static const struct analysis_comparison *find(const struct analysis *analysis, const char *base,
					      const char *config, const char *metric)
{
	const struct analysis_comparison *found = NULL;

	for (size_t i = 0; i < analysis->ncomparisons; i++) {
		const struct analysis_comparison *c = &analysis->comparisons[i];

		if (strcmp(c->base->cell->config, base) != 0 ||
		    strcmp(c->fresh->cell->config, config) != 0 ||
		    strcmp(c->base->metric, metric) != 0)
			continue;
		assert_null(found);
		found = c;
	}
	return found;
}

static void the_noise_floor_is_in_no_family(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	made_session(made, "2026-01-01T00:00:01Z", AA_CONFIGS, ",\"rounds\":10");
	aa_rounds(made, 0);
	made_analyse(made, &defaults, &m);
	c = find(&m.analysis, "none", "none#2", "real");
	assert_non_null(c);
	assert_true(c->noise_floor);
	assert_false(c->false_alarm);
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_int_equal(c->family_size, 0);
	assert_true(isnan(c->p_holm));
	assert_true(c->ci95_pct[0] < 0 && c->ci95_pct[1] > 0);
	c = find(&m.analysis, "none", "x", "real");
	assert_false(c->noise_floor);
	assert_int_equal(c->family_size, 4);
	assert_int_equal(c->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
}

/* Whatever the base: it is the noise floor of the configuration that it repeats. */
static void it_is_held_against_the_configuration_that_it_repeats(void **state)
{
	struct analysis_options options = ANALYSIS_OPTIONS_INIT;
	struct made_set *made = *state;
	struct made_analysis m;

	made_session(made, "2026-01-01T00:00:01Z", AA_CONFIGS, ",\"rounds\":10");
	aa_rounds(made, 0);
	options.base_config = "x";
	made_analyse(made, &options, &m);
	assert_non_null(find(&m.analysis, "x", "none", "real"));
	assert_null(find(&m.analysis, "x", "none#2", "real"));
	assert_true(find(&m.analysis, "none", "none#2", "real")->noise_floor);
	made_analysis_release(&m);
}

static void labels_are_not_compared_by_it(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made_session(made, "2026-01-01T00:00:01Z", AA_CONFIGS, ",\"rounds\":10");
	aa_rounds(made, 0);
	made->label = "6.2";
	made->session = "s2";
	made_session(made, "2026-01-01T00:00:02Z", AA_CONFIGS, ",\"rounds\":10");
	aa_rounds(made, 0);
	made_analyse(made, &defaults, &m);
	assert_non_null(find(&m.analysis, "none", "none", "real"));
	assert_null(find(&m.analysis, "none#2", "none#2", "real"));
	for (size_t i = 0; i < m.analysis.ninteractions; i++)
		assert_null(m.analysis.interactions[i].c.base->cell->aa_of);
	made_analysis_release(&m);
}

static void gates_do_not_ask_it(void **state)
{
	struct gate gate = { .fail_if_worse_pct = 1, .require_within_pct = NAN };
	struct analysis_side side = { .set = 0, .config = "none#2" };
	struct analysis_options options = ANALYSIS_OPTIONS_INIT;
	struct made_set *made = *state;
	struct made_analysis m;

	made_session(made, "2026-01-01T00:00:01Z", AA_CONFIGS, ",\"rounds\":10");
	aa_rounds(made, 20);
	options.base = &side;
	made_analyse(made, &options, &m);
	assert_int_equal(m.analysis.ncells, 2);
	assert_true(find(&m.analysis, "none", "none#2", "real")->false_alarm);
	assert_int_equal(gate_status(&gate, &m.analysis), 0);
	made_analysis_release(&m);
	side.config = NULL;
	made_analyse(made, &options, &m);
	assert_int_not_equal(gate_status(&gate, &m.analysis), 0); /* x is worse */
	made_analysis_release(&m);
}

static void every_report_shows_it(void **state)
{
	static const char *const formats[] = { "text", "mail", "markdown" };
	static const struct report_options options = { .width = 72 };
	struct made_set *made = *state;
	char *report;

	made_session(made, "2026-01-01T00:00:01Z", AA_CONFIGS, ",\"rounds\":10");
	aa_rounds(made, 0);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		report = report_in(made, formats[i], &options);
		assert_non_null(strstr(report, "noise floor (A/A): "));
		assert_null(strstr(report, "false alarm"));
		assert_null(strstr(report, "aa_of"));
		free(report);
	}
	report = report_in(made, "json", &options);
	assert_non_null(strstr(report, "\"noise_floor\": true"));
	free(report);
	report = report_in(made, "csv", &options);
	assert_non_null(strstr(report, ",aa_of,"));
	assert_non_null(strstr(report, ",boot1,none,"));
	free(report);
	report = report_in(made, "mail", &options);
	assert_fits(report, 72);
	assert_null(strstr(report, "none#2"));
	free(report);
}

static void a_false_alarm_is_a_warning(void **state)
{
	static const struct report_options options = { .width = 72 };
	struct made_set *made = *state;
	char *report;

	made_session(made, "2026-01-01T00:00:01Z", AA_CONFIGS, ",\"rounds\":10");
	aa_rounds(made, 5);
	report = report_in(made, "mail", &options);
	assert_non_null(strstr(report, "warning: the noise floor of real excludes 0"));
	assert_fits(report, 72);
	free(report);
}

/* Where only the noise floor was measured it has the table. */
static void alone_it_has_the_table(void **state)
{
	static const struct report_options options = { .width = 72 };
	struct made_set *made = *state;
	char *report;

	made_session(made, "2026-01-01T00:00:01Z",
		     "[{\"name\":\"none\"},{\"name\":\"none#2\",\"aa_of\":\"none\"}]",
		     ",\"rounds\":3");
	for (unsigned int i = 1; i <= 3; i++) {
		made_times(made, "none", i, 5 + i, 4 + i, 3 + i);
		made_times(made, "none#2", i, 5.1 + i, 4 + i, 3.1 + i);
	}
	report = report_in(made, "mail", &options);
	assert_non_null(strstr(report, "change in the same round"));
	free(report);
}

/* ---- --primary ---- */

static void write_primary(struct made_set *made)
{
	json_t *session;
	struct err err = { 0 };

	session = json_loads("{\"schema\":\"1.0\",\"id\":\"s1\",\"host\":\"host\",\"label\":\"6.1\","
			     "\"started\":\"2026-01-01T00:00:01Z\",\"rounds\":10,\"experiment\":{"
			     "\"experiment\":{\"primary\":[\"sys\"]},\"workloads\":[],"
			     "\"configs\":[{\"name\":\"none\"},{\"name\":\"x\"}]}}", 0, NULL);
	assert_int_equal(set_write_session(made->set, "s1", session, &err), 0);
	json_decref(session);
}

static void the_family_is_what_was_chosen_before(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	write_primary(made);
	for (unsigned int i = 1; i <= 10; i++) {
		made_times(made, "none", i, 5 + .01 * i, 4, 3 + .01 * (i % 3));
		made_times(made, "x", i, 6 + .01 * i, 5, 4 + .01 * (i % 4));
	}
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.nfamilies, 1);
	assert_int_equal(m.analysis.families[0].size, 1);
	assert_int_equal(find(&m.analysis, "none", "x", "sys")->verdict, VERDICT_WORSE);
	assert_false(find(&m.analysis, "none", "x", "real")->headline);
	assert_int_equal(find(&m.analysis, "none", "x", "real")->verdict, VERDICT_NONE);
	made_analysis_release(&m);
}

/* ---- --until ---- */

static void look_at(struct made_set *made, double pct, struct until_look *look)
{
	struct until until = { .pct = pct, .min_rounds = 10, .host = "host", .label = "6.1" };
	struct err err = { 0 };

	assert_int_equal(until_look(made->path, &until, look, &err), 0);
}

static void rounds_end_by_width_alone(void **state)
{
	struct made_set *made = *state;
	struct until_look look;

	made_session(made, "2026-01-01T00:00:01Z", AA_CONFIGS, ",\"rounds\":40");
	look_at(made, 50, &look);
	assert_false(look.reached);
	assert_true(isnan(look.half_width_pct));
	for (unsigned int i = 1; i <= 9; i++) {
		made_times(made, "none", i, 5 + .01 * (i % 3), 4, 3);
		made_times(made, "x", i, 9 + .01 * (i % 2), 4, 3);
		made_times(made, "none#2", i, 5 + 4 * (i % 2), 4, 3); /* is not asked */
	}
	look_at(made, 50, &look);
	assert_false(look.reached); /* of so few rounds, however narrow and significant */
	assert_int_equal(look.rounds, 9);
	made_times(made, "none", 10, 5, 4, 3);
	made_times(made, "x", 10, 9, 4, 3);
	made_times(made, "none#2", 10, 5, 4, 3);
	look_at(made, 50, &look);
	assert_true(look.reached);
	assert_int_equal(look.rounds, 10);
	look_at(made, look.half_width_pct, &look);
	assert_false(look.reached);
	look_at(made, look.half_width_pct * 1.0001, &look);
	assert_true(look.reached);
}

/* Each point has to be known as well, and the one that is wanted is the widest. */
static void all_points_are_looked_at(void **state)
{
	struct made_set *made = *state;
	struct until_look one, both;

	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, ",\"rounds\":40");
	made->point = "{\"jobs\":1}";
	for (unsigned int i = 1; i <= 10; i++) {
		made_value(made, "none", i, "real", 5 + .01 * (i % 3));
		made_value(made, "blktrace", i, "real", 6);
	}
	look_at(made, 5, &one);
	assert_true(one.reached);
	made->point = "{\"jobs\":4}";
	made_value(made, "none", 1, "real", 5);
	look_at(made, 5, &both);
	assert_false(both.reached); /* nothing is known of the second one */
	for (unsigned int i = 1; i <= 11; i++) {
		made_value(made, "none", i, "real", 5 + .2 * (i % 3));
		made_value(made, "blktrace", i, "real", 6);
	}
	look_at(made, 50, &both);
	assert_true(both.reached);
	assert_int_equal(both.rounds, 10);
	assert_true(both.half_width_pct > 2 * one.half_width_pct);
}

/* More rounds were added until there were enough: a broken one among them is none that is missing. */
static void a_round_that_broke_before_enough_is_no_loss(void **state)
{
	static const char *const stopped[] = { "\"reached\"", "\"max\"", "null" };
	struct made_set *made = *state;
	struct made_analysis m;

	for (unsigned int i = 1; i <= 4; i++) {
		made_times(made, "none", i, 5, 4, 3);
		if (i == 2)
			made_run(made, "blktrace", i, "measured", "failed: it", "{}");
		else
			made_times(made, "blktrace", i, 6, 4, 3);
	}
	for (size_t i = 0; i < ARRAY_SIZE(stopped); i++) {
		auto_free char *more = xasprintf(",\"rounds\":4,\"until\":{\"pct\":2,\"stopped\":%s}",
						 stopped[i]);

		made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, more);
		made_analyse(made, &defaults, &m);
		assert_int_equal(m.analysis.untrusted, i != 0);
		made_analysis_release(&m);
	}
}

static void reports_say_why_rounds_ended(void **state)
{
	static const struct report_options options = { .width = 72 };
	static const char until[] = ",\"rounds\":14,\"until\":{\"pct\":2,\"max\":40,\"rounds\":14,"
				    "\"half_width_pct\":1.9,\"stopped\":\"reached\"}";
	struct made_set *made = *state;
	char *report;

	made_session(made, "2026-01-01T00:00:01Z", AA_CONFIGS, until);
	aa_rounds(made, 0);
	report = report_in(made, "mail", &options);
	assert_non_null(strstr(report, "until half widths below 2 %: reached after 14 rounds\n"));
	assert_null(strstr(report, "extended"));
	free(report);
	made->session = "s2";
	made_session(made, "2026-01-01T00:00:02Z", AA_CONFIGS, ",\"rounds\":3");
	report = report_in(made, "mail", &options);
	assert_non_null(strstr(report, "extended: measured in 2 sessions of one"));
	assert_fits(report, 72);
	free(report);
}

/* One that was interrupted and gone on with is one. */
static void going_on_is_no_extension(void **state)
{
	static const struct report_options options = { .width = 72 };
	struct made_set *made = *state;
	char *report;

	made_session(made, "2026-01-01T00:00:01Z", AA_CONFIGS, ",\"rounds\":10");
	aa_rounds(made, 0);
	made->session = "s2";
	made_session(made, "2026-01-01T00:00:02Z", AA_CONFIGS, ",\"rounds\":3,\"resumes\":\"s1\"");
	report = report_in(made, "text", &options);
	assert_null(strstr(report, "extended"));
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(the_noise_floor_is_in_no_family),
		MADE_TEST(it_is_held_against_the_configuration_that_it_repeats),
		MADE_TEST(labels_are_not_compared_by_it),
		MADE_TEST(gates_do_not_ask_it),
		MADE_TEST(every_report_shows_it),
		MADE_TEST(a_false_alarm_is_a_warning),
		MADE_TEST(alone_it_has_the_table),
		MADE_TEST(the_family_is_what_was_chosen_before),
		MADE_TEST(rounds_end_by_width_alone),
		MADE_TEST(all_points_are_looked_at),
		MADE_TEST(a_round_that_broke_before_enough_is_no_loss),
		MADE_TEST(reports_say_why_rounds_ended),
		MADE_TEST(going_on_is_no_extension),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
