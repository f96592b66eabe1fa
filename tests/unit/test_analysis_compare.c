// SPDX-License-Identifier: GPL-3.0-or-later
/* What is compared with what, and what is counted as independent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "results/report.h"
#include "tests/unit/analysis_tests.h"
#include "tests/unit/published.h"

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

/* Rounds of several boots are one sample; how alike the boots are is shown beside it. */
static void the_change_inside_each_boot_is_shown(void **state)
{
	const struct report_options options = { .width = 100 };
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct buf out = BUF_INIT;
	struct made_analysis m;
	struct err err = { 0 };

	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS, "");
	for (unsigned int boot = 0; boot < 3; boot++) {
		made->boot = (const char *[]){ "b1", "b2", "b3" }[boot];
		for (unsigned int i = 1; i <= 2; i++) {
			made_value(made, "none", 2 * boot + i, "real", 1 + .01 * i);
			made_value(made, "trace", 2 * boot + i, "real",
				   (1 + .01 * i) * (1.1 + .1 * boot));
		}
	}
	made_analyse(made, &defaults, &m);
	c = comparison(&m, "config", "trace", "real");
	assert_int_equal(c->n, 6);
	assert_int_equal(c->nboots, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(c->boots[i].n, 2);
		assert_double(c->boots[i].change_pct, 10 + 10. * (double)i, 1e-9);
	}
	assert_int_equal(report_find("text")->write(&m.analysis, &options, &out, &err), 0);
	assert_non_null(strstr(out.s, "change by boot (3): real +10.0, +20.0, +30.0 %"));
	buf_release(&out);
	made_analysis_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(the_experiment_names_the_baseline),
		MADE_TEST(labels_are_compared_as_published),
		MADE_TEST(from_three_boots_on_boots_are_the_unit),
		MADE_TEST(a_label_with_one_configuration_is_fine),
		MADE_TEST(the_change_inside_each_boot_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
