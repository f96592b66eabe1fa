// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/assert_double.h"
#include "tests/unit/made_set.h"
#include "tests/unit/published.h"

#define TWO_CONFIGS "[{\"name\":\"none\"},{\"name\":\"trace\"}]"

static const struct analysis_options defaults = ANALYSIS_OPTIONS_INIT;

static int setup(void **state)
{
	struct made_set *made = xcalloc(1, sizeof(*made));

	made_set_init(made);
	*state = made;
	return 0;
}

static int teardown(void **state)
{
	made_set_release(*state);
	free(*state);
	return 0;
}

static const struct analysis_group *group(const struct made_analysis *m, const char *label,
					  const char *config, const char *metric)
{
	for (size_t i = 0; i < m->analysis.ngroups; i++) {
		const struct analysis_group *g = &m->analysis.groups[i];

		if (!strcmp(g->cell->label, label) && !strcmp(g->cell->config, config) &&
		    !strcmp(g->metric, metric))
			return g;
	}
	return NULL;
}

static const struct analysis_comparison *comparison(const struct made_analysis *m,
						    const char *kind, const char *fresh,
						    const char *metric)
{
	bool label = !strcmp(kind, "label");

	for (size_t i = 0; i < m->analysis.ncomparisons; i++) {
		const struct analysis_comparison *c = &m->analysis.comparisons[i];

		if (!strcmp(c->kind, kind) && !strcmp(c->base->metric, metric) &&
		    !strcmp(label ? c->fresh->cell->label : c->fresh->cell->config, fresh))
			return c;
	}
	return NULL;
}

static const struct analysis_count *count(const struct made_analysis *m, const char *config)
{
	for (size_t i = 0; i < m->analysis.ncounts; i++)
		if (!strcmp(m->analysis.counts[i].cell->config, config))
			return &m->analysis.counts[i];
	return NULL;
}

static void run_status_of(struct made_set *made, const char *config, unsigned int round,
			  const char *status, double value)
{
	char *metrics = xasprintf(MADE_METRIC("real", "%.17g"), value);

	made_run(made, config, round, "measured", status, metrics);
	free(metrics);
}

/* Rounds of none and trace with these values of real. */
static void rounds(struct made_set *made, const double *none, const double *trace, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		made_value(made, "none", i + 1, "real", none[i]);
		made_value(made, "trace", i + 1, "real", trace[i]);
	}
}

/* ---- groups ---- */

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

/* ---- what is compared ---- */

static void the_experiment_names_the_baseline(void **state)
{
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	struct made_analysis m;
	struct set_data data;
	struct analysis analysis;
	struct err err = { 0 };

	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS, "");
	for (unsigned int i = 1; i <= 3; i++) {
		made_value(made, "trace", i, "real", i + 1);
		made_value(made, "none", i, "real", i);
	}
	made_analyse(made, &options, &m);
	assert_int_equal(m.analysis.ncomparisons, 1);
	assert_string_equal(m.analysis.comparisons[0].base->cell->config, "none");
	made_analysis_release(&m);
	options.base_config = "trace";
	made_analyse(made, &options, &m);
	assert_int_equal(m.analysis.ncomparisons, 1);
	assert_string_equal(m.analysis.comparisons[0].base->cell->config, "trace");
	assert_string_equal(m.analysis.comparisons[0].fresh->cell->config, "none");
	made_analysis_release(&m);
	options.base_config = "trce";
	assert_int_equal(set_read(made->path, &data, &err), 0);
	assert_true(analysis_make(&data, 1, &options, &analysis, &err) < 0);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_non_null(strstr(err.text, "did you mean 'trace'"));
	set_data_release(&data);
}

/* The published kernel builds: six runs of each of two kernels, one boot each. */
static void lsm_runs(struct made_set *made, int side)
{
	for (unsigned int i = 0; i < 6; i++) {
		char *metrics = xasprintf(
			"{\"real\":{\"value\":%.17g,\"unit\":\"s\",\"better\":\"lower\"},"
			"\"user\":{\"value\":%.17g,\"unit\":\"s\",\"better\":\"lower\"},"
			"\"sys\":{\"value\":%.17g,\"unit\":\"s\",\"better\":\"lower\"}}",
			lsm[0][side][i], lsm[1][side][i], lsm[2][side][i]);

		made_run(made, "none", i + 1, "measured", "ok", metrics);
		free(metrics);
	}
}

