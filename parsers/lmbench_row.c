// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A row of a table: names in front, then figures. Where there are as many figures as columns their
 * order says whose they are. Where some are missing, only places can tell: cells are printed to
 * the right of known widths, so each figure has to end where a cell ends, by the dashes below the
 * header or by the widths of version 3 or 2. Some versions print nothing at all for a missing
 * cell, so that what follows moves to the left: this is tried, too. If all that explains the row
 * says the same, it is taken; else the row is too short to be read. Where a program wrapped lines
 * without regard to what stands there, a figure may be in two halves: neither is one.
 */
#include <string.h>

#include "parsers/lmbench.h"

enum { MOST_WORDS = 32, NAMES_WIDTH = 23 };

struct words {
	struct slice v[MOST_WORDS];
	size_t n;
	struct line line; /* of the rest of a row */
};

static bool read_words(struct slice body, struct words *out)
{
	struct slice word;

	out->n = 0;
	while ((word = slice_next_word(&body)).len) {
		if (out->n == MOST_WORDS)
			return false;
		out->v[out->n++] = word;
	}
	return true;
}

static bool is_cell(struct slice word)
{
	struct lmbench_number number;

	return lmbench_cell_read(word, 0, &number) != LMBENCH_NO_CELL;
}

static bool has_digit(struct slice word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.s[i] >= '0' && word.s[i] <= '9')
			return true;
	return false;
}

static struct slice span(struct slice first, struct slice last)
{
	return (struct slice){ first.s, (size_t)(last.s + last.len - first.s) };
}

/* Does it stand where a figure should, also if it is none that lmbench prints: "-nan", "5.1%"? */
static bool looks_like_figure(struct slice word)
{
	size_t at = 0;

	while (at < word.len && word.s[at] && strchr("+-~<>(*.", word.s[at]))
		at++;
	word = slice_from(word, word.s + at);
	return (word.len && word.s[0] >= '0' && word.s[0] <= '9') ||
	       slice_is_nocase(word, "nan") || slice_is_nocase(word, "inf");
}

/* Host and system in front: how many words they are; 0: this is no row. */
static size_t read_names(const struct lmbench_head *head, const struct words *words,
			 struct lmbench_row *out)
{
	size_t at = 0, first;

	if (head->host && words->n)
		out->host = words->v[at++];
	first = at;
	if (head->os && at < words->n)
		at += !has_digit(words->v[at]) && at + 1 < words->n ? 2 : 1;
	at += head->others;
	if (at > words->n)
		return 0;
	while (!head->table->describes && at < words->n && !is_cell(words->v[at]) &&
	       !looks_like_figure(words->v[at]))
		at++;
	if (at > first)
		out->os = span(words->v[first], words->v[at - 1]);
	return at;
}

/* Words behind the last column: guesses at the size of caches. */
static void drop_guesses(const struct lmbench_head *head, struct words *words, size_t first)
{
	size_t n = first;

	if (*head->table->second)
		return;
	while (n < words->n && is_cell(words->v[n]))
		n++;
	if (n >= first + head->ncolumns)
		words->n = n;
}

static bool are_cells(const struct words *words, size_t first)
{
	for (size_t i = first; i < words->n; i++)
		if (!is_cell(words->v[i]))
			return false;
	return true;
}

static void set_cell(struct lmbench_row *out, size_t column, struct slice word,
		     const struct line *line)
{
	out->cells[column] =
		(struct lmbench_cell){ word, line->number, line_column(line, word.s) };
}

/* ---- places ---- */

/* The layout of version 3 (0) or 2 (1), for a row that begins at indent. */
static void known_layout(const struct lmbench_head *head, size_t version, size_t indent,
			 struct lmbench_layout *out)
{
	size_t at = indent + NAMES_WIDTH + (head->mhz ? (*head->table->second ? 5 : 6) : 0);

	for (size_t i = 0; i < head->ncolumns; i++) {
		const unsigned int *widths = head->table->columns[i].widths;

		out->widths[i] = version && widths[1] ? widths[1] : widths[0];
		at += 1 + out->widths[i];
		out->ends[i] = at;
	}
}

struct fit {
	size_t columns[LMBENCH_COLUMNS]; /* of each figure */
	bool found, several;
};

/* Does each figure end where a cell does, when the cell "lost" was not even printed as blanks? */
static bool explains(const struct lmbench_layout *layout, size_t ncolumns, size_t lost,
		     const size_t *ends, size_t n, size_t *columns)
{
	size_t column = 0;

	for (size_t i = 0; i < n; i++) {
		for (;; column++) {
			size_t moved = column > lost ? layout->widths[lost] + 1 : 0;

			if (column == ncolumns)
				return false;
			if (column != lost && layout->ends[column] - moved == ends[i])
				break;
		}
		columns[i] = column++;
	}
	return true;
}

