// SPDX-License-Identifier: GPL-3.0-or-later
/* What report writes as JSON and CSV comes back: each value of each run, and each mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/parsed_figures.h"
#include "tests/unit/published_set.h"
#include "tests/unit/report_tests.h"

static const struct report_options plain = { .width = 72 };

/* A set with everything that a place can have, and a name that CSV has to guard. */
static void fill(struct made_set *made)
{
	made->label = "6.1, \\\"patched\\\"";
	made->point = "{\"jobs\":\"4\",\"argv\":\"a b\"}";
	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, ",\"rounds\":3");
	for (unsigned int i = 0; i < 3; i++) {
		add_line(made, 2 * i + 1, i + 1, "none", 1, "measured", 5 + i / 3., 4.08, 2.9,
			 ",\"status\":\"ok\"");
		add_line(made, 2 * i + 2, i + 1, "blktrace", 2, "measured", 5.5 + i / 7., 4.5,
			 3.25 + i, ",\"status\":\"ok\"");
	}
}

/* The i-th value of this metric under a configuration. */
static const struct parsed_value *value_at(const struct parsed *parsed, const char *config,
					   const char *metric, size_t i)
{
	for (size_t k = 0; k < parsed->n; k++) {
		if (strcmp(parsed->records[k].config, config) != 0 ||
		    !parsed_metric(parsed, k, metric) || i--)
			continue;
		return parsed_metric(parsed, k, metric);
	}
	return NULL;
}

static void assert_group(const struct parsed *parsed, const struct analysis_group *group)
{
	for (size_t i = 0; i < group->n; i++) {
		const struct parsed_value *value =
			value_at(parsed, group->cell->config, group->metric, i);

		assert_non_null(value);
		assert_true(value->value == group->values[i]); /* to the last bit */
		assert_string_equal(value->unit, group->unit);
	}
	assert_null(value_at(parsed, group->cell->config, group->metric, group->n));
}

static void assert_all(const struct made_set *made, const struct parsed *parsed)
{
	struct made_analysis m;
	struct err err = { 0 };

	assert_int_equal(set_read(made->path, &m.data, &err), 0);
	assert_int_equal(analysis_make(&m.data, 1, &defaults, &m.analysis, &err), 0);
	assert_true(m.analysis.ngroups >= 6);
	for (size_t i = 0; i < m.analysis.ngroups; i++)
		assert_group(parsed, &m.analysis.groups[i]);
	assert_int_equal(parsed->n, 6);
	for (size_t i = 0; i < parsed->n; i++) {
		assert_string_equal(parsed->records[i].label, "6.1, \"patched\"");
		assert_string_equal(parsed->records[i].host, "host");
		assert_string_equal(parsed->records[i].workload, "storm");
		assert_point(parsed, i, "jobs", "4");
		assert_point(parsed, i, "argv", "a b");
	}
	made_analysis_release(&m);
}

static struct parsed parsed_report(const struct made_set *made, const char *format)
{
	auto_free char *report = report_in(made, format, &plain);

	assert_true(parser_find("brunt")->recognise(report, strlen(report)) >= 90);
	return parsed_text("brunt", report);
}

static void json_comes_back_without_loss(void **state)
{
	struct parsed parsed;

	fill(*state);
	parsed = parsed_report(*state, "json");
	assert_all(*state, &parsed);
	assert_true(parsed_need(&parsed, 0, "real")->headline);
	assert_int_equal(parsed_need(&parsed, 0, "real")->better, PARSED_LOWER);
	parsed_release(&parsed);
}

static void csv_comes_back_with_rounds_and_sessions(void **state)
{
	struct parsed parsed;

	fill(*state);
	parsed = parsed_report(*state, "csv");
	assert_all(*state, &parsed);
	for (size_t i = 0; i < parsed.n; i++) {
		const struct parsed_record *record = &parsed.records[i];

		assert_string_equal(record->session, "s1");
		assert_string_equal(record->boot_id, "boot1");
		assert_int_equal(record->round, i % 3 + 1);
		assert_int_equal(record->position, strcmp(record->config, "none") ? 2 : 1);
		assert_int_equal(record->run, 2 * (record->round - 1) + record->position);
	}
	parsed_release(&parsed);
}

static void guards_against_formulas_are_taken_off(void **state)
{
	static const char *const labels[] = { "=1+1", "  @x", "'quoted",
					      "a\xcc\x81"
					      "b" };
	struct made_set *made = *state;
	struct parsed parsed;

	for (unsigned int i = 0; i < ARRAY_SIZE(labels); i++) {
		made->label = labels[i];
		add_line(made, i + 1, 1, "none", 1, "measured", 1.5, 4, 3, ",\"status\":\"ok\"");
	}
	parsed = parsed_report(made, "csv");
	assert_int_equal(parsed.n, ARRAY_SIZE(labels));
	for (size_t i = 0; i < parsed.n; i++) {
		size_t found = 0;

		for (size_t k = 0; k < ARRAY_SIZE(labels); k++)
			found += !strcmp(parsed.records[i].label, labels[k]);
		assert_int_equal(found, 1);
	}
	parsed_release(&parsed);
}

static void means_that_were_published_come_back(void **state)
{
	static const char *const formats[] = { "json", "csv" };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf report = BUF_INIT;
		struct made_analysis m;
		struct parsed parsed;

		published_analyse("markers", &defaults, &m);
		assert_int_equal(report_find(formats[i])->write(&m.analysis, &plain, &report, &err),
				 0);
		parsed = parsed_text("brunt", report.s);
		assert_int_equal(parsed.n, 4);
		assert_mean(&parsed, 0, "real", 14.679982, 10, PARSED_SD, .34);
		assert_mean(&parsed, 3, "real", 26.694993, 10, PARSED_SD, 3.23);
		assert_string_equal(parsed.records[3].config, "blktrace");
		parsed_release(&parsed);
		buf_release(&report);
		made_analysis_release(&m);
	}
}

