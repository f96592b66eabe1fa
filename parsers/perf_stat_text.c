// SPDX-License-Identifier: GPL-3.0-or-later
/*
 *	          1,234.56 msec task-clock       #    0.99 CPUs utilized    ( +-  0.33% )  (50.01%)
 *	   <not supported>      cycles
 *
 *	       # Table of individual measurements:
 *	       9.078223741 (+0.139870049) #
 *
 *	       8.938353692 +- 0.008355056 seconds time elapsed  ( +-  0.09% )
 *	       0.002415000 seconds user
 *
 * What stands in front of an elapsed time names it. With a table the single times count, and their
 * mean does not.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "parsers/perf_stat_reader.h"

/* ---- numbers ---- */

/* "( +-  0.33% )": the percentage. */
static bool read_percent(struct slice text, struct number *out, struct slice *printed)
{
	const char *at = slice_find(text, "( +-"), *end;
	struct slice number;

	if (!at)
		return false;
	number = slice_trim(slice_from(text, at + 4));
	end = slice_find(number, "%");
	if (!end)
		return false;
	number = slice_until(number, end);
	*printed = number;
	return (number_word(number, out) || number_grouped(number, false, out)) && out->value >= 0;
}

/* "(50.01%)" at the end: how much of the time the event was counted. */
static double read_enabled(struct slice text)
{
	struct slice word = slice_last_word(&text);
	struct number number;

	if (word.len < 4 || word.s[0] != '(' || !slice_ends(word, "%)"))
		return NAN;
	word = (struct slice){ word.s + 1, word.len - 3 };
	return number_word(word, &number) || number_grouped(word, false, &number) ? number.value
										  : NAN;
}

/* A time in seconds: it always has decimals, so that its only mark is no grouping. */
static bool read_seconds(struct slice word, struct number *out)
{
	char copy[64];
	const char *comma;

	if (number_word(word, out))
		return true;
	comma = word.len && word.len < sizeof(copy) ? memchr(word.s, ',', word.len) : NULL;
	if (!comma || memchr(word.s, '.', word.len))
		return number_grouped(word, false, out);
	memcpy(copy, word.s, word.len);
	copy[comma - word.s] = '.';
	return number_word((struct slice){ copy, word.len }, out);
}

/* ---- elapsed, user and system time ---- */

struct seconds {
	struct slice label, text, spread_text;
	struct number value, spread;
	bool has_spread, in_percent;
};

/* What stands before "seconds ...": "LABEL: 1.23 +- 0.01". */
static bool read_before(struct slice text, struct seconds *out)
{
	struct slice rest = text, word = slice_last_word(&rest), before = rest, sign;

	*out = (struct seconds){ .text = word };
	if (!read_seconds(word, &out->value))
		return false;
	sign = slice_last_word(&before);
	if (slice_is(sign, "+-")) {
		out->spread = out->value;
		out->spread_text = word;
		out->has_spread = true;
		rest = before;
		out->text = slice_last_word(&rest);
		if (!read_seconds(out->text, &out->value))
			return false;
	}
	out->label = time_label_clean(rest);
	return out->value.value >= 0;
}

static int add_seconds(struct perf_reader *reader, const struct line *line, const char *metric,
		       const struct seconds *seconds)
{
	struct parsed_record *record = perf_record(reader, line->number);
	struct figure figure = { .metric = metric,
				 .unit = "s",
				 .value = seconds->value.value,
				 .half_step = seconds->value.half_step,
				 .better = PARSED_LOWER,
				 .headline = true,
				 .text = seconds->text,
				 .line = line->number,
				 .column = line_column(line, seconds->text.s) };

	if (!record)
		return -errno;
	if (!seconds->has_spread && !reader->repeated)
		return figure_add(record, &figure);
	return figure_add_summary(record, &figure, reader->n,
				  seconds->in_percent ? PARSED_SE_PCT : PARSED_SE,
				  seconds->has_spread ? &seconds->spread : NULL,
				  seconds->spread_text);
}

static bool has_metric(struct perf_reader *reader, const char *metric)
{
	const struct parsed_record *record;

	if (!reader->in_record)
		return false;
	record = &reader->out->records[reader->record];
	for (size_t i = 0; i < record->n; i++)
		if (!strcmp(record->values[i].metric, metric))
			return true;
	return false;
}

/* The mean of the table above: counted only where the table is not whole. */
static int end_table(struct perf_reader *reader, const struct line *line,
		     const struct seconds *seconds, bool *whole)
{
	double sum = 0;
	size_t n = reader->runs;

	for (size_t i = 0; i < n; i++)
		sum += reader->out->records[reader->first_run + i].values[0].value;
	reader->runs = 0;
	*whole = fabs(sum / (double)n - seconds->value.value) <=
		 2 * seconds->value.half_step + 1e-9 * seconds->value.value;
	if (*whole)
		return 0;
	return parsed_add_note(reader->out, line->number, line_column(line, seconds->text.s),
			       "the mean is not that of the %zu times in the table, of which some "
			       "may be missing",
			       n);
}

