// SPDX-License-Identifier: GPL-3.0-or-later
/* The figures of four posts, from their sets to the verdict, to the digits that are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "results/ratio.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/published.h"
#include "tests/unit/published_set.h"

#define MARKERS_BASE "2.6.23-rc6 + 2.6.23-rc6-mm1"
#define MARKERS_NEW "2.6.23-rc6 + 2.6.23-rc6-mm1 + markers"

static const struct analysis_options defaults = ANALYSIS_OPTIONS_INIT;

static void assert_interval(const double actual[2], double low, double high, int places)
{
	assert_digits(actual[0], low, places);
	assert_digits(actual[1], high, places);
}

/* ---- kernel builds, 2005 ---- */

static const struct {
	const char *metric;
	double mean[2], sd[2], change_pct, p, ci95[2], ci90[2], units[2], holm, mde;
	enum verdict verdict;
} builds[3] = {
	{ "real", { 422.252, 421.0078333 }, { 1.217795714, .4229507852 }, -.29465027, .0547004,
	  { -.595624, .008114 }, { -.534299, -.053895 }, { -2.52249241, .03415908 }, .10940, .417,
	  VERDICT_EQUIVALENT },
	{ "user", { 384.4186667, 384.972 }, { .6608439049, .5091231678 }, .14394029, .1372646,
	  { -.055136, .343567 }, { -.017679, .305913 }, { -.21224597, 1.31891263 }, .13726, .278,
	  VERDICT_EQUIVALENT },
	{ "sys", { 57.382, 56.3405 }, { .4941109187, .3743259275 }, -1.81502910, .0024298,
	  { -2.788246, -.828283 }, { -2.606059, -1.015298 }, { -1.61102624, -.47197376 }, .00729,
	  1.383, VERDICT_BETTER },
};

static void kernel_builds_prove_sys_alone(void **state)
{
	struct made_analysis m;

	(void)state;
	published_analyse("lsm-kernel-build", &defaults, &m);
	assert_int_equal(m.analysis.ngroups, 6); /* nothing is derived: no cpu */
	assert_int_equal(m.analysis.ncomparisons, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct analysis_comparison *c =
			published_row(&m, "label", "none", builds[i].metric);
		double ci90[2] = { ratio_change_pct(c->ci90.low), ratio_change_pct(c->ci90.high) };

		assert_digits(c->base->mean, builds[i].mean[0], 7);
		assert_digits(c->fresh->mean, builds[i].mean[1], 7);
		assert_digits(c->base->sd, builds[i].sd[0], 9);
		assert_digits(c->fresh->sd, builds[i].sd[1], 9);
		assert_digits(c->change_pct, builds[i].change_pct, 8);
		assert_digits(c->p, builds[i].p, 7);
		assert_digits(c->p_holm, builds[i].holm, 5);
		assert_interval(c->ci95_pct, builds[i].ci95[0], builds[i].ci95[1], 6);
		assert_interval(ci90, builds[i].ci90[0], builds[i].ci90[1], 6);
		assert_interval(c->ci95_units, builds[i].units[0], builds[i].units[1], 8);
		assert_digits(c->mde_pct, builds[i].mde, 3);
		assert_int_equal(c->family_size, 3);
		assert_int_equal(c->verdict, builds[i].verdict);
		assert_string_equal(c->unit, "run");
		assert_false(c->paired);
		assert_false(c->confounded);
		/* printed to the millisecond: rounding allows a little more on both ends */
		assert_true(c->ci95_rounding_pct[0] < c->ci95_pct[0]);
		assert_true(c->ci95_rounding_pct[1] > c->ci95_pct[1]);
	}
	made_analysis_release(&m);
}

static void the_values_are_those_of_the_post(void **state)
{
	static const char *const metrics[] = { "real", "user", "sys" };
	struct made_analysis m;

	(void)state;
	published_analyse("lsm-kernel-build", &defaults, &m);
	for (size_t i = 0; i < 3; i++) {
		const struct analysis_comparison *c =
			published_row(&m, "label", "none", metrics[i]);

		assert_int_equal(c->base->n, 6);
		assert_int_equal(c->fresh->n, 6);
		for (size_t k = 0; k < 6; k++) {
			assert_double(c->base->values[k], lsm[i][0][k], 0);
			assert_double(c->fresh->values[k], lsm[i][1][k], 0);
		}
		assert_double(c->base->step, .001, 1e-15);
	}
	made_analysis_release(&m);
}

