// SPDX-License-Identifier: GPL-3.0-or-later
/* Published summaries, the hash of a set, and reports held against their sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "base/json.h"
#include "results/report.h"
#include "results/report_diff.h"
#include "results/stats.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/made_set.h"

static const struct analysis_options defaults = ANALYSIS_OPTIONS_INIT;

static void add_summary(const struct made_set *made, const char *line)
{
	char *path = files_join(made->path, "summaries.jsonl");
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(files_write_all(fd, line, strlen(line)), 0);
	close(fd);
	free(path);
}

#define SD_3 "\"n\":9,\"mean\":10,\"spread\":3,\"spread_kind\":\"sd\""
#define SD_3_OF_12 "\"n\":9,\"mean\":12,\"spread\":3,\"spread_kind\":\"sd\""
#define LINE(config, more) \
	"{\"schema\":\"1.0\",\"label\":\"a\",\"config\":\"" config "\",\"workload\":\"imported\"," \
	"\"point\":{},\"metric\":\"real\",\"unit\":\"s\",\"better\":\"lower\"," more "}\n"

static void spreads_of_all_kinds_become_an_sd(void **state)
{
	struct set_data data;
	struct err err = { 0 };

	add_summary(*state, LINE("sd", SD_3));
	add_summary(*state, LINE("se", "\"n\":9,\"mean\":10,\"spread\":1,\"spread_kind\":\"se\""));
	add_summary(*state, LINE("var", "\"n\":9,\"mean\":10,\"spread\":9,"
				 "\"spread_kind\":\"variance\""));
	add_summary(*state, LINE("ci", "\"n\":9,\"mean\":10,\"spread\":2.3060041350333704,"
				 "\"spread_kind\":\"ci95\""));
	add_summary(*state, LINE("range", "\"n\":9,\"mean\":10,\"spread\":3,"
				 "\"spread_kind\":\"range\""));
	add_summary(*state, LINE("none", "\"n\":9,\"mean\":10"));
	add_summary(*state, LINE("less", "\"n\":9,\"mean\":10,\"spread\":-3,"
				 "\"spread_kind\":\"sd\""));
	assert_int_equal(set_read(((struct made_set *)*state)->path, &data, &err), 0);
	assert_int_equal(data.nsummaries, 7);
	for (size_t i = 0; i < 4; i++)
		assert_double(data.summaries[i].sd, 3, 1e-9);
	for (size_t i = 4; i < 7; i++)
		assert_nan(data.summaries[i].sd);
	set_data_release(&data);
}

/* Of how many runs is not always said: the mean stands, and no interval. */
static void a_mean_of_an_unknown_number_of_runs(void **state)
{
	struct set_data data;
	struct err err = { 0 };

	add_summary(*state, LINE("a", "\"n\":null,\"mean\":200,\"spread\":3,"
				 "\"spread_kind\":\"sd\""));
	add_summary(*state, LINE("b", "\"n\":null,\"mean\":200,\"spread\":3,"
				 "\"spread_kind\":\"se\""));
	add_summary(*state, LINE("c", "\"n\":null,\"mean\":200,\"spread\":3,"
				 "\"spread_kind\":\"ci95\""));
	add_summary(*state, LINE("d", "\"mean\":200"));
	assert_int_equal(set_read(((struct made_set *)*state)->path, &data, &err), 0);
	assert_int_equal(data.nsummaries, 3);
	assert_int_equal(data.summaries[0].n, 0);
	assert_double(data.summaries[0].sd, 3, 1e-12);
	assert_nan(data.summaries[1].sd);
	assert_nan(data.summaries[2].sd);
	assert_int_equal(data.skipped, 1);
	set_data_release(&data);
}

static void spreads_in_per_cent_of_the_mean(void **state)
{
	struct set_data data;
	struct err err = { 0 };

	add_summary(*state, LINE("sd", "\"n\":9,\"mean\":-200,\"spread\":1.5,"
				 "\"spread_kind\":\"sd_pct\""));
	add_summary(*state, LINE("se", "\"n\":9,\"mean\":200,\"spread\":0.5,"
				 "\"spread_kind\":\"se_pct\""));
	assert_int_equal(set_read(((struct made_set *)*state)->path, &data, &err), 0);
	assert_int_equal(data.nsummaries, 2);
	assert_double(data.summaries[0].sd, 3, 1e-12);
	assert_double(data.summaries[1].sd, 3, 1e-12);
	set_data_release(&data);
}