static int read_elapsed(struct perf_reader *reader, const struct line *line, struct slice text)
{
	const char *at = slice_find(text, "seconds time elapsed");
	struct slice command = reader->command;
	struct seconds seconds;
	bool whole;
	int rc = 0;

	if (!at)
		return 0;
	if (!read_before(slice_until(text, at), &seconds)) {
		rc = parsed_add_note(reader->out, line->number, 1,
				     "an elapsed time that cannot be read: left out");
		return rc ? rc : 1;
	}
	/* before 4.17 the percentage alone */
	if (!seconds.has_spread && read_percent(text, &seconds.spread, &seconds.spread_text))
		seconds.has_spread = seconds.in_percent = true;
	if (reader->runs) {
		rc = end_table(reader, line, &seconds, &whole);
		return rc ? rc : 1;
	}
	if (seconds.label.len || (reader->in_record && reader->elapsed)) {
		rc = perf_end_record(reader);
		if (seconds.label.len)
			reader->command = seconds.label;
	}
	/* the event duration_time is the same, with more digits */
	if (!rc && !has_metric(reader, "real"))
		rc = add_seconds(reader, line, "real", &seconds);
	reader->elapsed = true;
	reader->in_block = false; /* "20 runs" below it is no event */
	reader->command = command;
	return rc ? rc : 1;
}

/* "0.002415000 seconds user", below the elapsed time. */
static int read_cpu(struct perf_reader *reader, const struct line *line, struct slice text)
{
	static const char *const names[][2] = { { "seconds user", "user" },
						{ "seconds sys", "sys" } };
	struct seconds seconds;
	const char *at;
	int rc;

	for (size_t i = 0; reader->in_record && i < 2; i++) {
		at = slice_find(text, names[i][0]);
		if (!at || !read_before(slice_until(text, at), &seconds) ||
		    seconds.label.len)
			continue;
		if (has_metric(reader, names[i][1]))
			return 1;
		rc = add_seconds(reader, line, names[i][1], &seconds);
		return rc ? rc : 1;
	}
	return 0;
}

/* ---- --table ---- */

/* "(+0.139870049)": from the mean, in seconds, which always have decimals. */
static bool is_change(struct slice word)
{
	struct number number;

	if (word.len < 4 || word.s[0] != '(' || (word.s[1] != '+' && word.s[1] != '-') ||
	    !slice_ends(word, ")"))
		return false;
	return read_seconds((struct slice){ word.s + 2, word.len - 3 }, &number) &&
	       number.decimals > 2;
}

/* "9.078223741 (+0.139870049) ##" */
static int read_table(struct perf_reader *reader, const struct line *line, struct slice text)
{
	struct slice rest = text, word, change;
	struct seconds seconds;
	bool repeated = reader->repeated;
	int rc;

	if (!slice_has(text, '('))
		return 0;
	word = slice_next_word(&rest);
	change = slice_next_word(&rest);
	seconds = (struct seconds){ .text = word };
	if (!is_change(change) || !read_seconds(word, &seconds.value) ||
	    seconds.value.decimals < 3 || seconds.value.value < 0)
		return 0;
	rc = perf_end_record(reader);
	if (!reader->runs)
		reader->first_run = reader->out->n;
	reader->repeated = false;
	if (!rc)
		rc = add_seconds(reader, line, "real", &seconds);
	reader->repeated = repeated;
	reader->in_record = false;
	reader->runs++;
	return rc ? rc : 1;
}

/* ---- events ---- */

static bool is_event(struct slice word)
{
	return word.len &&
	       ((word.s[0] >= 'a' && word.s[0] <= 'z') || (word.s[0] >= 'A' && word.s[0] <= 'Z'));
}

static bool read_value(struct slice *rest, bool counted, struct perf_count *count)
{
	struct slice word = slice_next_word(rest), next;

	count->text = word;
	if (slice_is(word, "<not")) {
		next = slice_next_word(rest);
		if (!slice_is(next, "counted>") && !slice_is(next, "supported>"))
			return false;
		count->text.len = (size_t)(next.s + next.len - word.s);
		return true;
	}
	count->known = true;
	return number_grouped(word, counted, &count->value);
}

/* "# 0.242 CPUs utilized": what perf makes of the count stands behind a '#'. */
static bool has_ratio(const char *hash, struct slice text)
{
	struct slice rest;
	struct number number;

	if (!hash)
		return false;
	rest = slice_from(text, hash + 1);
	return number_read(slice_next_word(&rest), &number);
}

