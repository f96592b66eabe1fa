// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_COMPARE_H
#define BRUNT_RESULTS_COMPARE_H

#include "results/analysis.h"
#include "results/stats.h"

/*
 * The values of two sides; of pairs (paired: nx == ny) x[i] and y[i] are of one round. A side
 * that was published as a summary has no values: x is NULL, nx its number of runs.
 */
struct compare_sides {
	double *x, *y;
	const struct set_run **x_from, **y_from; /* NULL where values are no single runs */
	size_t nx, ny;
	double x_step, y_step; /* what the values are rounded to, at least the clock's step */
	bool paired;
	const struct analysis_group *x_published, *y_published; /* NULL: there are values */
};

/* The rounds that both groups have, or all values of both. */
void compare_sides_paired(const struct analysis_group *base, const struct analysis_group *fresh,
			  struct compare_sides *out);
void compare_sides_unpaired(const struct analysis_group *base, const struct analysis_group *fresh,
			    struct compare_sides *out);

/* One value a boot, the mean of its runs. */
void compare_sides_boots(const struct analysis_group *base, const struct analysis_group *fresh,
			 struct compare_sides *out);
void compare_sides_release(struct compare_sides *sides);

/* n, mean and sd of both sides as they are; mean and sd NAN where their squares are too large. */
void compare_sides_describe(const struct compare_sides *sides, struct analysis_compared *base,
			    struct analysis_compared *fresh);

/* Mean, sd and n of both sides, the sds not below the floor of their step. -EINVAL: too large. */
int compare_summaries(const struct compare_sides *sides, struct sample_summary *x,
		      struct sample_summary *y);

/*
 * What equal values are known to: the step that they were printed with (averages of many calls
 * are printed finer than a clock ticks); else of times the nanosecond of the clock, of other
 * figures nine digits.
 */
double compare_resolution(const struct analysis_group *group);

/* 0 for a summary */
size_t compare_boots(const struct analysis_group *group);

/*
 * Fills the figures of a comparison: change, intervals, p, minimum detectable effect, runs needed
 * for effect_pct (0: not asked for). What cannot be computed is NAN. base, fresh and headline are
 * set before.
 */
void compare_figures(struct analysis_comparison *c, const struct compare_sides *sides,
		     double effect_pct);

/*
 * The rank test beside p, once the figures are there. Not of more than COMPARE_RANK_MAX values a
 * side: it takes time by their square, and no single one carries a mean then.
 */
enum { COMPARE_RANK_MAX = 200 };
void compare_rank(struct analysis_comparison *c, const struct compare_sides *sides);

/* The change by boot, of rounds in several boots. */
void compare_by_boot(struct analysis_comparison *c, const struct compare_sides *sides);

/*
 * The run without which p changes to the other side of .05, where the rank test disagrees with t
 * as well; NULL: there is none.
 */
const struct set_run *compare_depends_on(const struct analysis_comparison *c,
					 const struct compare_sides *sides);

/*
 * Unpaired runs: a side drifts, and by more from its first half to its second than the sides
 * differ. Not looked for beyond COMPARE_DRIFT_MAX runs a side (permutations take their time).
 */
enum { COMPARE_DRIFT_MAX = 1000 };
bool compare_drifts(const struct compare_sides *sides);

#endif