static void labels_are_compared_as_published(void **state)
{
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	const struct analysis_comparison *c;
	struct made_analysis m;

	options.one_boot = true;
	made->label = "old";
	lsm_runs(made, 0);
	made->label = "new";
	made->boot = "boot2";
	made->session = "s2";
	lsm_runs(made, 1);
	made_analyse(made, &options, &m);
	assert_int_equal(m.analysis.ncomparisons, 3);
	c = comparison(&m, "label", "new", "real");
	assert_false(c->paired);
	assert_string_equal(c->unit, "run");
	assert_double(c->p, .0547004, 1e-5);
	assert_double(c->p_holm, .10940, 1e-4);
	assert_int_equal(c->family_size, 3);
	assert_double(c->change_pct, -.29465027, 1e-7);
	assert_digits(c->ci95_pct[0], -.595624, 6);
	assert_digits(c->ci95_pct[1], .008114, 6);
	assert_digits(c->at_worst_pct, -.053895, 6);
	assert_digits(c->at_best_pct, -.534299, 6);
	assert_digits(c->mde_pct, .417, 3);
	assert_int_equal(c->verdict, VERDICT_EQUIVALENT);
	assert_string_equal(c->reason, "within 1 %");
	c = comparison(&m, "label", "new", "sys");
	assert_double(c->p, .0024298163, 1e-7);
	assert_double(c->p_holm, .0072894, 1e-5);
	assert_int_equal(c->verdict, VERDICT_BETTER);
	made_analysis_release(&m);
	options.margin_pct = 0;
	made_analyse(made, &options, &m);
	c = comparison(&m, "label", "new", "real");
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_null(c->reason);
	made_analysis_release(&m);
	/* without --one-boot: shown, and not judged */
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "label", "new", "sys");
	assert_double(c->p, .0024298163, 1e-7);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(c->reason, "kernel and boot cannot be told apart");
	assert_nan(c->p_holm);
	assert_int_equal(c->family_size, 0);
	made_analysis_release(&m);
}

static void from_three_boots_on_boots_are_the_unit(void **state)
{
	static const char *const sessions[2][3] = { { "a1", "a2", "a3" }, { "b1", "b2", "b3" } };
	/* boots differ by 1, runs inside a boot by .01 */
	static const double boots[2][3] = { { 10, 11, 12 }, { 10.2, 11.2, 12.2 } };
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	for (int side = 0; side < 2; side++)
		for (int boot = 0; boot < 3; boot++) {
			made->label = side ? "new" : "old";
			made->session = made->boot = sessions[side][boot];
			for (unsigned int i = 0; i < 4; i++)
				made_value(made, "none", i + 1, "real",
					   boots[side][boot] + .01 * i);
		}
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "label", "new", "real");
	assert_string_equal(c->unit, "boot");
	assert_int_equal(c->n, 3);
	assert_double(c->ci95_units[0], .2 - 2.7764451052 * sqrt(2. / 3), 1e-6);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_null(c->reason);
	assert_int_equal(c->family_size, 1);
	made_analysis_release(&m);
}

static void a_label_with_one_configuration_is_fine(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS, "");
	rounds(made, (double[]){ 1, 2, 3 }, (double[]){ 2, 3, 4 }, 3);
	made->label = "6.2";
	made->session = "s2";
	made->boot = "boot2";
	made_session(made, "2026-01-01T00:00:02Z", TWO_CONFIGS, "");
	made_value(made, "trace", 1, "real", 4);
	made_analyse(made, &defaults, &m);
	assert_int_equal(group(&m, "6.2", "trace", "real")->n, 1);
	assert_int_equal(m.analysis.ncomparisons, 2);
	assert_non_null(comparison(&m, "config", "trace", "real"));
	assert_string_equal(comparison(&m, "label", "6.2", "real")->reason,
			    "too few: 1, need 3");
	made_analysis_release(&m);
}