/* "2.993 GHz", "0.99 CPUs utilized": what stood behind a '#', where a line was wrapped. */
static bool is_ratio(struct slice word)
{
	static const char *const units[] = { "GHz", "CPUs", "/sec", "K/sec", "M/sec", "G/sec",
					     "insn" };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_is(word, units[i]))
			return true;
	return false;
}

/* Splits what stands between the value and the '#' into unit and event. */
static bool read_names(struct slice rest, struct perf_count *count)
{
	struct slice words[4];
	size_t n = 0;

	while (n < 4 && (words[n] = slice_next_word(&rest)).len)
		n++;
	/* "7.5 seconds user;" is no event of that name */
	if (n == 0 || n > 2 || (n == 2 && slice_is(words[0], "seconds")) || is_ratio(words[0]))
		return false;
	count->event = words[n - 1];
	if (n == 2)
		count->unit = words[0];
	if (slice_is(count->event, "(msec)")) { /* "task-clock (msec)" */
		count->event = words[0];
		count->unit = (struct slice){ "msec", 4 };
	}
	/* old versions print clocks in ms without saying so */
	if (n == 1 && (slice_is(count->event, "task-clock") || slice_is(count->event, "cpu-clock")))
		count->unit = (struct slice){ "msec", 4 };
	return is_event(count->event);
}

/*
 * VALUE [UNIT] EVENT [# ...]. Where no head says that this is perf's, its marks behind the event
 * tell the line from a sentence that begins with a number.
 */
static int read_event(struct perf_reader *reader, const struct line *line, struct slice text)
{
	struct perf_count count = { .line = line->number };
	const char *hash, *percent;
	struct slice head, rest, value;
	bool marked;
	int rc;

	if (!text.len || ((text.s[0] < '0' || text.s[0] > '9') && text.s[0] != '<'))
		return 0;
	count.enabled_pct = read_enabled(text);
	hash = slice_find(text, "#");
	head = hash ? slice_until(text, hash) : text;
	percent = slice_find(head, "( +-");
	marked = percent || has_ratio(hash, text);
	if (percent)
		head = slice_until(head, percent);
	if (!isnan(count.enabled_pct) && slice_ends(slice_trim(head), "%)"))
		slice_last_word(&head);
	rest = head;
	value = slice_next_word(&rest);
	if (slice_is(value, "<not"))
		slice_next_word(&rest);
	if ((!marked && !reader->in_block) || !read_names(rest, &count))
		return 0;
	/* "1.000123456   12,345   cycles": what should be the unit is the count */
	if (count.unit.len && ((count.unit.s[0] >= '0' && count.unit.s[0] <= '9') ||
			       slice_starts(count.unit, "<not")))
		return perf_note_parts(reader, line, "counts of intervals (-I) or numbered lines");
	rest = head;
	if (!read_value(&rest, !count.unit.len, &count)) {
		rc = parsed_add_note(reader->out, line->number, line_column(line, value.s),
				     "no number that can be read in just one way: left out");
		return rc ? rc : 1;
	}
	count.has_percent = read_percent(text, &count.percent, &count.percent_text);
	count.column = line_column(line, count.text.s);
	rc = perf_add_count(reader, &count);
	return rc ? rc : 1;
}

/* "TopdownL1  #  15.2 %  tma_backend_bound": what perf makes of counts, between them. */
static bool is_metric(const struct perf_reader *reader, struct slice text)
{
	const char *hash = slice_find(text, "#");

	return reader->in_block && reader->in_record && !reader->elapsed && has_ratio(hash, text);
}

/* "# Final result:" above the mean of a table. */
static bool is_title(struct slice text)
{
	return slice_is(text, "# Table of individual measurements:") ||
	       slice_is(text, "# Final result:");
}

/* "CPU0   1,234   cycles", "S0-D0-C0   2   1,234   cycles": of a part of the machine. */
static bool is_part(struct slice text)
{
	static const char *const heads[] = { "CPU", "S", "N", "D" };
	struct slice rest = text, word = slice_next_word(&rest), value = slice_next_word(&rest);
	bool part = false;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		size_t n = strlen(heads[i]);

		part |= slice_starts(word, heads[i]) && word.len > n && word.s[n] >= '0' &&
			word.s[n] <= '9';
	}
	return part && value.len &&
	       (slice_is(value, "<not") || (value.s[0] >= '0' && value.s[0] <= '9'));
}

int perf_text_line(struct perf_reader *reader, const struct line *line)
{
	struct slice text = slice_trim(line_unquoted(line));
	int rc;

	if (is_title(text))
		return 1;
	if (reader->in_block && is_part(text))
		return perf_note_parts(reader, line, "counts of single CPUs");
	rc = read_elapsed(reader, line, text);
	if (!rc)
		rc = read_cpu(reader, line, text);
	if (!rc)
		rc = read_table(reader, line, text);
	if (!rc)
		rc = read_event(reader, line, text);
	if (!rc)
		rc = is_metric(reader, text);
	return rc;
}