/* ---- markers, 2007 ---- */

static void neither_claim_on_markers_is_shown(void **state)
{
	struct made_analysis m;
	const struct analysis_comparison *c;

	(void)state;
	published_analyse("markers", &defaults, &m);
	c = published_row(&m, "label", "none", "real");
	assert_string_equal(c->base->cell->label, MARKERS_BASE);
	assert_string_equal(c->fresh->cell->label, MARKERS_NEW);
	assert_true(c->base->summarised);
	assert_int_equal(c->n, 10);
	assert_digits(c->change_pct, 2.132557, 6);
	assert_digits(c->p, .1674691666, 10);
	assert_interval(c->ci95_units, -.147639, .773757, 6);
	assert_interval(c->ci95_pct, -1.000, 5.304, 3);
	assert_digits(ratio_change_pct(c->ci90.low), -.444, 3);
	assert_digits(ratio_change_pct(c->ci90.high), 4.737, 3);
	assert_digits(c->mde_pct, 4.41, 2);
	assert_double(c->runs_needed[0], 44, 0);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	c = published_row(&m, "label", "blktrace", "real");
	assert_digits(c->change_pct, -3.818450, 6);
	assert_digits(c->p, .3970535227, 10);
	assert_interval(c->ci95_units, -3.646882, 1.527276, 6);
	assert_interval(c->ci95_pct, -12.868, 5.636, 3);
	assert_digits(ratio_change_pct(c->ci90.low), -11.280, 3);
	assert_digits(ratio_change_pct(c->ci90.high), 3.932, 3);
	assert_digits(c->mde_pct, 13.1, 1);
	assert_double(c->runs_needed[0], 379, 0);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(c->family_size, 2);
	made_analysis_release(&m);
}

static void blktrace_itself_is_real(void **state)
{
	struct made_analysis m;
	const struct analysis_comparison *c;

	(void)state;
	published_analyse("markers", &defaults, &m);
	c = published_row(&m, "config", MARKERS_BASE, "real");
	assert_string_equal(c->fresh->cell->config, "blktrace");
	assert_digits(c->change_pct, 89.1, 1);
	assert_interval(c->ci95_pct, 78.7, 99.5, 1);
	assert_int_equal(c->verdict, VERDICT_WORSE);
	assert_false(c->paired); /* nobody says which runs were of one round */
	c = published_row(&m, "config", MARKERS_NEW, "real");
	assert_digits(c->change_pct, 78.0, 1);
	assert_interval(c->ci95_pct, 62.3, 93.9, 1);
	assert_int_equal(c->verdict, VERDICT_WORSE);
	made_analysis_release(&m);
}

static void markers_do_not_change_what_blktrace_costs(void **state)
{
	struct made_analysis m;
	const struct analysis_interaction *i;

	(void)state;
	published_analyse("markers", &defaults, &m);
	assert_int_equal(m.analysis.ninteractions, 1);
	assert_int_equal(m.analysis.sections[0].ninteractions, 1);
	i = &m.analysis.interactions[0];
	assert_string_equal(i->c.kind, "interaction");
	assert_string_equal(i->c.base->cell->label, MARKERS_BASE);
	assert_string_equal(i->c.fresh->cell->label, MARKERS_NEW);
	assert_string_equal(i->c.fresh->cell->config, "blktrace");
	assert_string_equal(i->fresh_of->cell->config, "none");
	assert_digits(1 + i->c.change_pct / 100, .9417, 4);
	assert_digits(1 + i->c.ci95_pct[0] / 100, .8526, 4);
	assert_digits(1 + i->c.ci95_pct[1] / 100, 1.0401, 4);
	assert_digits(i->c.p, .2207, 4);
	assert_double(i->c.difference, (26.694993 - 14.993041) - (27.754796 - 14.679982), 1e-12);
	assert_true(i->c.ci95_units[0] < i->c.difference && i->c.difference < i->c.ci95_units[1]);
	assert_int_equal(i->c.verdict, VERDICT_NONE);
	assert_false(i->c.confounded);
	made_analysis_release(&m);
}

/* ---- paravirt, 2007 ---- */

static const char *const paravirt_metrics[10] = {
	"null_call", "null_io", "stat", "open_close", "select_tcp",
	"sig_inst", "sig_hndl", "fork", "exec", "sh",
};

