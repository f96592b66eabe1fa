// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_TEXT_PARTS_H
#define BRUNT_RESULTS_REPORTS_TEXT_PARTS_H

#include "results/report.h"
#include "results/reports/layout.h"

/*
 * What the reports for people share: the words. Each part appends to out and ends what it wrote
 * with a newline. A format says how names become part of it and how a paragraph is written.
 */
struct text {
	const struct analysis *analysis;
	unsigned int width;
	struct buf *out;
	void (*escape)(struct buf *out, const char *name);
	void (*prose)(struct buf *out, const char *words); /* reasons, which can hold names */
	void (*answer)(struct text *text, const char *line); /* a sentence on top */
	void (*paragraph)(struct text *text, unsigned int indent, const char *line);
	bool brief; /* what is read in a mail: no keys that other lines say, nothing indented */
	struct layout_names names; /* of configurations and labels, above columns */
	struct layout_names rows;  /* of labels, before rows */
	struct layout_names metrics;
	bool many_sets, many_hosts;
};

/* As for a terminal: names by layout_escape(), paragraphs wrapped. */
void text_init(struct text *text, const struct analysis *analysis, unsigned int width,
	       struct buf *out);

/* Names become what escape makes of them, and are cut to columns where cut is set. */
void text_set_escape(struct text *text, void (*escape)(struct buf *out, const char *name),
		     bool cut);
void text_release(struct text *text);

/* Writes the line, if there is one, as a paragraph, and clears it. */
void text_paragraph(struct text *text, struct buf *line);

/* A metric as rows and sentences name it; with its unit where the cell has it in two. */
const char *text_metric_name(struct text *text, const struct analysis_group *group);

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

/*
 * What tells a cell from the others of its section: set, label, configuration, as far as needed,
 * at least the configuration. Returns how many; or all of them as part of a sentence.
 */
enum { TEXT_CELL_PARTS = 3 };
size_t text_cell_parts(const struct text *text, const struct analysis_section *section,
		       const struct analysis_cell *cell, const char *parts[TEXT_CELL_PARTS]);
void text_cell_name(struct text *text, const struct analysis_section *section,
		    const struct analysis_cell *cell, struct buf *out);

/* What a column of a pair is called: configuration, label, or the set of two with one label. */
const char *text_side_name(const struct text_pair *pair, bool fresh);

/* Names in prose are whole. "storm jobs=4", with host and set where there are several. */
void text_section_name(struct text *text, const struct analysis_section *section,
		       struct buf *out);

/* "none -> blktrace", with the label, or the configuration, where there are several. */
void text_pair_name(struct text *text, const struct analysis_section *section,
		    const struct text_pair *pair, struct buf *out);

/* "[+8.1, +16.4]" and "+12.3 %" of a comparison; in its unit where there is no percentage. */
void text_add_interval(struct buf *out, const struct analysis_comparison *c);
void text_add_change(struct buf *out, const struct analysis_comparison *c);

/* The baseline with itself: "noise floor (A/A): real -0.3 % [-1.1, +0.6]", and false alarms. */
bool text_is_noise_floor(const struct text_pair *pair);
void text_noise_floor(struct text *text, const struct analysis_section *section,
		      const struct text_pair *pair);

/* What differs between sessions of the set and those before, besides what is compared. */
void text_environment(struct text *text, const struct set_data *data);

/* Why a set has as many rounds as it has: --until, and sessions that were added. */
void text_stopping(struct text *text, const struct set_data *data);

void text_answers(struct text *text);
void text_curves(struct text *text); /* of sweeps (curve.h), as bars */
void text_head(struct text *text);
void text_work(struct text *text, const json_t *session); /* what a session ran, in words */
/* Can its means stand in a grid, whose rows are labels and columns configurations? */
bool text_has_grid(const struct analysis *analysis, const struct analysis_section *section);
void text_grids(struct text *text, const struct analysis_section *section);
void text_pair_table(struct text *text, const struct analysis_section *section,
		     const struct text_pair *pair);

/* The comparisons of a pair that are headlines, or are not, strongest first; n of them; to free. */
const struct analysis_comparison **text_pick_rows(const struct text_pair *pair, bool headline,
						  size_t *n);
void text_rows_table(struct text *text, const struct text_pair *pair,
		     const struct analysis_comparison **rows, size_t n);
void text_verdicts(struct text *text, const struct analysis_comparison **rows, size_t n);

/* Of micro benchmarks: a table a subject, as lmbench has them, instead of one and its verdicts. */
bool text_has_groups(const struct text_pair *pair);
void text_groups(struct text *text, const struct text_pair *pair,
		 const struct analysis_comparison **rows, size_t n);

/* The rank tests of these rows, beside their p, as one paragraph. */
void text_ranks(struct text *text, const struct analysis_comparison **rows, size_t n);

/* The changes of these rows in each boot, where there are several, as one paragraph. */
void text_boots(struct text *text, const struct analysis_comparison **rows, size_t n);

/* What stands behind a verdict: reason, what the runs can show, how many would be needed. */
void text_verdict_details(struct text *text, const struct analysis_comparison *c,
			  struct buf *out);
void text_single_table_of(struct text *text, const struct analysis_cell *cell, bool headline);
void text_single_table(struct text *text, const struct analysis_section *section);
void text_notes(struct text *text, const struct analysis_section *section);
void text_ledgers(struct text *text, const struct analysis_section *section);
void text_interactions(struct text *text, const struct analysis_section *section);
/* Metrics that some runs lack, as one paragraph. */
void text_missing(struct text *text, const struct analysis_section *section);
void text_devices(struct text *text, const struct analysis_section *section);
void text_order(struct text *text, const struct analysis_section *section);
void text_each_run(struct text *text, const struct analysis_section *section);
void text_unmatched(struct text *text); /* what two sides have and was not compared */
void text_runs(struct text *text);

/* The end: names that were cut, and what the words and signs mean. */
void text_name_list(struct text *text);
void text_legend(struct text *text);

/* "brunt 1.0, set sha256:3f1c9a02": what the figures can be computed from again. */
void text_origin(struct text *text, const struct report_options *options);

#endif
