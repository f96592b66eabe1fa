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

/* The experiment of a session, complete. */
int stored_experiment_read(const json_t *session, struct experiment *out, struct err *err);

#endif
