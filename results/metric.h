// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_METRIC_H
#define BRUNT_RESULTS_METRIC_H

#include <stdbool.h>

enum better { BETTER_LOWER, BETTER_HIGHER, BETTER_NONE };

/* A figure that a run gives: declared by its workload, ended by a NULL name in tables. */
struct metric_spec {
	const char *name; /* "real", "mkfs.dev.mean", "read.lat.p99" */
	const char *unit; /* "s", "B", "1/s", "" for a count */
	enum better better;
	bool headline; /* gets a verdict by default */
	const char *summary;
};

const char *better_name(enum better better); /* "lower", "higher", "none" */

#endif
