// SPDX-License-Identifier: GPL-3.0-or-later
/* The names of columns, and what the text around says of all of them. */
#include <string.h>

#include "parsers/means.h"
#include "parsers/time_label.h"

struct cells {
	struct slice v[MEANS_COLUMNS + 1];
	size_t n;
};

static bool is_any(struct slice word, const char *const *words)
{
	for (; *words; words++)
		if (slice_is_nocase(word, *words))
			return true;
	return false;
}

static enum parsed_spread spread_named(struct slice name)
{
	static const char *const sd[] = { "stddev", "std dev", "std. dev.", "std.dev.", "stdev",
					  "std-dev", "std_dev", "sd", "s.d.",
					  "standard deviation", "std deviation", NULL };
	static const char *const se[] = { "stderr", "std err", "std. err.", "se", "s.e.", "sem",
					  "standard error", NULL };

	name = time_label_clean(name);
	while (name.len && (name.s[0] == '(' || name.s[0] == '['))
		name = slice_from(name, name.s + 1);
	while (name.len && (name.s[name.len - 1] == ')' || name.s[name.len - 1] == ']'))
		name.len--;
	if (is_any(name, sd))
		return PARSED_SD;
	return is_any(name, se) ? PARSED_SE : PARSED_NO_SPREAD;
}

/* ---- units ---- */

static const struct {
	const char *text, *unit;
	enum parsed_better better;
} units[] = {
	{ "s", "s", PARSED_LOWER },	  { "sec", "s", PARSED_LOWER },
	{ "secs", "s", PARSED_LOWER },	  { "seconds", "s", PARSED_LOWER },
	{ "ms", "ms", PARSED_LOWER },	  { "msec", "ms", PARSED_LOWER },
	{ "us", "us", PARSED_LOWER },	  { "usec", "us", PARSED_LOWER },
	{ "ns", "ns", PARSED_LOWER },	  { "MB/s", "MB/s", PARSED_HIGHER },
	{ "MB/sec", "MB/s", PARSED_HIGHER }, { "KB/s", "KB/s", PARSED_HIGHER },
	{ "MiB/s", "MiB/s", PARSED_HIGHER }, { "KiB/s", "KiB/s", PARSED_HIGHER },
	{ "ops/s", "1/s", PARSED_HIGHER },   { "ops/sec", "1/s", PARSED_HIGHER },
	{ "iops", "1/s", PARSED_HIGHER },    { "tps", "1/s", PARSED_HIGHER },
};

static bool take_unit(struct slice word, struct means_column *column)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!slice_is(word, units[i].text) &&
		    !(word.len > 2 && slice_is_nocase(word, units[i].text)))
			continue;
		column->unit = units[i].unit;
		column->better = units[i].better;
		return true;
	}
	return false;
}

/* "elapsed (s)", "time [ms]" */
static void read_unit(struct means_column *column)
{
	struct slice rest = column->name, last = slice_last_word(&rest);

	if (last.len < 3 || !strchr("([", last.s[0]) || !strchr(")]", last.s[last.len - 1]))
		return;
	if (take_unit((struct slice){ last.s + 1, last.len - 2 }, column)) {
		column->name = slice_trim(rest);
		column->is_metric = column->name.len > 0;
	}
}

static void read_name(struct slice name, struct means_column *out)
{
	static const char *const metrics[] = { "real", "user", "sys", "system", "elapsed", "time",
					       NULL };
	static const char *const runs[] = { "n", "runs", "samples", NULL };
	static const char *const means[] = { "mean", "avg", "average", "value", NULL };

	*out = (struct means_column){ .name = time_label_clean(name), .unit = "" };
	out->spread = spread_named(name);
	if (out->spread != PARSED_NO_SPREAD) {
		out->kind = MEANS_SPREAD;
		return;
	}
	if (is_any(out->name, runs)) {
		out->kind = MEANS_RUNS;
		return;
	}
	if (is_any(out->name, means)) {
		out->name.len = 0;
		return;
	}
	if (time_label_is_statistic(out->name)) {
		out->kind = MEANS_OTHER;
		return;
	}
	read_unit(out);
	if (is_any(out->name, metrics)) {
		out->is_metric = true;
		out->better = PARSED_LOWER;
	}
}

