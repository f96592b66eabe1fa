// SPDX-License-Identifier: GPL-3.0-or-later
/* What holds for any values, and the values at which formulae end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "results/report.h"
#include "tests/unit/analysis_tests.h"

enum { ROUNDS = 8, MOST = 16 };

/* Sides that differ by about 6 %, and vary together. */
static const double base_values[ROUNDS] = { 5.1, 6.0, 5.6, 6.3, 5.4, 5.2, 6.1, 5.9 };
static const double fresh_values[ROUNDS] = { 5.5, 6.2, 6.1, 6.6, 5.7, 5.7, 6.3, 6.4 };

/* What does not depend on the unit or on which lines stand first. */
struct row {
	double change_pct, low, high, at_worst, at_best, p, mde;
	enum verdict verdict;
	size_t n;
};

/* The row of trace against none, in rounds, or of label b against a where by_label. */
static struct row row_of(const struct made_set *made, bool by_label)
{
	struct analysis_options options = defaults;
	const struct analysis_comparison *c;
	struct made_analysis m;
	struct row row;

	options.one_boot = true;
	made_analyse(made, &options, &m);
	c = by_label ? comparison(&m, "label", "b", "real") :
		       comparison(&m, "config", "trace", "real");
	assert_non_null(c);
	row = (struct row){ c->change_pct, c->ci95_pct[0], c->ci95_pct[1], c->at_worst_pct,
			    c->at_best_pct, c->p, c->mde_pct, c->verdict, c->n };
	made_analysis_release(&m);
	return row;
}

static struct row row_of_rounds(const double *none, const double *trace, size_t n, double scale)
{
	double x[MOST], y[MOST];
	struct made_set made;
	struct row row;

	for (size_t i = 0; i < n; i++) {
		x[i] = scale * none[i];
		y[i] = scale * trace[i];
	}
	made_set_init(&made);
	rounds(&made, x, y, (unsigned int)n);
	row = row_of(&made, false);
	made_set_release(&made);
	return row;
}

static struct row row_of_labels(const double *a, size_t na, const double *b, size_t nb,
				double scale)
{
	struct made_set made;
	struct row row;

	made_set_init(&made);
	made.label = "a";
	made_session(&made, "2026-01-01T00:00:01Z", "[]", "");
	for (size_t i = 0; i < na; i++)
		made_value(&made, "none", (unsigned int)i + 1, "real", scale * a[i]);
	made.label = "b";
	made.session = "s2";
	made_session(&made, "2026-01-01T00:00:02Z", "[]", "");
	for (size_t i = 0; i < nb; i++)
		made_value(&made, "none", (unsigned int)i + 1, "real", scale * b[i]);
	row = row_of(&made, true);
	made_set_release(&made);
	return row;
}

static void assert_same_row(const struct row *a, const struct row *b)
{
	assert_double(a->change_pct, b->change_pct, 1e-6);
	assert_double(a->low, b->low, 1e-6);
	assert_double(a->high, b->high, 1e-6);
	assert_double(a->at_worst, b->at_worst, 1e-6);
	assert_double(a->at_best, b->at_best, 1e-6);
	assert_double(a->p, b->p, 1e-8);
	assert_double(a->mde, b->mde, 1e-6);
	assert_int_equal(a->verdict, b->verdict);
	assert_int_equal(a->n, b->n);
}

/* 100 (ratio - 1) of the inverse ratio */
static double inverse_pct(double pct)
{
	return 100 * (1 / (1 + pct / 100) - 1);
}

static void assert_mirrored(const struct row *a, const struct row *b)
{
	assert_double(a->change_pct, inverse_pct(b->change_pct), 1e-6);
	assert_double(a->low, inverse_pct(b->high), 1e-6);
	assert_double(a->high, inverse_pct(b->low), 1e-6);
	assert_double(a->at_worst, inverse_pct(b->at_best), 1e-6);
	assert_double(a->p, b->p, 1e-8);
	assert_int_equal(a->verdict, VERDICT_WORSE);
	assert_int_equal(b->verdict, VERDICT_BETTER);
}

static void scaling_changes_nothing(void **state)
{
	static const double scales[] = { 1e-3, .1, 60, 1e6 };
	struct row paired = row_of_rounds(base_values, fresh_values, ROUNDS, 1), other;
	struct row unpaired = row_of_labels(base_values, ROUNDS, fresh_values, 5, 1);

	(void)state;
	assert_int_equal(paired.verdict, VERDICT_WORSE);
	for (size_t i = 0; i < ARRAY_SIZE(scales); i++) {
		other = row_of_rounds(base_values, fresh_values, ROUNDS, scales[i]);
		assert_same_row(&other, &paired);
		other = row_of_labels(base_values, ROUNDS, fresh_values, 5, scales[i]);
		assert_same_row(&other, &unpaired);
	}
}

static void swapping_the_sides_inverts_the_ratio(void **state)
{
	static const double slow[5] = { 8.1, 8.3, 8.2, 8.4, 8.2 };
	struct row there = row_of_rounds(base_values, fresh_values, ROUNDS, 1);
	struct row back = row_of_rounds(fresh_values, base_values, ROUNDS, 1);

	(void)state;
	assert_mirrored(&there, &back);
	there = row_of_labels(base_values, ROUNDS, slow, 5, 1);
	back = row_of_labels(slow, 5, base_values, ROUNDS, 1);
	assert_mirrored(&there, &back);
}

