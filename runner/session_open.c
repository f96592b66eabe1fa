// SPDX-License-Identifier: GPL-3.0-or-later
/* The beginning of a session, where all is set up, and its end, where all is taken down. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "machine/accounting.h"
#include "machine/environment.h"
#include "machine/exclusive.h"
#include "machine/kernel_config.h"
#include "runner/message.h"
#include "runner/session_kernel.h"
#include "runner/session_parts.h"
#include "runner/session_record.h"

static int take_machine(struct session *s, struct err *err)
{
	pid_t owner = 0;
	int fd = exclusive_take(&owner);

	if (fd == -EADDRINUSE && !s->request->force)
		return err_set(err, EBUSY,
			       "another brunt is measuring on this machine (pid %d): two would "
			       "measure each other; wait for it, or --force",
			       (int)owner);
	s->lock_fd = fd >= 0 ? fd : -1;
	return 0;
}

static void tell(const char *text)
{
	message("%s", text);
}

/* The measured steps beyond what a point still needs are left out (resume). */
static void trim_plan(struct session *s)
{
	const unsigned int *need = s->request->point_rounds;
	size_t kept = 0;

	if (!need)
		return;
	for (size_t i = 0; i < s->plan.nsteps; i++) {
		struct plan_step step = s->plan.steps[i];

		if (step.warmup ? need[step.point] > 0 : step.round <= need[step.point])
			s->plan.steps[kept++] = step;
	}
	s->plan.nsteps = kept;
}

/* Nothing is set up yet, so this only adds keys. */
static void reuse_calibrations(struct session *s)
{
	struct err ignored;

	for (size_t p = 0; p < s->plan.npoints; p++) {
		const struct plan_point *point = &s->plan.points[p];
		const char *name = s->experiment->workloads[point->workload].name;
		json_t *json = plan_point_to_json(point);
		struct keys chosen = KEYS_INIT;

		if (session_find_calibration(&s->old, name, json, &chosen)) {
			cells_choose(&s->cells, p, &chosen, &s->site, &ignored);
			s->chosen[p] = true;
		}
		keys_release(&chosen);
		json_decref(json);
	}
}

static int set_up_cells(struct session *s, struct err *err)
{
	auto_json json_t *cells = NULL;
	int rc = cells_setup(&s->cells, &s->site, err);

	if (rc || s->request->force)
		return rc;
	cells = cells_describe(&s->cells);
	return session_check_found(&s->old, s->request->label, cells, err);
}

static json_t *read_environment(const struct session *s)
{
	auto_words struct words places = WORDS_INIT;
	json_t *environment = environment_read();

	words_add(&places, set_path(s->set));
	cells_places(&s->cells, &places);
	environment_add_places(environment, &places);
	return environment;
}

/* Where it can be read; the environment has its hash. */
static int keep_config(const struct session *s, struct err *err)
{
	const char *hash = json_get_text(json_object_get(s->json, "environment"),
					 "kernel.config_sha256", NULL);
	auto_buf struct buf text = BUF_INIT;

	if (!hash || kernel_config_read(&text))
		return 0;
	return set_write_config(s->set, hash, text.s, text.len, err);
}

int session_open(struct session *s, struct err *err)
{
	const struct session_request *request = s->request;
	size_t nconfigs = s->experiment->nconfigs;
	int rc;

	rc = take_machine(s, err);
	if (!rc)
		rc = set_open(request->set_path, true, &s->set, err);
	if (!rc)
		rc = set_read(request->set_path, &s->old, err);
	if (!rc)
		rc = session_check_set(&s->old, request, err);
	if (!rc && !request->force)
		rc = session_check_kernel(&s->old, request->label, err);
	if (rc)
		return rc;
	s->id = session_new_id();
	rc = undo_open(s->id, &s->undo, err);
	if (rc)
		return rc;
	if (request->tune)
		tune_apply(&s->tune, s->undo, tell);
	plan_make(&s->plan, s->experiment, request->rounds, s->experiment->warmup,
		  session_order_seed(s->experiment, &s->old));
	trim_plan(s);
	cells_init(&s->cells, s->experiment, &s->plan);
	s->config_failures = xcalloc(nconfigs, sizeof(*s->config_failures));
	s->config_runs = xcalloc(nconfigs, sizeof(*s->config_runs));
	s->warmups = xcalloc(s->plan.npoints, sizeof(*s->warmups));
	s->broken = xcalloc(s->plan.npoints, sizeof(*s->broken));
	s->chosen = xcalloc(s->plan.npoints, sizeof(*s->chosen));
	s->site = (struct workload_site){
		.session = s->id,
		.undo = s->undo,
		.consent = request->consent,
		.set_path = set_path(s->set),
		.tell = tell,
	};
	reuse_calibrations(s);
	rc = set_up_cells(s, err);
	if (rc)
		return rc;
	s->idle_rate = accounting_idle_rate(200 * NS_PER_MS);
	s->json = session_to_json(request, s->id, &s->plan, &s->cells, read_environment(s),
				  s->idle_rate);
	if (s->tune.changes)
		json_object_set(s->json, "tuned", s->tune.changes);
	rc = session_tracers_open(&s->tracers, s->id, s->undo, set_path(s->set), &s->cells, err);
	if (!rc)
		rc = session_tracers_record(&s->tracers, &s->old, s->json, request->quiet, err);
	if (!rc)
		rc = keep_config(s, err);
	if (!rc)
		rc = set_write_session(s->set, s->id, s->json, err);
	s->outcome->recorded = !rc;
	return rc;
}

void session_close(struct session *s)
{
	session_tracers_close(&s->tracers);
	if (s->cells.experiment)
		cells_release(&s->cells);
	for (size_t p = 0; s->warmups && p < s->plan.npoints; p++)
		run_free(s->warmups[p]);
	plan_release(&s->plan);
	tune_restore(&s->tune, s->undo, tell);
	if (s->undo && undo_count_open(s->undo))
		message("something could not be undone; brunt clean tries again");
	undo_close(s->undo);
	set_data_release(&s->old);
	if (!s->outcome->recorded)
		set_discard_unused(s->set);
	set_close(s->set);
	json_decref(s->json);
	free(s->id);
	free(s->config_failures);
	free(s->config_runs);
	free(s->warmups);
	free(s->broken);
	free(s->chosen);
	close_fd(&s->lock_fd);
}