/* ---- cells ---- */

/* Between two blanks or more, tabs, or '|'. */
static void split_wide(struct slice body, struct cells *out)
{
	struct slice rest = slice_trim(body);
	size_t i = 0, start = 0;

	out->n = 0;
	if (memchr(rest.s, '|', rest.len)) {
		out->n = time_label_cells(rest, out->v, MEANS_COLUMNS + 1);
		return;
	}
	while (i < rest.len) {
		size_t blanks = 0;
		bool tab = false;

		while (i + blanks < rest.len && strchr(" \t", rest.s[i + blanks]) &&
		       rest.s[i + blanks])
			tab |= rest.s[i + blanks++] == '\t';
		if (blanks > 1 || tab) {
			if (out->n <= MEANS_COLUMNS)
				out->v[out->n] = (struct slice){ rest.s + start, i - start };
			out->n++;
			start = i + blanks;
		}
		i += blanks ? blanks : 1;
	}
	if (out->n <= MEANS_COLUMNS)
		out->v[out->n] = slice_from(rest, rest.s + start);
	out->n++;
}

static size_t ruler_columns(struct slice ruler)
{
	size_t n = 0;

	for (size_t i = 0; i < ruler.len; i++)
		n += (ruler.s[i] == '-' || ruler.s[i] == '=') &&
		     (!i || (ruler.s[i - 1] != '-' && ruler.s[i - 1] != '='));
	return n;
}

/*
 * Where the blanks between names are gone each "STDDEV" still ends the name in front of it; that
 * of the first mean is then together with the name of the rows.
 */
static void split_at_spreads(struct slice body, struct cells *out)
{
	struct slice rest = body, word, name = { 0 };

	out->n = 1;
	out->v[0] = (struct slice){ body.s, 0 };
	while ((word = slice_next_word(&rest)).len && out->n + 2 <= MEANS_COLUMNS) {
		if (spread_named(word) == PARSED_NO_SPREAD) {
			name = name.len ? (struct slice){ name.s, (size_t)(word.s + word.len -
									   name.s) } :
					  word;
			continue;
		}
		if (!name.len)
			break;
		out->v[out->n++] = name;
		out->v[out->n++] = word;
		name.len = 0;
	}
	if (word.len || name.len)
		out->n = 0;
}

