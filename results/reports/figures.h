// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_FIGURES_H
#define BRUNT_RESULTS_REPORTS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Figures as people read them: rounded, with so many decimals that the spread has two digits,
 * "-" where unknown. An sd above 0 never reads as 0.
 */
enum { FIGURE_MAX = 32 };

/* What values of a unit are multiplied with, and the unit that they have then. */
struct figure_scale {
	double factor;
	const char *unit;
};

/*
 * Seconds become ms, us or ns where they are small, bytes kB, MB, GB where they are large. A unit
 * of other than a few letters, digits and signs is shown as "?".
 */
struct figure_scale figure_scale(const char *unit, double magnitude);

/* Decimals for values of this spread; where it is 0 or unknown, for four digits of the value. */
int figure_decimals(double spread, double value);

void figure_number(char out[FIGURE_MAX], double value, int decimals);
void figure_signed(char out[FIGURE_MAX], double value, int decimals); /* "+8.1" */
void figure_percent(char out[FIGURE_MAX], double percent, int decimals); /* "+8.1", "+2e+09" */
void figure_sd(char out[FIGURE_MAX], double sd, int decimals);

/* Decimals for percents with this interval: one to four, two digits of its half. */
int figure_percent_decimals(double low, double high);

/* "p .0004", "p <.0001", "p .21", "p -" */
void figure_p(char out[FIGURE_MAX], double p);

/* A count of runs in two digits, rounded up. */
void figure_count(char out[FIGURE_MAX], double count);

#endif
