// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_ROWS_H
#define BRUNT_RESULTS_REPORTS_ROWS_H

#include "results/analysis.h"
#include "results/reports/figures.h"

/* The figures of a row of a table, printed with the decimals that fit each other. */

/* Scale for the values of a comparison: of the larger mean, since the other may be 0. */
struct figure_scale row_scale(const struct analysis_comparison *c);

/* The change in the metric's unit, which is all there is where a mean is not above 0. */
struct row_in_units {
	const char *unit;
	char change[FIGURE_MAX], low[FIGURE_MAX], high[FIGURE_MAX];
};
void row_in_units(const struct analysis_comparison *c, struct row_in_units *out);
bool row_has_units_only(const struct analysis_comparison *c);

/*
 * A comparison: means and sds of what was compared. Percents have their sign and "%" where they are
 * known; where there is an interval in units alone, the change has its unit: "+10.6 s".
 */
struct row_change {
	const char *unit; /* of the four values; "" for a count */
	char base_mean[FIGURE_MAX], base_sd[FIGURE_MAX];
	char fresh_mean[FIGURE_MAX], fresh_sd[FIGURE_MAX];
	char change[2 * FIGURE_MAX], low[FIGURE_MAX], high[FIGURE_MAX], worst[FIGURE_MAX + 1];
	char p[FIGURE_MAX]; /* "p .0004"; "" outside of a family */
};
void row_change(const struct analysis_comparison *c, struct row_change *out);

/* Is any bound of the interval known? */
bool row_has_interval(const struct row_change *row);

/* One group alone; low and high are both "" where the interval is not known. */
struct row_single {
	const char *unit;
	char n[FIGURE_MAX], mean[FIGURE_MAX], sd[FIGURE_MAX], low[FIGURE_MAX], high[FIGURE_MAX];
	char min[FIGURE_MAX], median[FIGURE_MAX], max[FIGURE_MAX];
};
void row_single(const struct analysis_group *group, struct row_single *out);

/* Scale and decimals that fit one metric in all cells of a section that have it in one unit. */
struct row_style {
	const char *unit; /* of the metric itself; NULL: no cell has values */
	struct figure_scale scale;
	int decimals;
};
struct row_style row_style(const struct analysis *analysis,
			   const struct analysis_section *section, const char *metric);

/* What a cell of the analysis has; NULL: nothing. cell may be NULL. */
const struct analysis_group *row_group(const struct analysis *analysis,
				       const struct analysis_cell *cell, const char *metric);

/* Has the cell the metric in another unit, or direction, too? */
bool row_has_other_unit(const struct analysis *analysis, const struct analysis_group *group);

/* The same; NULL as well where it is in another unit than the style's. */
const struct analysis_group *row_group_in(const struct analysis *analysis,
					  const struct analysis_cell *cell, const char *metric,
					  const struct row_style *style);
const struct analysis_cell *row_cell(const struct analysis *analysis,
				     const struct analysis_section *section, const char *label,
				     const char *config);

/* Mean and sd of a metric under a label and configuration in the style; "-" where there is none. */
void row_grid_cell(const struct analysis *analysis, const struct analysis_section *section,
		   const char *label, const char *config, const char *metric,
		   const struct row_style *style, char mean[FIGURE_MAX], char sd[FIGURE_MAX]);

/* The distinct labels, or configurations, of a section in order; n of them; to be freed. */
const char **row_names(const struct analysis *analysis, const struct analysis_section *section,
		       bool labels, size_t *n);

/*
 * The distinct metrics of a section in order: the headline ones, or the others; n of them; to be
 * freed.
 */
const char **row_metrics(const struct analysis *analysis, const struct analysis_section *section,
			 bool headline, size_t *n);

#endif
