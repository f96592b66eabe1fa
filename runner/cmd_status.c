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

static void add_text(const json_t *array, const struct set_data *data, struct buf *out)
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
	buf_addf(out, "%zu finished runs, %zu without an end, %zu unreadable lines\n",
		 data->nruns, data->nunended, data->skipped);
}

static int run(const struct options *options, int *status, struct err *err)
{
	auto_buf struct buf out = BUF_INIT;
	auto_free char *path = NULL;
	json_t *array = json_array();
	const json_t *session;
	struct set_data data;
	const char *id;
	int rc;

	*status = EXIT_OK;
	rc = stored_set_path(options, &path, err);
	if (!rc)
		rc = set_read(path, &data, err);
	if (rc) {
		json_decref(array);
		return rc;
	}
	json_object_foreach(data.sessions, id, session)
		json_array_append_new(array, session_status(&data, session));
	if (options_has(options, "json"))
		json_write(&out, array, 2);
	else
		add_text(array, &data, &out);
	fputs(out.s, stdout);
	json_decref(array);
	set_data_release(&data);
	return 0;
}

const struct command command_status = {
	.name = "status",
	.summary = "the sessions of a set and how far they came",
	.usage = usage,
	.options = options_table,
	.run = run,
};