/* ---- verdicts ---- */

static void fewer_than_three_rounds_are_too_few(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	rounds(made, (double[]){ 1, 1.001 }, (double[]){ 2, 2.001 }, 2);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(c->reason, "too few: 2, need 3");
	assert_int_equal(c->family_size, 0);
	made_analysis_release(&m);
}

static void equal_values_are_judged_by_the_clock(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	rounds(made, (double[]){ 2, 2, 2 }, (double[]){ 2, 2, 2 }, 3);
	made->point = "{\"x\":\"1\"}"; /* all new values are one value */
	rounds(made, (double[]){ 2, 2.1, 1.9 }, (double[]){ 3, 3, 3 }, 3);
	made->point = "{\"x\":\"2\"}"; /* both sides constant and different */
	rounds(made, (double[]){ 2, 2, 2 }, (double[]){ 3, 3, 3 }, 3);
	made->point = "{\"x\":\"3\"}"; /* always half a second more */
	rounds(made, (double[]){ 2, 3, 4 }, (double[]){ 2.5, 3.5, 4.5 }, 3);
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.ncomparisons, 4);
	c = m.analysis.comparisons;
	assert_double(c[0].base->sd, 0, 0);
	assert_double(c[0].p, 1, 1e-12);
	assert_int_equal(c[0].verdict, VERDICT_EQUIVALENT);
	assert_int_equal(c[1].verdict, VERDICT_WORSE);
	assert_int_equal(c[2].verdict, VERDICT_WORSE);
	assert_double(c[2].change_pct, 50, 1e-12);
	assert_true(c[2].ci95_pct[0] < 50 && c[2].ci95_pct[1] > 50);
	assert_int_equal(c[3].verdict, VERDICT_WORSE);
	made_analysis_release(&m);
}

