// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_SHOW_REPORT_H
#define BRUNT_RUNNER_SHOW_REPORT_H

#include "results/report.h"
#include "runner/options.h"

/* The text report of one set on stdout, as run and resume end with. */
int show_report(const char *set_path, struct err *err);

/* What report and compare share: --format, and --margin, --effect, --metric and the like. */
int report_find_format(const struct options *options, const struct report **report,
		       struct err *err);
int report_read_options(const struct options *options, struct analysis_options *out,
			struct err *err);

/* Rows of their option tables: --format; and those that report_read_options() reads, but --base. */
#define REPORT_FORMAT_OPTION                                                                  \
	{                                                                                     \
		"format", 0, "FORMAT", "text (default), mail, markdown, csv, json, html, lmbench" \
	}
#define REPORT_JUDGE_OPTIONS                                                                   \
	{ "metric", 0, "METRIC", "only this metric" },                                         \
	{ "all-metrics", 0, NULL, "verdicts for all metrics, not only the headline ones" },    \
	{ "margin", 0, "PCT", "changes inside it count as equivalent (1; 0: none do)" },       \
	{ "effect", 0, "PCT", "the change that run counts are planned for (2)" },              \
	{ "one-boot", 0, NULL, "compare what ran on few boots, labels or sets, all the same" }

/* To stdout, or to the file of --output. */
int report_write(const struct options *options, const struct report *report,
		 const struct analysis *analysis, struct err *err);

/* Columns of the terminal that stdout is, 72 where it is none. */
unsigned int output_width(void);

#endif
