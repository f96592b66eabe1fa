// SPDX-License-Identifier: GPL-3.0-or-later
/* The table of micro benchmarks: names, what only= picks, where lmbench's tables find them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/reports/lmbench_tables.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/memory_latency.h"

static void names_are_unique_and_all_are_metrics(void **state)
{
	size_t metrics = 0, expected = 0;

	(void)state;
	for (const struct micro_bench *b = micro_benches; b->name; b++) {
		const struct metric_spec *spec = micro_metric(b->name);

		assert_non_null(spec);
		assert_true(spec->headline);
		assert_string_equal(spec->unit, b->unit);
		assert_non_null(b->ops->open);
		assert_non_null(b->ops->batch);
		assert_int_equal(spec->better,
				 !strcmp(b->unit, "MB/s") ? BETTER_HIGHER : BETTER_LOWER);
		for (const struct micro_bench *c = b + 1; c->name; c++)
			assert_string_not_equal(b->name, c->name);
		expected += b->is_net ? 2 : 1;
		if (b->is_net)
			assert_false(micro_metric(b->raw_name)->headline);
	}
	for (const struct metric_spec *m = micro_metrics; m->name; m++)
		metrics++;
	assert_int_equal(metrics, expected);
}

static void lmbench_tables_know_metrics_that_exist(void **state)
{
	(void)state;
	for (const struct lmbench_table *t = lmbench_tables; t->title; t++) {
		for (const struct lmbench_column *c = t->columns; c->metric; c++)
			if (!micro_metric(c->micro))
				fail_msg("%s is no metric of micro", c->micro);
		for (size_t i = 0; i < LMBENCH_ALSO_MAX && t->also[i]; i++)
			if (!micro_metric(t->also[i]))
				fail_msg("%s is no metric of micro", t->also[i]);
	}
}

static void all_but_the_others_stand_in_a_table(void **state)
{
	(void)state;
	for (const struct micro_bench *b = micro_benches; b->name; b++) {
		bool found = false;

		for (const struct lmbench_table *t = lmbench_tables; t->title; t++)
			found |= lmbench_place_of(t, b->name) != LMBENCH_NOWHERE;
		if (!found && strcmp(b->family, "others") != 0)
			fail_msg("%s stands in no table", b->name);
	}
}

static char *picked(const char *only)
{
	const struct micro_bench **benches;
	struct buf names = BUF_INIT;
	struct err err;
	size_t n;

	assert_int_equal(micro_pick(only, &benches, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		buf_addf(&names, "%s%s", i ? " " : "", benches[i]->name);
	free(benches);
	return buf_steal(&names);
}

static void only_takes_names_variants_and_families(void **state)
{
	static const char *const cases[][2] = {
		{ "null_call", "null_call" },
		{ "stat+null_call", "null_call stat" },
		{ "exec", "exec.dynamic exec.static" },
		{ "exec.static", "exec.static" },
		{ "pipe", "pipe" }, /* not pipe.bw */
		{ "pipe.bw", "pipe.bw" },
		{ "signals", "sig_install sig_handle" },
		{ "rpc+pipe", "pipe rpc_udp rpc_tcp" },
		{ "mem_lat",
		  "mem_lat.l1 mem_lat.l2 mem_lat.l3 mem_lat.main mem_lat.random" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *names = picked(cases[i][0]);

		assert_string_equal(names, cases[i][1]);
		free(names);
	}
}

static void unknown_names_are_refused_with_a_suggestion(void **state)
{
	static const char *const cases[][2] = {
		{ "null_cal", "did you mean 'null_call'" }, { "signal", "'signals'" },
		{ "stat+fstaat", "'fstat'" },		    { "qqqqqqqq", "brunt list workloads" },
		{ "ex", "unknown metric 'ex'" },	    { "", "a name is empty" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct micro_bench **benches = NULL;
		struct err err = { 0 };
		size_t n;

		assert_true(micro_pick(cases[i][0], &benches, &n, &err) < 0);
		assert_int_equal(err.status, EXIT_USAGE);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], err.text);
	}
}

static void the_curve_goes_from_1_kib_to_all_memory(void **state)
{
	const struct micro_site site = { .memory = 64 << 20 };
	struct micro_bench benches[MICRO_CURVE_MOST];
	uint64_t bytes[MICRO_CURVE_MOST];
	size_t n = micro_curve(&site, benches, bytes);

	(void)state;
	assert_int_equal(n, 33);
	assert_int_equal(bytes[0], 1024);
	assert_int_equal(bytes[1], 1536);
	assert_int_equal(bytes[n - 1], 64 << 20);
	for (size_t i = 1; i < n; i++)
		assert_true(bytes[i] > bytes[i - 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique_and_all_are_metrics),
		cmocka_unit_test(lmbench_tables_know_metrics_that_exist),
		cmocka_unit_test(all_but_the_others_stand_in_a_table),
		cmocka_unit_test(only_takes_names_variants_and_families),
		cmocka_unit_test(unknown_names_are_refused_with_a_suggestion),
		cmocka_unit_test(the_curve_goes_from_1_kib_to_all_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
