// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_RUN_MARKS_H
#define BRUNT_RUNNER_RUN_MARKS_H

#include "machine/evidence.h"
#include "results/run.h"

/*
 * What evidence says as marks of the run: load_before, throttling, kernel_warnings, frequency;
 * and involuntary_switches, where the metrics that the run has by now tell of many.
 */
void run_marks_add(struct run *run, const struct evidence *evidence, long cpus);

#endif
