// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * kcbench: how long a build of a kernel takes, a line a run, under a head that says on which kernel
 * (the label) and what was built (a point, with the jobs).
 *
 *	Linux running:       6.12.48 [aarch64]
 *	Linux compiled:      6.17.0 [/root/.cache/kcbench/linux-6.17]
 *	Run 1 (-j 10):       124.32 seconds / 28.96 kernels/hour [P:925%, 46 maj. pagefaults]
 *
 * With -d lines such as "User time (U): 259.51 seconds" follow.
 */
#include <errno.h>
#include <string.h>

#include "parsers/figure.h"

struct reader {
	struct parsed *out;
	struct slice kernel, source;
	bool in_run; /* lines of -d may follow */
};

static struct parsed_record *record_of(struct reader *reader)
{
	return &reader->out->records[reader->out->n - 1];
}

static struct slice word_of(struct slice text, const char *head)
{
	struct slice rest = slice_from(text, text.s + strlen(head));

	return slice_next_word(&rest);
}

static int add_figure(struct reader *reader, const struct line *line, struct slice text,
		      const char *metric, const char *unit, enum parsed_better better, bool exact)
{
	struct figure figure = { .metric = metric,
				 .unit = unit,
				 .better = better,
				 .headline = !strcmp(unit, "s"),
				 .line = line->number,
				 .column = line_column(line, text.s) };
	struct number number;

	if (!number_read(text, &number) || number.value < 0)
		return 0;
	figure.value = number.value;
	figure.half_step = exact ? 0 : number.half_step;
	figure.text = slice_until(text, text.s + number.len);
	return figure_add(record_of(reader), &figure);
}

/* Adds a run with its jobs and what was built. */
static int begin_run(struct reader *reader, const struct line *line, struct slice jobs)
{
	struct parsed_record *record =
		figure_record(reader->out, reader->kernel, "kcbench", line->number);
	int rc;

	if (!record)
		return -errno;
	rc = parsed_add_point(record, "jobs", jobs.s, jobs.len);
	if (!rc && reader->source.len)
		rc = parsed_add_point(record, "source", reader->source.s, reader->source.len);
	return rc;
}

/* "[P:925%, 46 maj. pagefaults]" */
static int read_brackets(struct reader *reader, const struct line *line, struct slice text)
{
	const char *percent = slice_find(text, "[P:"),
		   *faults = slice_find(text, " maj. pagefaults");
	struct slice before;
	int rc = 0;

	if (percent)
		rc = add_figure(reader, line, slice_from(text, percent + 3), "cpu_percent", "%",
				PARSED_NO_DIRECTION, false);
	if (!faults || rc)
		return rc;
	before = slice_until(text, faults);
	return add_figure(reader, line, slice_last_word(&before), "major_faults", "", PARSED_LOWER,
			  true);
}

static int read_run(struct reader *reader, const struct line *line, struct slice text)
{
	const char *open = slice_find(text, "(-j "), *close;
	struct slice rest = text, jobs, seconds, unit;
	struct number number;
	double count;
	int rc;

	slice_next_word(&rest);
	if (!slice_starts(text, "Run ") || !slice_count(slice_next_word(&rest), &count) || !open)
		return 0;
	jobs = slice_trim(slice_from(text, open + 4));
	close = slice_find(jobs, "):");
	if (!close)
		return 0;
	rest = slice_from(jobs, close + 2);
	jobs = slice_until(jobs, close);
	if (!slice_count(jobs, &count))
		return 0;
	seconds = slice_next_word(&rest);
	unit = slice_next_word(&rest);
	rc = begin_run(reader, line, jobs);
	if (rc)
		return rc;
	reader->in_run = true;
	if (!number_word(seconds, &number) || !(number.value > 0) ||
	    !(slice_is(unit, "seconds") || slice_is(unit, "sec"))) {
		text.len = text.len < 200 ? text.len : 200;
		rc = parsed_fail(record_of(reader), text.s, text.len);
		return rc ? rc : 1;
	}
	rc = add_figure(reader, line, seconds, "real", "s", PARSED_LOWER, false);
	if (!rc)
		rc = read_brackets(reader, line, text);
	return rc ? rc : 1;
}

/* What -d prints of the run above. */
static int read_detail(struct reader *reader, const struct line *line, struct slice text)
{
	static const struct {
		const char *head, *metric, *unit;
	} details[] = {
		{ "Kernel time (S):", "sys", "s" },
		{ "User time (U):", "user", "s" },
		{ "Major page faults (F):", "major_faults", "" },
		{ "Minor page faults (R):", "minor_faults", "" },
	};

	for (size_t i = 0; reader->in_run && i < sizeof(details) / sizeof(details[0]); i++) {
		struct parsed_record *record = record_of(reader);
		bool there = false;

		if (!slice_starts(text, details[i].head) || record->failed)
			continue;
		for (size_t k = 0; k < record->n; k++)
			there |= !strcmp(record->values[k].metric, details[i].metric);
		if (there)
			return 0;
		return add_figure(reader, line, word_of(text, details[i].head), details[i].metric,
				  details[i].unit, PARSED_LOWER, !*details[i].unit);
	}
	return 0;
}

static int read_line(struct reader *reader, const struct line *line)
{
	struct slice text = slice_trim(line_unquoted(line));
	int rc;

	if (slice_starts(text, "Linux running:")) {
		reader->kernel = word_of(text, "Linux running:");
		reader->source = (struct slice){ 0 };
		reader->in_run = false;
		return 0;
	}
	if (slice_starts(text, "Linux compiled:")) {
		reader->source = word_of(text, "Linux compiled:");
		return 0;
	}
	rc = read_run(reader, line, text);
	if (!rc && slice_starts(text, "Run ") && slice_find(text, "kernels/hour"))
		return parsed_add_note(reader->out, line->number, line_column(line, text.s),
				       "a run of kcbench without -j and seconds: left out");
	if (!rc)
		rc = read_detail(reader, line, text);
	return rc < 0 ? rc : 0;
}

static int kcbench_parse(const char *text, size_t len, struct parsed *out, struct err *err)
{
	struct lines lines = { .rest = { text, len } };
	struct reader reader = { .out = out };
	struct line line;
	int rc = 0;

	while (!rc && lines_next(&lines, &line))
		rc = read_line(&reader, &line);
	return rc ? parsed_error(err, rc, line.number) : 0;
}

static int kcbench_recognise(const char *text, size_t len)
{
	struct slice all = { text, len };

	return slice_find(all, " kernels/hour") && slice_find(all, "Run 1 (") ? 90 : 0;
}

const struct parser parser_kcbench = {
	.name = "kcbench",
	.summary = "kcbench: seconds of each build of a kernel",
	.recognise = kcbench_recognise,
	.parse = kcbench_parse,
};