static void try_layout(const struct lmbench_layout *layout, size_t ncolumns, const size_t *ends,
		       size_t n, struct fit *fit)
{
	size_t columns[LMBENCH_COLUMNS];

	for (size_t lost = 0; lost <= ncolumns; lost++) {
		if (!explains(layout, ncolumns, lost, ends, n, columns))
			continue;
		if (fit->found && memcmp(columns, fit->columns, n * sizeof(columns[0])) != 0)
			fit->several = true;
		memcpy(fit->columns, columns, n * sizeof(columns[0]));
		fit->found = true;
	}
}

/* Figures from first on, by where they stand. */
static bool place_from(const struct lmbench_head *head, const struct line *line,
		       struct slice body, const struct words *words, size_t first,
		       struct lmbench_row *out)
{
	size_t ends[LMBENCH_COLUMNS], n = 0, indent = (size_t)(words->v[0].s - body.s);
	struct fit fit = { .found = false };
	struct lmbench_layout layout;

	for (size_t i = first; i < words->n && n < LMBENCH_COLUMNS; i++)
		ends[n++] = (size_t)(words->v[i].s + words->v[i].len - body.s);
	if (!n || first + n != words->n)
		return false;
	if (head->ruled)
		try_layout(&head->ruler, head->ncolumns, ends, n, &fit);
	for (size_t version = 0; head->host && head->os && version < 2; version++) {
		known_layout(head, version, indent, &layout);
		try_layout(&layout, head->ncolumns, ends, n, &fit);
	}
	for (size_t i = 0; fit.found && !fit.several && i < n; i++)
		set_cell(out, fit.columns[i], words->v[first + i], line);
	return fit.found && !fit.several;
}

/* The clock rate in front may be missing as well. */
static bool place(const struct lmbench_head *head, const struct line *line, struct slice body,
		  const struct words *words, size_t first, struct lmbench_row *out)
{
	if (memchr(body.s, '\t', body.len))
		return false;
	if (head->mhz && place_from(head, line, body, words, first, out))
		return true;
	return place_from(head, line, body, words, first + head->mhz, out);
}

/* ---- a row ---- */

static enum lmbench_row_kind read_description(const struct words *words, size_t first,
					      struct lmbench_row *out)
{
	if (first + 1 >= words->n || !is_cell(words->v[first + 1]))
		return LMBENCH_NO_ROW;
	out->description = words->v[first];
	return LMBENCH_ROW;
}

/* Half of a figure may begin with a zero or be nothing but a point. */
static bool is_piece(struct slice word)
{
	size_t points = 0;

	for (size_t i = 0; i < word.len; i++) {
		if (word.s[i] != '.' && (word.s[i] < '0' || word.s[i] > '9'))
			return is_cell(word);
		points += word.s[i] == '.';
	}
	return points < 2;
}

/* Words of the next line, if it holds figures only, as the rest of a row that was wrapped does. */
static void read_rest(struct lines *ahead, struct words *rest)
{
	struct line next;

	if (!lines_next(ahead, &next) || !read_words(line_unquoted(&next), rest))
		rest->n = 0;
	for (size_t i = 0; i < rest->n; i++)
		if (!is_piece(rest->v[i]))
			rest->n = 0;
	rest->line = next;
}

/*
 * Are these two halves of one figure of that column, or where cells are missing of one behind it?
 * Together they fit, and are a number.
 */
static bool is_cut(const struct lmbench_head *head, size_t column, struct slice half,
		   struct slice other)
{
	struct lmbench_number number;
	unsigned int width = 0;
	char both[16];

	for (; column < head->ncolumns; column++)
		for (size_t i = 0; i < 2; i++)
			if (head->table->columns[column].widths[i] > width)
				width = head->table->columns[column].widths[i];
	if (half.len + other.len > width || width > sizeof(both))
		return false;
	memcpy(both, half.s, half.len);
	memcpy(both + half.len, other.s, other.len);
	return lmbench_cell_read((struct slice){ both, half.len + other.len }, width, &number) ==
	       LMBENCH_NUMBER;
}

/* A row where something stands between its figures that is none: it is left out, but is no text. */
static enum lmbench_row_kind read_odd(const struct words *words, size_t first, size_t wanted,
				      const struct line *line, size_t front,
				      struct lmbench_row *out)
{
	size_t n = words->n - first, figures = 0, odd = 0;