static void lost_runs_make_a_comparison_invalid(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_comparison *c;
	unsigned int round;

	for (round = 1; round <= 18; round++) {
		made_value(made, "none", round, "real", 1 + .01 * round);
		made_value(made, "trace", round, "real", 2 + .01 * round);
	}
	made_value(made, "none", round, "real", 1);
	run_status_of(made, "trace", round++, "invalid: 3 events lost", 2);
	made_analyse(made, &defaults, &m);
	assert_int_equal(comparison(&m, "config", "trace", "real")->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
	/* what the user stopped was lost for no cause on its side */
	made_value(made, "none", round, "real", 1);
	run_status_of(made, "trace", round++, "failed: interrupted", 2);
	made_analyse(made, &defaults, &m);
	assert_int_equal(comparison(&m, "config", "trace", "real")->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
	/* 2 of 20: not above a tenth, but two more than the other side */
	made_value(made, "none", round, "real", 1);
	run_status_of(made, "trace", round++, "invalid: 3 events lost", 2);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_int_equal(c->verdict, VERDICT_INVALID);
	assert_string_equal(c->reason, "2 of 20 runs of trace failed or were invalid");
	made_analysis_release(&m);
}

static void one_of_nine_lost_is_more_than_a_tenth(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	for (unsigned int round = 1; round <= 8; round++) {
		made_value(made, "none", round, "real", 1 + .01 * round);
		made_value(made, "trace", round, "real", 2 + .01 * round);
	}
	run_status_of(made, "none", 9, "failed: mkfs", 1);
	made_value(made, "trace", 9, "real", 2);
	made_analyse(made, &defaults, &m);
	assert_string_equal(comparison(&m, "config", "trace", "real")->reason,
			    "1 of 9 runs of none failed or were invalid");
	made_analysis_release(&m);
}

static void higher_can_be_better(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_comparison *c;

	for (unsigned int i = 1; i <= 4; i++)
		for (int side = 0; side < 2; side++) {
			char *metrics = xasprintf(
				"{\"iops\":{\"value\":%u,\"unit\":\"1/s\",\"better\":\"higher\","
				"\"headline\":true},\"count\":{\"value\":%u,\"unit\":\"\","
				"\"better\":\"none\",\"headline\":true}}",
				1000 + i + 500 * (unsigned int)side, i + 10 * (unsigned int)side);

			made_run(made, side ? "trace" : "none", i, "measured", "ok", metrics);
			free(metrics);
		}
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "iops");
	assert_int_equal(c->verdict, VERDICT_BETTER);
	assert_int_equal(c->family_size, 1);
	assert_true(c->at_worst_pct <= c->at_best_pct);
	c = comparison(&m, "config", "trace", "count");
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_non_null(c->reason);
	assert_int_equal(c->family_size, 0);
	made_analysis_release(&m);
}

static void a_split_by_few_ticks_has_no_verdict(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_comparison *c;

	for (unsigned int i = 1; i <= 4; i++) {
		made_times(made, "none", i, 5 + .01 * i, 4 + .01 * i, .7 + .001 * i);
		made_times(made, "trace", i, 6 + .02 * i, 4.5 + .02 * i, .9 + .002 * i);
	}
	/* no session: a tick of 4 ms, so that .8 s are 200 of them */
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "sys");
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_string_equal(c->reason, "split sampled at 4 ms");
	assert_false(isnan(c->ci95_pct[0]));
	assert_int_equal(c->family_size, 0);
	assert_int_equal(comparison(&m, "config", "trace", "user")->verdict, VERDICT_WORSE);
	assert_int_equal(comparison(&m, "config", "trace", "real")->family_size, 3);
	made_analysis_release(&m);
	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS,
		     ",\"environment\":{\"kernel.hz\":1000,"
		     "\"kernel.hz_tick_accounting\":\"tick\"}");
	made_analyse(made, &defaults, &m);
	assert_int_equal(comparison(&m, "config", "trace", "sys")->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS,
		     ",\"environment\":{\"kernel.hz\":100,\"kernel.hz_tick_accounting\":null}");
	made_analyse(made, &defaults, &m);
	assert_string_equal(comparison(&m, "config", "trace", "sys")->reason,
			    "split sampled at 10 ms");
	made_analysis_release(&m);
	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS,
		     ",\"environment\":{\"kernel.hz\":100,"
		     "\"kernel.hz_tick_accounting\":\"virt-gen\"}");
	made_analyse(made, &defaults, &m);
	assert_int_equal(comparison(&m, "config", "trace", "sys")->verdict, VERDICT_WORSE);
	assert_int_equal(comparison(&m, "config", "trace", "real")->family_size, 4);
	made_analysis_release(&m);
}

/* One real difference at p about .03, and points without any. */
static void points_of_a_workload_are_one_family(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;
	const struct analysis_comparison *c;

	made->point = "{\"n\":\"1\"}";
	rounds(made, (double[]){ 10, 10, 10, 10 }, (double[]){ 11, 13, 12, 11 }, 4);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_true(c->p > .05 / 3 && c->p < .05);
	assert_int_equal(c->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
	made->point = "{\"n\":\"2\"}";
	rounds(made, (double[]){ 10, 11, 12, 10 }, (double[]){ 11, 10, 12, 10.1 }, 4);
	made->point = "{\"n\":\"3\"}";
	rounds(made, (double[]){ 10, 11, 12, 10 }, (double[]){ 11, 10, 12, 10.1 }, 4);
	made_analyse(made, &defaults, &m);
	c = &m.analysis.comparisons[0];
	assert_int_equal(c->family_size, 3);
	assert_double(c->p_holm, 3 * c->p, 1e-12);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(c->reason, "not after correction for 3");
	assert_int_equal(m.analysis.nfamilies, 1);
	assert_int_equal(m.analysis.families[0].size, 3);
	made_analysis_release(&m);
	made->workload = "io";
	rounds(made, (double[]){ 10, 11, 12, 10 }, (double[]){ 11, 10, 12, 10.1 }, 4);
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.comparisons[0].family_size, 3);
	assert_int_equal(m.analysis.nfamilies, 2);
	made_analysis_release(&m);
}

