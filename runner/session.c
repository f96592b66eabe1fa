// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "machine/accounting.h"
#include "machine/environment.h"
#include "runner/message.h"
#include "runner/one_run.h"
#include "runner/progress.h"
#include "runner/session_parts.h"
#include "runner/session_record.h"
#include "runner/until.h"

enum { GIVE_UP_AFTER = 2 }; /* failures in a row from a configuration's start */

static void environment_of(const struct config *config, struct words *out)
{
	for (size_t i = 0; i < config->settings.n; i++) {
		const struct key *key = &config->settings.v[i];

		if (!strncmp(key->name, "env.", 4))
			words_add_taken(out, xasprintf("%s=%s", key->name + 4, key->value));
	}
}

/* One that the user ended is no failure of the work. */
static void count_run(struct session *s, const struct plan_step *step, const struct run *run,
		      bool interrupted)
{
	enum run_status status = run_status(run);

	if (s->config_runs[step->config]++ == s->config_failures[step->config] &&
	    status == RUN_FAILED)
		s->config_failures[step->config]++;
	if (step->warmup)
		return;
	s->outcome->runs++;
	s->outcome->failed += status == RUN_FAILED && !interrupted;
	s->outcome->invalid += status == RUN_INVALID;
}

/* A primary metric that the keys promise and the run has not: no verdict would come of it. */
static void check_primary(const struct session *s, const struct instance *instance,
			  struct run *run)
{
	const struct workload *type = s->experiment->workloads[instance->workload].type;
	const struct words *primary = &s->experiment->primary;

	for (size_t i = 0; type->promises && i < primary->n; i++)
		if (type->promises(&instance->keys, primary->v[i]) &&
		    isnan(run_value(run, primary->v[i])))
			run_fail(run, "primary metric %s: the output does not have it",
				 primary->v[i]);
}

/* One step of the plan with its two lines in the set. *run belongs to the caller. */
static int run_step(struct session *s, const struct plan_step *step, struct run **ret,
		    struct err *err)
{
	const struct config *config = &s->experiment->configs[step->config];
	struct instance *instance = cells_find(&s->cells, step->point, step->config);
	struct run_parts parts = {
		.workload = s->experiment->workloads[instance->workload].type,
		.workload_state = instance->state,
		.tracer = config->tracer,
		.tracer_state = s->tracers.states[step->config],
		.settings = &config->settings,
		.undo = s->undo,
	};
	auto_words struct words environment = WORDS_INIT;
	auto_json json_t *line = session_run_identity(s->request, s->id, &s->plan, step);
	struct run_context context = { .environment = &environment, .idle_rate = s->idle_rate };
	auto_free char *folder = NULL;
	struct err end_err = { 0 };
	int rc, end;

	rc = set_begin_run(s->set, line, &context.number, err);
	if (rc)
		return rc;
	folder = set_run_folder(s->set, context.number);
	context.folder = folder;
	context.folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (context.folder_fd < 0)
		return err_sys(err, errno, "%s", folder);
	context.run = run_new();
	environment_of(config, &environment);
	rc = one_run(&parts, &context, err);
	close(context.folder_fd);
	if (!rc && run_status(context.run) == RUN_OK)
		check_primary(s, instance, context.run);
	run_finish(context.run, line);
	end = set_end_run(s->set, line, &end_err);
	if (!rc && context.stuck) {
		rc = err_set(err, EIO, "the session ends, for what hangs would hang the next run "
			     "too: %s", run_reason(context.run));
		err->status = EXIT_UNTRUSTED;
	}
	if (end && err)
		*err = end_err;
	*ret = context.run;
	return end ? end : rc;
}

/* -EIO when a configuration has done nothing but fail: hours would not change that. */
static int check_hopeless(const struct session *s, const struct plan_step *step,
			  const struct run *run, struct err *err)
{
	if (s->config_failures[step->config] < GIVE_UP_AFTER ||
	    s->config_failures[step->config] != s->config_runs[step->config])
		return 0;
	err_set(err, EIO, "configuration %s fails every time: %s",
		s->experiment->configs[step->config].name, run_reason(run));
	err->status = EXIT_UNTRUSTED;
	return -EIO;
}

