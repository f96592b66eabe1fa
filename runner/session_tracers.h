// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_SESSION_TRACERS_H
#define BRUNT_RUNNER_SESSION_TRACERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "machine/undo.h"
#include "results/set.h"
#include "runner/cells.h"

/* The tracers of a session, one of each configuration, open from before the first run. */
struct session_tracers {
	void **states; /* per configuration; NULL where its tracer has none */
	bool *open;
	const struct experiment *experiment;
};

/* Opens all, and lets them refuse what the workloads, set up already, have made. */
int session_tracers_open(struct session_tracers *all, const char *session, struct undo *undo,
			 const char *set_path, const struct cells *cells, struct err *err);

/*
 * Writes down which backend each configuration has, and says so where a tracer gives a reason for
 * it. A usage error where the set holds runs of the configuration by another one.
 */
int session_tracers_record(const struct session_tracers *all, const struct set_data *old,
			   json_t *session, bool quiet, struct err *err);

/* Also after a failure to open; fine on a zeroed one. */
void session_tracers_close(struct session_tracers *all);

#endif
