// SPDX-License-Identifier: GPL-3.0-or-later
/* Trust, ledgers and marks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/analysis_tests.h"

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

/*
 * One round of an IO storm for a second: as many IOs as the CPU lets through, so that cpu falls
 * with IOPS. 100 IOs of 10 us each without tracing, 50 of 16 us with four events each.
 */
static void add_io(struct made_set *made, unsigned int number, unsigned int round, bool traced)
{
	char *line = xasprintf(
		"{\"schema\":\"1.0\",\"event\":\"end\",\"run\":%u,\"session\":\"s1\",\"round\":%u,"
		"\"position\":%u,\"role\":\"measured\",\"host\":\"host\",\"boot_id\":\"boot1\","
		"\"label\":\"6.1\",\"config\":\"%s\",\"workload\":\"io\",\"point\":{},\"status\":\"ok\","
		"\"metrics\":{\"cpu\":{\"value\":%.17g,\"unit\":\"s\",\"better\":\"lower\"},"
		"\"system_per_io\":{\"value\":%.17g,\"unit\":\"s\",\"better\":\"lower\"},"
		"\"ios\":{\"value\":%u,\"unit\":\"\",\"better\":\"none\"}}%s}\n",
		number, round, traced ? 2U : 1U, traced ? "trace" : "none",
		traced ? 50 * 16e-6 : 100 * 10e-6, (traced ? 16e-6 : 10e-6) + round * 1e-9,
		traced ? 50 : 100,
		traced ? ",\"tracer\":{\"backend\":\"tracefs\",\"events\":200,\"lost\":0}" : "");

	made_append(made, line);
	free(line);
}

static void an_event_of_io_costs_what_each_io_takes_more(void **state)
{
	struct made_set *made = *state;
	struct made_analysis m;

	made->workload = "io";
	for (unsigned int round = 1; round <= 3; round++) {
		add_io(made, 2 * round - 1, round, false);
		add_io(made, 2 * round, round, true);
	}
	made_analyse(made, &defaults, &m);
	assert_int_equal(m.analysis.ncells, 2);
	/* 6 us more an IO, of 4 events */
	assert_double(m.analysis.ledgers[1].event_cpu_s, 1.5e-6, 1e-9);
	made_analysis_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(broken_rounds_that_were_made_up_for_are_trusted),
		MADE_TEST(a_resumed_session_makes_up_for_the_first),
		MADE_TEST(the_ledger_has_means_and_the_cost_of_an_event),
		MADE_TEST(an_event_of_io_costs_what_each_io_takes_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
