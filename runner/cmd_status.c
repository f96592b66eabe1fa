// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/set.h"
#include "results/reports/layout.h"
#include "runner/command.h"
#include "runner/session_record.h"
#include "runner/stored.h"

static const char *const usage[] = {
	"brunt status [SET]      without a SET: the newest",
	NULL,
};

static const struct option_spec options_table[] = {
	{ "json", 0, NULL, "for programs" },
	{ 0 },
};

static json_t *session_status(const struct set_data *data, const json_t *session)
{
	const char *stored = json_get_text(session, "status", "unknown");
	const char *status = stored;
	size_t done, wanted;
	json_t *object;

	if (!strcmp(stored, "running") && !session_is_running(session))
		status = "killed";
	stored_rounds(data, session, &done, &wanted);
	object = json_pack("{s:O,s:s}", "session", json_object_get(session, "id"), "status",
			   status);
	json_object_set(object, "host", json_object_get(session, "host"));
	json_object_set(object, "label", json_object_get(session, "label"));
	json_object_set(object, "started", json_object_get(session, "started"));
	json_object_set_new(object, "rounds_done", json_integer((json_int_t)done));
	json_object_set_new(object, "rounds_planned", json_integer((json_int_t)wanted));
	if (!strcmp(status, "running"))
		json_object_set(object, "pid", json_object_get(session, "pid"));
	return object;
}

static bool may_resume(const json_t *object)
{
	const char *status = json_get_text(object, "status", "");

	return !strcmp(status, "interrupted") || !strcmp(status, "killed") ||
	       !strcmp(status, "failed");
}

static void add_text(const json_t *array, const struct stored_totals *totals,
		     const struct set_data *data, struct buf *out)
{
	const json_t *object;
	size_t i;

	json_array_foreach(array, i, object) {
		layout_escape(out, json_get_text(object, "session", "?"));
		buf_add(out, "  ");
		layout_escape(out, json_get_text(object, "started", "?"));
		buf_add(out, "  label ");
		layout_escape(out, json_get_text(object, "label", "?"));
		buf_addf(out, ": %lld of %lld rounds, %s\n",
			 (long long)json_get_int(object, "rounds_done", 0),
			 (long long)json_get_int(object, "rounds_planned", 0),
			 json_get_text(object, "status", "?"));
		if (json_object_get(object, "pid"))
			buf_addf(out, "    pid %lld\n", (long long)json_get_int(object, "pid", 0));
		if (i + 1 == json_array_size(array) && may_resume(object))
			buf_addf(out, "    brunt resume %s goes on\n", data->path);
	}
	buf_addf(out, "all sessions: %zu of %zu rounds, %zu missing; %zu runs ok, %zu failed, %zu "
		      "invalid\n", totals->rounds_done, totals->rounds_planned,
		 totals->rounds_missing, totals->runs_ok, totals->runs_failed,
		 totals->runs_invalid);
	buf_addf(out, "%zu finished runs with warm-ups, %zu without an end, %zu unreadable lines\n",
		 data->nruns, data->nunended, data->skipped);
}

static json_t *totals_to_json(const struct stored_totals *totals, const struct set_data *data)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}",
			 "rounds_planned", (json_int_t)totals->rounds_planned,
			 "rounds_done", (json_int_t)totals->rounds_done,
			 "rounds_missing", (json_int_t)totals->rounds_missing,
			 "runs_ok", (json_int_t)totals->runs_ok,
			 "runs_failed", (json_int_t)totals->runs_failed,
			 "runs_invalid", (json_int_t)totals->runs_invalid,
			 "runs_unended", (json_int_t)data->nunended,
			 "skipped_lines", (json_int_t)data->skipped);
}

static void more_help(struct buf *out)
{
	buf_add(out, "\nexit status: 0 ok, 1 failure, 2 usage\n");
}

static int run(const struct options *options, int *status, struct err *err)
{
	auto_json json_t *object = NULL;
	auto_buf struct buf out = BUF_INIT;
	auto_free char *path = NULL;
	struct stored_totals totals;
	const json_t *session;
	struct set_data data;
	json_t *array;
	const char *id;
	int rc;

	*status = EXIT_OK;
	rc = stored_set_path(options, &path, err);
	if (!rc)
		rc = set_read(path, &data, err);
	if (rc)
		return rc;
	array = json_array();
	json_object_foreach(data.sessions, id, session)
		json_array_append_new(array, session_status(&data, session));
	stored_totals(&data, &totals);
	object = json_pack("{s:o,s:o}", "sessions", array, "total",
			   totals_to_json(&totals, &data));
	if (options_has(options, "json"))
		json_write(&out, object, 2);
	else
		add_text(array, &totals, &data, &out);
	fputs(out.s, stdout);
	set_data_release(&data);
	return 0;
}

const struct command command_status = {
	.name = "status",
	.summary = "the sessions of a set, how far they came and what is missing",
	.usage = usage,
	.options = options_table,
	.more_help = more_help,
	.run = run,
};