/* Runs steps [first, plan.nsteps). complete: all ok and not warm-ups. */
static int run_steps(struct session *s, size_t first, size_t last, bool *complete,
		     struct err *err)
{
	unsigned int rounds = s->request->rounds;
	struct run *run;
	int rc = 0;

	*complete = true;
	for (size_t i = first; i < last && !rc; i++) {
		struct plan_step step = s->plan.steps[i];

		if (interrupt_count())
			return err_set(err, EINTR, "interrupted");
		run = NULL;
		progress_run_starts(step.round, step.warmup ? s->experiment->warmup : rounds,
				    s->experiment->configs[step.config].name,
				    s->plan.points[step.point].text, step.warmup);
		rc = run_step(s, &step, &run, err);
		if (run) {
			count_run(s, &step, run, rc == -EINTR);
			progress_run_ended(run_status_name(run_status(run)),
					   run_value(run, "real"), run_reason(run));
			if (run_status(run) != RUN_OK)
				*complete = false;
			if (!rc)
				rc = check_hopeless(s, &step, run, err);
		}
		if (run && step.warmup && step.config == 0 && run_status(run) == RUN_OK) {
			run_free(s->warmups[step.point]);
			s->warmups[step.point] = run;
		} else {
			run_free(run);
		}
	}
	return rc;
}

/* Lets the warm-up choose what the keys left to it, for all configurations of the point. */
static int calibrate_point(struct session *s, size_t p, struct err *err)
{
	const struct plan_point *point = &s->plan.points[p];
	const struct experiment_workload *workload = &s->experiment->workloads[point->workload];
	struct instance *base = cells_find(&s->cells, p, 0);
	struct keys chosen = KEYS_INIT;
	json_t *keys;
	int rc;

	if (!workload->type->calibrate || !s->warmups[p] || s->chosen[p])
		return 0;
	rc = workload->type->calibrate(base->state, s->warmups[p], &chosen, err);
	if (!rc && chosen.n) {
		keys = json_object();
		for (size_t i = 0; i < chosen.n; i++)
			json_object_set_new(keys, chosen.v[i].name, json_text(chosen.v[i].value));
		json_array_append_new(json_object_get(s->json, "calibrated"),
				      json_pack("{s:o,s:o,s:o}", "workload",
						json_text(workload->name), "point",
						plan_point_to_json(point), "keys", keys));
		rc = cells_choose(&s->cells, p, &chosen, &s->site, err);
	}
	keys_release(&chosen);
	return rc;
}

static int calibrate(struct session *s, struct err *err)
{
	int rc = 0;

	for (size_t p = 0; !rc && p < s->plan.npoints; p++)
		rc = calibrate_point(s, p, err);
	if (rc || !json_array_size(json_object_get(s->json, "calibrated")))
		return rc;
	json_object_set_new(s->json, "workloads", cells_describe(&s->cells));
	return set_write_session(s->set, s->id, s->json, err);
}

/* The steps of one round of one point lie behind each other. */
static size_t round_end(const struct plan *plan, size_t first)
{
	size_t i = first;

	while (i < plan->nsteps && plan->steps[i].round == plan->steps[first].round &&
	       plan->steps[i].point == plan->steps[first].point &&
	       plan->steps[i].warmup == plan->steps[first].warmup)
		i++;
	return i;
}

/* Rounds that broke are done again under numbers behind those of the plan. */
static int repeat_broken(struct session *s, struct err *err)
{
	bool complete, any = true;
	size_t first;
	int rc = 0;

	while (s->retries && any && !rc) {
		any = false;
		for (size_t p = 0; p < s->plan.npoints && s->retries && !rc; p++) {
			if (!s->broken[p])
				continue;
			any = true;
			s->retries--;
			first = s->plan.nsteps;
			plan_add_round(&s->plan, s->experiment, p, ++s->last_round,
				       s->experiment->seed);
			rc = run_steps(s, first, s->plan.nsteps, &complete, err);
			if (!rc && complete)
				s->broken[p]--;
		}
	}
	return rc;
}

