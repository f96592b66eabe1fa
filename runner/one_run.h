// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_ONE_RUN_H
#define BRUNT_RUNNER_ONE_RUN_H

#include "base/err.h"
#include "base/keys.h"
#include "machine/undo.h"
#include "tracers/tracer.h"
#include "workloads/workload.h"

/* What takes part in one run. */
struct run_parts {
	const struct workload *workload;
	void *workload_state;
	const struct tracer *tracer;
	void *tracer_state;
	const struct keys *settings;
	struct undo *undo;
};

/*
 * One run, in the order: prepare, settings, attach, start, execute, stop, settle, collect,
 * verify, detach, settings back, cleanup. Whatever was begun is taken back in reverse, whichever
 * hook fails; the failure stands in the run's status. Returns 0, or -EINTR when the user stopped
 * it (the run is failed then too).
 */
int one_run(const struct run_parts *parts, struct run_context *context, struct err *err);

#endif
