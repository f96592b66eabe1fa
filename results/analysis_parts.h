// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_ANALYSIS_PARTS_H
#define BRUNT_RESULTS_ANALYSIS_PARTS_H

#include "results/analysis.h"

/* The steps of analysis_make(), in this order; each fills its part of the analysis. */
struct analysis_builder {
	struct analysis *out;
	const struct analysis_options *options;
	size_t cells_cap, sections_cap, groups_cap, comparisons_cap, lost_cap, marks_cap;
	size_t interactions_cap, unmatched_cap;
	struct analysis_pair *pairs; /* what is compared where the options name sides */
	size_t npairs, pairs_cap;
};

struct analysis_pair {
	struct analysis_cell *base, *fresh;
};

/* Cells, sections, counts and groups of one set. */
void analysis_group_set(struct analysis_builder *builder, const struct set_data *data);

/* Where the runs of a set belong, by their index in the set_data. */
struct analysis_places {
	size_t first_cell, first_section; /* of this set in the analysis */
	const size_t *cell_of;		  /* counted from first_cell */
	const size_t *round_of;		  /* the complete round at its point, from 1; 0: in none */
	const size_t *summary_cell_of;	  /* of the set's summaries */
};

/* Groups and means by position of a set's cells and sections. */
void analysis_fill_cells(struct analysis_builder *builder, const struct set_data *data,
			 const struct analysis_places *places);

/*
 * Where the options name sides: finds the pairs that they mean, and drops all other cells. A usage
 * error where there is none.
 */
int analysis_pick(struct analysis_builder *builder, struct err *err);

/* Lag-1 autocorrelation, drift and outliers of the groups. */
void analysis_look_at_order(struct analysis *out);

/* All comparisons with their verdicts, and the interactions. */
void analysis_compare(struct analysis_builder *builder);

/*
 * Why the sides of unpaired runs, of fewer boots than make a verdict, cannot be told from the
 * boots that they ran on; NULL: they can.
 */
const char *analysis_confounded(const struct analysis_builder *builder,
				const struct analysis_group *base,
				const struct analysis_group *fresh);

/* The interactions of a section; pairs are of labels (or sets) under one configuration. */
void analysis_interact(struct analysis_builder *builder, struct analysis_section *section,
		       const char *base_config, const struct analysis_pair *pairs, size_t n);

/* The group of a cell with the metric, unit and direction of another; NULL: there is none. */
const struct analysis_group *analysis_same_metric(const struct analysis *out,
						  const struct analysis_cell *cell,
						  const struct analysis_group *wanted);

/* The names of the base configuration and label for a cell; NULL: the first that is there. */
const char *analysis_base_config(const struct analysis_options *options,
				 const struct analysis_cell *cell);
const char *analysis_base_label(const struct analysis_options *options,
				const struct analysis_cell *cell);

/*
 * What the session's experiment says of a cell: what its configuration repeats, NULL; is the
 * metric one of its primary ones, where it names any, else said.
 */
const char *analysis_aa_of(const json_t *session, const char *config);
bool analysis_is_headline(const json_t *session, const char *metric, bool said);

/* A usage error unless name is NULL or a key of known, which is released. */
int analysis_check_name(json_t *known, const char *what, const char *name, struct err *err);

void analysis_release_group(struct analysis_group *group);

/* What stands beside the comparisons: ledgers, marks, lost runs. */
void analysis_note(struct analysis_builder *builder);

/* The devices that stand out. */
void analysis_look_at_devices(struct analysis *out);

/* Of the metric with the most values, since any can be null in some runs; NULL: there is none. */
const struct analysis_group *analysis_fullest_group(const struct analysis *out,
						    const struct analysis_cell *cell);

/* The rank of a name in a map of names, in order of first appearance; adds it where it is new. */
size_t analysis_rank(json_t *names, const char *name);

#endif
