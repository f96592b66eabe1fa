// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_STORED_H
#define BRUNT_RUNNER_STORED_H

#include <jansson.h>

#include "results/set.h"
#include "runner/experiment.h"
#include "runner/options.h"
#include "runner/plan.h"

/* What status and resume read of sessions that are over. */

/* The one SET argument, or the newest set; belongs to the caller. */
int stored_set_path(const struct options *options, char **path, struct err *err);

/* Complete rounds of a session over all its points, and how many it was to have. */
void stored_rounds(const struct set_data *data, const json_t *session, size_t *done,
		   size_t *wanted);

/*
 * How many rounds each point of the session's experiment still needs, counting the sessions that
 * it went on with; the largest of them is returned. *per_point belongs to the caller.
 */
unsigned int stored_missing_rounds(const struct set_data *data, const json_t *session,
				   const struct experiment *experiment, unsigned int **per_point);

/* The whole set: sessions that went on with another one make up its rounds and plan none. */
struct stored_totals {
	size_t rounds_planned, rounds_done, rounds_missing;
	size_t runs_ok, runs_failed, runs_invalid; /* finished ones that are no warm-ups */
};
void stored_totals(const struct set_data *data, struct stored_totals *out);

/* The experiment of a session, complete. */
int stored_experiment_read(const json_t *session, struct experiment *out, struct err *err);

#endif