	for (size_t i = first; i < words->n; i++) {
		figures += looks_like_figure(words->v[i]);
		odd += !is_cell(words->v[i]);
	}
	if (3 * figures < 2 * wanted) /* a sentence with dates and dashes in it */
		return LMBENCH_NO_ROW;
	if (n != wanted || 2 * odd > n)
		return LMBENCH_SHORT_ROW;
	for (size_t i = front; i < n; i++)
		set_cell(out, i - front, words->v[first + i], line);
	return LMBENCH_ROW;
}

/* Figures that nobody can place: of a row, or of a sentence? */
static bool looks_like_row(const struct lmbench_head *head, const struct words *words,
			   size_t first, size_t wanted)
{
	if (head->host && head->os && words->n > 3 && !has_digit(words->v[1]) &&
	    has_digit(words->v[2]))
		return true;
	return 2 * (words->n - first) >= wanted;
}

/* The figure of the last column goes on in the line behind the row: it is none. True: it does. */
static bool is_last_cut(const struct lmbench_head *head, struct slice last, struct lines *ahead,
			struct lmbench_row *out)
{
	struct lmbench_cell *cell = &out->cells[head->ncolumns - 1];
	struct words rest;

	read_rest(ahead, &rest);
	if (rest.n != 1 || !is_cut(head, head->ncolumns - 1, last, rest.v[0]))
		return false;
	out->cut = *cell;
	cell->text.len = 0;
	return true;
}

/*
 * Does a row that lacks figures go on in the next line, though together they are not as many as the
 * columns? Several of them are no label of the rows below; one may be, unless it is half of a
 * figure.
 */
static bool goes_on(const struct lmbench_head *head, const struct words *words, size_t first,
		    const struct words *rest)
{
	size_t last = words->n - first - 1; /* of its figures, the clock rate with them */

	if (rest->n != 1)
		return rest->n > 1 && last + rest->n <= head->ncolumns + head->mhz;
	return last >= head->mhz && is_cut(head, last - head->mhz, words->v[words->n - 1],
					   rest->v[0]);
}

/* The two lines of a wrapped row have a figure a column, and no figure is in both. */
static bool is_joined(const struct lmbench_head *head, const struct words *words, size_t first,
		      const struct words *rest)
{
	size_t n = words->n - first;

	if (!rest->n || n + rest->n != head->ncolumns + head->mhz || !are_cells(rest, 0))
		return false;
	return n <= head->mhz || !is_cut(head, n - 1 - head->mhz, words->v[words->n - 1],
					 rest->v[0]);
}

enum lmbench_row_kind lmbench_row_read(const struct lmbench_head *head, const struct line *line,
				       struct slice body, const struct lines *ahead,
				       struct lmbench_row *out, size_t *joined)
{
	size_t wanted = head->ncolumns + head->mhz, first, n;
	struct lines after = *ahead;
	struct words words, rest;

	*joined = 0;
	*out = (struct lmbench_row){ .table = head->table, .line = line->number };
	if (!read_words(body, &words))
		return LMBENCH_NO_ROW;
	first = read_names(head, &words, out);
	if (!first)
		return LMBENCH_NO_ROW;
	if (head->table->describes)
		return read_description(&words, first, out);
	drop_guesses(head, &words, first + head->mhz);
	if (!are_cells(&words, first))
		return read_odd(&words, first, wanted, line, head->mhz, out);
	n = words.n - first;
	for (size_t i = head->mhz; i < n && i < wanted; i++)
		set_cell(out, i - head->mhz, words.v[first + i], line);
	if (n == wanted) {
		*joined = is_last_cut(head, words.v[words.n - 1], &after, out);
		return LMBENCH_ROW;
	}
	read_rest(&after, &rest);
	if (n < wanted && is_joined(head, &words, first, &rest)) {
		for (size_t i = n ? 0 : head->mhz; i < rest.n; i++)
			set_cell(out, n + i - head->mhz, rest.v[i], &rest.line);
		*joined = 1 + is_last_cut(head, rest.v[rest.n - 1], &after, out);
		return LMBENCH_ROW;
	}
	if (!n)
		return head->host && head->os && first == 3 && has_digit(words.v[2]) ?
			       LMBENCH_EMPTY_ROW :
			       LMBENCH_NO_ROW;
	memset(out->cells, 0, sizeof(out->cells));
	*joined = n < wanted && goes_on(head, &words, first, &rest);
	if (!*joined && n < wanted && place(head, line, body, &words, first, out))
		return LMBENCH_ROW;
	if (*joined || looks_like_row(head, &words, first, wanted))
		return LMBENCH_SHORT_ROW;
	return LMBENCH_NO_ROW;
}
