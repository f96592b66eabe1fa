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
#include "runner/measure.h"
#include "runner/message.h"
#include "runner/run_arguments.h"
#include "runner/session_record.h"
#include "runner/stored.h"

static const char *const usage[] = {
	"brunt resume [SET]      without a SET: the newest",
	NULL,
};

static const struct option_spec options_table[] = {
	{ "tune", 0, NULL, "governor, turbo and watchdogs as brunt check wants them; restored" },
	{ "force", 0, NULL, "although another brunt measures, or the label was another kernel's" },
	{ "quiet", 'q', NULL, "no progress, no report at the end" },
	RUN_DESTROY_OPTION,
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

static int go_on(const struct options *options, const char *path, const struct set_data *data,
		 const json_t *session, int *status, struct err *err)
{
	struct session_request request = {
		.set_path = path,
		.label = json_get_text(session, "label", ""),
		.resumes = json_get_text(session, "id", NULL),
		.force = options_has(options, "force"),
		.tune = options_has(options, "tune"),
		.quiet = options_has(options, "quiet"),
	};
	double until_pct = json_get_number(json_object_get(session, "until"), "pct");
	struct run_arguments arguments = { .rounds = 0 };
	auto_free unsigned int *per_point = NULL;
	int rc;

	rc = run_arguments_read_consent(options, &arguments.consent, err);
	if (!rc)
		rc = stored_experiment_read(session, &arguments.experiment, err);
	if (rc)
		return rc;
	run_arguments_remember(&arguments, data);
	request.consent = &arguments.consent;
	rc = run_arguments_check(&arguments, NULL, err);
	if (!rc) {
		request.experiment = &arguments.experiment;
		request.until_pct = until_pct > 0 ? until_pct : 0;
		request.rounds = stored_missing_rounds(data, session, &arguments.experiment,
						       &per_point);
		request.point_rounds = per_point;
	}
	if (!rc && !request.rounds)
		message("nothing is missing in %s", path);
	else if (!rc)
		rc = measure(&request, status, err);
	run_arguments_release(&arguments);
	return rc;
}

static void more_help(struct buf *out)
{
	buf_add(out, "\nexit status: 0 ok, 1 failure, 2 usage, 4 runs failed or were invalid,\n"
		     "5 refused for safety, 77 something is missing, 128+N ended by signal N\n");
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
	.more_help = more_help,
	.run = run,
};