static bool take_cells(const struct cells *cells, struct means_head *out)
{
	bool spread = false;

	*out = (struct means_head){ .n = 0 };
	if (cells->n < 3 || cells->n > MEANS_COLUMNS + 1)
		return false;
	if (spread_named(cells->v[0]) != PARSED_NO_SPREAD)
		return false; /* the rest of a line that was wrapped */
	for (size_t i = 1; i < cells->n; i++) {
		read_name(cells->v[i], &out->v[i - 1]);
		if (out->v[i - 1].kind != MEANS_SPREAD)
			continue;
		/* a spread is of the mean in front of it */
		if (i == 1 || out->v[i - 2].kind != MEANS_MEAN)
			return false;
		spread = true;
	}
	out->n = spread ? cells->n - 1 : 0;
	return spread;
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool begins(struct slice text, const char *word)
{
	size_t n = strlen(word);

	return text.len >= n && slice_is_nocase((struct slice){ text.s, n }, word);
}

/* Can it hold the name of a spread? Nearly all lines cannot, and are left alone. */
static bool has_spread(struct slice body)
{
	static const char *const whole[] = { "sd", "se", "sem", "s.d", "s.e" };

	for (size_t i = 0; i < body.len; i++) {
		struct slice rest = slice_from(body, body.s + i);

		if ((body.s[i] | 0x20) != 's' || (i && is_alnum(body.s[i - 1])))
			continue;
		if (begins(rest, "std") || begins(rest, "standard"))
			return true;
		for (size_t k = 0; k < sizeof(whole) / sizeof(whole[0]); k++) {
			size_t n = strlen(whole[k]);

			if (begins(rest, whole[k]) && (n == rest.len || !is_alnum(rest.s[n])))
				return true;
		}
	}
	return false;
}

bool means_head_read(struct slice body, struct slice ruler, struct means_head *out)
{
	size_t columns = ruler_columns(ruler);
	struct means_head head;
	struct cells cells;
	bool found;

	if (!has_spread(body))
		return false;
	split_wide(body, &cells);
	found = take_cells(&cells, &head) && (columns < 2 || columns == cells.n);
	if (!found) {
		split_at_spreads(body, &cells);
		found = columns == cells.n && take_cells(&cells, &head);
	}
	body = slice_trim(body);
	head.framed = body.s[0] == '|';
	if (head.framed && body.s[body.len - 1] != '|')
		return false; /* a part of it, where lines were wrapped */
	if (found)
		*out = head;
	return found;
}

/* ---- the text around ---- */

/* Letters, digits and '/' only, as "times," and "MB/s)" stand in sentences. */
static struct slice bare(struct slice word)
{
	while (word.len && strchr("\"'(*[", word.s[0]) && word.s[0])
		word = slice_from(word, word.s + 1);
	while (word.len && strchr(".,:;)]\"'!?*", word.s[word.len - 1]) && word.s[word.len - 1])
		word.len--;
	return word;
}

static bool read_count(struct slice word, double *out)
{
	static const char *const words[] = { "two", "three", "four", "five", "six", "seven",
					     "eight", "nine", "ten" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_is_nocase(word, words[i])) {
			*out = (double)i + 2;
			return true;
		}
	return slice_count(word, out);
}

void means_above_add(struct means_above *above, struct slice text, size_t line)
{
	size_t at = above->n++ % MEANS_NEAR;

	above->text[at] = text;
	above->line[at] = line;
}

static void look_for_words(struct slice text, bool *times, bool *rates)
{
	static const char *const of_times[] = { "time", "times", "elapsed", "seconds", "secs",
						"latency", "latencies", "duration", NULL };
	static const char *const of_rates[] = { "MB/s", "KB/s", "MB/sec", "KB/sec", "throughput",
						"bandwidth", "iops", "ops/s", "ops/sec", "tps",
						"requests/s", "transactions/s", NULL };
	struct slice word, before = { 0 };
	double count;

	for (; (word = slice_next_word(&text)).len; before = word) {
		word = bare(word);
		/* not "4 times" */
		if (is_any(word, of_times) && !read_count(before, &count))
			*times = true;
		else if (is_any(word, of_rates))
			*rates = true;
	}
}

bool means_above_times(const struct means_above *above, size_t line)
{
	size_t n = above->n < MEANS_NEAR ? above->n : MEANS_NEAR;
	bool times = false, rates = false;

	for (size_t i = 0; i < n; i++)
		if (line - above->line[i] < MEANS_NEAR)
			look_for_words(above->text[i], &times, &rates);
	return times && !rates;
}

static void add_runs(struct means_runs *out, double count)
{
	if (count < 1 || count > 1e9)
		return;
	if (out->n && out->n != (size_t)count)
		out->conflict = true;
	out->n = (size_t)count;
}

/* "10 runs", "ten iterations", "n=10". */
void means_runs_find(struct slice text, struct means_runs *out)
{
	static const char *const runs[] = { "runs", "iterations", "samples", "trials",
					    "repetitions", NULL };
	struct slice rest, word, before = { 0 };
	struct lines lines = { .rest = text };
	struct line line;
	bool digit = false; /* the line before ends in one */
	double count;

	*out = (struct means_runs){ .n = 0 };
	while (lines_next(&lines, &line)) {
		rest = line_unquoted(&line);
		while ((word = slice_next_word(&rest)).len) {
			word = bare(word);
			if (is_any(word, runs) && read_count(before, &count)) {
				/* "1" and "5 runs" in the next line */
				out->conflict |= digit && before.s == line.text.s;
				add_runs(out, count);
			}
			if (word.len > 2 && slice_is_nocase((struct slice){ word.s, 2 }, "n=") &&
			    slice_count(slice_from(word, word.s + 2), &count))
				add_runs(out, count);
			before = word;
		}
		digit = line.text.len && line.text.s[line.text.len - 1] >= '0' &&
			line.text.s[line.text.len - 1] <= '9';
	}
}
