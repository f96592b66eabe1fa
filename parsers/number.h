// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_NUMBER_H
#define BRUNT_PARSERS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/lines.h"

/* A decimal number as it was printed. Signs but '-' in front, hex, nan and inf are none. */
struct number {
	double value;
	double half_step; /* half of the last printed digit's step */
	double whole;	  /* its digits as a whole number; NAN: more than a double holds */
	int exponent;	  /* value is whole times 10 to this */
	size_t decimals;  /* digits behind the point */
	size_t len;	  /* bytes it takes */
};

/* The longest at the head of text: 12, 0.5, .5, 1.2e+06. False: there is none, or it is too big. */
bool number_read(struct slice text, struct number *out);

/* The whole of the word. */
bool number_word(struct slice word, struct number *out);

/*
 * The value times scale, which is a power of 10 or of 1024: the double nearest to it, so that
 * 305.2 ms are .3052 s.
 */
double number_scale(const struct number *number, double scale);

/*
 * The whole word is a number as a locale groups it: 1,234,567 or 1.234,56 or 1 234 with no-break
 * spaces or apostrophes. count: it is a whole number, so that all marks in it only group; else the
 * last of '.' and ',' is the decimal one. False: no number, or one that can be read in two ways.
 */
bool number_grouped(struct slice word, bool count, struct number *out);

#endif
