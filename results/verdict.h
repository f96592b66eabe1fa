// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_VERDICT_H
#define BRUNT_RESULTS_VERDICT_H

#include "results/analysis.h"

/*
 * From figures to words. The first that matches: invalid (too many runs lost, or drift larger
 * than the change of unpaired runs), too few, sides and boots not told apart, equivalent, worse
 * or better by the p after Holm, inconclusive.
 */
enum { VERDICT_RUNS_MIN = 3, VERDICT_BOOTS_MIN = 3, VERDICT_TICKS_MIN = 200 };

/* What decides beside the figures of the comparison. */
struct verdict_facts {
	const struct analysis_count *base, *fresh;
	const char *base_name, *fresh_name; /* of the sides, in reasons */
	double tick_s;	 /* by which user and sys are told apart; 0: exactly */
	const char *confounded; /* too few boots to tell what is compared from a boot; NULL: no */
	bool drift;	 /* larger than the change */
	const struct set_run *depends_on; /* the run that the result hangs on; NULL: none */
};

/*
 * Decides what needs no p of other rows, and gives family_size 1 to the rows that take part in
 * Holm's correction, 0 to the others. Headline metrics do, and with all_metrics the rest among
 * themselves; not those without a direction, and not user and sys below VERDICT_TICKS_MIN ticks.
 */
void verdict_prepare(struct analysis_comparison *c, const struct verdict_facts *facts,
		     const struct analysis_options *options);

/*
 * Corrects the p of each family (workload, kind, headline or not), decides the rest, and appends
 * the families to the analysis.
 */
void verdict_decide_all(struct analysis *analysis, const struct analysis_options *options);

#endif
