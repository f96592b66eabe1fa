// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/stored.h"

#include <errno.h>
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

void stored_rounds(const struct set_data *data, const json_t *session, size_t *done,
		   size_t *wanted)
{
	struct experiment experiment;
	struct plan plan;

	*done = *wanted = 0;
	if (stored_experiment_read(session, &experiment, NULL))
		return;
	plan_make(&plan, &experiment, 0, 0, 0);
	for (size_t p = 0; p < plan.npoints; p++)
		*done += session_complete_rounds(
			data, json_get_text(session, "id", ""),
			experiment.workloads[plan.points[p].workload].name, plan.points[p].text,
			experiment.nconfigs);
	*wanted = plan.npoints * (size_t)json_get_int(session, "rounds", 0);
	plan_release(&plan);
	experiment_release(&experiment);
}