static void of_ten_paravirt_rows_two_survive(void **state)
{
	struct made_analysis m;

	(void)state;
	published_analyse("paravirt", &defaults, &m);
	assert_int_equal(m.analysis.ncomparisons, 10);
	for (size_t i = 0; i < 10; i++) {
		const struct paravirt_row *row = &paravirt[i];
		const struct analysis_comparison *c =
			published_row(&m, "label", "none", paravirt_metrics[i]);
		bool shown = !strcmp(row->name, "null") || !strcmp(row->name, "fork");

		for (size_t k = 0; k < 3; k++) {
			assert_double(c->base->values[k], row->base[k], 0);
			assert_double(c->fresh->values[k], row->new[k], 0);
		}
		assert_double(c->base->step, row->step, 1e-12);
		assert_digits(c->change_pct, row->change_pct, row->change_places);
		assert_interval(c->ci95_pct, row->low_pct, row->high_pct, row->bound_places);
		assert_int_equal(c->family_size, 10);
		assert_int_equal(c->verdict, shown ? VERDICT_WORSE : VERDICT_INCONCLUSIVE);
	}
	assert_digits(published_row(&m, "label", "none", "null_call")->p_holm, .002, 3);
	assert_digits(published_row(&m, "label", "none", "fork")->p_holm, .019, 3);
	made_analysis_release(&m);
}

/* ---- lmbench, 2005 ---- */

/* Averages are printed finer than a clock ticks: 1.336 ns has the step of its digits. */
static void lmbench_rows_have_the_step_of_their_digits(void **state)
{
	struct made_analysis m;

	(void)state;
	published_analyse("lsm-lmbench", &defaults, &m);
	assert_int_equal(published_row(&m, "label", "none", "l1.lat")->verdict, VERDICT_EQUIVALENT);
	assert_int_equal(published_row(&m, "label", "none", "delete.0k")->verdict, VERDICT_WORSE);
	assert_int_equal(published_row(&m, "label", "none", "tcp.lat")->verdict, VERDICT_BETTER);
	/* more is better */
	assert_int_equal(published_row(&m, "label", "none", "mem_write.bw")->verdict,
			 VERDICT_WORSE);
	assert_int_equal(published_row(&m, "label", "none", "l1.lat")->family_size, 43);
	made_analysis_release(&m);
}

/* ---- all of them ---- */

static void every_set_is_read_whole_and_named(void **state)
{
	static const struct {
		const char *name;
		size_t runs, summaries, comparisons;
	} sets[] = {
		{ "lsm-kernel-build", 12, 0, 3 }, { "lsm-lmbench", 8, 0, 43 },
		{ "markers", 0, 4, 4 },		  { "paravirt", 6, 0, 10 },
		{ "paravirt-patching", 6, 0, 10 }, { "ltt", 6, 0, 25 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		struct made_analysis m;
		const char *id;
		json_t *session;

		published_analyse(sets[i].name, &defaults, &m);
		assert_int_equal(m.data.nruns, sets[i].runs);
		assert_int_equal(m.data.nsummaries, sets[i].summaries);
		assert_int_equal(m.analysis.ncomparisons, sets[i].comparisons);
		assert_false(m.analysis.untrusted);
		json_object_foreach(m.data.sessions, id, session) {
			const json_t *source = set_imported(session);

			assert_non_null(source);
			assert_non_null(json_string_value(json_object_get(source, "title")));
			assert_non_null(json_string_value(json_object_get(source, "date")));
			assert_string_equal(json_string_value(json_object_get(session, "id")), id);
		}
		for (size_t g = 0; g < m.analysis.ngroups; g++) {
			assert_string_not_equal(m.analysis.groups[g].metric, "cpu");
			assert_string_equal(m.analysis.groups[g].cell->workload, "imported");
		}
		made_analysis_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_builds_prove_sys_alone),
		cmocka_unit_test(the_values_are_those_of_the_post),
		cmocka_unit_test(neither_claim_on_markers_is_shown),
		cmocka_unit_test(blktrace_itself_is_real),
		cmocka_unit_test(markers_do_not_change_what_blktrace_costs),
		cmocka_unit_test(of_ten_paravirt_rows_two_survive),
		cmocka_unit_test(lmbench_rows_have_the_step_of_their_digits),
		cmocka_unit_test(every_set_is_read_whole_and_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
