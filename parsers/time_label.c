// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/time_label.h"

#include <stdio.h>
#include <string.h>

#include "parsers/contents.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool consists_of(struct slice text, const char *bytes)
{
	for (size_t i = 0; i < text.len; i++)
		if (!text.s[i] || !strchr(bytes, text.s[i]))
			return false;
	return text.len > 0;
}

/* A run of one mark in front of a blank: "* x", "### x", "- x". A prompt's '$' needs no blank. */
static size_t mark_at_head(struct slice text)
{
	size_t n = 1;

	if (!text.len || !strchr("*#=-+$%~`|", text.s[0]) || !text.s[0])
		return 0;
	while (n < text.len && text.s[n] == text.s[0])
		n++;
	if (text.s[0] == '$' || text.s[0] == '`' || n == text.len)
		return n;
	return slice_blank(slice_from(text, text.s + n)) ? n : 0;
}

struct slice time_label_clean(struct slice text)
{
	size_t n;

	text = slice_trim(text);
	while ((n = mark_at_head(text)))
		text = slice_trim(slice_from(text, text.s + n));
	while (text.len && text.s[text.len - 1] && strchr(":*=>-|`~,", text.s[text.len - 1])) {
		text.len--;
		text = slice_trim(text);
	}
	return text;
}

static bool starts_with_mark(struct slice body)
{
	size_t n = mark_at_head(body);

	return n && body.s[0] != '$' && body.s[0] != '%' && body.s[0] != '`' && body.s[0] != '|' &&
	       n < body.len;
}

/* Does the line show how something was timed: "time make" at its start or behind a prompt? */
static bool is_command(struct slice body)
{
	struct slice rest = body, word, before = { 0 };

	while ((word = slice_next_word(&rest)).len) {
		bool timed = slice_is(word, "time") || slice_ends(word, "/time") ||
			     slice_is(word, "$time") || slice_is(word, "\\time");

		if (timed && (!before.len || strchr("$#%;&(`", before.s[before.len - 1])))
			return rest.len > 0;
		before = word;
	}
	return false;
}

/* "pgpgin: 4711", "x = 5.1 (of all)", and lines without words. */
static bool only_counts(struct slice body, unsigned int has)
{
	for (size_t i = 0; has & HAS_COLON && i + 1 < body.len; i++) {
		if (body.s[i] != ':' && body.s[i] != '=')
			continue;
		for (i++; i < body.len && slice_blank(slice_from(body, body.s + i)) == 1; i++)
			;
		if (i < body.len && is_digit(body.s[i]))
			return true;
		i--;
	}
	return !(has & HAS_LETTER);
}

/* Nine digits in a row or more: seconds since 1970. */
static bool has_clock(struct slice body)
{
	size_t digits = 0;

	for (size_t i = 0; i < body.len; i++) {
		digits = is_digit(body.s[i]) ? digits + 1 : 0;
		if (digits == 9)
			return true;
	}
	return false;
}

/* "run 2:" does not end what "Before:" above it began. */
static void set_heading(struct time_label *label, struct slice text)
{
	char part[TIME_LABEL_PART];

	label->detail = (struct slice){ 0 };
	label->weight = 0;
	if (!time_label_part(text, part))
		return;
	if (label->fresh)
		label->parent = label->heading;
	label->heading = text;
	label->fresh = true;
}

bool time_label_line(struct time_label *label, const struct line *line, struct slice body)
{
	struct slice text = slice_trim(body);
	unsigned int has = contents_of(text);
	bool command, counts;
	int weight;

	if (slice_starts(text, "```") || slice_is(text, "...") || slice_is(text, "\xe2\x80\xa6"))
		return false;
	if (!(has & (HAS_LETTER | HAS_DIGIT)) && consists_of(text, "-=+|:~_* \t")) {
		label->ruler = line->text;
		return false;
	}
	label->row = text;
	label->row_start = line->text.s;
	label->ruler = (struct slice){ 0 };
	command = has & HAS_TIME && is_command(text);
	if (!command && slice_has(slice_from(text, text.s + 1), '|'))
		return false; /* a row of a table names its columns only */
	counts = !command && only_counts(text, has);
	if (!command && !counts && (slice_ends(text, ":") || starts_with_mark(text))) {
		set_heading(label, text);
		return true;
	}
	weight = command ? 3 : counts ? 1 : 2;
	if (weight == 1 && has_clock(text))
		return false; /* another one in each run: the name of none */
	if (weight < label->weight)
		return false;
	label->detail = text;
	label->weight = weight;
	return command;
}

void time_label_used(struct time_label *label)
{
	label->weight = 0;
	label->fresh = false;
}

