// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_TEXT_PARTS_H
#define BRUNT_RESULTS_REPORTS_TEXT_PARTS_H

#include "results/report.h"
#include "results/reports/layout.h"

/* The parts of the text report; each appends to out and ends what it wrote with a newline. */
struct text {
	const struct analysis *analysis;
	unsigned int width;
	struct buf *out;
	struct layout_names names; /* of configurations and labels, above columns */
	struct layout_names rows;  /* of labels, before rows */
	struct layout_names metrics;
	bool many_sets, many_hosts;
};

/* The comparisons of one base cell with one other. */
struct text_pair {
	const struct analysis_comparison *first;
	size_t n;
};

/* The pair that begins with comparison i of the section; n is 0 behind the last. */
struct text_pair text_pair_at(const struct analysis *analysis,
			      const struct analysis_section *section, size_t i);
bool text_is_label_pair(const struct text_pair *pair);

/* Has a section more than one label, or configuration? */
bool text_many_labels(const struct analysis *analysis, const struct analysis_section *section);
bool text_many_configs(const struct analysis *analysis, const struct analysis_section *section);

/* Are cells of several sets compared in it? */
bool text_many_sets(const struct analysis *analysis, const struct analysis_section *section);

/* What a column of a pair is called: configuration, label, or the set of two with one label. */
const char *text_side_name(const struct text_pair *pair, bool fresh);

/* Names in prose are whole. "storm jobs=4", with host and set where there are several. */
void text_section_name(struct text *text, const struct analysis_section *section,
		       struct buf *out);

/* "none -> blktrace", with the label, or the configuration, where there are several. */
void text_pair_name(struct text *text, const struct analysis_section *section,
		    const struct text_pair *pair, struct buf *out);

/* "[+8.1, +16.4]" and "+12.3" of a comparison in percent, with its decimals. */
void text_add_interval(struct buf *out, const struct analysis_comparison *c);
void text_add_change(struct buf *out, const struct analysis_comparison *c);

void text_answers(struct text *text);
void text_head(struct text *text);
void text_grids(struct text *text, const struct analysis_section *section);
void text_pair_table(struct text *text, const struct analysis_section *section,
		     const struct text_pair *pair);
void text_verdicts(struct text *text, const struct analysis_comparison **rows, size_t n);
void text_single_table(struct text *text, const struct analysis_section *section);
void text_interactions(struct text *text, const struct analysis_section *section);
void text_order(struct text *text, const struct analysis_section *section);
void text_notes(struct text *text, const struct analysis_section *section);
void text_runs(struct text *text);
void text_footnotes(struct text *text);

#endif
