// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_ANALYSIS_H
#define BRUNT_RESULTS_ANALYSIS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "results/power.h"
#include "results/set.h"
#include "results/stats.h"

/*
 * What sets say: groups (one metric of one configuration) and comparisons, finished, so that
 * reports only format. Strings point into the set_data, which must live as long. The same sets
 * and options give the same analysis, in the same order.
 *
 * Order: sets as given; in each, hosts by their first session, workloads, points, labels by their
 * first session, configurations as in the experiment.
 */
enum verdict { VERDICT_NONE, VERDICT_WORSE, VERDICT_BETTER, VERDICT_EQUIVALENT,
	       VERDICT_INCONCLUSIVE, VERDICT_INVALID };

/* Where a value belongs: the factors. */
struct analysis_cell {
	const struct set_data *data;
	const char *set; /* its path */
	const char *host, *label, *config, *workload;
	const char *point;	  /* "jobs=4 fs=ext3", "" without a sweep */
	const json_t *point_keys; /* the same as an object */
	const json_t *session;	  /* the first with runs of it; NULL where its file is missing */
	bool imported;		  /* others measured it: judged as published */
	const char *aa_of; /* the configuration that this one repeats (--aa); NULL: none */
	size_t index;		  /* in analysis.cells and analysis.counts */
	size_t first_group, ngroups;
};

/*
 * The cells that are compared with each other: one set, host, workload and point; with two sides
 * the cells of both.
 */
struct analysis_section {
	size_t first_cell, ncells;
	size_t first_comparison, ncomparisons;
	size_t first_interaction, ninteractions;
	bool names_repeat; /* cells of two sets have one label and configuration */
	const char *position_metric; /* of the mean by position; NULL: not known */
	const char *position_unit;
	double *position_means; /* in the order of positions in the round */
	size_t npositions;
};

/*
 * A metric's values. Where a point has several configurations they are of complete rounds only:
 * rounds in which every configuration has a run that is ok, those apart that have none in that
 * session. Of a published summary there are no values: values, from and rounds are NULL, and n is
 * 0 where the source does not say it.
 */
struct analysis_group {
	const struct analysis_cell *cell;
	const char *metric, *unit, *better; /* better: "lower", "higher", "none" */
	bool headline; /* by the set's primary metrics where it has any, else by the workload */
	size_t n;
	double *values;		     /* n, in run order */
	const struct set_run **from; /* the runs of the values */
	size_t *rounds; /* the complete rounds that they are of, by number from 1 at this point */
	double mean, sd, median, min, max; /* NAN where unknown */
	double ci95[2];
	double step; /* of values that others printed; 0: not rounded */
	bool summarised;
	/* runs that count and have no value of it: its rounds are not all that the cell has */
	const struct set_run **without;
	size_t nwithout;
	/* of headline metrics whose order is known, else NAN, false and none */
	double lag1; /* autocorrelation */
	bool drifts;
	const struct set_run **outliers;
	size_t noutliers;
};

/*
 * The test that assumes no distribution, beside t: signed-rank of rounds, with the Hodges-Lehmann
 * change of the log ratios; Mann-Whitney of runs, with the Hodges-Lehmann shift in units. NAN
 * where it is not known: p of too many values, of boots and summaries; the change of runs and of
 * values that are not above 0; the shift of the other rounds.
 */
struct analysis_rank {
	double p, p_min; /* p_min: the smallest that so few values can give */
	double change_pct, ci95_pct[2];
	double shift, ci95_units[2];
	bool disagrees; /* with t on excluding 0, or on the sign */
	bool ties; /* so many values that differ could reach the level; these cannot */
};

/* The values of a side that were compared: of the rounds that both have; of boots, their means. */
struct analysis_compared {
	size_t n;
	double mean, sd;
};

/* The change of the means in the rounds of one boot. */
enum { ANALYSIS_BOOTS = 12 };
struct analysis_boot {
	size_t n;
	double change_pct; /* NAN where a mean is not above 0 */
};

struct analysis_comparison {
	const struct analysis_group *base, *fresh;
	const char *kind;  /* "config", "label", "interaction" */
	const char *unit;  /* "round", "run", "boot": what was counted as independent */
	bool paired;
	bool headline;	   /* in the Holm family, unless it is the noise floor */
	size_t n;	   /* rounds, or the smaller side; 0: not known */
	struct analysis_compared of_base, of_fresh;
	double difference; /* fresh - base, in the metric's unit */
	double change_pct, ci95_pct[2], ci95_units[2], ci95_rounding_pct[2];
	double at_worst_pct, at_best_pct; /* one-sided 95 % */
	struct interval ci90;		  /* of the ratio; its ends are the two above */
	double p, p_holm;		  /* p_holm is NAN outside the family */
	size_t family_size;		  /* 0 outside */
	struct analysis_rank rank;
	/* of rounds in several boots, the first ones in the order of the runs; else nboots is 0 */
	struct analysis_boot boots[ANALYSIS_BOOTS];
	size_t nboots; /* can be more than there is room for */
	/* by this row alone, and at the strictest step of Holm's correction: p below .05/family */
	double mde_pct, mde_holm_pct;
	double effect_pct, power;
	double runs_needed[3], runs_needed_holm; /* n, lo, hi; n */
	struct power_design design;
	enum verdict verdict;
	char *reason; /* words behind the verdict; NULL where none are needed */
	/*
	 * The baseline with itself (--aa): what this session shows where nothing differs. In no
	 * family, without a verdict. false_alarm: its interval excludes 0 although nothing differs.
	 */
	bool noise_floor, false_alarm;
	bool confounded; /* our own runs on too few boots to tell what is compared from the boot */
};

