// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reports/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"

enum { MAX_DECIMALS = 9, MAX_PERCENT_DECIMALS = 4, DIGITS_WITHOUT_SPREAD = 4, UNIT_MAX = 12 };
/* printed with an exponent from here on: values, and percents */
#define TOO_LONG 1e12
#define TOO_MUCH 1e6
/* percent: an interval that MAX_PERCENT_DECIMALS do not show */
#define NO_WIDTH .00005

/* Units can come from files of others. */
static const char *safe_unit(const char *unit)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789/%._-";

	return strlen(unit) <= UNIT_MAX && !unit[strspn(unit, letters)] ? unit : "?";
}

struct figure_scale figure_scale(const char *unit, double magnitude)
{
	static const struct {
		const char *unit;
		double below; /* of the magnitude */
		struct figure_scale scale;
	} scales[] = {
		{ "s", 1e-7, { 1e9, "ns" } },	  { "s", 1e-4, { 1e6, "us" } },
		{ "s", 1e-1, { 1e3, "ms" } },	  { "B", 1e4, { 1, "B" } },
		{ "B", 1e6, { 1e-3, "kB" } },	  { "B", 1e9, { 1e-6, "MB" } },
		{ "B", INFINITY, { 1e-9, "GB" } }, { "B/s", 1e4, { 1, "B/s" } },
		{ "B/s", 1e6, { 1e-3, "kB/s" } }, { "B/s", 1e9, { 1e-6, "MB/s" } },
		{ "B/s", INFINITY, { 1e-9, "GB/s" } },
	};

	magnitude = fabs(magnitude);
	for (size_t i = 0; magnitude > 0 && i < ARRAY_SIZE(scales); i++)
		if (!strcmp(scales[i].unit, unit) && magnitude < scales[i].below)
			return scales[i].scale;
	return (struct figure_scale){ 1, safe_unit(unit) };
}

static int clamp_decimals(double decimals)
{
	return decimals < 0 ? 0 : decimals > MAX_DECIMALS ? MAX_DECIMALS : (int)decimals;
}

int figure_decimals(double spread, double value)
{
	if (spread > 0 && isfinite(spread))
		return clamp_decimals(1 - floor(log10(spread)));
	if (value != 0 && isfinite(value))
		return clamp_decimals(DIGITS_WITHOUT_SPREAD - 1 - floor(log10(fabs(value))));
	return 0;
}

static void print(char out[FIGURE_MAX], const char *sign, double value, int decimals)
{
	if (!isfinite(value))
		strcpy(out, "-");
	else if (fabs(value) >= TOO_LONG)
		snprintf(out, FIGURE_MAX, "%s%.4g", sign, value);
	else
		snprintf(out, FIGURE_MAX, "%s%.*f", sign, decimals, value);
}

/* A value that rounds to 0 has no sign. */
static double without_minus_zero(double value, int decimals)
{
	return fabs(value) < .5 * pow(10, -decimals) ? 0 : value;
}

void figure_number(char out[FIGURE_MAX], double value, int decimals)
{
	print(out, "", without_minus_zero(value, decimals), decimals);
}

void figure_signed(char out[FIGURE_MAX], double value, int decimals)
{
	value = without_minus_zero(value, decimals);
	print(out, value > 0 ? "+" : "", value, decimals);
}

void figure_percent(char out[FIGURE_MAX], double percent, int decimals)
{
	if (isfinite(percent) && fabs(percent) >= TOO_MUCH)
		snprintf(out, FIGURE_MAX, "%+.1g", percent);
	else
		figure_signed(out, percent, decimals);
}

void figure_sd(char out[FIGURE_MAX], double sd, int decimals)
{
	if (sd == 0)
		strcpy(out, "0");
	else if (sd < 10 * pow(10, -MAX_DECIMALS))
		snprintf(out, FIGURE_MAX, "%.1e", sd);
	else
		print(out, "", sd, decimals);
}

int figure_percent_decimals(double low, double high)
{
	double half = (high - low) / 2;

	if (!(half > NO_WIDTH))
		return 1;
	return (int)fmin(MAX_PERCENT_DECIMALS,
			 fmax(1, clamp_decimals(1 - floor(log10(half)))));
}

void figure_p(char out[FIGURE_MAX], double p)
{
	char digits[FIGURE_MAX];

	if (isnan(p)) {
		strcpy(out, "p -");
		return;
	}
	if (p < .00005) {
		strcpy(out, "p <.0001");
		return;
	}
	if (p >= .995) {
		strcpy(out, "p 1");
		return;
	}
	snprintf(digits, sizeof(digits), "%.*f", p < .01 ? 4 : p < .0995 ? 3 : 2, p);
	snprintf(out, FIGURE_MAX, "p %.20s", *digits == '0' ? digits + 1 : digits);
}

void figure_count(char out[FIGURE_MAX], double count)
{
	double unit = count >= 100 ? pow(10, floor(log10(count)) - 1) : 1;

	print(out, "", ceil(count / unit) * unit, 0);
}
