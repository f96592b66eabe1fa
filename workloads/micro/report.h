// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_REPORT_H
#define BRUNT_WORKLOADS_MICRO_REPORT_H

#include "results/run.h"
#include "workloads/micro/measurer.h"

/*
 * From batches to the metrics of a run: the value is the median of the batches, their spread goes
 * to `within`. A bench without a value gets its reason; where all have none the run has failed.
 * n: how many of the job's benches are metrics, the first ones.
 */
void micro_report_metrics(const struct micro_job *job, size_t n,
			  const struct micro_outcome *outcome, struct run *run);

/* What placement and the measuring process saw; marks where it was disturbed. */
void micro_report_evidence(const struct micro_job *job, const struct micro_outcome *outcome,
			   struct run *run);

/*
 * series.json of the run: latency over size, from the job's benches behind the first n, whose sizes
 * in bytes are given. Nothing where there are none.
 */
int micro_report_curve(const struct micro_job *job, size_t n, const uint64_t *bytes,
		       const struct micro_outcome *outcome, const struct run_context *context,
		       struct err *err);

#endif