static bool is_repeat_word(struct slice word)
{
	static const char *const words[] = { "run",  "attempt", "try",	      "trial",	"iteration",
					     "iter", "round",	"repetition", "repeat", "sample" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_is_nocase(word, words[i]))
			return true;
	return false;
}

/* "3", "#3", "3/10" or, with ordinal set, "3rd". */
static bool is_repeat_number(struct slice word, bool ordinal)
{
	size_t i = 0, digits = 0;

	if (!ordinal && i < word.len && word.s[i] == '#')
		i++;
	for (; i < word.len && is_digit(word.s[i]); i++)
		digits++;
	if (!digits)
		return false;
	if (ordinal) {
		struct slice end = slice_from(word, word.s + i);

		return slice_is(end, "st") || slice_is(end, "nd") || slice_is(end, "rd") ||
		       slice_is(end, "th") || slice_is(end, ".");
	}
	if (i < word.len && word.s[i] == '/')
		for (i++; i < word.len && is_digit(word.s[i]); i++)
			;
	return i == word.len;
}

/* The "of 5" of "round 2 of 5". */
static void skip_of_n(struct slice *rest)
{
	struct slice after = *rest, word = slice_next_word(&after);

	if (!slice_is_nocase(word, "of"))
		return;
	word = slice_next_word(&after);
	if (is_repeat_number(word, false))
		*rest = after;
}

/* Adds a word behind what is there, with a blank between. False: it does not fit. */
static bool add_word(char *out, size_t *n, struct slice word)
{
	if (*n + 1 + word.len > TIME_LABEL_PART)
		return false;
	if (*n)
		out[(*n)++] = ' ';
	memcpy(out + *n, word.s, word.len);
	*n += word.len;
	return true;
}

/* Cut off, but still another name than others that begin alike: a hash (FNV-1a) of all of it. */
static size_t cut_off(struct slice text, char out[TIME_LABEL_PART])
{
	unsigned int hash = 2166136261u;
	size_t n = TIME_LABEL_PART - 12;

	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (unsigned char)text.s[i]) * 16777619u;
	while (n && ((unsigned char)text.s[n] & 0xc0) == 0x80)
		n--; /* not in the middle of a character */
	memcpy(out, text.s, n);
	return n + (size_t)snprintf(out + n, 12, "...%08x", hash);
}

/* Digits where the pattern has a 9, else what it says. */
static bool is_like(struct slice word, const char *pattern)
{
	size_t n = strlen(pattern);

	if (word.len < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (pattern[i] == '9' ? !is_digit(word.s[i]) : word.s[i] != pattern[i])
			return false;
	return true;
}

/* "2024-02-26 06:47:29" is another one in each run. */
static bool is_moment(struct slice date, struct slice time)
{
	return date.len == 10 && is_like(date, "9999-99-99") && is_like(time, "99:99:99");
}

size_t time_label_part(struct slice text, char out[TIME_LABEL_PART])
{
	struct slice all = time_label_clean(text), rest = all, word, next, after;
	bool only_repeat = true, repeats = false;
	size_t n = 0;

	while ((word = slice_next_word(&rest)).len) {
		after = rest;
		next = slice_next_word(&after);
		if (is_moment(word, next)) {
			rest = after;
			continue;
		}
		if (is_repeat_number(word, true) && is_repeat_word(next)) {
			repeats = true;
			continue;
		}
		if (!add_word(out, &n, word))
			return cut_off(all, out);
		if (!is_repeat_word(word)) {
			only_repeat = false;
		} else if (is_repeat_number(next, false)) {
			repeats = true;
			rest = after;
			skip_of_n(&rest);
		}
	}
	return repeats && only_repeat ? 0 : n;
}

size_t time_label_compose(const struct time_label *label, bool without_row, struct slice beside,
			  struct slice column, char out[TIME_LABEL_SIZE])
{
	struct slice parts[] = { label->heading, label->detail, beside, column };
	char part[TIME_LABEL_PART];
	size_t n = 0, len;

	if (beside.len || (without_row && label->row.len && label->detail.s == label->row.s))
		parts[1].len = 0;
	if (without_row && label->row.len && label->heading.s == label->row.s)
		parts[0].len = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		len = time_label_part(parts[i], part);
		if (!len || n + 2 + len > TIME_LABEL_SIZE)
			continue;
		if (n) {
			memcpy(out + n, ": ", 2);
			n += 2;
		}
		memcpy(out + n, part, len);
		n += len;
	}
	return n;
}

size_t time_label_cells(struct slice row, struct slice *cells, size_t most)
{
	struct slice rest = slice_trim(row);
	size_t n = 0;

	if (rest.len && rest.s[0] == '|')
		rest = slice_from(rest, rest.s + 1);
	if (rest.len && rest.s[rest.len - 1] == '|')
		rest.len--;
	for (;;) {
		const char *bar = rest.len ? memchr(rest.s, '|', rest.len) : NULL;

		if (n < most)
			cells[n] = slice_trim(bar ? slice_until(rest, bar) : rest);
		n++;
		if (!bar)
			return n;
		rest = slice_from(rest, bar + 1);
	}
}

