// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

int units_parse_u64(const char *s, uint64_t *out)
{
	uint64_t value = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*s - '0'), &value))
			return -ERANGE;
	}
	*out = value;
	return 0;
}

/* The length of a decimal number at s, 0 if there is none. */
static size_t decimal_length(const char *s)
{
	size_t n = 0, digits = 0, exponent;

	if (s[n] == '+' || s[n] == '-')
		n++;
	for (; isdigit((unsigned char)s[n]); n++)
		digits++;
	if (s[n] == '.')
		for (n++; isdigit((unsigned char)s[n]); n++)
			digits++;
	if (!digits)
		return 0;
	if (s[n] == 'e' || s[n] == 'E') {
		exponent = n + 1;
		if (s[exponent] == '+' || s[exponent] == '-')
			exponent++;
		if (isdigit((unsigned char)s[exponent])) {
			while (isdigit((unsigned char)s[exponent]))
				exponent++;
			n = exponent;
		}
	}
	return n;
}

/* Reads the number at the head of s with the C locale, whatever the process has set. */
static int leading_double(const char *s, double *out, const char **rest)
{
	static locale_t c_locale;
	size_t n = decimal_length(s);
	char copy[64];
	double value;

	if (!n)
		return -EINVAL;
	if (n >= sizeof(copy))
		return -ERANGE;
	memcpy(copy, s, n);
	copy[n] = '\0';
	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	value = strtod_l(copy, NULL, c_locale);
	if (!isfinite(value))
		return -ERANGE;
	*out = value;
	*rest = s + n;
	return 0;
}

int units_parse_double(const char *s, double *out)
{
	const char *rest;
	double value;
	int rc = leading_double(s, &value, &rest);

	if (rc)
		return rc;
	if (*rest)
		return -EINVAL;
	*out = value;
	return 0;
}

int units_parse_size(const char *s, uint64_t *bytes)
{
	static const char letters[] = "kmgtp";
	uint64_t factor = 1;
	const char *rest, *letter;
	double value;
	int rc = leading_double(s, &value, &rest);

	if (rc)
		return rc;
	if (*rest) {
		letter = strchr(letters, tolower((unsigned char)*rest));
		if (!letter)
			return -EINVAL;
		factor <<= 10 * (unsigned int)(letter - letters + 1);
		rest++;
		if (!strcmp(rest, "iB") || !strcmp(rest, "i"))
			rest += strlen(rest);
	}
	if (*rest || value < 0)
		return -EINVAL;
	value *= (double)factor;
	if (value >= 0x1p63)
		return -ERANGE;
	if (value != floor(value))
		return -EINVAL;
	*bytes = (uint64_t)value;
	return 0;
}

int units_parse_time(const char *s, int64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e9 },   { "s", 1e9 },	{ "ms", 1e6 },	 { "us", 1e3 },
		{ "ns", 1.0 }, { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 },
	};
	const char *rest;
	double value;
	int rc = leading_double(s, &value, &rest);

	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(rest, units[i].name) != 0)
			continue;
		value *= units[i].ns;
		if (value < 0)
			return -EINVAL;
		if (value >= 0x1p63)
			return -ERANGE;
		*ns = (int64_t)(value + 0.5);
		return 0;
	}
	return -EINVAL;
}

int units_parse_bool(const char *s, bool *out)
{
	static const char *const yes[] = { "yes", "true", "on", "1" };
	static const char *const no[] = { "no", "false", "off", "0" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (!strcmp(s, yes[i]) || !strcmp(s, no[i])) {
			*out = !strcmp(s, yes[i]);
			return 0;
		}
	}
	return -EINVAL;
}

void units_add_size(struct buf *buf, uint64_t bytes)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t i = 0;
	uint64_t unit = 1;

	while (i + 1 < sizeof(names) / sizeof(names[0]) && bytes / unit >= 1024) {
		unit *= 1024;
		i++;
	}
	if (bytes % unit == 0)
		buf_addf(buf, "%" PRIu64 " %s", bytes / unit, names[i]);
	else
		buf_addf(buf, "%.1f %s", (double)bytes / (double)unit, names[i]);
}

void units_add_duration(struct buf *buf, int64_t ns)
{
	int64_t s = (ns + NS_PER_S / 2) / NS_PER_S;

	/* The bounds are where %.3g would round up to 1e+03. */
	if (ns < 999500)
		buf_addf(buf, "%.3g us", (double)ns / 1e3);
	else if (ns < 999500000)
		buf_addf(buf, "%.3g ms", (double)ns / 1e6);
	else if (ns < 60 * NS_PER_S)
		buf_addf(buf, "%.3g s", (double)ns / 1e9);
	else if (s < 3600)
		buf_addf(buf, "%" PRId64 " min %02" PRId64 " s", s / 60, s % 60);
	else
		buf_addf(buf, "%" PRId64 " h %02" PRId64 " min", s / 3600, s / 60 % 60);
}