static void other_metrics_have_intervals_and_no_verdict(void **state)
{
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	const struct analysis_comparison *c;
	struct made_analysis m;

	for (unsigned int i = 1; i <= 4; i++) {
		made_value(made, "none", i, "mkfs.real", 1 + .01 * i);
		made_value(made, "trace", i, "mkfs.real", 2 + .02 * i);
	}
	made_analyse(made, &options, &m);
	c = comparison(&m, "config", "trace", "mkfs.real");
	assert_int_equal(c->verdict, VERDICT_NONE);
	assert_null(c->reason);
	assert_false(isnan(c->ci95_pct[1]));
	assert_nan(c->p_holm);
	made_analysis_release(&m);
	options.all_metrics = true;
	made_analyse(made, &options, &m);
	c = comparison(&m, "config", "trace", "mkfs.real");
	assert_int_equal(c->verdict, VERDICT_WORSE);
	assert_int_equal(c->family_size, 1);
	made_analysis_release(&m);
}

static void one_metric_alone_keeps_its_correction(void **state)
{
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	struct made_analysis m;
	double p_holm;

	for (unsigned int i = 1; i <= 5; i++) {
		made_times(made, "none", i, 5 + .02 * i, 4 - .03 * i, 3 + .01 * (i % 3));
		made_times(made, "trace", i, 5.1 + .03 * (i % 3), 4.1, 3.02 + .01 * (i % 2));
	}
	made_analyse(made, &options, &m);
	p_holm = comparison(&m, "config", "trace", "sys")->p_holm;
	made_analysis_release(&m);
	options.metric = "sys";
	made_analyse(made, &options, &m);
	assert_int_equal(m.analysis.ncomparisons, 1);
	assert_int_equal(m.analysis.ngroups, 2);
	assert_int_equal(m.analysis.sections[0].ncomparisons, 1);
	assert_int_equal(m.analysis.cells[1]->first_group, 1);
	assert_string_equal(m.analysis.comparisons[0].fresh->metric, "sys");
	assert_string_equal(m.analysis.comparisons[0].fresh->cell->config, "trace");
	assert_double(m.analysis.comparisons[0].p_holm, p_holm, 0);
	assert_int_equal(m.analysis.comparisons[0].family_size, 4);
	made_analysis_release(&m);
}

static void a_result_that_hangs_on_one_run_says_so(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;
	unsigned int number = 0;

	/* eleven clear rounds, and one so far off that t no longer excludes 0 */
	for (unsigned int i = 1; i <= 12; i++) {
		made_value(made, "none", i, "real", 10 + .01 * i);
		number = made_value(made, "trace", i, "real", i == 12 ? 5 : 10.3 + .011 * i);
	}
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_true(c->p > .05);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(c->reason);
	assert_int_equal(strncmp(c->reason, "depends on run ", 15), 0);
	assert_int_equal(strtoul(c->reason + 15, NULL, 10), number);
	made_analysis_release(&m);
}

static void drift_larger_than_the_change_is_invalid(void **state)
{
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	struct made_analysis m;

	options.one_boot = true;
	for (unsigned int i = 1; i <= 20; i++)
		made_value(made, "none", i, "real", 10 + .2 * i);
	made->label = "6.2";
	made->session = "s2";
	made->boot = "boot2";
	for (unsigned int i = 1; i <= 20; i++)
		made_value(made, "none", i, "real", 12.5 + .01 * (i % 3));
	made_analyse(made, &options, &m);
	assert_int_equal(comparison(&m, "label", "6.2", "real")->verdict, VERDICT_INVALID);
	assert_string_equal(comparison(&m, "label", "6.2", "real")->reason,
			    "drift larger than the change");
	made_analysis_release(&m);
}

