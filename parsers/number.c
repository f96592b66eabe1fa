// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/number.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

enum { LONGEST = 60 };

static bool is_digit(struct slice text, size_t at)
{
	return at < text.len && text.s[at] >= '0' && text.s[at] <= '9';
}

static size_t digits_at(struct slice text, size_t at)
{
	size_t n = 0;

	while (is_digit(text, at + n))
		n++;
	return n;
}

/* Bytes of an exponent at this place, with its letter; 0: there is none. */
static size_t exponent_at(struct slice text, size_t at, int *out)
{
	size_t sign = 0, n;
	int value = 0;

	if (at >= text.len || (text.s[at] != 'e' && text.s[at] != 'E'))
		return 0;
	if (at + 1 < text.len && (text.s[at + 1] == '-' || text.s[at + 1] == '+'))
		sign = 1;
	n = digits_at(text, at + 1 + sign);
	if (!n || n > 4)
		return 0;
	for (size_t i = 0; i < n; i++)
		value = 10 * value + (text.s[at + 1 + sign + i] - '0');
	*out = sign && text.s[at + 1] == '-' ? -value : value;
	return 1 + sign + n;
}

/* The digits in front of an exponent as a whole number; NAN: more than 15 of them. */
static double whole_of(const char *s)
{
	bool minus = *s == '-';
	double value = 0;
	size_t n = 0;

	for (s += minus; *s == '.' || (*s >= '0' && *s <= '9'); s++) {
		if (*s == '.')
			continue;
		value = 10 * value + (*s - '0');
		n += value > 0;
	}
	if (n > 15)
		return NAN;
	return minus ? -value : value;
}

bool number_read(struct slice text, struct number *out)
{
	struct number number = { .len = text.len && text.s[0] == '-' };
	size_t digits = digits_at(text, number.len);
	char copy[LONGEST + 1];
	int exponent = 0;

	number.len += digits;
	if (number.len < text.len && text.s[number.len] == '.') {
		number.decimals = digits_at(text, number.len + 1);
		if (number.decimals)
			number.len += 1 + number.decimals;
	}
	if (!digits && !number.decimals)
		return false;
	number.len += exponent_at(text, number.len, &exponent);
	if (number.len > LONGEST)
		return false;
	memcpy(copy, text.s, number.len);
	copy[number.len] = '\0';
	if (units_parse_double(copy, &number.value))
		return false;
	number.half_step = .5 * pow(10, exponent - (double)number.decimals);
	if (!isfinite(number.half_step))
		return false;
	number.whole = whole_of(copy);
	number.exponent = exponent - (int)number.decimals;
	*out = number;
	return true;
}

double number_scale(const struct number *number, double scale)
{
	int power = (int)lround(-log10(scale)) - number->exponent;

	if (scale >= 1)
		return number->value * scale;
	/* up to this a power of 10 is exact, so that there is one rounding only */
	if (isnan(number->whole) || power < 0 || power > 22)
		return number->value / round(1 / scale);
	return number->whole / pow(10, power);
}

bool number_word(struct slice word, struct number *out)
{
	struct number number;

	if (!number_read(word, &number) || number.len != word.len)
		return false;
	*out = number;
	return true;
}

/* Bytes of a mark that separates digits: the usual ones, and the blanks of some locales. */
static size_t mark_at(struct slice text, size_t at)
{
	struct slice rest = slice_from(text, text.s + at);

	if (!rest.len)
		return 0;
	if (rest.s[0] == '.' || rest.s[0] == ',' || rest.s[0] == '\'')
		return 1;
	if (slice_starts(rest, "\xc2\xa0"))
		return 2; /* no-break space */
	return slice_starts(rest, "\xe2\x80\xaf") || slice_starts(rest, "\xe2\x80\x99") ? 3 : 0;
}

/* Digits between marks: how the groups and the marks of a number lie. */
struct groups {
	size_t n, first, last; /* groups, digits in the first and the last one */
	bool threes;	       /* those between have three digits, the first at most that many */
	char first_mark, last_mark; /* 0: none */
	bool even;		    /* the marks before the last are alike */
};

/* Copies the digits to plain, which has room for LONGEST; point: before the last group. */
static bool split(struct slice word, bool point, char *plain, size_t *n, struct groups *groups)
{
	size_t at = 0, len, mark;

	*n = 0;
	*groups = (struct groups){ .threes = true, .even = true };
	for (;;) {
		len = digits_at(word, at);
		if (!len || *n + len + 1 > LONGEST)
			return false;
		if (point && groups->n && at + len == word.len)
			plain[(*n)++] = '.';
		memcpy(plain + *n, word.s + at, len);
		*n += len;
		at += len;
		groups->last = len;
		if (!groups->n++)
			groups->first = len;
		if (at == word.len)
			return true;
		groups->threes &= groups->n == 1 ? len <= 3 : len == 3;
		mark = mark_at(word, at);
		if (!mark)
			return false;
		if (groups->n > 1)
			groups->even &= groups->last_mark == groups->first_mark;
		groups->last_mark = word.s[at];
		if (groups->n == 1)
			groups->first_mark = word.s[at];
		at += mark;
	}
}

/* 1: the last mark is a decimal one, 0: it groups, -1: who knows. */
static int has_point(struct slice word, const struct groups *groups)
{
	if (groups->last_mark != '.' && groups->last_mark != ',')
		return 0;
	if (groups->n == 2 && groups->last == 3 && groups->threes && word.s[0] != '0')
		return -1;
	return groups->n == 2 || groups->last_mark != groups->first_mark;
}

bool number_grouped(struct slice word, bool count, struct number *out)
{
	char plain[LONGEST];
	struct groups groups;
	struct number number;
	int point = 0;
	size_t n;

	if (!split(word, false, plain, &n, &groups))
		return false;
	if (groups.n > 1 && !count)
		point = has_point(word, &groups);
	if (point < 0 || !groups.even)
		return false;
	if (!point && groups.n > 1 && (groups.last != 3 || groups.last_mark != groups.first_mark))
		return false;
	if (!groups.threes && !(point && groups.n == 2))
		return false;
	split(word, point, plain, &n, &groups);
	if (!number_word((struct slice){ plain, n }, &number))
		return false;
	number.len = word.len;
	*out = number;
	return true;
}
