// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * GNU time -v, and BusyBox time -v, which prints "0m 1.23s" under GNU's "(h:mm:ss or m:ss)".
 * Its resident set is not taken: for years it printed four times as much as it was.
 */
#include <math.h>
#include <string.h>

#include "parsers/time_reader.h"

enum kind { COMMAND, SECONDS, ELAPSED, PERCENT, KIBIBYTES, COUNT, STATUS, IGNORED };

struct verbose_label {
	const char *text, *metric;
	enum kind kind;
};

static const struct verbose_label labels[] = {
	{ "Command being timed: ", NULL, COMMAND },
	{ "User time (seconds): ", "user", SECONDS },
	{ "System time (seconds): ", "sys", SECONDS },
	{ "Percent of CPU this job got: ", NULL, PERCENT },
	{ "Elapsed (wall clock) time (h:mm:ss or m:ss): ", "real", ELAPSED },
	{ "Average shared text size (kbytes): ", NULL, IGNORED },
	{ "Average unshared data size (kbytes): ", NULL, IGNORED },
	{ "Average stack size (kbytes): ", NULL, IGNORED },
	{ "Average total size (kbytes): ", NULL, IGNORED },
	{ "Maximum resident set size (kbytes): ", "max_rss", KIBIBYTES },
	{ "Average resident set size (kbytes): ", NULL, IGNORED },
	{ "Major (requiring I/O) page faults: ", "major_faults", COUNT },
	{ "Minor (reclaiming a frame) page faults: ", "minor_faults", COUNT },
	{ "Voluntary context switches: ", "voluntary_switches", COUNT },
	{ "Involuntary context switches: ", "involuntary_switches", COUNT },
	{ "Swaps: ", NULL, IGNORED },
	{ "File system inputs: ", "fs_inputs", COUNT },
	{ "File system outputs: ", "fs_outputs", COUNT },
	{ "Socket messages sent: ", NULL, IGNORED },
	{ "Socket messages received: ", NULL, IGNORED },
	{ "Signals delivered: ", NULL, IGNORED },
	{ "Page size (bytes): ", NULL, IGNORED },
	{ "Exit status: ", NULL, STATUS },
};

static const struct verbose_label *find_label(struct slice text)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (slice_starts(text, labels[i].text))
			return &labels[i];
	return NULL;
}

static bool has_metric(const struct time_values *values, const char *metric)
{
	for (size_t i = 0; i < values->n; i++)
		if (metric && !strcmp(values->v[i].metric, metric))
			return true;
	return false;
}

static int odd_value(struct time_reader *reader, const struct line *line, struct slice value)
{
	return time_note(reader, line->number, line_column(line, value.s),
			 "no value that time -v prints: left out");
}

static int add_time(struct time_reader *reader, const struct line *line,
		    const struct verbose_label *label, struct slice value)
{
	struct time_verbose *verbose = &reader->verbose;
	struct duration duration;
	bool fits = duration_read(value, &duration) && duration.len == value.len;
	int rc;

	if (label->kind == SECONDS)
		fits = fits && duration.form == DURATION_BARE;
	else
		fits = fits &&
		       (duration.form == DURATION_COLONS || duration.form == DURATION_MINUTES);
	if (!fits)
		return odd_value(reader, line, value);
	if (label->kind == ELAPSED) {
		verbose->has_elapsed = true;
		verbose->busybox = duration.form == DURATION_MINUTES;
	}
	rc = time_check(reader, &duration, value.s, line);
	if (!rc)
		time_values_add_duration(&verbose->values, label->metric, &duration, value.s, line);
	return rc < 0 ? rc : 0;
}

static int add_value(struct time_reader *reader, const struct line *line,
		     const struct verbose_label *label, struct slice value)
{
	struct time_verbose *verbose = &reader->verbose;
	double count;

	switch (label->kind) {
	case COMMAND:
		verbose->command = value;
		if (value.len > 1 && value.s[0] == '"' && slice_ends(value, "\""))
			verbose->command = (struct slice){ value.s + 1, value.len - 2 };
		return 0;
	case SECONDS:
	case ELAPSED:
		return add_time(reader, line, label, value);
	case PERCENT:
		return time_values_add_percent(&verbose->values, value, line)
			       ? 0
			       : odd_value(reader, line, value);
	case KIBIBYTES:
		if (!slice_count(value, &count))
			return odd_value(reader, line, value);
		time_values_add(&verbose->values, label->metric, "B",
				count > 0 ? 1024 * count : NAN, count > 0 ? 512 : 0, value, line);
		verbose->max_rss = verbose->values.n;
		return 0;
	case COUNT:
		if (!slice_count(value, &count))
			return odd_value(reader, line, value);
		time_values_add(&verbose->values, label->metric, "", count, 0, value, line);
		return 0;
	case STATUS:
		if (!slice_count(value, &count))
			return odd_value(reader, line, value);
		verbose->failed = count != 0;
		verbose->status = slice_trim(line_unquoted(line));
		return 0;
	case IGNORED:
		break;
	}
	return 0;
}

int time_read_verbose(struct time_reader *reader, const struct line *line, struct slice body)
{
	struct time_verbose *verbose = &reader->verbose;
	struct slice text = slice_trim(body), value;
	const struct verbose_label *label = reader->has & HAS_COLON ? find_label(text) : NULL;
	int rc = 0;

	if (!label)
		return 0;
	value = slice_trim(slice_from(text, text.s + strlen(label->text)));
	if (label->kind == COMMAND || has_metric(&verbose->values, label->metric))
		rc = time_end_verbose(reader);
	if (!rc && !verbose->active)
		rc = time_end_block(reader);
	if (rc)
		return rc;
	if (!verbose->active) {
		verbose->active = true;
		verbose->line = line->number;
	}
	rc = add_value(reader, line, label, value);
	if (!rc && label->kind == STATUS)
		rc = time_end_verbose(reader);
	return rc ? rc : 1;
}

static int drop_max_rss(struct time_reader *reader)
{
	struct time_values *values = &reader->verbose.values;
	size_t at = reader->verbose.max_rss - 1;
	int rc = time_note(reader, values->v[at].line, values->v[at].column,
			   "BusyBox printed four times the resident set for years: left out");

	memmove(&values->v[at], &values->v[at + 1], (values->n - at - 1) * sizeof(values->v[0]));
	values->n--;
	return rc;
}

static int add_run(struct time_reader *reader)
{
	struct time_verbose *verbose = &reader->verbose;
	int rc = 0;

	if (verbose->failed && !reader->failed) {
		reader->failed = true;
		reader->failure = verbose->status;
	}
	if (verbose->busybox && verbose->max_rss)
		rc = drop_max_rss(reader);
	if (rc || (!verbose->values.n && !reader->failed))
		return rc; /* none of its figures could be read, as was said */
	rc = time_add_record(reader, &verbose->values, verbose->command, NULL, false);
	if (rc)
		return rc;
	if (!verbose->values.n)
		reader->out->records[reader->out->n - 1].line = verbose->line;
	time_record_done(reader, ATTACH_NOTHING);
	return 0;
}

int time_end_verbose(struct time_reader *reader)
{
	struct time_verbose *verbose = &reader->verbose;
	int rc = 0;

	if (!verbose->active)
		return 0;
	if (verbose->has_elapsed) {
		rc = add_run(reader);
	} else if (verbose->values.n) {
		rc = time_note(reader, verbose->line, 1,
			       "a part of what time -v prints, without the elapsed time: left out");
	}
	memset(verbose, 0, sizeof(*verbose));
	return rc;
}
