// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_COMMAND_METRICS_H
#define BRUNT_WORKLOADS_COMMAND_METRICS_H

#include <regex.h>

#include "parsers/parser.h"
#include "workloads/workload.h"

/*
 * Figures that a command prints: by regular expressions of the user ("metric=") or by a parser of
 * the table ("parse="). They are looked for in its kept output after the run.
 */
struct command_metric {
	char *name, *unit;
	enum better better;
	regex_t regex; /* POSIX extended; ^ and $ match at lines */
};

struct command_metrics {
	struct command_metric *v;
	size_t n, cap;
	const struct parser *parser; /* NULL: none */
};

/*
 * metric is "NAME:REGEX:UNIT:lower", or higher, several joined by '+'; parse is a parser's name;
 * each may be NULL. own are the workload's metrics, whose names cannot be given.
 */
int command_metrics_read(const char *metric, const char *parse, const struct metric_spec *own,
			 struct command_metrics *out, struct err *err);
void command_metrics_release(struct command_metrics *metrics);

/*
 * From the files stdout and stderr of the run into its metrics. The first group of an expression
 * is the number, or all that it matches; of several matches the last one counts, since summaries
 * stand at the end. What is not there, or is no number, fails the run. -EINTR after an interrupt:
 * figures may be missing then.
 */
int command_metrics_collect(const struct command_metrics *metrics,
			    const struct run_context *context);

#endif
