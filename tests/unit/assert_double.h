// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Asserts on doubles for cmocka, whose own compare in float. Include after cmocka.h.
 *
 * assert_double(actual, expected, relative)   |actual - expected| <= relative |expected|
 * assert_digits(actual, expected, places)     equal when rounded to so many decimals: within half
 *                                             a unit of the last, and 1e-12 for the binary rest
 * assert_nan(actual)                          unknown
 */
#ifndef BRUNT_TESTS_ASSERT_DOUBLE_H
#define BRUNT_TESTS_ASSERT_DOUBLE_H

#include <math.h>

static inline void check_double(double actual, double expected, double tolerance,
				const char *text, const char *file, int line)
{
	if (fabs(actual - expected) <= tolerance)
		return;
	print_error("%s = %.15g, expected %.15g within %.3g\n", text, actual, expected, tolerance);
	_fail(file, line);
}

#define assert_double(actual, expected, relative) \
	check_double((actual), (expected), (relative) * fabs((double)(expected)), #actual, \
		     __FILE__, __LINE__)

#define assert_digits(actual, expected, places) \
	check_double((actual), (expected), .5 * pow(10, -(places)) + 1e-12, #actual, __FILE__, \
		     __LINE__)

#define assert_nan(actual) \
	do { \
		if (!isnan(actual)) { \
			print_error("%s is not NAN\n", #actual); \
			_fail(__FILE__, __LINE__); \
		} \
	} while (0)

#endif
