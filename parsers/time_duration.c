// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * All digits of a time go into one whole number of its last printed step, which is divided once:
 * 1m0.1s is then the double nearest to 60.1, as if it had been printed so.
 */
#include "parsers/time_duration.h"

#include <stdint.h>
#include <string.h>

struct number {
	int64_t whole; /* without the decimal point */
	int64_t scale; /* 10 to the decimals */
	unsigned int decimals;
	bool comma, leading_zero, too_long;
	unsigned int digits_before;
	size_t len;
};

enum { MOST_DIGITS = 15 };

static bool is_digit(struct slice text, size_t at)
{
	return at < text.len && text.s[at] >= '0' && text.s[at] <= '9';
}

/* Digits, and a point or comma with digits where decimals may be. */
static bool read_number(struct slice text, bool decimals_too, struct number *out)
{
	struct number n = { .scale = 1 };
	unsigned int digits = 0;

	for (; is_digit(text, n.len); n.len++, digits++)
		if (digits < MOST_DIGITS)
			n.whole = 10 * n.whole + (text.s[n.len] - '0');
	if (!digits)
		return false;
	n.digits_before = digits;
	n.leading_zero = text.s[0] == '0';
	if (decimals_too && n.len < text.len && (text.s[n.len] == '.' || text.s[n.len] == ',') &&
	    is_digit(text, n.len + 1)) {
		n.comma = text.s[n.len] == ',';
		for (n.len++; is_digit(text, n.len); n.len++, digits++) {
			if (digits >= MOST_DIGITS)
				continue;
			n.whole = 10 * n.whole + (text.s[n.len] - '0');
			n.scale *= 10;
			n.decimals++;
		}
		/* 1.2.3 is a version, 1,234.5 grouped: no times that such programs print */
		if (n.len < text.len && (text.s[n.len] == '.' || text.s[n.len] == ',') &&
		    is_digit(text, n.len + 1))
			return false;
	}
	n.too_long = digits > MOST_DIGITS;
	*out = n;
	return true;
}

/* The higher units, in seconds, and the last number. */
static void finish(struct duration *d, int64_t higher_s, const struct number *last)
{
	int64_t steps = 0;

	if (last->too_long || __builtin_mul_overflow(higher_s, last->scale, &steps) ||
	    __builtin_add_overflow(steps, last->whole, &steps) || steps >= 1LL << 53) {
		d->wrong = "more digits than a time has";
		steps = 0;
	}
	d->seconds = (double)steps / (double)last->scale;
	d->half_step = .5 / (double)last->scale;
	d->decimals = last->decimals;
}

static size_t blanks_at(struct slice text, size_t at)
{
	size_t n = 0;

	while (at + n < text.len && text.s[at + n] == ' ')
		n++;
	return n;
}

/* A whole number and the letter, then perhaps a blank as BusyBox writes it. */
static bool read_part(struct slice text, size_t *at, char letter, struct number *out)
{
	struct slice rest = slice_from(text, text.s + *at);

	if (!read_number(rest, false, out) || out->len >= rest.len || rest.s[out->len] != letter)
		return false;
	*at += out->len + 1;
	if (blanks_at(text, *at) == 1)
		(*at)++;
	return true;
}

static bool read_letters(struct slice text, struct duration *d)
{
	struct number hours = { 0 }, minutes = { 0 }, seconds;
	bool has_hours, has_minutes;
	struct slice rest;
	size_t at = 0;

	has_hours = read_part(text, &at, 'h', &hours);
	has_minutes = read_part(text, &at, 'm', &minutes);
	if (has_hours && !has_minutes)
		return false;
	hours.whole = has_hours ? hours.whole : 0;
	minutes.whole = has_minutes ? minutes.whole : 0;
	rest = slice_from(text, text.s + at);
	if (!read_number(rest, true, &seconds) || seconds.len >= rest.len ||
	    rest.s[seconds.len] != 's')
		return false;
	d->form = has_minutes ? DURATION_MINUTES : DURATION_SECONDS;
	d->grouped = !has_minutes && seconds.comma && seconds.decimals == 3 &&
		     seconds.digits_before <= 3 && !seconds.leading_zero;
	d->len = at + seconds.len + 1;
	if (has_minutes && seconds.whole >= 60 * seconds.scale)
		d->wrong = "60 seconds or more beside minutes";
	if (has_hours && minutes.whole >= 60)
		d->wrong = "60 minutes or more beside hours";
	if (hours.whole > INT32_MAX || minutes.whole > INT32_MAX)
		d->wrong = "more digits than a time has";
	if (!d->wrong)
		finish(d, 3600 * hours.whole + 60 * minutes.whole, &seconds);
	return true;
}

static bool read_colons(struct slice text, struct duration *d)
{
	struct number parts[3];
	size_t n = 0, at = 0;
	int64_t higher;

	for (;;) {
		struct slice rest = slice_from(text, text.s + at);

		if (n == 3 || !read_number(rest, true, &parts[n]))
			return false;
		at += parts[n++].len;
		if (at >= text.len || text.s[at] != ':')
			break;
		if (parts[n - 1].decimals)
			return false;
		at++;
	}
	if (n < 2)
		return false;
	d->form = DURATION_COLONS;
	d->len = at;
	for (size_t i = 1; i < n; i++) {
		if (parts[i].digits_before != 2)
			return false;
		if (parts[i].whole >= 60 * parts[i].scale)
			d->wrong = "60 or more behind a colon";
	}
	if (parts[0].whole > INT32_MAX)
		d->wrong = "more digits than a time has";
	if (d->wrong)
		return true;
	higher = n == 3 ? 3600 * parts[0].whole + 60 * parts[1].whole : 60 * parts[0].whole;
	finish(d, higher, &parts[n - 1]);
	return true;
}

static bool read_bare(struct slice text, struct duration *d)
{
	struct number n;

	if (!read_number(text, true, &n))
		return false;
	d->form = DURATION_BARE;
	d->grouped = n.comma && n.decimals == 3 && n.digits_before <= 3 && !n.leading_zero;
	d->len = n.len;
	finish(d, 0, &n);
	return true;
}

bool duration_read(struct slice text, struct duration *out)
{
	struct duration letters = { 0 }, colons = { 0 }, bare = { 0 };

	if (read_letters(text, &letters))
		*out = letters;
	else if (read_colons(text, &colons))
		*out = colons;
	else if (read_bare(text, &bare))
		*out = bare;
	else
		return false;
	return true;
}

bool duration_with(struct slice word, const char *suffix, struct duration *out)
{
	struct duration d;

	if (!slice_ends(word, suffix))
		return false;
	word.len -= strlen(suffix);
	if (!duration_read(word, &d) || d.len != word.len)
		return false;
	if (d.form != DURATION_BARE && d.form != DURATION_COLONS)
		return false;
	d.grouped = false; /* the program's own layout: its comma is a decimal one */
	*out = d;
	return true;
}
