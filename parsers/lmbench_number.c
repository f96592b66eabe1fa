// SPDX-License-Identifier: GPL-3.0-or-later
#include <math.h>

#include "parsers/lmbench.h"

enum { MOST_DIGITS = 15 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits with at most one point among them, and how many stand behind it. */
static bool read_decimal(struct slice text, double *value, int *decimals, size_t *len)
{
	double whole = 0;
	size_t digits = 0, i;
	bool point = false;

	*decimals = 0;
	for (i = 0; i < text.len; i++) {
		if (text.s[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(text.s[i]))
			break;
		whole = 10 * whole + (text.s[i] - '0');
		digits++;
		*decimals += point;
	}
	*value = whole / pow(10, *decimals);
	*len = i;
	return digits && digits <= MOST_DIGITS;
}

/* The whole of "e-4", as a power of ten. */
static bool read_exponent(struct slice text, int *power)
{
	bool minus = false;
	size_t i = 1;

	if (text.len < 2 || text.s[0] != 'e')
		return false;
	if (text.s[i] == '-' || text.s[i] == '+')
		minus = text.s[i++] == '-';
	if (i == text.len || text.len > i + 2)
		return false;
	for (*power = 0; i < text.len; i++) {
		if (!is_digit(text.s[i]))
			return false;
		*power = 10 * *power + (text.s[i] - '0');
	}
	*power = minus ? -*power : *power;
	return true;
}

static bool is_missing(struct slice text)
{
	size_t i = 0;

	while (i < text.len && text.s[i] == '-')
		i++;
	return i == text.len || slice_is_nocase(text, "na") || slice_is_nocase(text, "n/a") ||
	       slice_is(text, "-1");
}

enum lmbench_cell_kind lmbench_cell_read(struct slice text, unsigned int width,
					 struct lmbench_number *out)
{
	struct slice rest;
	int decimals, power = 0;
	double factor = 1;
	size_t len;

	if (!text.len)
		return LMBENCH_NO_CELL;
	if (is_missing(text))
		return LMBENCH_MISSING;
	if (text.len > 1 && text.s[0] == '0' && text.s[1] >= '0' && text.s[1] <= '9')
		return LMBENCH_NO_CELL; /* half of a number, where a line was cut to fit */
	if (!read_decimal(text, &out->value, &decimals, &len))
		return LMBENCH_NO_CELL;
	rest = slice_from(text, text.s + len);
	if (slice_is(rest, "K"))
		factor = 1e3;
	else if (slice_is(rest, "M"))
		factor = 1e6;
	else if (rest.len && !read_exponent(rest, &power))
		return LMBENCH_NO_CELL;
	out->half_step = .5 / pow(10, decimals) * factor * pow(10, power);
	out->value *= factor * pow(10, power);
	out->unclear = NULL;
	/* 1234.6 thousands are cut to "123K" as well */
	if (width == 4 && text.len == 4 && factor == 1e3 && !slice_find(text, "."))
		out->unclear = "may have lost a digit: lmbench cuts millions off to this, too";
	return LMBENCH_NUMBER;
}

bool lmbench_number_read(struct slice text, struct lmbench_number *out)
{
	int decimals;
	size_t len;

	if (!text.len || !read_decimal(text, &out->value, &decimals, &len) || len != text.len)
		return false;
	out->half_step = .5 / pow(10, decimals);
	out->unclear = NULL;
	return true;
}
