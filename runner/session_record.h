// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_SESSION_RECORD_H
#define BRUNT_RUNNER_SESSION_RECORD_H

#include <jansson.h>

#include "results/set.h"
#include "runner/cells.h"
#include "runner/session.h"
#include "runner/until.h"

/* What sessions write into a set, and what they look up in it. Units stand in docs/format.md. */

/*
 * "20261130T120751-host-3fa19c": unique over hosts, and in the order of the starts on one: behind
 * the host stand the second's fraction in 1/65536 and a random byte. Belongs to the caller.
 */
char *session_new_id(void);

/* The session's file at its start; status is "running". */
json_t *session_to_json(const struct session_request *request, const char *id,
			const struct plan *plan, const struct cells *cells, json_t *environment,
			double idle_rate);

/*
 * What --until found last, and, when it has ended the session, after how many rounds: they become
 * the session's rounds.
 */
void session_record_look(json_t *session, const struct until_look *look);
void session_record_stop(json_t *session, unsigned int rounds, bool reached);

/* The part of a run's lines that says which run it is. */
json_t *session_run_identity(const struct session_request *request, const char *id,
			     const struct plan *plan, const struct plan_step *step);

/*
 * Is the set's earlier content of the same kind? Usage error where a session of the same label
 * has the same configuration with other parameters or other primary metrics, or where a tracer's
 * backend changed.
 */
int session_check_set(const struct set_data *data, const struct session_request *request,
		      struct err *err);
int session_check_backend(const struct set_data *data, const char *config, const char *backend,
			  struct err *err);

/*
 * Did the sessions of this label on this host find the same work when they set up (cells as
 * "workloads" of a session's file)? Usage error with what differs.
 */
int session_check_found(const struct set_data *data, const char *label, const json_t *cells,
			struct err *err);

/* Sessions that go on with an experiment draw their own order. */
uint32_t session_order_seed(const struct experiment *experiment, const struct set_data *data);

/* Keys that an earlier session of the set calibrated for this point; false: none. */
bool session_find_calibration(const struct set_data *data, const char *workload,
			      const json_t *point, struct keys *chosen);

/* Is the process that wrote this session still running it? */
bool session_is_running(const json_t *session);

/* How many complete rounds a session has of one point: every configuration ok. */
size_t session_complete_rounds(const struct set_data *data, const char *session_id,
			       const char *workload, const char *point, size_t nconfigs);

#endif