static void lines_that_are_no_summaries_are_counted(void **state)
{
	struct set_data data;
	struct err err = { 0 };

	add_summary(*state, LINE("a", "\"n\":9,\"mean\":10,\"half_step\":0.005"));
	add_summary(*state, LINE("a", "\"n\":9,\"mean\":11")); /* there is one */
	add_summary(*state, LINE("b", "\"n\":0,\"mean\":10"));
	add_summary(*state, LINE("b", "\"n\":3,\"mean\":null"));
	add_summary(*state, "{\"torn\":\n");
	add_summary(*state, "[]\n");
	assert_int_equal(set_read(((struct made_set *)*state)->path, &data, &err), 0);
	assert_int_equal(data.nsummaries, 1);
	assert_double(data.summaries[0].mean, 10, 0);
	assert_double(data.summaries[0].half_step, .005, 0);
	assert_int_equal(data.skipped, 5);
	set_data_release(&data);
}

static void a_newer_summary_is_refused(void **state)
{
	struct set_data data;
	struct err err = { 0 };

	add_summary(*state, "{\"schema\":\"2.0\",\"config\":\"a\"}\n");
	assert_int_equal(set_read(((struct made_set *)*state)->path, &data, &err), -EINVAL);
}

static void values_say_more_than_their_summary(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made->label = "a";
	made->workload = "imported";
	made->host = "";
	made_value(made, "none", 1, "real", 4);
	made_value(made, "none", 2, "real", 6);
	add_summary(made, LINE("none", SD_3));
	add_summary(made, LINE("trace", SD_3_OF_12));
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.ngroups, 2);
	assert_int_equal(m.analysis.groups[0].n, 2);
	assert_double(m.analysis.groups[0].mean, 5, 0);
	assert_false(m.analysis.groups[0].summarised);
	assert_true(m.analysis.groups[1].summarised);
	assert_null(m.analysis.groups[1].values);
	/* a side of values against one without them */
	assert_int_equal(m.analysis.ncomparisons, 1);
	assert_false(m.analysis.comparisons[0].paired);
	assert_int_equal(m.analysis.comparisons[0].n, 2);
	made_analysis_release(&m);
}

static void a_summary_without_a_spread_has_no_interval(void **state)
{
	struct made_analysis m;

	add_summary(*state, LINE("none", "\"n\":9,\"mean\":10"));
	add_summary(*state, LINE("trace", "\"n\":9,\"mean\":12"));
	made_analyse(*state, &defaults, &m);
	assert_double(m.analysis.comparisons[0].change_pct, 20, 1e-12);
	assert_nan(m.analysis.comparisons[0].p);
	assert_nan(m.analysis.comparisons[0].ci95_pct[0]);
	assert_int_equal(m.analysis.comparisons[0].verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(m.analysis.comparisons[0].reason, "no test is possible");
	made_analysis_release(&m);
}

/* They are a row like others, whose verdict says what is missing. */
static void means_of_an_unknown_number_of_runs_are_compared(void **state)
{
	struct made_analysis m;
	const struct analysis_comparison *c;

	add_summary(*state, LINE("none", "\"n\":null,\"mean\":10,\"spread\":3,"
				 "\"spread_kind\":\"sd\""));
	add_summary(*state, LINE("trace", SD_3_OF_12));
	made_analyse(*state, &defaults, &m);
	assert_int_equal(m.analysis.ncomparisons, 1);
	assert_int_equal(m.analysis.nunmatched, 0);
	c = m.analysis.comparisons;
	assert_int_equal(c->n, 0);
	assert_double(c->change_pct, 20, 1e-12);
	assert_nan(c->p);
	assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(c->reason, "it is not known how many runs the means are of");
	made_analysis_release(&m);
}

/* n is not ours: as many as a number holds cost no memory. */
static void a_summary_of_very_many_runs_is_only_a_number(void **state)
{
	struct made_analysis m;

	add_summary(*state, LINE("none", "\"n\":9000000000000000,\"mean\":10,\"spread\":3,"
				 "\"spread_kind\":\"sd\""));
	add_summary(*state, LINE("trace", "\"n\":9000000000000000,\"mean\":12,\"spread\":3,"
				 "\"spread_kind\":\"sd\""));
	made_analyse(*state, &defaults, &m);
	assert_int_equal(m.analysis.comparisons[0].verdict, VERDICT_WORSE);
	made_analysis_release(&m);
}

static void all_formats_take_summaries(void **state)
{
	const struct report_options options = { .width = 72 };
	struct made_analysis m;

	add_summary(*state, LINE("none", SD_3));
	add_summary(*state, LINE("trace", SD_3_OF_12));
	made_analyse(*state, &defaults, &m);
	for (const struct report *const *r = reports; *r; r++) {
		auto_buf struct buf out = BUF_INIT;
		struct err err = { 0 };
		int rc = (*r)->write(&m.analysis, &options, &out, &err);

		/* lmbench's tables have no real; the pictures of html need gnuplot */
		if (!strcmp((*r)->name, "lmbench") || err.status == EXIT_MISSING)
			continue;
		assert_int_equal(rc, 0);
		assert_true(out.len > 0);
	}
	made_analysis_release(&m);
}

/* ---- the hash ---- */

static void hash_of(const struct made_set *made, char out[SET_HASH_SIZE])
{
	struct set_data data;
	struct err err = { 0 };

	assert_int_equal(set_read(made->path, &data, &err), 0);
	strcpy(out, data.hash);
	set_data_release(&data);
}

static void any_byte_changes_the_hash(void **state)
{
	struct made_set *made = *state;
	char hashes[5][SET_HASH_SIZE], again[SET_HASH_SIZE];

	hash_of(made, hashes[0]);
	made_value(made, "none", 1, "real", 1);
	hash_of(made, hashes[1]);
	add_summary(made, LINE("none", "\"n\":9,\"mean\":10"));
	hash_of(made, hashes[2]);
	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", "");
	hash_of(made, hashes[3]);
	made_session(made, "2026-01-01T00:00:02Z", "[{\"name\":\"none\"}]", "");
	hash_of(made, hashes[4]);
	hash_of(made, again);
	assert_string_equal(again, hashes[4]);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(strncmp(hashes[i], "sha256:", 7), 0);
		assert_int_equal(strlen(hashes[i]), 7 + 64);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(hashes[i], hashes[k]);
	}
}

