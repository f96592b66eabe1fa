// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_CURVE_H
#define BRUNT_RESULTS_REPORTS_CURVE_H

#include "results/analysis.h"
#include "results/reports/figures.h"

/*
 * Points of a sweep that differ in one key alone, whose values are numbers (sizes and the count of
 * loop:N:SIZE too): what a metric does against it. Where several keys were swept it is the one
 * with the most values, and each combination of the others has a curve of its own.
 */
struct curve {
	const char *key;
	size_t n;	  /* points, 2 or more, in the order of their values */
	size_t *sections; /* by point: index in the analysis */
	double *values;	  /* by point */
	const char **texts; /* by point: the value as it was given */
};

/* The curve whose first section this one is; false where there is none. */
bool curve_find(const struct analysis *analysis, size_t section, struct curve *out);
void curve_release(struct curve *curve);

/* Metrics of the curve that are drawn: IOPS and the 99th percentile of latencies; to be freed. */
const char **curve_metrics(const struct analysis *analysis, const struct curve *curve, size_t *n);

/* What a series, given by its cell in the first section, has at a point; NULL: nothing. */
const struct analysis_group *curve_group(const struct analysis *analysis,
					 const struct curve *curve, size_t point,
					 const struct analysis_cell *series, const char *metric);

#endif
