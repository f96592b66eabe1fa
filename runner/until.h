// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_UNTIL_H
#define BRUNT_RUNNER_UNTIL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * --until: are the changes known well enough? Only the width of their intervals is looked at, never
 * what they say, so stopping by it favours no answer (statistics: coverage .94 from 10 rounds on).
 */
struct until {
	double pct;		 /* half widths are to be below it */
	unsigned int min_rounds; /* of each point before the first look */
	const char *host, *label;
};

struct until_look {
	bool reached;
	size_t rounds;		/* the fewest complete ones of a point */
	double half_width_pct;	/* the widest headline change; NAN: there is none, or no percent */
};

/*
 * Reads the set anew: headline changes that have a verdict, of every configuration against the
 * baseline at each point. Not in the timed part.
 */
int until_look(const char *set_path, const struct until *until, struct until_look *out,
	       struct err *err);

#endif
