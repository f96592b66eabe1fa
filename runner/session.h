// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_SESSION_H
#define BRUNT_RUNNER_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "machine/guard.h"
#include "runner/experiment.h"

/* What one start of brunt is asked to do. */
struct session_request {
	const struct experiment *experiment; /* complete */
	const char *set_path;
	const char *label;
	unsigned int rounds;		/* of this session; with until_pct: at most */
	double until_pct;		/* rounds end when half widths are below it; 0: never */
	const unsigned int *point_rounds; /* per point where they differ (resume); may be NULL */
	const char *resumes;		/* id of the session that is gone on with; may be NULL */
	const struct guard_consent *consent; /* what may be destroyed; NULL: nothing */
	bool force; /* although another measurement runs, or the label met another kernel */
	bool tune;			/* sets what machine/tune.h says, for the session */
	bool quiet;
};

struct session_outcome {
	size_t runs, failed, invalid; /* of this session; warm-ups not counted */
	bool recorded;		      /* its file is in the set */
	size_t broken;		      /* rounds that are still missing after retries */
};

/*
 * Runs the experiment into the set: sets up, warm-up rounds, rounds, repeats of broken rounds,
 * tears down. The outcome is filled as far as it came, also on failure; -EINTR when the user
 * stopped it. What was measured until then stands in the set.
 */
int session_run(const struct session_request *request, struct session_outcome *outcome,
		struct err *err);

#endif
