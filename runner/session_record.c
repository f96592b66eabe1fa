// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/session_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/environment.h"
#include "results/work_diff.h"
#include "runner/version.h"

enum { MAX_ROUND = 10000000 }; /* what a damaged line may make us allocate for */

char *session_new_id(void)
{
	unsigned int random = 0, fraction;
	struct timespec now;
	char text[32], *id;
	struct tm tm;

	if (getrandom(&random, sizeof(random), 0) < 0)
		random = (unsigned int)getpid();
	clock_gettime(CLOCK_REALTIME, &now);
	fraction = (unsigned int)(now.tv_nsec * 0x10000LL / NS_PER_S);
	gmtime_r(&now.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &tm);
	id = xasprintf("%s-%.32s-%04x%02x", text, environment_host(), fraction, random & 0xff);
	for (char *p = id; *p; p++)
		if (*p == '/' || (unsigned char)*p <= 0x20)
			*p = '_';
	return id;
}

json_t *session_to_json(const struct session_request *request, const char *id,
			const struct plan *plan, const struct cells *cells, json_t *environment,
			double idle_rate)
{
	const struct experiment *experiment = request->experiment;
	json_t *disks = guard_consent_to_json(request->consent), *session;
	uint64_t ticks = 0;
	char wall[32];

	clock_wall_text(wall);
	process_start_ticks(getpid(), &ticks);
	session = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "schema", SET_SCHEMA, "id", id, "version",
			    BRUNT_VERSION, "status", "running", "started", wall, "boot_id",
			    environment_boot_id());
	json_object_set_new(session, "host", json_text(environment_host()));
	json_object_set_new(session, "label", json_text(request->label));
	json_object_set_new(session, "resumes", json_text(request->resumes));
	json_object_set_new(session, "pid", json_integer(getpid()));
	json_object_set_new(session, "pid_start_ticks", json_integer((json_int_t)ticks));
	json_object_set_new(session, "rounds", json_integer(request->rounds));
	json_object_set_new(session, "seed", json_integer(experiment->seed));
	json_object_set_new(session, "experiment", experiment_to_json(experiment));
	json_object_set_new(session, "workloads", cells_describe(cells));
	json_object_set_new(session, "calibrated", json_array());
	json_object_set_new(session, "configs", json_array());
	json_object_set_new(session, "idle_kthread_rate", json_number(idle_rate));
	json_object_set_new(session, "environment", environment);
	if (request->until_pct > 0)
		json_object_set_new(session, "until",
				    json_pack("{s:o,s:I,s:n,s:n,s:n}", "pct",
					      json_number(request->until_pct), "max",
					      (json_int_t)experiment->until_max, "rounds",
					      "half_width_pct", "stopped"));
	if (disks)
		json_object_set_new(session, "disks", disks);
	json_object_set_new(session, "plan", plan_to_json(plan, experiment));
	return session;
}

void session_record_look(json_t *session, const struct until_look *look)
{
	json_t *until = json_object_get(session, "until");

	json_object_set_new(until, "rounds", json_integer((json_int_t)look->rounds));
	json_object_set_new(until, "half_width_pct", json_number(look->half_width_pct));
}

void session_record_stop(json_t *session, unsigned int rounds, bool reached)
{
	json_t *until = json_object_get(session, "until");

	json_object_set_new(session, "rounds", json_integer(rounds));
	json_object_set_new(until, "stopped", json_string(reached ? "reached" : "max"));
}

json_t *session_run_identity(const struct session_request *request, const char *id,
			     const struct plan *plan, const struct plan_step *step)
{
	const struct experiment *experiment = request->experiment;
	const struct plan_point *point = &plan->points[step->point];
	char wall[32];
	json_t *line;

	clock_wall_text(wall);
	line = json_pack("{s:s,s:I,s:I,s:s,s:s,s:s}", "session", id, "round",
			 (json_int_t)step->round, "position", (json_int_t)step->position, "role",
			 step->warmup ? "warmup" : "measured", "start", wall, "boot_id",
			 environment_boot_id());
	json_object_set_new(line, "start_boottime_ns", json_integer(clock_boot_ns()));
	json_object_set_new(line, "host", json_text(environment_host()));
	json_object_set_new(line, "label", json_text(request->label));
	json_object_set_new(line, "config",
			    json_text(experiment->configs[step->config].name));
	json_object_set_new(line, "workload",
			    json_text(experiment->workloads[point->workload].name));
	json_object_set_new(line, "point", plan_point_to_json(point));
	return line;
}

/* Reads the experiment of a stored session back. */
static int stored_experiment(const json_t *session, struct experiment *out, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;

	json_write(&text, json_object_get(session, "experiment"), 0);
	return experiment_from_text(out, text.s, text.len, json_get_text(session, "id", "session"),
				    err);
}

static int check_config(const struct set_data *data, const struct session_request *request,
			const struct experiment *old, const char *name, struct err *err)
{
	auto_free char *difference = NULL;

	if (!experiment_same_config(old, request->experiment, name, &difference))
		return err_usage(err,
				 "%s holds label %s, configuration %s with other parameters (%s); "
				 "give another label (-l), another configuration name or another "
				 "set (-o)",
				 data->path, request->label, name, difference);
	if (experiment_has_config(old, name) && !experiment_same_primary(old, request->experiment))
		return err_usage(err,
				 "%s holds label %s, configuration %s with other primary metrics: "
				 "they are chosen before the first run; leave --primary as it was, "
				 "or give another label (-l) or set (-o)",
				 data->path, request->label, name);
	return 0;
}

