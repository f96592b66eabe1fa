// SPDX-License-Identifier: GPL-3.0-or-later
/* Figures from public posts and references that several tests use. */
#ifndef BRUNT_TESTS_PUBLISHED_H
#define BRUNT_TESTS_PUBLISHED_H

#include "results/stats.h"

/* kernel builds of the 2005 LSM hooks post, seconds: real, user, sys; old, new */
static const double lsm[3][2][6] = {
	{ { 422.313, 423.376, 422.643, 420.015, 423.204, 421.961 },
	  { 421.542, 420.593, 421.280, 420.712, 420.592, 421.328 } },
	{ { 385.012, 385.412, 383.840, 383.964, 383.868, 384.416 },
	  { 385.484, 384.184, 385.408, 384.820, 384.652, 385.284 } },
	{ { 56.580, 57.140, 57.668, 57.940, 57.712, 57.252 },
	  { 56.008, 56.936, 55.935, 56.520, 56.460, 56.184 } },
};

/* the 2007 markers post: base, markers, base+blktrace, markers+blktrace */
static const struct sample_summary markers[4] = {
	{ 14.679982, .34, 10 }, { 14.993041, .59, 10 },
	{ 27.754796, 2.09, 10 }, { 26.694993, 3.23, 10 },
};

/* R's sleep: extra, groups 1 and 2 */
static const double sleep_extra[2][10] = {
	{ .7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2 },
	{ 1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4 },
};

/* lmbench of the 2007 paravirt post, us: plain kernel, paravirt without patching */
struct paravirt_row {
	const char *name;
	double step;
	double base[3], new[3];
	double change_pct, low_pct, high_pct;
	int change_places, bound_places;	/* decimals given */
};

static const struct paravirt_row paravirt[10] = {
	{ "null", .01, { .25, .25, .25 }, { .28, .28, .28 }, 12.0, 9.3, 14.8, 1, 1 },
	{ "null I/O", .01, { .52, .52, .55 }, { .55, .56, .55 }, 4.4, -2.6, 12.7, 1, 1 },
	{ "stat", .1, { 31.6, 31.8, 31.7 }, { 31.3, 31.5, 31.8 }, -.5, -2.2, 1.2, 1, 1 },
	{ "open/close", .1, { 34.7, 34.7, 34.5 }, { 34.3, 34.3, 34.5 }, -.8, -1.5, 0, 1, 1 },
	{ "TCP", .1, { 10.3, 12.6, 11.8 }, { 10.0, 12.9, 12.5 }, 2.0, -26, 33, 1, 0 },
	{ "sig inst", .01, { 1.03, 1.03, 1.02 }, { 1.05, 1.05, 1.05 }, 2.3, 1.1, 3.5, 1, 1 },
	{ "sig hndl", .01, { 5.31, 5.41, 5.47 }, { 5.56, 5.66, 5.45 }, 3.0, -1.1, 7.1, 1, 1 },
	{ "fork", 1, { 726, 725, 720 }, { 747, 755, 747 }, 3.6, 2.3, 4.9, 1, 1 },
	{ "exec", 1, { 1565, 1564, 1595 }, { 1621, 1629, 1622 }, 3.1, .5, 5.9, 1, 1 },
	{ "sh", 1, { 4520, 4585, 4518 }, { 4675, 4684, 4695 }, 3.2, 1.2, 5.2, 1, 1 },
};

static inline struct sample_summary summary_of(const double *values, size_t n)
{
	struct sample_summary s = { 0, 0, 0 };

	assert_int_equal(sample_summarize(values, n, &s), 0);
	return s;
}

#endif
