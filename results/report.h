// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORT_H
#define BRUNT_RESULTS_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "results/analysis.h"

/* A format of the report command. write() appends to out and computes nothing. */
struct report_options {
	unsigned int width; /* columns of text; 72 where it is no terminal */
	bool colour;
	bool runs; /* each run's values, in formats for people */
	const char *version; /* of the program, as it stands in reports */
	/*
	 * Takes what there is out of the buffer, where a report becomes long: some are larger than
	 * all that they are of. NULL: it stays there.
	 */
	void (*spill)(struct buf *out);
};

struct report {
	const char *name, *summary;
	int (*write)(const struct analysis *analysis, const struct report_options *options,
		     struct buf *out, struct err *err);
};

/* The table stands in results/reports.def; ended by NULL. */
extern const struct report *const reports[];
const struct report *report_find(const char *name);

#endif