/*
 * A metric of two cells that are compared, which is not: its unit or direction differs between
 * them, or, of a headline metric, only one has values (the other is NULL). Both NULL: a cell has no
 * values at all, since none of its runs counts.
 */
struct analysis_unmatched {
	const struct analysis_group *base, *fresh;
	const struct analysis_cell *base_cell, *fresh_cell;
};

/*
 * Does a configuration cost the same under both labels? c.base and c.fresh are the configuration
 * under the two labels; what it changes there is relative to base_of and fresh_of, the base
 * configuration. The change of c is that of the ratio (fresh / fresh_of) / (base / base_of), its
 * difference in units and its interval those of the difference of the differences. No verdict.
 */
struct analysis_interaction {
	struct analysis_comparison c;
	const struct analysis_group *base_of, *fresh_of;
};

/*
 * The runs of a cell: warm-ups apart, each measured one is ok, failed or invalid. Of the ok ones
 * broken_rounds are left out, since another run of their round was not ok or is missing.
 */
struct analysis_count {
	const struct analysis_cell *cell;
	size_t ok, failed, invalid, warmup, broken_rounds;
	size_t interrupted; /* of failed: stopped by the user */
	size_t published;   /* runs that summaries say they are of */
	double lost; /* what tracers lost in all measured runs; NAN: no run says */
};

/*
 * What tracing took, a run: means over the runs of the cell that count, lost the sum over all
 * measured ones. NAN where unknown. event_cpu_s is the change of the metric cpu an event (of
 * system_per_io, where runs have that and ios), with its 95 % interval.
 */
struct analysis_ledger {
	const struct analysis_cell *cell;
	const char *backend; /* NULL: no tracer */
	size_t n;
	double events, bytes, lost, cpu_s, attach_s, drain_s;
	double event_cpu_s, event_cpu_ci95_s[2];
	double kthread_s, busy_s, iowait_s, steal_s;
};

/*
 * A device that stands out among those of a cell. Its time in a run is held against the median of
 * all of that run's devices; factor is the median of that over the runs that count, and lies far
 * from those of the other devices: more than 3.5 times 1.4826 MAD (at least 2 % of the middle
 * one), and 10 % of it. Of cells with at least ANALYSIS_DEVICES devices and 3 runs.
 */
enum { ANALYSIS_DEVICES = 4 };
struct analysis_device {
	const struct analysis_cell *cell;
	const char *name;
	double factor;
	size_t n, of; /* runs, devices */
};

/* Runs with one kind of mark in one set. */
struct analysis_mark {
	const struct set_data *data;
	const char *name, *text; /* text: the first run's */
	const struct set_run **runs;
	size_t n, cap;
};

/* The comparisons whose p were corrected together. */
struct analysis_family {
	const char *workload, *kind;
	bool headline;
	size_t size;
};

/* One side of a comparison: all cells of a set with this label and configuration. */
struct analysis_side {
	size_t set;		    /* its index */
	const char *label, *config; /* NULL: any */
};

struct analysis_options {
	double margin_pct; /* default 1; 0: no equivalence */
	double effect_pct; /* default 2; 0: no run counts */
	const char *base_config; /* NULL: the experiment's first */
	const char *base_label;	 /* NULL: the set's first */
	const char *metric;	 /* only this one; NULL: all. Families stay what they are. */
	bool all_metrics;	 /* verdicts for the others too, a family of their own */
	bool one_boot;
	/*
	 * Only these sides are compared. base alone: each configuration with the base
	 * configuration,
	 * or, where there is only that one, each label with the first. Two sides: cells of the same
	 * workload and point, label and configuration, where either has several of them.
	 */
	const struct analysis_side *base, *fresh;
};
#define ANALYSIS_OPTIONS_INIT { .margin_pct = 1, .effect_pct = 2 }

struct analysis {
	struct analysis_cell **cells;
	size_t ncells;
	struct analysis_section *sections;
	size_t nsections;
	struct analysis_group *groups; /* in the order of the cells */
	size_t ngroups;
	struct analysis_comparison *comparisons; /* in the order of the sections */
	size_t ncomparisons;
	struct analysis_unmatched *unmatched; /* in the order of the sections */
	size_t nunmatched;
	struct analysis_interaction *interactions; /* in the order of the sections */
	size_t ninteractions;
	struct analysis_count *counts; /* one a cell */
	size_t ncounts;
	struct analysis_ledger *ledgers; /* one a cell */
	const struct set_run **lost; /* failed and invalid runs, warm-ups too, in file order */
	const struct set_data **lost_data; /* the set of each */
	size_t nlost;
	struct analysis_mark *marks;
	size_t nmarks;
	struct analysis_device *devices; /* in the order of the cells; the farthest first */
	size_t ndevices;
	struct analysis_family *families;
	size_t nfamilies;
	size_t skipped_lines, unended;
	size_t unread_sessions, missing_sessions; /* files; runs can be of the unread ones, too */
	const struct set_data *sets;
	size_t nsets;
	struct analysis_options options; /* that it was made with */
	double margin_pct, effect_pct;
	bool order_not_looked_at; /* too many values to look for drift */
	bool untrusted; /* failed or invalid runs were left after retries: exit status 4 */
};

/*
 * A usage error where base_config, base_label, metric or what a side names is nowhere in the sets,
 * and where sides have nothing in common. Sets without runs give an analysis without groups.
 */
int analysis_make(const struct set_data *sets, size_t nsets,
		  const struct analysis_options *options, struct analysis *out, struct err *err);
void analysis_release(struct analysis *analysis);
const char *verdict_name(enum verdict verdict); /* "worse", ...; "none" */

#endif
