// SPDX-License-Identifier: GPL-3.0-or-later
/* What the sessions say of their machines, side by side: the first of each host and label. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/reports/html_escape.h"
#include "results/reports/html_parts.h"

struct machines {
	const json_t **sessions;
	size_t n, cap;
	json_t *keys; /* all that any of them has, in order */
};

static bool is_same(const json_t *a, const json_t *b)
{
	return !strcmp(json_get_text(a, "host", ""), json_get_text(b, "host", "")) &&
	       !strcmp(json_get_text(a, "label", ""), json_get_text(b, "label", ""));
}

static void add_machine(struct machines *machines, const json_t *session)
{
	const char *key;
	json_t *value;

	if (!json_object_size(json_object_get(session, "environment")))
		return;
	for (size_t i = 0; i < machines->n; i++)
		if (is_same(machines->sessions[i], session))
			return;
	GROW(machines->sessions, machines->n, machines->cap);
	machines->sessions[machines->n++] = session;
	json_object_foreach(json_object_get(session, "environment"), key, value)
		json_object_set_new(machines->keys, key, json_true());
}

static void add_value(struct buf *out, const json_t *value)
{
	auto_buf struct buf written = BUF_INIT;

	if (json_is_string(value)) {
		html_escape(out, json_string_value(value));
	} else if (value && !json_is_null(value)) {
		json_write(&written, value, 0);
		html_escape(out, written.s);
	} else {
		buf_add(out, "<span class=\"unit\">unknown</span>");
	}
}

static bool differs(const struct machines *machines, const char *key)
{
	json_t *first = json_object_get(json_object_get(machines->sessions[0], "environment"), key);

	for (size_t i = 1; i < machines->n; i++) {
		json_t *value =
			json_object_get(json_object_get(machines->sessions[i], "environment"), key);

		if (!first != !value || (first && !json_equal(first, value)))
			return true;
	}
	return false;
}

static void write_row(struct html *html, const struct machines *machines, const char *key)
{
	bool marked = differs(machines, key);

	buf_add(html->out, marked ? "<tr class=\"differs\">" : "<tr>");
	buf_add(html->out, "<th scope=\"row\"><span class=\"name\">");
	html_escape(html->out, key);
	buf_add(html->out, marked ? " (differs)</span></th>" : "</span></th>");
	for (size_t i = 0; i < machines->n; i++) {
		buf_add(html->out, "<td class=\"word\">");
		add_value(html->out,
			  json_object_get(json_object_get(machines->sessions[i], "environment"),
					  key));
		buf_add(html->out, "</td>");
	}
	buf_add(html->out, "</tr>\n");
}

void html_write_environment(struct html *html)
{
	const struct analysis *analysis = html->text.analysis;
	struct machines machines = { .keys = json_object() };
	const char *id, *key;
	json_t *session, *value;

	for (size_t i = 0; i < analysis->nsets; i++)
		json_object_foreach(analysis->sets[i].sessions, id, session)
			add_machine(&machines, session);
	if (machines.n) {
		buf_add(html->out, "<section><h2>Environment</h2>\n<div class=\"scroll\" "
				   "tabindex=\"0\" role=\"region\" aria-label=\"environment\">"
				   "<table class=\"environment\"><thead><tr><td></td>");
		for (size_t i = 0; i < machines.n; i++) {
			buf_add(html->out, "<th scope=\"col\" class=\"word\">");
			html_escape(html->out, json_get_text(machines.sessions[i], "host", ""));
			buf_add(html->out, ", ");
			html_escape(html->out, json_get_text(machines.sessions[i], "label", ""));
			buf_add(html->out, "</th>");
		}
		buf_add(html->out, "</tr></thead><tbody>\n");
		json_object_foreach(machines.keys, key, value)
			write_row(html, &machines, key);
		buf_add(html->out, "</tbody></table></div></section>\n");
	}
	json_decref(machines.keys);
	free(machines.sessions);
}
