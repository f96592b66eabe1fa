// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * hyperfine: its JSON has each run's time, its CSV and Markdown and what it prints have means and
 * standard deviations (divisor n - 1); of user and system time it always gives the mean only. Only
 * the JSON and the printed text say how many runs there were.
 */
#include <errno.h>
#include <string.h>

#include "parsers/hyperfine_reader.h"

bool hyperfine_read(const struct line *line, struct slice text, double scale,
		    struct hyperfine_figure *out)
{
	*out = (struct hyperfine_figure){ .line = line->number };
	text = slice_trim(text);
	if (!number_read(text, &out->number) || out->number.value < 0)
		return false;
	out->number.value = number_scale(&out->number, scale);
	out->number.half_step *= scale;
	out->text = slice_until(text, text.s + out->number.len);
	out->column = line_column(line, text.s);
	out->known = true;
	return true;
}

double hyperfine_unit(struct slice text)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "s", 1 },
		      { "ms", 1e-3 },
		      { "us", 1e-6 },
		      { "\xc2\xb5s", 1e-6 },
		      { "\xce\xbcs", 1e-6 },
		      { "ns", 1e-9 } };
	struct slice word = slice_next_word(&text);

	while (word.len && strchr(",])", word.s[word.len - 1]))
		word.len--;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_is(word, units[i].name))
			return units[i].seconds;
	return 0;
}

static int add(struct parsed_record *record, const struct hyperfine_result *result,
	       const char *metric, const struct hyperfine_figure *from,
	       const struct hyperfine_figure *sd)
{
	struct figure figure = { .metric = metric,
				 .unit = "s",
				 .value = from->number.value,
				 .half_step = from->number.half_step,
				 .better = PARSED_LOWER,
				 .headline = true,
				 .text = from->text,
				 .line = from->line,
				 .column = from->column };

	if (!from->known)
		return 0;
	if (result->n == 1)
		return figure_add(record, &figure);
	return figure_add_summary(record, &figure, result->n, PARSED_SD,
				  sd && sd->known ? &sd->number : NULL,
				  sd ? sd->text : (struct slice){ 0 });
}

int hyperfine_add(struct parsed *out, const struct hyperfine_result *result)
{
	struct parsed_record *record =
		figure_record(out, (struct slice){ 0 }, "hyperfine", result->line);
	int rc;

	if (!record)
		return -errno;
	rc = 0;
	if (result->command.len)
		rc = parsed_set_text(&record->config, result->command.s, result->command.len);
	if (!rc && result->failed)
		rc = parsed_fail(record, result->failed, strlen(result->failed));
	if (!rc)
		rc = add(record, result, "real", &result->real, &result->sd);
	if (!rc)
		rc = add(record, result, "user", &result->user, NULL);
	if (!rc)
		rc = add(record, result, "sys", &result->sys, NULL);
	return rc;
}

static int read_document(struct parsed *out, struct jp_place *place)
{
	struct jp_place start = *place;
	struct jp_doc doc = { 0 };
	int rc = jp_read(place, &doc);

	if (!rc) {
		if (hyperfine_json_is_one(&doc))
			rc = hyperfine_json_read(out, &doc);
		jp_release(&doc);
		return rc;
	}
	if (rc > 0) {
		struct slice read = { start.at, (size_t)(place->at - start.at) };

		rc = 0;
		if (slice_find(read, "\"results\"") && slice_find(read, "\"command\""))
			rc = parsed_add_note(out, place->line, 1,
					     "here hyperfine's JSON breaks off: left out");
		*place = start;
		jp_place_skip_line(place);
	}
	return rc;
}

static int read_json(const char *text, size_t len, struct parsed *out)
{
	size_t first = out->n, notes = out->nnotes, line;
	struct jp_place place;
	int rc = 0;

	jp_place_init(&place, text, len);
	while (!rc && jp_place_find(&place))
		rc = read_document(out, &place);
	line = jp_line_of(text, len, "\"exit_codes\"");
	if (rc || !line || out->n > first || out->nnotes > notes)
		return rc;
	return parsed_add_note(out, line, 1,
			       "a part of hyperfine's JSON, but no whole document that begins on a "
			       "line of its own: left out");
}

static int read_lines(const char *text, size_t len, struct parsed *out)
{
	struct lines lines = { .rest = { text, len } };
	struct hyperfine_text reader = { .out = out };
	struct line line;
	int rc = 0;

	while (!rc && lines_next(&lines, &line)) {
		if (hyperfine_csv_is_head(line.text))
			rc = hyperfine_csv_read(out, &lines, &line);
		else if (hyperfine_markdown_is_head(line_unquoted(&line)))
			rc = hyperfine_markdown_read(out, &lines, &line);
		else
			rc = hyperfine_text_line(&reader, &line);
	}
	return rc ? rc : hyperfine_text_end(&reader);
}

static int hyperfine_parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	size_t texts;
	int rc = read_json(text, len, out);

	texts = out->n;
	if (!rc)
		rc = read_lines(text, len, out);
	if (!rc)
		rc = figure_tell_apart(out, texts, "result", true,
				       "results of commands that are called alike");
	return rc ? parsed_error(err, rc, 0) : 0;
}

static int hyperfine_recognise(const char *text, size_t len)
{
	struct slice all = { text, len };
	struct lines lines = { .rest = all };
	struct line line;

	if (slice_find(all, "\"results\"") && slice_find(all, "\"command\"") &&
	    slice_find(all, "\"times\""))
		return 90;
	while (lines_next(&lines, &line)) {
		struct slice body = slice_trim(line_unquoted(&line));

		if (hyperfine_csv_is_head(body) || hyperfine_markdown_is_head(body) ||
		    slice_starts(body, "Time (mean \xc2\xb1 \xcf\x83):") ||
		    slice_starts(body, "Time (abs \xe2\x89\xa1):"))
			return 90;
	}
	return 0;
}

const struct parser parser_hyperfine = {
	.name = "hyperfine",
	.summary = "hyperfine: JSON with each run, CSV, Markdown, and what it prints",
	.recognise = hyperfine_recognise,
	.parse = hyperfine_parse,
};
