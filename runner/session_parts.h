// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_SESSION_PARTS_H
#define BRUNT_RUNNER_SESSION_PARTS_H

#include <stdbool.h>

#include "machine/tune.h"
#include "runner/cells.h"
#include "runner/plan.h"
#include "runner/session.h"
#include "runner/session_tracers.h"

/* A session between its start and its end: shared by the files that make it up. */
struct session {
	const struct session_request *request;
	const struct experiment *experiment;
	struct session_outcome *outcome;
	char *id;
	struct set *set;
	struct set_data old; /* what the set held before */
	struct undo *undo;
	struct plan plan;
	struct cells cells;
	struct workload_site site;
	struct session_tracers tracers;
	unsigned int *config_failures, *config_runs;
	struct run **warmups; /* per point: the baseline's last good warm-up run */
	size_t *broken;	      /* per point: rounds that are missing */
	unsigned int retries, last_round; /* left for them; the last number that was given */
	bool reached;	      /* --until: no more rounds are needed */
	bool *chosen;	      /* per point: an earlier session calibrated it */
	json_t *json;
	double idle_rate;
	struct tune tune;
	int lock_fd;
};

/* Opens and sets up everything; what was begun is taken back by session_close(). */
int session_open(struct session *s, struct err *err);
void session_close(struct session *s);

#endif
