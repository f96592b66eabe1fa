// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_GATE_H
#define BRUNT_RUNNER_GATE_H

#include "results/analysis.h"

/*
 * What a comparison decides for a script. The rows that count are the headline metrics; where
 * none of them is compared (--metric with another) all.
 */
struct gate {
	double fail_if_worse_pct;  /* NAN: not asked for */
	double require_within_pct; /* NAN: not asked for */
	bool bisect;
};

/*
 * EXIT_UNTRUSTED: a verdict is invalid, our own runs are of too few boots to tell the sides from
 * them, all runs of a side were lost, or a metric that counts has another unit or direction on each
 * side. EXIT_WORSE: p after Holm below .05, and the bound that is best for the metric worse than
 * PCT. EXIT_NOT_WITHIN: a row is not shown to lie within PCT. In this order; else EXIT_OK.
 *
 * With bisect: 1 where worse than PCT is shown, 0 where every row is shown not to be, else
 * GATE_UNDECIDED. PCT is fail_if_worse_pct, or the margin.
 */
enum { GATE_GOOD = 0, GATE_BAD = 1, GATE_UNDECIDED = 125 }; /* as git bisect run reads them */
int gate_status(const struct gate *gate, const struct analysis *analysis);

/* Where nothing was compared: is that because a side was lost, or because of units? */
bool gate_says_why_nothing(const struct analysis *analysis);

#endif
