// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/stored.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "runner/session_record.h"

int stored_set_path(const struct options *options, char **path, struct err *err)
{
	if (options->arguments.n > 1)
		return err_usage(err, "give one SET");
	if (!options->arguments.n)
		return set_newest(path, err);
	if (!set_is(options->arguments.v[0]))
		return err_set(err, ENOENT, "%s is no set of results", options->arguments.v[0]);
	*path = xstrdup(options->arguments.v[0]);
	return 0;
}

int stored_experiment_read(const json_t *session, struct experiment *out, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	const char *id = json_get_text(session, "id", "session");
	int rc;

	if (!json_object_get(session, "experiment"))
		return err_set(err, EINVAL, "%s holds no experiment", id);
	json_write(&text, json_object_get(session, "experiment"), 0);
	experiment_init(out);
	rc = experiment_from_text(out, text.s, text.len, id, err);
	if (!rc)
		rc = experiment_complete(out, err);
	if (rc)
		experiment_release(out);
	return rc;
}

/* The experiment's points without rounds; false where there is no plan to be made of it. */
static bool read_points(const json_t *session, struct experiment *experiment, struct plan *plan)
{
	if (stored_experiment_read(session, experiment, NULL))
		return false;
	if (plan_check_size(experiment, 0, 0, NULL)) {
		experiment_release(experiment);
		return false;
	}
	plan_make(plan, experiment, 0, 0, 0);
	return true;
}

static size_t rounds_of_point(const struct set_data *data, const json_t *session,
			      const struct experiment *experiment, const struct plan_point *point)
{
	return session_complete_rounds(data, json_get_text(session, "id", ""),
				       experiment->workloads[point->workload].name, point->text,
				       experiment->nconfigs);
}

void stored_rounds(const struct set_data *data, const json_t *session, size_t *done,
		   size_t *wanted)
{
	struct experiment experiment;
	struct plan plan;

	*done = *wanted = 0;
	if (!read_points(session, &experiment, &plan))
		return;
	for (size_t p = 0; p < plan.npoints; p++)
		*done += rounds_of_point(data, session, &experiment, &plan.points[p]);
	*wanted = plan.npoints * (size_t)json_get_int(session, "rounds", 0);
	plan_release(&plan);
	experiment_release(&experiment);
}

/* ---- sessions that went on with each other ---- */

static const json_t *session_before(const struct set_data *data, const json_t *session)
{
	const char *before = json_get_text(session, "resumes", NULL);

	return before ? json_object_get(data->sessions, before) : NULL;
}

/* The session that a chain began with; damaged files may make it a ring. */
static const json_t *first_of_chain(const struct set_data *data, const json_t *session)
{
	size_t guard = json_object_size(data->sessions);
	const json_t *before;

	while (guard-- && (before = session_before(data, session)))
		session = before;
	return session;
}

static bool was_reached(const json_t *session)
{
	return !strcmp(json_get_text(json_object_get(session, "until"), "stopped", ""), "reached");
}

/* One chain of sessions, whose plan is that of the first one. */
struct chain {
	size_t wanted; /* rounds of each point */
	size_t *done;  /* complete ones, by point */
	bool reached;  /* --until needs no more */
};

static void read_chain(const struct set_data *data, const json_t *first,
		       const struct experiment *experiment, const struct plan *plan,
		       struct chain *out)
{
	const json_t *session;
	const char *id;

	*out = (struct chain){ .wanted = (size_t)json_get_int(first, "rounds", 0) };
	out->done = xcalloc(plan->npoints, sizeof(*out->done));
	json_object_foreach(data->sessions, id, session) {
		if (first_of_chain(data, session) != first)
			continue;
		out->reached |= was_reached(session);
		for (size_t p = 0; p < plan->npoints; p++)
			out->done[p] += rounds_of_point(data, session, experiment,
							&plan->points[p]);
	}
}

static size_t missing_of_point(const struct chain *chain, size_t point)
{
	return chain->reached || chain->done[point] >= chain->wanted ?
		       0 : chain->wanted - chain->done[point];
}

unsigned int stored_missing_rounds(const struct set_data *data, const json_t *session,
				   const struct experiment *experiment, unsigned int **per_point)
{
	struct chain chain;
	struct plan plan;
	unsigned int most = 0;

	plan_make(&plan, experiment, 0, 0, 0);
	read_chain(data, first_of_chain(data, session), experiment, &plan, &chain);
	*per_point = xcalloc(plan.npoints, sizeof(**per_point));
	for (size_t p = 0; p < plan.npoints; p++) {
		(*per_point)[p] = (unsigned int)missing_of_point(&chain, p);
		if ((*per_point)[p] > most)
			most = (*per_point)[p];
	}
	free(chain.done);
	plan_release(&plan);
	return most;
}

static void add_chain(const struct set_data *data, const json_t *first, struct stored_totals *out)
{
	struct experiment experiment;
	struct chain chain;
	struct plan plan;
	size_t missing;

	if (!read_points(first, &experiment, &plan))
		return;
	read_chain(data, first, &experiment, &plan, &chain);
	for (size_t p = 0; p < plan.npoints; p++) {
		missing = missing_of_point(&chain, p);
		out->rounds_done += chain.done[p];
		out->rounds_missing += missing;
		out->rounds_planned += chain.done[p] + missing;
	}
	free(chain.done);
	plan_release(&plan);
	experiment_release(&experiment);
}

void stored_totals(const struct set_data *data, struct stored_totals *out)
{
	struct stored_totals totals = { 0 };
	const json_t *session;
	const char *id;

	json_object_foreach(data->sessions, id, session)
		if (first_of_chain(data, session) == session)
			add_chain(data, session, &totals);
	for (size_t i = 0; i < data->nruns; i++) {
		if (!data->runs[i].measured)
			continue;
		totals.runs_ok += data->runs[i].status == RUN_OK;
		totals.runs_failed += data->runs[i].status == RUN_FAILED;
		totals.runs_invalid += data->runs[i].status == RUN_INVALID;
	}
	*out = totals;
}
