// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reports/lmbench_cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 64 };

/* One decimal, cut to what fits; false: even the whole number and its point do not. */
static int cut_decimal(char *out, double value, int width)
{
	char text[TEXT_MAX];
	size_t whole;

	snprintf(text, sizeof(text), "%.1f", value);
	whole = strcspn(text, ".");
	if ((int)whole > width)
		return 0;
	snprintf(out, TEXT_MAX, "%.*s", width, text);
	return 1;
}

static void with_letter(char *out, double value, int width, char letter)
{
	char text[TEXT_MAX];

	if (!cut_decimal(text, value, width - 1))
		snprintf(text, sizeof(text), "%.0e", value); /* too large for any of these */
	snprintf(out, TEXT_MAX, "%.30s%c", text, letter);
}

static void small(char *out, double value)
{
	int exponent = (int)floor(log10(value));
	double digit = value / pow(10, exponent);

	if (digit >= 9.5) {
		digit = 1;
		exponent++;
	}
	snprintf(out, TEXT_MAX, "%.0fe%d", digit, exponent);
}

/* The decimal that 10 and more are printed with can reach the next power of ten. */
static double in_tenths(double value)
{
	return round(value * 10) / 10;
}

void lmbench_cell(char out[LMBENCH_CELL_MAX], double value, int width)
{
	char text[TEXT_MAX] = "", whole[TEXT_MAX];
	double least = pow(10, -(width - 2));

	if (!isfinite(value) || value < 0)
		*text = '\0';
	else if (value > 0 && value < .001)
		small(text, value);
	else if (value + least / 2 < 10)
		snprintf(text, sizeof(text), "%.*f", width - 2, value);
	else if (in_tenths(value) < 1e4 && cut_decimal(whole, value, width))
		memcpy(text, whole, sizeof(text));
	else if (in_tenths(value / 1e3) < 1e4 && cut_decimal(whole, value / 1e3, width - 1))
		with_letter(text, value / 1e3, width, 'K');
	else
		with_letter(text, value / 1e6, width, 'M');
	snprintf(out, LMBENCH_CELL_MAX, "%*.30s", width, text);
}
