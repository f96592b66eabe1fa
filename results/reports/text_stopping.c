// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Why a set has as many rounds as it has. Stopping by the width of intervals favours no answer;
 * adding rounds because of what the figures say does, so that sessions which were added are told.
 */
#include <string.h>

#include "base/json.h"
#include "results/reports/text_parts.h"

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(json_get_text(a, key, ""), json_get_text(b, key, ""));
}

static bool same_side(const json_t *a, const json_t *b)
{
	return same_text(a, b, "label") && same_text(a, b, "host");
}

static bool share_config(const json_t *a, const json_t *b)
{
	const json_t *x = json_object_get(json_object_get(a, "experiment"), "configs");
	const json_t *y = json_object_get(json_object_get(b, "experiment"), "configs");
	const json_t *config, *other;
	size_t i, k;

	json_array_foreach(x, i, config)
		json_array_foreach(y, k, other)
			if (same_text(config, other, "name"))
				return true;
	return false;
}

static bool is_last(const struct set_data *data, const json_t *session)
{
	bool behind = false;
	const char *id;
	json_t *other;

	json_object_foreach(data->sessions, id, other) {
		if (other == session)
			behind = true;
		else if (behind && same_side(session, other) && json_object_get(other, "until"))
			return false;
	}
	return true;
}

static bool many_sides(const struct set_data *data)
{
	const json_t *first = json_object_iter_value(json_object_iter(data->sessions));
	const char *id;
	json_t *session;

	json_object_foreach(data->sessions, id, session)
		if (!same_side(first, session))
			return true;
	return false;
}

static void add_side(struct text *text, const struct set_data *data, const json_t *session,
		     struct buf *line)
{
	if (!many_sides(data))
		return;
	if (text->many_hosts) {
		text->escape(line, json_get_text(session, "host", "?"));
		buf_add(line, ", ");
	}
	text->escape(line, json_get_text(session, "label", "?"));
	buf_add(line, ": ");
}

static void add_until(struct text *text, const struct set_data *data, const json_t *session,
		      struct buf *line)
{
	const json_t *until = json_object_get(session, "until");
	const char *stopped = json_get_text(until, "stopped", NULL);
	int64_t rounds = json_get_int(until, "rounds", 0);

	add_side(text, data, session, line);
	buf_addf(line, "until half widths below %g" HARD_BLANK "%%: ",
		 json_get_number(until, "pct"));
	if (!stopped)
		buf_add(line, "the session did not come to its end");
	else
		buf_addf(line, "%sreached after %lld rounds",
			 strcmp(stopped, "reached") != 0 ? "not " : "", (long long)rounds);
	text_paragraph(text, line);
}

/*
 * Sessions of the same label and boot that share a configuration; those that only went on count as
 * one. Another boot is what comparing labels takes, and no look at the figures.
 */
static size_t times_measured(const struct set_data *data, const json_t *session, bool *first)
{
	const char *id;
	json_t *other;
	size_t n = 0;

	*first = true;
	json_object_foreach(data->sessions, id, other) {
		if (json_is_string(json_object_get(other, "resumes")) ||
		    !same_side(session, other) || !same_text(session, other, "boot_id") ||
		    !share_config(session, other))
			continue;
		if (!n)
			*first = other == session;
		n++;
	}
	return n;
}

void text_stopping(struct text *text, const struct set_data *data)
{
	auto_buf struct buf line = BUF_INIT;
	const char *id;
	json_t *session;
	bool first;
	size_t n;

	json_object_foreach(data->sessions, id, session) {
		if (json_object_get(session, "until") && is_last(data, session))
			add_until(text, data, session, &line);
		n = times_measured(data, session, &first);
		if (n < 2 || !first)
			continue;
		add_side(text, data, session, &line);
		buf_addf(&line, "extended: measured in %zu sessions of one boot. If rounds were added because "
				"of what the figures said, false alarms come in 11 to 26"
				HARD_BLANK "%% of cases, not 5.", n);
		text_paragraph(text, &line);
	}
}