static void without_a_ratio_the_interval_is_in_units(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;

	rounds(made, (double[]){ -1, 0, 1 }, (double[]){ 4, 5, 6.3 }, 3);
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_nan(c->change_pct);
	assert_nan(c->ci95_pct[0]);
	assert_nan(c->at_worst_pct);
	assert_false(isnan(c->ci95_units[0]));
	assert_int_equal(c->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
}

static void printed_values_have_the_floor_of_their_rounding(void **state)
{
	static const double base[] = { 1.03, 1.03, 1.02 }, fresh[] = { 1.05, 1.05, 1.05 };
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	const struct analysis_comparison *c;
	struct made_analysis m;

	options.one_boot = true;
	for (int side = 0; side < 2; side++) {
		made->label = side ? "new" : "old";
		made->session = made->label;
		for (unsigned int i = 0; i < 3; i++) {
			char *metrics = xasprintf("{\"sig_inst\":{\"value\":%g,\"unit\":\"us\","
						  "\"better\":\"lower\",\"headline\":true,"
						  "\"half_step\":0.005}}",
						  side ? fresh[i] : base[i]);

			made_run(made, "none", i + 1, "measured", "ok", metrics);
			free(metrics);
		}
	}
	made_analyse(made, &options, &m);
	c = comparison(&m, "label", "new", "sig_inst");
	assert_digits(c->change_pct, 2.3, 1);
	assert_digits(c->ci95_pct[0], 1.1, 1);
	assert_digits(c->ci95_pct[1], 3.5, 1);
	assert_true(c->ci95_rounding_pct[0] < c->ci95_pct[0]);
	assert_true(c->ci95_rounding_pct[1] > c->ci95_pct[1]);
	made_analysis_release(&m);
}

/* ---- trust, ledger, marks ---- */

static void broken_rounds_that_were_made_up_for_are_trusted(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS, ",\"rounds\":3");
	rounds(made, (double[]){ 1, 2 }, (double[]){ 2, 3 }, 2);
	made_value(made, "none", 3, "real", 3);
	run_status_of(made, "trace", 3, "failed: x", 1);
	made_analyse(made, &defaults, &m);
	assert_true(m.analysis.untrusted);
	made_analysis_release(&m);
	made_value(made, "none", 4, "real", 3);
	made_value(made, "trace", 4, "real", 4);
	made_analyse(made, &defaults, &m);
	assert_false(m.analysis.untrusted);
	made_analysis_release(&m);
}

static void a_resumed_session_makes_up_for_the_first(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS, ",\"rounds\":3,\"resumes\":null");
	rounds(made, (double[]){ 1, 2 }, (double[]){ 2, 3 }, 2);
	run_status_of(made, "trace", 3, "failed: interrupted", 1);
	made->session = "s2";
	made_session(made, "2026-01-01T00:00:02Z", TWO_CONFIGS, ",\"rounds\":1,\"resumes\":\"s1\"");
	rounds(made, (double[]){ 3 }, (double[]){ 4 }, 1);
	made_analyse(made, &defaults, &m);
	assert_false(m.analysis.untrusted);
	assert_int_equal(comparison(&m, "config", "trace", "real")->n, 3);
	made_analysis_release(&m);
}

static void add_traced(struct made_set *made, unsigned int run, unsigned int round, bool traced,
		       const char *status, unsigned int lost)
{
	char *line = xasprintf(
		"{\"event\":\"end\",\"run\":%u,\"round\":%u,\"position\":%u,\"session\":\"s1\","
		"\"host\":\"h\",\"label\":\"l\",\"config\":\"%s\",\"workload\":\"w\","
		"\"status\":\"%s\",\"marks\":[{\"name\":\"steal\",\"text\":\"run %u\"}],"
		"\"metrics\":{\"cpu\":{\"value\":%.6f,\"unit\":\"s\",\"better\":\"lower\"},"
		"\"real\":{\"value\":%u,\"unit\":\"s\",\"better\":\"lower\"}},"
		"\"system\":{\"kthread_s\":%g}%s",
		run, round, traced ? 2 : 1, traced ? "trace" : "none", status, run,
		5 + .001 * round + (traced ? .2 : 0), traced ? 30 : 20, traced ? .75 : .5,
		traced ? "" : "}\n");

	made_append(made, line);
	free(line);
	if (!traced)
		return;
	line = xasprintf(",\"tracer\":{\"backend\":\"tracefs\",\"events\":%u,\"lost\":%u,"
			 "\"bytes\":4096,\"cpu_s\":0.25}}\n",
			 1000 * round, lost);
	made_append(made, line);
	free(line);
}

