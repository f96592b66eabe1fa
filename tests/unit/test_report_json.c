// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "results/report.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/made_set.h"

static const struct analysis_options defaults = ANALYSIS_OPTIONS_INIT;

static char *text_of(const struct made_set *made, const struct analysis_options *options)
{
	const struct report_options report_options = { .width = 72 };
	struct buf out = BUF_INIT;
	struct made_analysis m;
	struct err err = { 0 };

	made_analyse(made, options, &m);
	assert_int_equal(report_find("json")->write(&m.analysis, &report_options, &out, &err), 0);
	made_analysis_release(&m);
	return buf_steal(&out);
}

static json_t *report_of(const struct made_set *made, const struct analysis_options *options)
{
	char *text = text_of(made, options);
	struct err err = { 0 };
	json_t *report;

	/* refuses repeated keys */
	assert_int_equal(json_parse(text, strlen(text), "report", &report, &err), 0);
	free(text);
	return report;
}

/* The keys of an object, in order, as "a b c". */
static void assert_keys(const json_t *object, const char *expected)
{
	auto_buf struct buf keys = BUF_INIT;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
		buf_addf(&keys, "%s%s", keys.len ? " " : "", key);
	assert_string_equal(keys.s, expected);
}

static const json_t *element(const json_t *report, const char *array, size_t i)
{
	const json_t *item = json_array_get(json_object_get(report, array), i);

	assert_non_null(item);
	return item;
}

static void sleep_rounds(struct made_set *made)
{
	for (unsigned int i = 0; i < 10; i++) {
		made_value(made, "none", i + 1, "real", 10 + .1 * i + .001 * (i % 3));
		made_value(made, "trace", i + 1, "real", 11 + .1 * i + .002 * (i % 4));
	}
}

static void the_keys_are_those_that_are_documented(void **state)
{
	struct made_set *made = *state;
	json_t *report;
	const json_t *comparison;

	made->point = "{\"jobs\":4}";
	sleep_rounds(made);
	report = report_of(made, &defaults);
	assert_keys(report, "schema sets margin_pct effect_pct options untrusted differences "
			    "work_differences counts families groups comparisons not_compared");
	assert_keys(element(report, "groups", 0),
		    "set host label config workload point metric unit better headline "
		    "half_step n mean sd median min max ci95 values missing_in");
	comparison = element(report, "comparisons", 0);
	assert_keys(comparison,
		    "host workload point metric base new kind unit paired noise_floor change_pct ci95_pct "
		    "change ci95_units ci95_rounding_pct at_worst_pct at_best_pct p p_holm family_size rank "
		    "boots mde_pct mde_holm_pct runs_needed verdict reason");
	assert_keys(json_object_get(comparison, "base"), "set label config n mean sd");
	assert_keys(json_object_get(comparison, "new"), "set label config n mean sd");
	assert_keys(json_object_get(comparison, "runs_needed"), "effect_pct power n lo hi n_holm");
	assert_keys(element(report, "sets", 0), "set hash sessions runs unended skipped_lines "
						"unread_sessions missing_sessions");
	assert_keys(json_object_get(report, "options"),
		    "base_config base_label metric all_metrics one_boot base new");
	assert_keys(element(report, "counts", 0),
		    "set host label config workload point ok failed invalid warmup left_out");
	assert_keys(element(report, "families", 0), "workload kind headline size correction");
	assert_string_equal(json_get_text(report, "schema", ""), "1.0");
	assert_int_equal(json_get_int(json_object_get(comparison, "point"), "jobs", 0), 4);
	json_decref(report);
}

static void figures_are_those_of_the_analysis_unrounded(void **state)
{
	struct made_set *made = *state;
	const struct analysis_comparison *c;
	struct made_analysis m;
	json_t *report;
	const json_t *item;

	sleep_rounds(made);
	report = report_of(made, &defaults);
	made_analyse(made, &defaults, &m);
	assert_int_equal(json_array_size(json_object_get(report, "groups")), 2);
	item = element(report, "groups", 1);
	assert_double(json_get_number(item, "mean"), m.analysis.groups[1].mean, 0);
	assert_double(json_get_number(item, "sd"), m.analysis.groups[1].sd, 0);
	assert_int_equal(json_get_int(item, "n", 0), 10);
	assert_int_equal(json_array_size(json_object_get(item, "values")), 10);
	for (size_t i = 0; i < 10; i++)
		assert_double(json_real_value(json_array_get(json_object_get(item, "values"), i)),
			      m.analysis.groups[1].values[i], 0);
	assert_int_equal(json_array_size(json_object_get(report, "comparisons")), 1);
	c = &m.analysis.comparisons[0];
	item = element(report, "comparisons", 0);
	assert_double(json_get_number(item, "change_pct"), c->change_pct, 0);
	assert_double(json_number_value(json_array_get(json_object_get(item, "ci95_pct"), 1)),
		      c->ci95_pct[1], 0);
	assert_double(json_get_number(item, "p"), c->p, 0);
	assert_double(json_get_number(item, "p_holm"), c->p_holm, 0);
	assert_int_equal(json_get_int(item, "family_size", 0), 1);
	assert_string_equal(json_get_text(item, "verdict", ""), "worse");
	assert_string_equal(json_get_text(item, "unit", ""), "round");
	assert_true(json_is_true(json_object_get(item, "paired")));
	assert_true(json_is_null(json_object_get(item, "reason")));
	assert_true(json_is_null(json_object_get(item, "ci95_rounding_pct")));
	made_analysis_release(&m);
	json_decref(report);
}

