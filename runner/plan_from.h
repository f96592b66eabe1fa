// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_PLAN_FROM_H
#define BRUNT_RUNNER_PLAN_FROM_H

#include "base/buf.h"
#include "results/analysis.h"

/*
 * What it takes to show the effect that the analysis was made for: rounds for each headline
 * metric with their 95 % range, and hours, from the time between the starts of the set's own runs
 * (so preparing and settling are in it). Where starts are not known, from real; where that is not
 * known either, no hours. A row that no number of runs gives a verdict says why: labels need boots.
 */
void plan_from_add(const struct analysis *analysis, struct buf *out);

#endif
