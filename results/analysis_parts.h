// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_ANALYSIS_PARTS_H
#define BRUNT_RESULTS_ANALYSIS_PARTS_H

#include "results/analysis.h"

/* The steps of analysis_make(), in this order; each fills its part of the analysis. */
struct analysis_builder {
	struct analysis *out;
	const struct analysis_options *options;
	size_t cells_cap, sections_cap, groups_cap, comparisons_cap, lost_cap, marks_cap;
};

/* Cells, sections, counts and groups of one set. */
void analysis_group_set(struct analysis_builder *builder, const struct set_data *data);

/* Where the runs of a set belong, by their index in the set_data. */
struct analysis_places {
	size_t first_cell, first_section; /* of this set in the analysis */
	const size_t *cell_of;		  /* counted from first_cell */
	const size_t *round_of;		  /* the complete round at its point, from 1; 0: in none */
};

/* Groups and means by position of a set's cells and sections. */
void analysis_fill_cells(struct analysis_builder *builder, const struct set_data *data,
			 const struct analysis_places *places);

/* The figures of all comparisons, without verdicts. */
void analysis_compare(struct analysis_builder *builder);

/* What stands beside the comparisons: ledgers, marks, lost runs. */
void analysis_note(struct analysis_builder *builder);

/* The rank of a name in a map of names, in order of first appearance; adds it where it is new. */
size_t analysis_rank(json_t *names, const char *name);

#endif