/* What stands above each run of dashes. */
static size_t split_at_ruler(const struct time_label *label, struct slice *names, size_t most)
{
	struct slice row = { label->row_start,
			     (size_t)(label->row.s - label->row_start) + label->row.len };
	struct slice ruler = label->ruler;
	size_t n = 0, i = 0, start[64];

	while (i < ruler.len && n < most && n < 64) {
		while (i < ruler.len && ruler.s[i] != '-' && ruler.s[i] != '=')
			i++;
		if (i == ruler.len)
			break;
		start[n++] = i;
		while (i < ruler.len && (ruler.s[i] == '-' || ruler.s[i] == '='))
			i++;
	}
	for (size_t k = 0; k < n; k++) {
		size_t from = start[k], to = k + 1 < n ? start[k + 1] : row.len;

		if (from < (size_t)(label->row.s - row.s))
			from = (size_t)(label->row.s - row.s);
		if (from >= row.len || to > row.len || from >= to)
			return 0;
		/* a name that reaches over the edge belongs to no column for sure */
		if (k && !slice_blank(slice_from(row, row.s + from - 1)))
			return 0;
		names[k] = slice_trim((struct slice){ row.s + from, to - from });
		if (!names[k].len)
			return 0;
	}
	return n;
}

/* Between blanks: at least so many of them, or a tab. */
static size_t split_at_blanks(struct slice row, size_t least, struct slice *names, size_t most)
{
	size_t n = 0, start = 0, i = 0;

	while (i < row.len) {
		size_t blanks = 0;
		bool tab = false;

		while (i + blanks < row.len &&
		       (row.s[i + blanks] == ' ' || row.s[i + blanks] == '\t'))
			tab |= row.s[i + blanks++] == '\t';
		if (!blanks) {
			i++;
			continue;
		}
		if (blanks >= least || tab) {
			if (n < most)
				names[n] = (struct slice){ row.s + start, i - start };
			n++;
			start = i + blanks;
		}
		i += blanks;
	}
	if (start < row.len) {
		if (n < most)
			names[n] = slice_from(row, row.s + start);
		n++;
	}
	return n;
}

/* 1, 2, 3 ... above the columns count the runs. */
static void drop_plain_numbers(struct slice *names, size_t n)
{
	double value;

	for (size_t i = 0; i < n; i++) {
		struct slice name = names[i];

		if (name.len && name.s[0] == '#')
			name = slice_from(name, name.s + 1);
		if (!slice_count(name, &value) || value != (double)(i + 1))
			return;
	}
	memset(names, 0, n * sizeof(names[0]));
}

static bool columns_of_table(struct slice row, bool corner, size_t n, struct slice *names)
{
	size_t cells = time_label_cells(row, names, n);

	if (!memchr(row.s, '|', row.len))
		return false;
	if (corner && cells + 1 == n) {
		memmove(names + 1, names, cells * sizeof(names[0]));
		names[0] = (struct slice){ 0 };
		return true;
	}
	return cells == n;
}

/* "Kernel build:" has as many words as there are columns, but is what all of them are of. */
static bool is_heading_of_words(const struct time_label *label, const struct slice *names,
				size_t n)
{
	return n > 1 && label->row.s == label->heading.s && slice_ends(names[n - 1], ":") &&
	       !slice_ends(names[0], ":");
}

bool time_label_columns(const struct time_label *label, bool bars, bool corner, size_t n,
			struct slice *names)
{
	bool found;

	if (!label->row.len)
		return false;
	if (bars)
		found = columns_of_table(label->row, corner, n, names);
	else
		found = (label->ruler.len && split_at_ruler(label, names, n + 1) == n) ||
			split_at_blanks(label->row, 2, names, n) == n ||
			(split_at_blanks(label->row, 1, names, n) == n &&
			 !is_heading_of_words(label, names, n));
	if (found)
		drop_plain_numbers(names, n);
	return found;
}

bool time_label_is_statistic(struct slice name)
{
	static const char *const words[] = { "mean",	"avg",	   "average", "median", "sd",
					     "stddev",	"stdev",   "std",     "min",	"max",
					     "minimum", "maximum", "change",  "diff",	"delta",
					     "%",	"sum",	   "total",   "var",	"variance",
					     "stderr",	"error",   "ci" };
	struct slice word;

	name = time_label_clean(name);
	while ((word = slice_next_word(&name)).len) {
		if (word.s[word.len - 1] == '.')
			word.len--;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (slice_is_nocase(word, words[i]))
				return true;
	}
	return false;
}
