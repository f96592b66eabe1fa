// SPDX-License-Identifier: GPL-3.0-or-later
/* Comparisons of micro benchmarks in the text report, and their metrics in lmbench's tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/report_tests.h"

static const struct report_options means = { .width = 100 }, wide = { .width = 140 };

#define METRIC(name, value, unit, better)                                                          \
	"\"" name "\":{\"value\":" value ",\"unit\":\"" unit "\",\"better\":\"" better             \
	"\",\"headline\":true}"
#define METRICS(getrandom, pipe, bandwidth, null_call)                                             \
	"{" METRIC("getrandom", getrandom, "ns", "lower") "," METRIC("pipe", pipe, "us", "lower")  \
	"," METRIC("pipe.bw", bandwidth, "MB/s", "higher") ","                                     \
	METRIC("fork", "250.5", "us", "lower") ","                                                 \
	METRIC("null_call", null_call, "ns", "lower") "}"

/* Traced, each call takes 150 ns more. */
static void add_rounds(struct made_set *made, const char *workload)
{
	static const char *const plain[] = {
		METRICS("602", "8.70", "1900", "280"), METRICS("604", "8.72", "1910", "281"),
		METRICS("603", "8.71", "1890", "279"), METRICS("605", "8.73", "1905", "280"),
	}, *const traced[] = {
		METRICS("752", "9.30", "1850", "430"), METRICS("754", "9.32", "1862", "431"),
		METRICS("753", "9.31", "1841", "429"), METRICS("755", "9.33", "1856", "430"),
	};

	made->workload = workload;
	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"},{\"name\":\"traced\"}]",
		     ",\"rounds\":4");
	for (unsigned int i = 0; i < 4; i++) {
		made_run(made, "none", i + 1, "measured", "ok", plain[i]);
		made_run(made, "traced", i + 1, "measured", "ok", traced[i]);
	}
}

static const char *after(const char *report, const char *text)
{
	const char *at = strstr(report, text);

	if (!at)
		fail_msg("'%s' is not in\n%s", text, report);
	return at + strlen(text);
}

static void rows_stand_below_lmbenchs_titles_in_its_order(void **state)
{
	char *report;
	const char *at;

	add_rounds(*state, "micro");
	report = report_in(*state, "text", &means);
	at = after(report, "\nProcessor, Processes\n");
	at = after(at, "\nnull_call ");
	at = after(at, "\nfork ");
	at = after(at, "\n*Local* Communication latencies in microseconds\n");
	at = after(at, "\npipe ");
	at = after(at, "\n*Local* Communication bandwidths in MB/s\n");
	at = after(at, "\npipe.bw MB/s ");
	at = after(at, "\nOthers\n");
	after(at, "\ngetrandom ");
	assert_fits(report, 100);
	free(report);
}

/* Without the blanks of the columns. */
static char *squeezed(const char *text)
{
	struct buf out = BUF_INIT;

	for (; *text && *text != '\n'; text++)
		if (*text != ' ' || (out.len && out.s[out.len - 1] != ' '))
			buf_addc(&out, *text);
	return buf_steal(&out);
}

static void a_row_has_the_difference_in_ns_the_percent_and_the_verdict(void **state)
{
	char *report, *row;

	add_rounds(*state, "micro");
	report = report_in(*state, "text", &wide);
	row = squeezed(after(report, "\nnull_call ns"));
	after(row, "280.00 430.00 +150.00 ");
	after(row, "+53.57%");
	after(row, "worse p ");
	free(row);
	row = squeezed(after(report, "\npipe "));
	after(row, "us 8.715 9.315 +600.00 ");
	free(row);
	free(report);
}

static void other_workloads_keep_one_table(void **state)
{
	char *report;

	add_rounds(*state, "command");
	report = report_in(*state, "text", &means);
	assert_null(strstr(report, "Processor, Processes"));
	assert_non_null(strstr(report, "at worst"));
	free(report);
}

static void metrics_of_micro_fill_lmbenchs_columns(void **state)
{
	char *report;

	add_rounds(*state, "micro");
	report = report_in(*state, "lmbench", &means);
	after(report, "Linux 6.1      0.28                               250.\n");
	after(report, "Linux 6.1      0.43                               250.\n");
	after(report, "Linux 6.1       8.715\n");
	after(report, "Linux 6.1 1901\n");
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(rows_stand_below_lmbenchs_titles_in_its_order),
		MADE_TEST(a_row_has_the_difference_in_ns_the_percent_and_the_verdict),
		MADE_TEST(other_workloads_keep_one_table),
		MADE_TEST(metrics_of_micro_fill_lmbenchs_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