#define GROUP(set, metric, values)                                                           \
	"{\"set\":\"" set "\",\"host\":\"h\",\"label\":\"l\",\"config\":\"c\",\"workload\":" \
	"\"w\",\"point\":{},\"metric\":\"" metric "\",\"unit\":\"s\",\"better\":\"none\","   \
	"\"values\":" values "}"
#define REPORT(groups) "{\"schema\":\"1.0\",\"groups\":[" groups "],\"comparisons\":[]}"

/* A metric of no well-known name, and values that were printed with few digits. */
static void rounding_and_verdicts_come_back(void **state)
{
	static const char *const formats[] = { "json", "csv" };
	struct made_set *made = *state;

	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", ",\"rounds\":3");
	made_append(made, "{\"schema\":\"1.0\",\"event\":\"end\",\"run\":1,\"session\":\"s1\","
			  "\"host\":\"h\",\"boot_id\":\"b\",\"label\":\"l\",\"config\":\"none\","
			  "\"workload\":\"w\",\"point\":{},\"role\":\"measured\","
			  "\"status\":\"ok\",\"metrics\":{\"read.iops\":{\"value\":1.5,"
			  "\"unit\":\"1/s\",\"better\":\"higher\",\"headline\":true,"
			  "\"half_step\":5e-7},\"real\":{\"value\":2,\"unit\":\"s\","
			  "\"better\":\"lower\",\"headline\":false}}}\n");
	for (size_t i = 0; i < 2; i++) {
		struct parsed parsed = parsed_report(made, formats[i]);

		assert_true(parsed_need(&parsed, 0, "read.iops")->half_step == 5e-7);
		assert_true(parsed_need(&parsed, 0, "read.iops")->headline);
		assert_true(parsed_need(&parsed, 0, "real")->half_step == 0);
		assert_false(parsed_need(&parsed, 0, "real")->headline);
		parsed_release(&parsed);
	}
}

static void two_sets_are_not_pooled(void **state)
{
	struct parsed parsed = parsed_text(
		"brunt", REPORT(GROUP("a", "real", "[1,2]") "," GROUP("b", "real", "[3,4]")));

	(void)state;
	assert_int_equal(parsed.n, 4);
	assert_string_equal(parsed.records[0].label, "l (a)");
	assert_string_equal(parsed.records[3].label, "l (b)");
	parsed_release(&parsed);
}

static void metrics_with_fewer_values_are_not_put_to_the_wrong_runs(void **state)
{
	struct parsed parsed =
		parsed_text("brunt", REPORT(GROUP("a", "real", "[1,2]") "," GROUP(
					     "a", "user", "[3,4]") "," GROUP("a", "sys", "[5]")));

	(void)state;
	assert_int_equal(parsed.n, 3);
	assert_run(&parsed, 1, "user", "s", 4);
	assert_null(parsed_metric(&parsed, 0, "sys"));
	assert_run(&parsed, 2, "sys", "s", 5);
	parsed_release(&parsed);
}

static void a_row_without_a_metric_is_left_out(void **state)
{
	static const char text[] = "set,host,label,config,workload,point,run,round,position,metric,"
				   "unit,better,value,n,sd,session,boot_id,aa_of,half_step,"
				   "headline\n"
				   "s,h,l,c,w,,1,1,1,\"\",s,lower,1.5,1,,a,b,,,\n"
				   "s,h,l,c,w,,1,1,1,\0x,s,lower,1.5,1,,a,b,,,\n"
				   "s,h,l,c,w,,1,1,1,real,s,lower,x,1,,a,b,,,\n"
				   "s,h,l,c,w,,1,1,1,real,s,lower,2.5,1,,a,b,,,\n"
				   "s,h,l,c,w,,1,1,1,real,s,lower,3.5,1,,a,b,,,\n";
	struct parsed parsed = parsed_bytes("brunt", text, sizeof(text) - 1);

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_run(&parsed, 0, "real", "s", 2.5);
	assert_int_equal(parsed.records[0].n, 1);
	assert_note(&parsed, 6, "once more");
	for (size_t line = 2; line < 5; line++)
		assert_note(&parsed, line, "without a value or a metric");
	parsed_release(&parsed);
}

static void a_report_that_breaks_off_is_said(void **state)
{
	static const char text[] = "{\"groups\":[{\"metric\":\"real\",\"ci95\":[1,\n";
	struct parsed parsed = parsed_text("brunt", text);

	(void)state;
	assert_int_equal(parsed.n, 0);
	assert_int_equal(parsed.nnotes, 1);
	parsed_release(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(json_comes_back_without_loss),
		MADE_TEST(csv_comes_back_with_rounds_and_sessions),
		MADE_TEST(guards_against_formulas_are_taken_off),
		cmocka_unit_test(means_that_were_published_come_back),
		MADE_TEST(rounding_and_verdicts_come_back),
		cmocka_unit_test(two_sets_are_not_pooled),
		cmocka_unit_test(metrics_with_fewer_values_are_not_put_to_the_wrong_runs),
		cmocka_unit_test(a_row_without_a_metric_is_left_out),
		cmocka_unit_test(a_report_that_breaks_off_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