/* ---- reports against sets ---- */

static json_t *parse(const char *text)
{
	json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

	assert_non_null(value);
	return value;
}

static void assert_diff(const char *stated, const char *computed, const char *expected)
{
	auto_json json_t *a = parse(stated), *b = parse(computed);
	auto_words struct words lines = WORDS_INIT;
	auto_buf struct buf all = BUF_INIT;

	report_diff(a, b, &lines);
	buf_add(&all, "");
	for (size_t i = 0; i < lines.n; i++)
		buf_addf(&all, "%s%s", i ? "|" : "", lines.v[i]);
	assert_string_equal(all.s, expected);
}

static void differences_name_their_place(void **state)
{
	(void)state;
	assert_diff("{\"a\":1,\"b\":[1,2]}", "{\"a\":1.0000000000001,\"b\":[1,2]}", "");
	assert_diff("{\"a\":1}", "{\"a\":1,\"c\":3}", "c is missing, the set gives 3");
	assert_diff("{\"a\":1,\"old\":2}", "{\"a\":1}", "old is 2, the set gives none");
	assert_diff("{\"a\":1}", "{\"a\":2}", "a is 1, the set gives 2");
	assert_diff("{\"a\":null}", "{\"a\":2}", "a is null, the set gives 2");
	assert_diff("{\"a\":[1,2]}", "{\"a\":[1]}", "a has 2 elements, the set gives 1");
	assert_diff("{\"c\":[{\"metric\":\"sys\",\"base\":{\"config\":\"none\"},"
		    "\"new\":{\"config\":\"trace\"},\"p\":0.5,\"verdict\":\"worse\"}]}",
		    "{\"c\":[{\"metric\":\"sys\",\"base\":{\"config\":\"none\"},"
		    "\"new\":{\"config\":\"trace\"},\"p\":0.25,\"verdict\":null}]}",
		    "c[0] sys, none -> trace: p is 0.5, the set gives 0.25|"
		    "c[0] sys, none -> trace: verdict is \"worse\", the set gives null");
}

static void deep_nesting_is_no_danger(void **state)
{
	char *text = xmalloc(2001);

	(void)state;
	memset(text, '[', 1000);
	memset(text + 1000, ']', 1000);
	text[2000] = '\0';
	assert_diff(text, text, "");
	free(text);
}


int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(spreads_of_all_kinds_become_an_sd),
		MADE_TEST(a_mean_of_an_unknown_number_of_runs),
		MADE_TEST(spreads_in_per_cent_of_the_mean),
		MADE_TEST(lines_that_are_no_summaries_are_counted),
		MADE_TEST(a_newer_summary_is_refused),
		MADE_TEST(values_say_more_than_their_summary),
		MADE_TEST(a_summary_without_a_spread_has_no_interval),
		MADE_TEST(means_of_an_unknown_number_of_runs_are_compared),
		MADE_TEST(a_summary_of_very_many_runs_is_only_a_number),
		MADE_TEST(all_formats_take_summaries),
		MADE_TEST(any_byte_changes_the_hash),
		MADE_TEST(differences_name_their_place),
		MADE_TEST(deep_nesting_is_no_danger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