static void the_ledger_has_means_and_the_cost_of_an_event(void **state)
{
	struct made_set *made = *state;
	const struct analysis_ledger *ledger;
	struct made_analysis m;

	for (unsigned int round = 1; round <= 3; round++) {
		add_traced(made, 2 * round - 1, round, false, "ok", 0);
		add_traced(made, 2 * round, round, true, "ok", 0);
	}
	add_traced(made, 7, 4, false, "ok", 0);
	add_traced(made, 8, 4, true, "invalid", 12);
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.ncells, 2);
	ledger = &m.analysis.ledgers[0];
	assert_null(ledger->backend);
	assert_nan(ledger->events);
	assert_nan(ledger->lost);
	assert_double(ledger->kthread_s, .5, 1e-15);
	ledger = &m.analysis.ledgers[1];
	assert_string_equal(ledger->backend, "tracefs");
	assert_int_equal(ledger->n, 3);
	assert_double(ledger->events, 2000, 1e-15);
	assert_double(ledger->bytes, 4096, 1e-15);
	assert_double(ledger->cpu_s, .25, 1e-15);
	assert_double(ledger->lost, 12, 0);
	assert_double(ledger->event_cpu_s, .2 / 2000, 1e-9);
	assert_true(ledger->event_cpu_ci95_s[0] <= ledger->event_cpu_s);
	assert_int_equal(m.analysis.nmarks, 1);
	assert_int_equal(m.analysis.marks[0].n, 8);
	assert_string_equal(m.analysis.marks[0].text, "run 1");
	assert_int_equal(m.analysis.sections[0].npositions, 2);
	assert_double(m.analysis.sections[0].position_means[0], 20, 1e-15);
	assert_double(m.analysis.sections[0].position_means[1], 30, 1e-15);
	made_analysis_release(&m);
}

static void verdicts_have_names(void **state)
{
	(void)state;
	assert_string_equal(verdict_name(VERDICT_WORSE), "worse");
	assert_string_equal(verdict_name(VERDICT_BETTER), "better");
	assert_string_equal(verdict_name(VERDICT_EQUIVALENT), "equivalent");
	assert_string_equal(verdict_name(VERDICT_INCONCLUSIVE), "inconclusive");
	assert_string_equal(verdict_name(VERDICT_INVALID), "invalid");
	assert_string_equal(verdict_name(VERDICT_NONE), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_set_without_runs_gives_nothing),
		TEST(one_run_has_no_sd),
		TEST(warmups_failed_and_invalid_runs_are_left_out_and_counted),
		TEST(a_broken_round_is_out_for_all_configurations),
		TEST(rounds_are_pairs_whatever_their_order),
		TEST(rounds_of_several_sessions_are_not_mixed_up),
		TEST(a_round_that_was_done_again_counts_as_it_was_last),
		TEST(a_configuration_of_a_later_session_does_not_break_earlier_rounds),
		TEST(points_hosts_and_sets_are_never_pooled),
		TEST(metrics_of_another_unit_are_another_group),
		TEST(a_value_that_is_null_is_left_out_alone),
		TEST(the_experiment_names_the_baseline),
		TEST(labels_are_compared_as_published),
		TEST(from_three_boots_on_boots_are_the_unit),
		TEST(a_label_with_one_configuration_is_fine),
		TEST(fewer_than_three_rounds_are_too_few),
		TEST(equal_values_are_judged_by_the_clock),
		TEST(lost_runs_make_a_comparison_invalid),
		TEST(one_of_nine_lost_is_more_than_a_tenth),
		TEST(higher_can_be_better),
		TEST(a_split_by_few_ticks_has_no_verdict),
		TEST(points_of_a_workload_are_one_family),
		TEST(other_metrics_have_intervals_and_no_verdict),
		TEST(one_metric_alone_keeps_its_correction),
		TEST(a_result_that_hangs_on_one_run_says_so),
		TEST(drift_larger_than_the_change_is_invalid),
		TEST(without_a_ratio_the_interval_is_in_units),
		TEST(printed_values_have_the_floor_of_their_rounding),
		TEST(broken_rounds_that_were_made_up_for_are_trusted),
		TEST(a_resumed_session_makes_up_for_the_first),
		TEST(the_ledger_has_means_and_the_cost_of_an_event),
		TEST(verdicts_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
