// SPDX-License-Identifier: GPL-3.0-or-later
/* Metrics that two sides have and that were not compared. */
#include <string.h>

#include "results/reports/rows.h"
#include "results/reports/text_parts.h"

static const struct analysis_section *section_of(const struct analysis *analysis,
						 const struct analysis_cell *cell)
{
	const struct analysis_section *section = analysis->sections;

	while (cell->index >= section->first_cell + section->ncells)
		section++;
	return section;
}

/* "ms in none", or "lower is better in none" */
static void add_side(struct text *text, const struct analysis_section *section,
		     const struct analysis_cell *cell, const struct analysis_group *group,
		     bool units, struct buf *line)
{
	if (!units)
		buf_addf(line, "%s is better", strcmp(group->better, "none") != 0 ? group->better :
										   "neither");
	else if (*group->unit)
		text->escape(line, group->unit);
	else
		buf_add(line, "a count");
	buf_add(line, " in ");
	text_cell_name(text, section, cell, line);
}

static void add_unmatched(struct text *text, const struct analysis_unmatched *u)
{
	const struct analysis_section *section = section_of(text->analysis, u->base_cell);
	const struct analysis_group *any = u->base ? u->base : u->fresh;
	auto_buf struct buf line = BUF_INIT;
	bool units;

	if (text->analysis->nsections > 1) {
		text_section_name(text, section, &line);
		buf_add(&line, ": ");
	}
	if (u->fresh && row_has_other_unit(text->analysis, u->fresh))
		any = u->fresh;
	buf_addf(&line, "%s was not compared: ", text_metric_name(text, any));
	if (u->base && u->fresh) {
		units = strcmp(u->base->unit, u->fresh->unit) != 0;
		add_side(text, section, u->base_cell, u->base, units, &line);
		buf_add(&line, ", ");
		add_side(text, section, u->fresh_cell, u->fresh, units, &line);
	} else {
		buf_add(&line, "no run of ");
		text_cell_name(text, section, u->base ? u->fresh_cell : u->base_cell, &line);
		buf_add(&line, " has it");
	}
	text_paragraph(text, &line);
}

void text_unmatched(struct text *text)
{
	for (size_t i = 0; i < text->analysis->nunmatched; i++) {
		const struct analysis_unmatched *u = &text->analysis->unmatched[i];

		/* a cell without any values is in the answer */
		if (u->base || u->fresh)
			add_unmatched(text, u);
	}
}
