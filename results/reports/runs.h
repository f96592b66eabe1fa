// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_RUNS_H
#define BRUNT_RESULTS_REPORTS_RUNS_H

#include "results/reports/rows.h"

/* The values of a section run by run, for formats that show each. */
struct runs {
	const char **metrics; /* real, user and sys where they are there, else the headline ones */
	struct row_style *styles; /* one a metric, with one more digit than a mean has */
	size_t nmetrics;
	size_t rounds; /* the largest number of a round that has values */
	int digits;    /* that it has */
};

void runs_init(struct runs *runs, const struct analysis *analysis,
	       const struct analysis_section *section);
void runs_release(struct runs *runs);

/* The value of a metric in a round, from 1, in a cell of the section; "-": none. */
void runs_figure(const struct analysis *analysis, const struct runs *runs,
		 const struct analysis_section *section, size_t cell, size_t metric, size_t round,
		 char out[FIGURE_MAX]);

#endif