static void unknown_is_null(void **state)
{
	struct made_set *made = *state;
	struct analysis_options options = defaults;
	const json_t *item;
	json_t *report;

	options.effect_pct = 0;
	made_value(made, "none", 1, "mkfs.real", 1);
	made_value(made, "trace", 1, "mkfs.real", 2);
	report = report_of(made, &options);
	item = element(report, "groups", 0);
	assert_double(json_get_number(item, "mean"), 1, 0);
	assert_true(json_is_null(json_object_get(item, "sd")));
	assert_true(json_is_null(json_object_get(item, "ci95")));
	item = element(report, "comparisons", 0);
	assert_double(json_get_number(item, "change_pct"), 100, 0);
	assert_true(json_is_null(json_object_get(item, "ci95_pct")));
	assert_true(json_is_null(json_object_get(item, "p")));
	assert_true(json_is_null(json_object_get(item, "mde_pct")));
	assert_true(json_is_null(json_object_get(item, "runs_needed")));
	assert_true(json_is_null(json_object_get(item, "family_size")));
	assert_true(json_is_null(json_object_get(item, "verdict")));
	json_decref(report);
}

static void a_set_without_runs_is_a_whole_document(void **state)
{
	json_t *report = report_of(*state, &defaults);

	assert_int_equal(json_array_size(json_object_get(report, "groups")), 0);
	assert_true(json_is_array(json_object_get(report, "comparisons")));
	assert_int_equal(json_get_int(element(report, "sets", 0), "runs", -1), 0);
	json_decref(report);
}

static void names_come_through_as_they_are(void **state)
{
	struct made_set *made = *state;
	const json_t *item;
	json_t *report;

	made->label = "gr\xc3\xb6\xc3\x9f" "e \x1b[31m\"\\";
	made_value(made, "none", 1, "real", 1);
	made_append(made, "{\"torn\n");
	report = report_of(made, &defaults);
	item = element(report, "groups", 0);
	assert_string_equal(json_get_text(item, "label", ""), made->label);
	assert_int_equal(json_get_int(element(report, "sets", 0), "skipped_lines", 0), 1);
	json_decref(report);
}

static void counts_say_what_is_in_no_mean(void **state)
{
	static const char metrics[] = MADE_METRIC("real", "9");
	struct made_set *made = *state;
	const json_t *item;
	json_t *report;

	sleep_rounds(made);
	made_run(made, "none", 1, "warmup", "ok", metrics);
	made_run(made, "none", 11, "measured", "ok", metrics);
	made_run(made, "trace", 11, "measured", "invalid: lost", metrics);
	report = report_of(made, &defaults);
	item = element(report, "counts", 0);
	assert_int_equal(json_get_int(item, "ok", 0), 11);
	assert_int_equal(json_get_int(item, "warmup", 0), 1);
	assert_int_equal(json_get_int(item, "left_out", 0), 1);
	item = element(report, "counts", 1);
	assert_int_equal(json_get_int(item, "invalid", 0), 1);
	assert_true(json_is_true(json_object_get(report, "untrusted")));
	json_decref(report);
}

static void the_same_set_gives_the_same_bytes(void **state)
{
	struct made_set *made = *state;
	char *first, *second;

	sleep_rounds(made);
	first = text_of(made, &defaults);
	second = text_of(made, &defaults);
	assert_string_equal(first, second);
	assert_int_equal(first[strlen(first) - 1], '\n');
	free(first);
	free(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(the_keys_are_those_that_are_documented),
		MADE_TEST(figures_are_those_of_the_analysis_unrounded),
		MADE_TEST(unknown_is_null),
		MADE_TEST(a_set_without_runs_is_a_whole_document),
		MADE_TEST(names_come_through_as_they_are),
		MADE_TEST(counts_say_what_is_in_no_mean),
		MADE_TEST(the_same_set_gives_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
