// SPDX-License-Identifier: GPL-3.0-or-later
/*
 *	Benchmark 1: sleep 0.1
 *	  Time (mean ± σ):     100.5 ms ±   0.2 ms    [User: 0.2 ms, System: 0.9 ms]
 *	  Range (min … max):   100.2 ms … 100.9 ms    10 runs
 *
 * or, of a single run, "Time (abs ≡): 100.5 ms [...]".
 */
#include <string.h>

#include "parsers/hyperfine_reader.h"

#define PLUS_MINUS "\xc2\xb1"

int hyperfine_text_end(struct hyperfine_text *text)
{
	struct hyperfine_result result = text->result;

	memset(&text->result, 0, sizeof(text->result));
	return result.real.known ? hyperfine_add(text->out, &result) : 0;
}

/* "100.5 ms" at the head of text. */
static void read_time(const struct line *line, struct slice text, struct hyperfine_figure *out)
{
	struct slice rest = text, word = slice_next_word(&rest);
	double unit = hyperfine_unit(rest);

	/* "305,2 ms" is not 305 */
	if (!(unit > 0) || !hyperfine_read(line, word, unit, out) || out->number.len != word.len)
		*out = (struct hyperfine_figure){ 0 };
}

static void read_named(const struct line *line, struct slice text, const char *name,
		       struct hyperfine_figure *out)
{
	const char *at = slice_find(text, name);

	if (at)
		read_time(line, slice_from(text, at + strlen(name)), out);
}

static int begin(struct hyperfine_text *text, const struct line *line, struct slice rest)
{
	struct slice number = slice_next_word(&rest);
	const char *colon;
	double count;
	int rc;

	if (number.len && number.s[0] == '#')
		number = slice_from(number, number.s + 1);
	colon = slice_find(number, ":");
	if (!colon || !slice_count(slice_until(number, colon), &count))
		return 0;
	rc = hyperfine_text_end(text);
	text->result.command = slice_trim(rest);
	text->result.line = line->number;
	return rc;
}

static int read_times(struct hyperfine_text *text, const struct line *line, struct slice rest,
		      bool single)
{
	struct hyperfine_result *result = &text->result;
	const char *spread;
	int rc = 0;

	if (result->real.known)
		rc = hyperfine_text_end(text);
	if (!result->line)
		result->line = line->number;
	result->n = single;
	read_time(line, rest, &result->real);
	spread = single ? NULL : slice_find(rest, PLUS_MINUS);
	if (spread)
		read_time(line, slice_from(rest, spread + strlen(PLUS_MINUS)), &result->sd);
	read_named(line, rest, "[User:", &result->user);
	read_named(line, rest, "System:", &result->sys);
	if (!rc && !result->real.known)
		rc = parsed_add_note(text->out, line->number, 1,
				     "times of hyperfine in a unit that is not known: left out");
	return rc;
}

static void read_range(struct hyperfine_result *result, struct slice rest)
{
	struct slice runs = slice_last_word(&rest), number = slice_last_word(&rest);
	double count;

	if ((slice_is(runs, "runs") || slice_is(runs, "run")) && slice_count(number, &count) &&
	    count >= 1)
		result->n = (size_t)count;
}

int hyperfine_text_line(struct hyperfine_text *text, const struct line *line)
{
	static const char mean[] = "Time (mean " PLUS_MINUS " \xcf\x83):";
	static const char single[] = "Time (abs \xe2\x89\xa1):";
	struct slice body = slice_trim(line_unquoted(line));
	struct hyperfine_result *result = &text->result;

	if (slice_starts(body, "Benchmark "))
		return begin(text, line, slice_from(body, body.s + strlen("Benchmark ")));
	if (slice_starts(body, mean))
		return read_times(text, line, slice_from(body, body.s + strlen(mean)), false);
	if (slice_starts(body, single))
		return read_times(text, line, slice_from(body, body.s + strlen(single)), true);
	if (slice_starts(body, "Range (min") && result->real.known)
		read_range(result, body);
	else if (slice_starts(body, "Warning: Ignoring non-zero exit code") && result->real.known)
		result->failed = "hyperfine ignored exit statuses that were not 0";
	else if (slice_is(body, "Summary"))
		return hyperfine_text_end(text);
	return 0;
}