int session_check_set(const struct set_data *data, const struct session_request *request,
		      struct err *err)
{
	const json_t *session;
	const char *id;
	int rc = 0;

	json_object_foreach(data->sessions, id, session) {
		struct experiment old;

		if (strcmp(json_get_text(session, "label", ""), request->label) != 0 ||
		    !json_is_object(json_object_get(session, "experiment")))
			continue;
		experiment_init(&old);
		rc = stored_experiment(session, &old, err);
		for (size_t i = 0; !rc && i < request->experiment->nconfigs; i++)
			rc = check_config(data, request, &old,
					  request->experiment->configs[i].name, err);
		experiment_release(&old);
		if (rc)
			return rc;
	}
	return 0;
}

int session_check_backend(const struct set_data *data, const char *config, const char *backend,
			  struct err *err)
{
	const json_t *session, *item;
	const char *id, *old;
	size_t i;

	json_object_foreach(data->sessions, id, session) {
		json_array_foreach(json_object_get(session, "configs"), i, item) {
			old = json_get_text(item, "backend", NULL);
			if (!old || strcmp(json_get_text(item, "name", ""), config) != 0)
				continue;
			if (!backend || strcmp(old, backend) != 0)
				return err_usage(err,
						 "configuration %s was traced by backend %s in %s, "
						 "and would be by %s now: they are not joined; "
						 "give another set (-o)",
						 config, old, data->path,
						 backend ? backend : "none");
		}
	}
	return 0;
}

static void add_value(struct buf *out, const json_t *value)
{
	if (json_is_string(value))
		buf_add(out, json_string_value(value));
	else
		json_write(out, value, 0);
}

int session_check_found(const struct set_data *data, const char *label, const json_t *cells,
			struct err *err)
{
	const char *id;
	json_t *session;

	json_object_foreach(data->sessions, id, session) {
		auto_json json_t *differences = NULL;
		auto_buf struct buf base = BUF_INIT, fresh = BUF_INIT;
		const json_t *first;

		if (strcmp(json_get_text(session, "label", ""), label) != 0 ||
		    strcmp(json_get_text(session, "host", ""), environment_host()) != 0)
			continue;
		differences = work_diff_found(session, cells);
		first = json_array_get(differences, 0);
		if (!first)
			continue;
		add_value(&base, json_object_get(first, "base"));
		add_value(&fresh, json_object_get(first, "new"));
		return err_usage(err, "%s holds label %s of other work (%s %s in session %s, %s "
				      "now): give another label (-l), another set (-o), or --force",
				 data->path, label, json_get_text(first, "key", ""), base.s, id,
				 fresh.s);
	}
	return 0;
}

uint32_t session_order_seed(const struct experiment *experiment, const struct set_data *data)
{
	return experiment->seed + (uint32_t)json_object_size(data->sessions);
}

bool session_find_calibration(const struct set_data *data, const char *workload,
			      const json_t *point, struct keys *chosen)
{
	const json_t *session, *item, *value;
	const char *id, *key;
	size_t i;

	json_object_foreach(data->sessions, id, session) {
		json_array_foreach(json_object_get(session, "calibrated"), i, item) {
			if (strcmp(json_get_text(item, "workload", ""), workload) != 0 ||
			    !json_equal(json_object_get(item, "point"), point))
				continue;
			json_object_foreach(json_object_get(item, "keys"), key, value)
				if (json_is_string(value))
					keys_set(chosen, key, json_string_value(value));
			return true;
		}
	}
	return false;
}

bool session_is_running(const json_t *session)
{
	int64_t pid = json_get_int(session, "pid", 0);
	int64_t then = json_get_int(session, "pid_start_ticks", -1);
	uint64_t ticks;

	if (strcmp(json_get_text(session, "boot_id", ""), environment_boot_id()) != 0 ||
	    strcmp(json_get_text(session, "host", ""), environment_host()) != 0 || pid <= 0 ||
	    strcmp(json_get_text(session, "status", ""), "running") != 0)
		return false;
	return process_start_ticks((pid_t)pid, &ticks) == 0 && (int64_t)ticks == then;
}

size_t session_complete_rounds(const struct set_data *data, const char *session_id,
			       const char *workload, const char *point, size_t nconfigs)
{
	size_t complete = 0, cap = 0, *ok = NULL;

	for (size_t i = 0; i < data->nruns; i++) {
		const struct set_run *run = &data->runs[i];

		if (!run->measured || run->status != RUN_OK || run->round > MAX_ROUND ||
		    strcmp(run->session, session_id) != 0 || strcmp(run->workload, workload) != 0 ||
		    strcmp(run->point, point) != 0)
			continue;
		if (run->round >= cap) {
			size_t fresh = 2 * (size_t)run->round + 16;

			ok = xreallocarray(ok, fresh, sizeof(*ok));
			memset(ok + cap, 0, (fresh - cap) * sizeof(*ok));
			cap = fresh;
		}
		if (++ok[run->round] == nconfigs)
			complete++;
	}
	free(ok);
	return complete;
}
