// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORT_DIFF_H
#define BRUNT_RESULTS_REPORT_DIFF_H

#include <jansson.h>

#include "base/words.h"
#include "results/analysis.h"

/*
 * What a JSON report states against what its sets give now: a line for each member that differs,
 * as "comparisons, sys, none -> blktrace: change_pct is 12.3, the set gives 11.1"; one that only one
 * side has is "missing", or the set gives "none". Numbers may differ by REPORT_DIFF_TOLERANCE of
 * their size, which another libm may cost.
 */
#define REPORT_DIFF_TOLERANCE 1e-9
void report_diff(const json_t *stated, const json_t *computed, struct words *lines);

/* The options of a report. Strings point into it; sides' sets are indices into its "sets". */
void report_read_back_options(const json_t *report, struct analysis_options *out,
			      struct analysis_side sides[2]);

#endif
