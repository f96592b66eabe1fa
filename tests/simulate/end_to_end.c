// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * end_to_end REPORT.json ROUNDS: judges the report of tests/simulate/run's session, where `a` and
 * `b` are the same work, `two` and `five` are that much more of it, and `a#2` is the second baseline.
 * Metrics are counted apart, since cpu and real of one run say the same again. How often the added
 * work is found is judged by cpu: real holds what else the machine does, and shows too little.
 */
#include <gsl/gsl_cdf.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "results/power.h"

#define ALPHA .05
#define RARE_FALSE .0035 /* as seldom: more than 6 false alarms of 40 rows, 4 of 20 tables */
#define RARE_POWER .0015 /* in each direction: as seldom as three standard deviations */
#define USELESS_MDE 10	 /* percent: rows that can show no less say nothing of 2 and 5 */

/* What the rows of one configuration say. */
struct tally {
	const char *config;
	double effect_pct;
	unsigned int rows, found;
	double foretold; /* how many would be found, by each row's own spread */
	double sum_change, sum_mde;
	unsigned int covered;
};

/* The power of a row for the true effect, from the effect that it can show with .8. */
static double row_power(double mde_pct, double effect_pct, double df)
{
	double ncp = NAN, power = NAN;

	if (!(mde_pct > 0) || t_test_ncp(POWER_TARGET, df, POWER_LEVEL, &ncp))
		return NAN;
	t_test_power(ncp * effect_pct / mde_pct, df, POWER_LEVEL, &power);
	return power;
}

static void add_row(struct tally *tally, const json_t *row, double df)
{
	const json_t *ci = json_object_get(row, "ci95_pct");
	double low = json_number_value(json_array_get(ci, 0));
	double high = json_number_value(json_array_get(ci, 1));
	double power = row_power(json_get_number(row, "mde_pct"), tally->effect_pct, df);

	tally->rows++;
	tally->found += json_get_number(row, "p") < ALPHA;
	tally->foretold += power;
	tally->sum_change += json_get_number(row, "change_pct");
	tally->sum_mde += json_get_number(row, "mde_pct");
	tally->covered += low <= tally->effect_pct && tally->effect_pct <= high;
}

static bool is_row_of(const json_t *row, const char *metric, const char *config)
{
	return !strcmp(json_get_text(row, "metric", ""), metric) &&
	       !strcmp(json_get_text(json_object_get(row, "base"), "config", ""), "a") &&
	       !strcmp(json_get_text(json_object_get(row, "new"), "config", ""), config);
}

static bool few_enough(unsigned int found, unsigned int rows)
{
	return !found || gsl_cdf_binomial_Q(found - 1, ALPHA, rows) > RARE_FALSE;
}

/* As often as the printed power says: a binomial of its mean, which is wider than the sum is. */
static bool as_foretold(const struct tally *tally)
{
	double power = tally->foretold / tally->rows;

	return gsl_cdf_binomial_P(tally->found, power, tally->rows) > RARE_POWER &&
	       (!tally->found ||
		gsl_cdf_binomial_Q(tally->found - 1, power, tally->rows) > RARE_POWER);
}

static const char *judge(const struct tally *tally, bool power_counts)
{
	if (!tally->rows)
		return "NO ROWS";
	if (!(tally->effect_pct > 0))
		return few_enough(tally->found, tally->rows) ? "ok" : "OUT OF BOUNDS";
	if (!power_counts)
		return "(not judged)";
	if (tally->sum_mde / tally->rows > USELESS_MDE)
		return "TOO NOISY TO TELL";
	return as_foretold(tally) ? "ok" : "OUT OF BOUNDS";
}

static bool show(const struct tally *tally, bool power_counts)
{
	const char *word = judge(tally, power_counts);

	printf("%-5s %+5.1f %% %6u %7u %9.1f %8u %+9.2f %9.2f   %s\n", tally->config,
	       tally->effect_pct, tally->rows, tally->found,
	       tally->effect_pct > 0 ? tally->foretold : ALPHA * tally->rows, tally->covered,
	       tally->sum_change / tally->rows, tally->sum_mde / tally->rows, word);
	return !strcmp(word, "ok") || *word == '(';
}

/* Tables of a and b with any verdict that says that they differ. */
static bool show_tables(const json_t *rows)
{
	json_t *workloads = json_object(), *wrong = json_object();
	unsigned int n, bad;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		const char *verdict = json_get_text(row, "verdict", "");
		const char *workload = json_get_text(row, "workload", "");

		if (strcmp(json_get_text(json_object_get(row, "new"), "config", ""), "b") != 0)
			continue;
		json_object_set_new(workloads, workload, json_true());
		if (!strcmp(verdict, "worse") || !strcmp(verdict, "better"))
			json_object_set_new(wrong, workload, json_true());
	}
	n = (unsigned int)json_object_size(workloads);
	bad = (unsigned int)json_object_size(wrong);
	printf("tables of a and b with a false verdict: %u of %u   %s\n", bad, n,
	       n && few_enough(bad, n) ? "ok" : "OUT OF BOUNDS");
	json_decref(workloads);
	json_decref(wrong);
	return n && few_enough(bad, n);
}

/* Every configuration by one metric. */
static bool show_metric(const json_t *rows, const char *metric, double rounds, bool power_counts)
{
	struct tally tallies[] = {
		{ .config = "a#2" }, { .config = "b" },
		{ .config = "two", .effect_pct = 2 }, { .config = "five", .effect_pct = 5 },
	};
	const json_t *row;
	bool good = true;
	size_t i;

	printf("%-5s %7s %6s %7s %9s %8s %9s %9s\n", metric, "truth", "rows", "p < .05",
	       "expected", "covered", "mean", "can show");
	for (size_t t = 0; t < sizeof(tallies) / sizeof(tallies[0]); t++) {
		json_array_foreach(rows, i, row)
			if (is_row_of(row, metric, tallies[t].config))
				add_row(&tallies[t], row, rounds - 1);
		good &= show(&tallies[t], power_counts);
	}
	return good;
}

int main(int argc, char **argv)
{
	json_t *report = argc == 3 ? json_load_file(argv[1], 0, NULL) : NULL;
	double rounds = argc == 3 ? strtod(argv[2], NULL) : 0;
	const json_t *rows = json_object_get(report, "comparisons");
	bool good;

	if (!report || rounds < 3) {
		fprintf(stderr, "usage: end_to_end REPORT.json ROUNDS\n");
		return EXIT_FAILURE;
	}
	good = show_metric(rows, "real", rounds, false);
	good &= show_metric(rows, "cpu", rounds, true);
	good &= show_tables(rows);
	json_decref(report);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
