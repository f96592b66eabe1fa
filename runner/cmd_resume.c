// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "machine/environment.h"
#include "results/set.h"
#include "runner/command.h"
#include "runner/message.h"
#include "runner/run_arguments.h"
#include "runner/session.h"
#include "runner/session_record.h"
#include "runner/show_report.h"
#include "runner/stored.h"

static const char *const usage[] = {
	"brunt resume [SET]      without a SET: the newest",
	NULL,
};

static const struct option_spec options_table[] = {
	{ "force", 0, NULL, "run although another brunt measures here" },
	{ "quiet", 'q', NULL, "no progress, no report at the end" },
	{ 0 },
};

/* The newest session of this host. */
static const json_t *last_session(const struct set_data *data)
{
	const json_t *session, *last = NULL;
	const char *id;

	json_object_foreach(data->sessions, id, session) {
		if (strcmp(json_get_text(session, "host", ""), environment_host()) != 0)
			continue;
		if (!last || strcmp(json_get_text(session, "started", ""),
				    json_get_text(last, "started", "")) >= 0)
			last = session;
	}
	return last;
}

/* Going on is only right on the kernel that the session was on. */
static int check_same_kernel(const json_t *session, const char *set, struct err *err)
{
	const json_t *environment = json_object_get(session, "environment");
	const char *release = json_get_text(environment, "kernel.release", "");
	const char *version = json_get_text(environment, "kernel.version", "");
	struct utsname now;

	if (uname(&now) < 0)
		return err_sys(err, errno, "uname");
	if (strcmp(release, now.release) != 0 || strcmp(version, now.version) != 0)
		return err_set(err, EXDEV,
			       "the session ran on kernel %s %s, this is %s %s; "
			       "brunt run -o %s -l LABEL measures this one beside it",
			       release, version, now.release, now.version, set);
	return 0;
}

/* Complete rounds of a point in the session and in those that it went on with. */
static size_t rounds_in_chain(const struct set_data *data, const json_t *session,
			      const char *workload, const char *point, size_t nconfigs)
{
	size_t done = 0, guard = json_object_size(data->sessions);
	const char *before;

	while (session && guard--) {
		done += session_complete_rounds(data, json_get_text(session, "id", ""), workload,
						point, nconfigs);
		before = json_get_text(session, "resumes", NULL);
		session = before ? json_object_get(data->sessions, before) : NULL;
	}
	return done;
}

static size_t planned_rounds(const struct set_data *data, const json_t *session)
{
	const char *before;
	size_t guard = json_object_size(data->sessions);

	while (guard--) {
		before = json_get_text(session, "resumes", NULL);
		if (!before || !json_object_get(data->sessions, before))
			break;
		session = json_object_get(data->sessions, before);
	}
	return (size_t)json_get_int(session, "rounds", 0);
}

/* How many rounds each point still needs; returns the largest. */
static unsigned int missing_rounds(const struct set_data *data, const json_t *session,
				   const struct experiment *experiment, unsigned int *per_point,
				   const struct plan *plan)
{
	size_t wanted = planned_rounds(data, session), done;
	unsigned int most = 0;

	if (!strcmp(json_get_text(json_object_get(session, "until"), "stopped", ""), "reached"))
		return 0;
	for (size_t p = 0; p < plan->npoints; p++) {
		done = rounds_in_chain(data, session,
				       experiment->workloads[plan->points[p].workload].name,
				       plan->points[p].text, experiment->nconfigs);
		per_point[p] = done < wanted ? (unsigned int)(wanted - done) : 0;
		if (per_point[p] > most)
			most = per_point[p];
	}
	return most;
}

static int go_on(const struct options *options, const char *path, const struct set_data *data,
		 const json_t *session, int *status, struct err *err)
{
	struct session_request request = {
		.set_path = path,
		.label = json_get_text(session, "label", ""),
		.resumes = json_get_text(session, "id", NULL),
		.force = options_has(options, "force"),
		.quiet = options_has(options, "quiet"),
	};
	double until_pct = json_get_number(json_object_get(session, "until"), "pct");
	struct session_outcome outcome = { 0 };
	struct run_arguments arguments = { .rounds = 0 };
	auto_free unsigned int *per_point = NULL;
	struct plan plan;
	int rc;

	rc = stored_experiment_read(session, &arguments.experiment, err);
	if (rc)
		return rc;
	rc = run_arguments_check(&arguments, NULL, err);
	plan_make(&plan, &arguments.experiment, 0, 0, 0);
	per_point = xcalloc(plan.npoints, sizeof(*per_point));
	request.experiment = &arguments.experiment;
	request.point_rounds = per_point;
	request.until_pct = until_pct > 0 ? until_pct : 0;
	request.rounds =
		missing_rounds(data, session, &arguments.experiment, per_point, &plan);
	plan_release(&plan);
	if (!rc && !request.rounds) {
		message("nothing is missing in %s", path);
	} else if (!rc) {
		undo_warn_of_dead_sessions();
		rc = session_run(&request, &outcome, err);
		*status = outcome.broken ? EXIT_UNTRUSTED : EXIT_OK;
		if (!rc && !request.quiet)
			rc = show_report(path, err);
	}
	experiment_release(&arguments.experiment);
	return rc;
}

static int run(const struct options *options, int *status, struct err *err)
{
	auto_free char *path = NULL;
	const json_t *session;
	struct set_data data;
	int rc;

	*status = EXIT_OK;
	rc = stored_set_path(options, &path, err);
	if (!rc)
		rc = set_read(path, &data, err);
	if (rc)
		return rc;
	session = last_session(&data);
	if (!session)
		rc = err_set(err, ENOENT, "%s holds no session of this host", path);
	else if (session_is_running(session))
		rc = err_set(err, EBUSY, "the session is still running (pid %lld)",
			     (long long)json_get_int(session, "pid", 0));
	else
		rc = check_same_kernel(session, path, err);
	if (!rc)
		rc = go_on(options, path, &data, session, status, err);
	set_data_release(&data);
	return rc;
}

const struct command command_resume = {
	.name = "resume",
	.summary = "go on with an interrupted session on the same kernel",
	.usage = usage,
	.options = options_table,
	.run = run,
};
