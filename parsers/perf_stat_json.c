// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * perf stat -j. Numbers may stand in quotes; "variance" is the standard error in per cent of the
 * mean. The run times of early versions are wrong, so only the percentage beside them is read.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "parsers/json_places.h"
#include "parsers/perf_stat_reader.h"

/* Members that say that the count is of a part of the run or of the machine. */
static bool is_part(const struct jp_doc *doc)
{
	static const char *const keys[] = { "interval", "cpu",	  "core",   "die",   "socket",
					    "node",	"thread", "cgroup", "cache", "cluster" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (jp_count(doc, doc->v, keys[i]))
			return true;
	return false;
}

static int read_object(struct perf_reader *reader, const struct line *line,
		       const struct jp_doc *doc)
{
	const struct jp_node *event = jp_get_kind(doc, doc->v, "event", JP_STRING);
	const struct jp_node *value = jp_get(doc, doc->v, "counter-value");
	const struct jp_node *unit = jp_get_kind(doc, doc->v, "unit", JP_STRING);
	const struct jp_node *percent = jp_get(doc, doc->v, "variance");
	struct perf_count count = { .enabled_pct = NAN, .line = line->number };
	struct number enabled;

	if (!event || !value)
		return 0; /* a metric of perf's own, made of counts */
	if (is_part(doc))
		return perf_note_parts(reader, line, "counts of single CPUs or intervals");
	count.event = event->text;
	count.text = value->text;
	count.column = value->column;
	if (unit)
		count.unit = unit->text;
	count.known = jp_number(value, &count.value) && count.value.value >= 0;
	if (!count.known && !slice_starts(value->text, "<not "))
		return parsed_add_note(reader->out, line->number, value->column,
				       "no number: left out");
	count.has_percent = jp_number(percent, &count.percent);
	if (count.has_percent)
		count.percent_text = percent->text;
	if (jp_number(jp_get(doc, doc->v, "pcnt-running"), &enabled))
		count.enabled_pct = enabled.value;
	return perf_add_count(reader, &count);
}

int perf_json_line(struct perf_reader *reader, const struct line *line)
{
	struct slice text = slice_trim(line_unquoted(line));
	struct jp_place place;
	int rc = 0;

	if (!text.len || text.s[0] != '{' ||
	    (!slice_find(text, "\"counter-value\"") && !slice_find(text, "\"metric-value\"")))
		return 0;
	jp_place_init(&place, text.s, text.len);
	place.line_start = line->text.s;
	place.line = line->number;
	while (rc >= 0 && jp_place_blanks(&place)) {
		struct jp_doc doc = { 0 };
		size_t column = line_column(line, place.at);

		rc = *place.at == '{' ? jp_read(&place, &doc) : 1;
		if (rc < 0)
			return rc;
		if (rc)
			rc = parsed_add_note(
				reader->out, line->number, column,
				"no JSON from here on: the rest of the line is left out");
		else
			rc = read_object(reader, line, &doc);
		if (!doc.v)
			break;
		jp_release(&doc);
		if (place.at < place.end && *place.at == ',')
			place.at++;
	}
	return rc < 0 ? rc : 1;
}
