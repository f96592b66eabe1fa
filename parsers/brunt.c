// SPDX-License-Identifier: GPL-3.0-or-later
/* What brunt's own report writes as JSON and CSV: the values go back into a set without loss. */
#include <errno.h>
#include <string.h>

#include "parsers/brunt_reader.h"

enum parsed_better brunt_better(struct slice word)
{
	if (slice_is(word, "lower"))
		return PARSED_LOWER;
	return slice_is(word, "higher") ? PARSED_HIGHER : PARSED_NO_DIRECTION;
}

static int read_json(const char *text, size_t len, struct parsed *out)
{
	struct jp_place place;
	int rc = 0;

	jp_place_init(&place, text, len);
	while (!rc && jp_place_find(&place)) {
		struct jp_place start = place;
		struct jp_doc doc = { 0 };

		rc = jp_read(&place, &doc);
		if (rc < 0)
			return rc;
		if (rc) {
			rc = 0;
			if (slice_find((struct slice){ start.at, (size_t)(place.at - start.at) },
				       "\"ci95\""))
				rc = parsed_add_note(out, place.line, 1,
						     "here a report of brunt breaks off: left out");
			place = start;
			jp_place_skip_line(&place);
		} else if (brunt_json_is_report(&doc)) {
			rc = brunt_json_read(out, &doc);
		}
		jp_release(&doc);
	}
	return rc;
}

static int read_csv(const char *text, size_t len, struct parsed *out)
{
	struct lines lines = { .rest = { text, len } };
	struct line line;
	int rc = 0;

	while (!rc && lines_next(&lines, &line))
		if (brunt_csv_is_head(line.text))
			rc = brunt_csv_read(out, &lines);
	return rc;
}

static int brunt_parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	int rc = read_json(text, len, out);

	if (!rc)
		rc = read_csv(text, len, out);
	return rc ? parsed_error(err, rc, 0) : 0;
}

static int brunt_recognise(const char *text, size_t len)
{
	struct slice all = { text, len };
	struct lines lines = { .rest = all };
	struct line line;

	if (slice_find(all, "\"schema\"") && slice_find(all, "\"groups\"") &&
	    slice_find(all, "\"comparisons\""))
		return 95;
	while (lines_next(&lines, &line))
		if (brunt_csv_is_head(line.text))
			return 95;
	return 0;
}

const struct parser parser_brunt = {
	.name = "brunt",
	.summary = "brunt report --format json and csv",
	.recognise = brunt_recognise,
	.parse = brunt_parse,
};
