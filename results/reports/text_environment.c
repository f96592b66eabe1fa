// SPDX-License-Identifier: GPL-3.0-or-later
/* What differs between the machines of sessions besides what is compared. */
#include <string.h>

#include "base/json.h"
#include "results/environment_diff.h"
#include "results/reports/text_parts.h"

enum { MAX_DIFFERENCES = 12, MAX_VALUE = 40 };

static void add_short_value(struct text *text, struct buf *out, const json_t *value)
{
	auto_buf struct buf written = BUF_INIT;
	struct layout_names cut;

	if (!value) {
		buf_add(out, "(not there)");
		return;
	}
	if (json_is_string(value))
		buf_add(&written, json_string_value(value));
	else
		json_write(&written, value, 0);
	layout_names_init(&cut, MAX_VALUE, layout_escape);
	text->escape(out, layout_name(&cut, written.s));
	layout_names_release(&cut);
}

static void add_changes(struct text *text, const struct environment_pair *pair, struct buf *line)
{
	for (size_t i = 0; i < pair->n && i < MAX_DIFFERENCES; i++) {
		buf_addf(line, "%s", i ? "; " : "");
		text->escape(line, pair->changes[i].key);
		buf_addc(line, ' ');
		add_short_value(text, line, pair->changes[i].before);
		buf_add(line, " -> ");
		add_short_value(text, line, pair->changes[i].after);
	}
	if (pair->n > MAX_DIFFERENCES)
		buf_addf(line, "; and %zu more", pair->n - MAX_DIFFERENCES);
}

static void add_work(struct text *text, const json_t *work, struct buf *line)
{
	const json_t *change, *value;
	size_t i;

	json_array_foreach(work, i, change) {
		if (i == MAX_DIFFERENCES)
			break;
		buf_add(line, i ? "; " : "");
		text->escape(line, json_get_text(change, "key", ""));
		buf_addc(line, ' ');
		value = json_object_get(change, "base");
		add_short_value(text, line, json_is_null(value) ? NULL : value);
		buf_add(line, " -> ");
		value = json_object_get(change, "new");
		add_short_value(text, line, json_is_null(value) ? NULL : value);
	}
	if (json_array_size(work) > MAX_DIFFERENCES)
		buf_addf(line, "; and %zu more", json_array_size(work) - MAX_DIFFERENCES);
}

static void add_end(struct text *text, const struct set_data *data, const json_t *session,
		    const char *key, struct buf *line)
{
	text->escape(line, json_get_text(session, key, ""));
	if (text->analysis->nsets < 2)
		return;
	buf_add(line, " of ");
	text->escape(line, data->path);
}

/* Nothing where there is no line, which is cleared. */
static void add_paragraphs(struct text *text, const char *what, const char *ends, struct buf *line)
{
	auto_buf struct buf heading = BUF_INIT;

	if (!line->len)
		return;
	buf_addf(&heading, "%s%s", what, ends);
	text->paragraph(text, 0, heading.s);
	text->paragraph(text, 2, line->s);
	buf_clear(line);
}

void text_environment(struct text *text, const struct set_data *data)
{
	struct environment_pairs pairs;

	environment_pairs_find(text->analysis->sets, text->analysis->nsets, &pairs);
	for (size_t i = 0; i < pairs.n; i++) {
		const struct environment_pair *pair = &pairs.v[i];
		auto_buf struct buf line = BUF_INIT, ends = BUF_INIT;
		bool one = pair->base_data == pair->fresh_data &&
			   !strcmp(json_get_text(pair->base, "label", ""),
				   json_get_text(pair->fresh, "label", ""));
		bool hosts = strcmp(json_get_text(pair->base, "host", ""),
				    json_get_text(pair->fresh, "host", "")) != 0;
		const char *key = hosts ? "host" : one ? "id" : "label";

		if (pair->fresh_data != data)
			continue;
		buf_add(&ends, hosts ? ", host " : one ? ", session " : ", ");
		add_end(text, pair->base_data, pair->base, key, &ends);
		buf_add(&ends, " -> ");
		add_end(text, pair->fresh_data, pair->fresh, key, &ends);
		buf_addc(&ends, ':');
		add_work(text, pair->work, &line);
		add_paragraphs(text, "the work is not the same", ends.s, &line);
		add_changes(text, pair, &line);
		add_paragraphs(text, "environment", ends.s, &line);
	}
	environment_pairs_release(&pairs);
}
