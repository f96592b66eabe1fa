// SPDX-License-Identifier: GPL-3.0-or-later
/* Metrics that some of the runs that count do not have: their rows are of fewer runs. */
#include "results/reports/text_parts.h"

enum { MAX_METRICS = 10, MAX_NUMBERS = 10 };

/* "lat of b (run 12)", "real in ms of a (runs 1, 3)" */
static void add_group(struct text *text, const struct analysis_section *section,
		      const struct analysis_group *group, struct buf *line)
{
	buf_add(line, text_metric_name(text, group));
	buf_add(line, " of ");
	text_cell_name(text, section, group->cell, line);
	buf_addf(line, " (run%s", group->nwithout == 1 ? "" : "s");
	for (size_t i = 0; i < group->nwithout && i < MAX_NUMBERS; i++)
		buf_addf(line, "%s" HARD_BLANK "%u", i ? "," : "", group->without[i]->number);
	buf_add(line, group->nwithout > MAX_NUMBERS ? " and more)" : ")");
}

void text_missing(struct text *text, const struct analysis_section *section)
{
	auto_buf struct buf line = BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = text->analysis->cells[section->first_cell + i];

		for (size_t g = 0; g < cell->ngroups; g++) {
			const struct analysis_group *group =
				&text->analysis->groups[cell->first_group + g];

			if (!group->nwithout || n++ >= MAX_METRICS)
				continue;
			buf_add(&line, line.len ? "; " : "not in every run that counts: ");
			add_group(text, section, group, &line);
		}
	}
	if (n > MAX_METRICS)
		buf_addf(&line, "; and %zu more", n - MAX_METRICS);
	text_paragraph(text, &line);
}