/* The JSON report without its sets, whose hash is of the bytes. */
static char *report_of(const struct made_set *made)
{
	const struct report_options options = { .width = 72 };
	struct made_analysis m;
	struct buf out = BUF_INIT;
	struct err err = { 0 };
	json_t *report;
	char *text;

	made_analyse(made, &defaults, &m);
	assert_int_equal(report_find("json")->write(&m.analysis, &options, &out, &err), 0);
	made_analysis_release(&m);
	report = json_loads(out.s, 0, NULL);
	buf_release(&out);
	json_object_del(report, "sets");
	text = json_dumps(report, JSON_INDENT(1));
	json_decref(report);
	return text;
}

/* Writes the lines of runs.jsonl in another order. */
static void shuffle_lines(const struct made_set *made, unsigned int seed)
{
	auto_free char *path = files_join(made->path, "runs.jsonl");
	auto_buf struct buf text = BUF_INIT, out = BUF_INIT;
	char *lines[8 * MOST], *rest, *swap;
	struct err err = { 0 };
	size_t n = 0;

	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 20, &text), 0);
	for (char *line = strtok_r(text.s, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		lines[n++] = line;
	srand48(seed);
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = (size_t)(drand48() * (double)(i + 1));

		swap = lines[i];
		lines[i] = lines[k];
		lines[k] = swap;
	}
	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s\n", lines[i]);
	assert_int_equal(files_replace(path, out.s, out.len, &err), 0);
}

/* Runs are in order by their numbers, wherever their lines stand. */
static void the_order_of_lines_changes_nothing(void **state)
{
	struct made_set *made = *state;
	char *report, *other;

	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS, ",\"rounds\":8");
	rounds(made, base_values, fresh_values, ROUNDS);
	report = report_of(made);
	for (unsigned int seed = 1; seed <= 5; seed++) {
		shuffle_lines(made, seed);
		other = report_of(made);
		assert_string_equal(other, report);
		free(other);
	}
	free(report);
}

/* ---- ends ---- */

static void so_few_rounds_have_no_verdict_and_no_figure_that_lies(void **state)
{
	struct row row = row_of_rounds(base_values, fresh_values, 1, 1);

	(void)state;
	assert_int_equal(row.verdict, VERDICT_INCONCLUSIVE);
	assert_double(row.change_pct, 100 * (5.5 / 5.1 - 1), 1e-9);
	assert_true(isnan(row.low) && isnan(row.high) && isnan(row.p) && isnan(row.mde));
	row = row_of_rounds(base_values, fresh_values, 2, 1);
	assert_int_equal(row.verdict, VERDICT_INCONCLUSIVE);
	assert_true(row.p > 0 && row.p < 1);
	row = row_of_labels(base_values, 1, fresh_values, ROUNDS, 1);
	assert_int_equal(row.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(row.n, 1);
	assert_true(isnan(row.low) && isnan(row.p));
}

static void unequal_numbers_of_runs_are_judged_by_the_smaller(void **state)
{
	static const double slow[3] = { 8.1, 8.3, 8.2 };
	struct row row = row_of_labels(base_values, ROUNDS, slow, 3, 1);

	(void)state;
	assert_int_equal(row.n, 3);
	assert_int_equal(row.verdict, VERDICT_WORSE);
	assert_true(row.low > 0 && row.high < 60);
}

static void a_side_without_spread_is_no_crash_and_no_division_by_0(void **state)
{
	static const double equal[ROUNDS] = { 5, 5, 5, 5, 5, 5, 5, 5 };
	struct row row = row_of_rounds(equal, fresh_values, ROUNDS, 1);

	(void)state;
	assert_int_equal(row.verdict, VERDICT_WORSE);
	assert_true(row.p > 0 && row.p < .05);
	row = row_of_labels(fresh_values, ROUNDS, equal, ROUNDS, 1);
	assert_int_equal(row.verdict, VERDICT_BETTER);
	/* no spread on either side: the same to the clock's nanosecond, and so equivalent */
	row = row_of_rounds(equal, equal, ROUNDS, 1);
	assert_int_equal(row.verdict, VERDICT_EQUIVALENT);
	assert_double(row.change_pct, 0, 0);
	assert_double(row.p, 1, 0);
	row = row_of_labels(equal, ROUNDS, equal, 3, 1);
	assert_int_equal(row.verdict, VERDICT_EQUIVALENT);
}

static void means_of_0_and_below_have_a_p_and_no_percent(void **state)
{
	static const double zero[ROUNDS] = { 0 };
	static const double below[ROUNDS] = { -1, -2, -1.5, -1.2, -1.1, -1.9, -1.4, -1.6 };
	struct row row = row_of_rounds(zero, fresh_values, ROUNDS, 1);

	(void)state;
	assert_true(isnan(row.change_pct) && isnan(row.low) && isnan(row.mde));
	assert_true(row.p < .001);
	assert_int_equal(row.verdict, VERDICT_WORSE);
	row = row_of_rounds(fresh_values, zero, ROUNDS, 1);
	assert_true(isnan(row.change_pct));
	assert_int_equal(row.verdict, VERDICT_BETTER);
	row = row_of_labels(below, ROUNDS, fresh_values, ROUNDS, 1);
	assert_true(isnan(row.change_pct) && isnan(row.low));
	assert_int_equal(row.verdict, VERDICT_WORSE);
	row = row_of_rounds(zero, zero, ROUNDS, 1);
	assert_true(isnan(row.change_pct));
	assert_int_equal(row.verdict, VERDICT_INCONCLUSIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaling_changes_nothing),
		cmocka_unit_test(swapping_the_sides_inverts_the_ratio),
		MADE_TEST(the_order_of_lines_changes_nothing),
		cmocka_unit_test(so_few_rounds_have_no_verdict_and_no_figure_that_lies),
		cmocka_unit_test(unequal_numbers_of_runs_are_judged_by_the_smaller),
		cmocka_unit_test(a_side_without_spread_is_no_crash_and_no_division_by_0),
		cmocka_unit_test(means_of_0_and_below_have_a_p_and_no_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
