// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_TRACE_SIZE_H
#define BRUNT_RUNNER_TRACE_SIZE_H

#include "base/buf.h"
#include "runner/experiment.h"
#include "runner/plan.h"

/*
 * A line for each configuration that traces devices: how large the files of its traces get, by the
 * events of the last good run of that configuration, workload and label in the set, or that this is
 * not known. set_path need not be there yet.
 */
void trace_size_add(const struct experiment *experiment, const struct plan *plan,
		    const char *set_path, const char *label, struct buf *out);

#endif
