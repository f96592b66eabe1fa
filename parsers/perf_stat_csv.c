// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * perf stat -x SEP: a line an event, without the elapsed time:
 *
 *	VALUE SEP UNIT SEP EVENT SEP [PERCENT% SEP] RUN TIME SEP ENABLED SEP METRIC SEP ITS UNIT
 *
 * PERCENT, with -r only, is the standard error. SEP is what stands between the value and the unit,
 * or twice between the value and the event; numbers have the decimal mark of the locale, so that
 * with ',' for both the fields cannot be told.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "parsers/perf_stat_reader.h"

enum { LONGEST_SEPARATOR = 8 };

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '<';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_unit(struct slice text)
{
	static const char *const units[] = { "msec", "ns",  "Joules", "Bytes", "KiB",
					     "MiB",  "GiB", "C",      "%",     "Watts" };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_is(text, units[i]))
			return true;
	return false;
}

/* The value at the head; rest is behind it. comma: its decimal mark is one. */
static bool read_value(struct slice *rest, struct perf_count *count, bool *comma)
{
	static const char *const unknown[] = { "<not counted>", "<not supported>" };
	struct slice text = *rest, fraction;
	char copy[64];

	*comma = false;
	for (size_t i = 0; i < 2; i++)
		if (slice_starts(text, unknown[i])) {
			count->text = (struct slice){ text.s, strlen(unknown[i]) };
			*rest = slice_from(text, text.s + count->text.len);
			return true;
		}
	if (!number_read(text, &count->value) || text.s[0] == '-')
		return false;
	count->known = true;
	*rest = slice_from(text, text.s + count->value.len);
	/* "0,31": the digits behind a comma, where no '.' was */
	if (!count->value.decimals && rest->len > 1 && rest->s[0] == ',' && rest->s[1] >= '0' &&
	    rest->s[1] <= '9' && count->value.len < 20) {
		size_t n = 1;

		while (n < rest->len && n < 20 && rest->s[n] >= '0' && rest->s[n] <= '9')
			n++;
		fraction = (struct slice){ rest->s, n };
		memcpy(copy, text.s, count->value.len);
		memcpy(copy + count->value.len, fraction.s, n);
		copy[count->value.len] = '.';
		if (!number_word((struct slice){ copy, count->value.len + n }, &count->value))
			return false;
		*comma = true;
		*rest = slice_from(text, fraction.s + n);
	}
	count->text = slice_until(text, rest->s);
	return true;
}

/* Takes the field off the rest. False: no separator follows. */
static bool next_field(struct slice *rest, struct slice separator, struct slice *field)
{
	const char *at = rest->len ? memmem(rest->s, rest->len, separator.s, separator.len) : NULL;

	if (!at)
		return false;
	*field = slice_until(*rest, at);
	*rest = slice_from(*rest, at + separator.len);
	return true;
}

/*
 * The separator, from the bytes behind the value; rest is behind it (and the empty or known unit).
 * False: the line is none of ours.
 */
static bool find_separator(struct slice *rest, struct slice *unit, struct slice *separator)
{
	struct slice after;
	size_t gap = 0;

	while (gap < rest->len && gap <= 2 * LONGEST_SEPARATOR && !is_word_byte(rest->s[gap]))
		gap++;
	if (!gap || gap == rest->len || gap > 2 * LONGEST_SEPARATOR)
		return false;
	*separator = (struct slice){ rest->s, gap };
	after = slice_from(*rest, rest->s + gap);
	if (next_field(&after, *separator, unit) && is_unit(*unit)) {
		*rest = after;
		return true;
	}
	if (gap % 2 || memcmp(rest->s, rest->s + gap / 2, gap / 2))
		return false;
	separator->len = gap / 2;
	unit->len = 0;
	*rest = slice_from(*rest, rest->s + gap);
	return true;
}

/* A number of the locale's, whole: run times and percentages. */
static bool read_plain(struct slice field, struct number *out)
{
	return number_word(field, out) || number_grouped(field, false, out);
}

/* What stands behind the event: that makes sure that the line is one of perf's. */
static bool read_tail(struct slice rest, struct slice separator, struct perf_count *count)
{
	struct slice field, percent;
	struct number number;

	if (!next_field(&rest, separator, &field))
		return false;
	if (slice_ends(field, "%")) {
		percent = field;
		percent.len--;
		count->has_percent = read_plain(percent, &count->percent);
		count->percent_text = field;
		if (!count->has_percent || !next_field(&rest, separator, &field))
			return false;
	}
	if (!number_word(field, &number) || number.decimals)
		return false;
	if (!next_field(&rest, separator, &field))
		field = rest;
	if (read_plain(field, &number))
		count->enabled_pct = number.value;
	return true;
}

/* "1.000847637,7983519073,,cycles": another number where the unit should be. */
static bool is_interval(struct slice rest, const struct perf_count *count)
{
	struct perf_count next = { 0 };
	struct slice unit, separator;
	size_t gap = 0;
	bool comma;

	if (!count->known || count->value.decimals != 9)
		return false;
	while (gap < rest.len && gap <= LONGEST_SEPARATOR && !is_word_byte(rest.s[gap]))
		gap++;
	rest = slice_from(rest, rest.s + gap);
	return gap && read_value(&rest, &next, &comma) && find_separator(&rest, &unit, &separator);
}

/* "CPU0,12,,cycles" or "S0-D0-C0,1,12,,cycles" or "summary,...". */
static bool is_part(struct slice text)
{
	static const char *const heads[] = { "CPU", "S", "N", "summary" };
	struct perf_count count = { 0 };
	struct slice unit, separator;
	bool comma;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct slice rest = text;
		size_t at = strlen(heads[i]), tries = 0;

		if (!slice_starts(text, heads[i]))
			continue;
		if (i < 3 && (at == text.len || text.s[at] < '0' || text.s[at] > '9'))
			continue;
		for (; at < text.len && tries < 2; at++) {
			if (is_word_byte(text.s[at]) || text.s[at] == '-')
				continue;
			tries++;
			rest = slice_from(text, text.s + at + 1);
			if (read_value(&rest, &count, &comma) &&
			    find_separator(&rest, &unit, &separator) && rest.len &&
			    is_letter(rest.s[0]))
				return true;
		}
	}
	return false;
}

static int commas(struct perf_reader *reader, const struct line *line)
{
	int rc = parsed_add_note(reader->out, line->number, 1,
				 "commas stand for decimals and between the fields: the line "
				 "cannot be read in one way and is left out");

	return rc ? rc : 1;
}

int perf_csv_line(struct perf_reader *reader, const struct line *line)
{
	struct slice text = slice_trim(line_unquoted(line)), rest = text, separator;
	struct perf_count count = { .enabled_pct = NAN, .line = line->number };
	bool comma;
	int rc;

	if (is_part(text))
		return perf_note_parts(reader, line, "counts of single CPUs or intervals");
	if (!read_value(&rest, &count, &comma))
		return 0;
	if (is_interval(rest, &count))
		return perf_note_parts(reader, line, "counts of intervals (-I)");
	count.column = line_column(line, text.s);
	if (!find_separator(&rest, &count.unit, &separator) ||
	    !next_field(&rest, separator, &count.event) || !count.event.len ||
	    !is_letter(count.event.s[0]) || separator.s[0] == ' ')
		return 0;
	if (comma && separator.s[0] == ',')
		return commas(reader, line);
	if (!read_tail(rest, separator, &count))
		return 0;
	rc = perf_add_count(reader, &count);
	return rc ? rc : 1;
}