/*
 * Between two rounds, so nothing is timed. What was found stands in the session from then on:
 * whether the plan ended there is known only when it has.
 */
static int look(struct session *s, struct err *err)
{
	unsigned int least = s->experiment->rounds;
	struct until until = { .pct = s->request->until_pct,
			       .min_rounds = least > UNTIL_ROUNDS_MIN ? least : UNTIL_ROUNDS_MIN,
			       .host = environment_host(), .label = s->request->label };
	struct until_look found;
	int rc = until_look(set_path(s->set), &until, &found, err);

	if (rc)
		return rc;
	s->reached = found.reached;
	session_record_look(s->json, &found);
	return 0;
}

/* A round of all points is behind us: is another one needed? */
static int look_before(struct session *s, size_t next, struct err *err)
{
	const struct plan_step *steps = s->plan.steps;

	if (s->request->until_pct <= 0 || steps[next].warmup ||
	    (next && !steps[next - 1].warmup && steps[next - 1].round == steps[next].round))
		return 0;
	return look(s, err);
}

static int run_plan_steps(struct session *s, struct err *err)
{
	size_t first = 0, last, planned = s->plan.nsteps;
	bool complete, calibrated = false;
	int rc = 0;

	while (first < planned && !rc) {
		if (!calibrated && !s->plan.steps[first].warmup) {
			calibrated = true;
			rc = calibrate(s, err);
			if (rc)
				break;
		}
		rc = look_before(s, first, err);
		if (rc || s->reached)
			break;
		last = round_end(&s->plan, first);
		rc = run_steps(s, first, last, &complete, err);
		if (!complete && !s->plan.steps[first].warmup)
			s->broken[s->plan.steps[first].point]++;
		first = last;
	}
	if (!rc)
		s->plan.nsteps = first; /* fewer than planned where --until was reached */
	return rc;
}

/* The number of rounds that there were, where --until has ended them. */
static int end_until(struct session *s, struct err *err)
{
	unsigned int rounds = 0;
	int rc = 0;

	if (s->request->until_pct <= 0)
		return 0;
	if (!s->reached)
		rc = look(s, err);
	for (size_t i = 0; i < s->plan.nsteps; i++) {
		const struct plan_step *step = &s->plan.steps[i];

		if (!step->warmup && step->round <= s->request->rounds && step->round > rounds)
			rounds = step->round;
	}
	session_record_stop(s->json, rounds, s->reached);
	return rc;
}

static int run_plan(struct session *s, struct err *err)
{
	int rc;

	s->retries = s->experiment->max_retries;
	s->last_round = s->request->rounds;
	rc = run_plan_steps(s, err);
	if (!rc && !s->reached)
		rc = repeat_broken(s, err);
	if (!rc)
		rc = end_until(s, err);
	for (size_t p = 0; p < s->plan.npoints && !s->reached; p++)
		s->outcome->broken += s->broken[p];
	return rc;
}

/* rc as it was, or the failure to write when that is the first one. */
static int write_end(struct session *s, int rc, struct err *err)
{
	struct err local = { 0 };
	char wall[32];
	int write_rc;

	clock_wall_text(wall);
	json_object_set_new(s->json, "ended", json_string(wall));
	json_object_set_new(s->json, "status",
			    json_string(rc == -EINTR ? "interrupted" : rc ? "failed" : "complete"));
	json_object_set_new(s->json, "plan", plan_to_json(&s->plan, s->experiment));
	write_rc = set_write_session(s->set, s->id, s->json, rc ? &local : err);
	if (rc && write_rc)
		message("%s", local.text);
	return rc ? rc : write_rc;
}

int session_run(const struct session_request *request, struct session_outcome *outcome,
		struct err *err)
{
	struct session s = { .request = request,
			     .experiment = request->experiment,
			     .outcome = outcome,
			     .lock_fd = -1 };
	int rc;

	*outcome = (struct session_outcome){ 0 };
	rc = session_open(&s, err);
	if (!rc) {
		progress_start(s.plan.nsteps, request->quiet);
		rc = run_plan(&s, err);
		progress_end();
		rc = write_end(&s, rc, err);
	}
	session_close(&s);
	return rc;
}
