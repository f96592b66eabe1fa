// SPDX-License-Identifier: GPL-3.0-or-later
/* What the order of the runs shows, and the runs that lie far from the others. */
#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "results/analysis_parts.h"
#include "results/compare.h"
#include "results/rank.h"

/*
 * An outlier has a modified z score .6745 |v - median| / MAD above 3.5 (Iglewicz and Hoaglin,
 * 1993); below OUTLIER_MIN values the MAD says too little.
 */
#define OUTLIER_SCORE 3.5
#define MAD_OF_SD .6745
enum { OUTLIER_MIN = 5 };

/* Permutations of more values than these in a report would take seconds. */
enum { DRIFT_MAX_TOTAL = 50000 };

static void find_outliers(struct analysis_group *group)
{
	struct sample_order order;
	double mad;

	if (group->n < OUTLIER_MIN || sample_order(group->values, group->n, &order))
		return;
	/* equal values are known to their resolution only */
	mad = fmax(order.mad, MAD_OF_SD * rounding_sd(compare_resolution(group)));
	for (size_t i = 0; i < group->n; i++) {
		if (MAD_OF_SD * fabs(group->values[i] - order.median) <= OUTLIER_SCORE * mad)
			continue;
		group->outliers = xreallocarray(group->outliers, group->noutliers + 1,
						sizeof(*group->outliers));
		group->outliers[group->noutliers++] = group->from[i];
	}
}

static void look_at(struct analysis_group *group, bool at_drift)
{
	bool drifts = false;

	if (sample_lag1(group->values, group->n, &group->lag1))
		group->lag1 = NAN;
	if (at_drift && group->n <= COMPARE_DRIFT_MAX &&
	    !drift_is_shown(group->values, group->n, &drifts))
		group->drifts = drifts;
}

void analysis_look_at_order(struct analysis *out)
{
	size_t total = 0;

	for (size_t i = 0; i < out->ngroups; i++)
		total += out->groups[i].headline ? out->groups[i].n : 0;
	out->order_not_looked_at = total > DRIFT_MAX_TOTAL;
	for (size_t i = 0; i < out->ngroups; i++) {
		struct analysis_group *group = &out->groups[i];

		if (!group->headline || group->summarised)
			continue;
		find_outliers(group);
		if (set_order_is_known(group->cell->session))
			look_at(group, !out->order_not_looked_at);
	}
}
