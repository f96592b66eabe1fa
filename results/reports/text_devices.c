// SPDX-License-Identifier: GPL-3.0-or-later
/* Devices that stand out, a paragraph a cell. */
#include "results/reports/figures.h"
#include "results/reports/text_parts.h"

enum { MAX_NAMED = 8 };

static void add_device(struct text *text, const struct analysis_device *device, struct buf *line)
{
	double change = (device->factor - 1) * 100;
	char number[FIGURE_MAX];

	figure_percent(number, change, change > -10 && change < 10 ? 1 : 0);
	text->escape(line, device->name);
	buf_addf(line, " %s" HARD_BLANK "%%", number);
}

void text_devices(struct text *text, const struct analysis_section *section)
{
	const struct analysis *analysis = text->analysis;

	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + i];
		const struct analysis_device *first = NULL;
		auto_buf struct buf line = BUF_INIT;
		size_t n = 0;

		buf_add(&line, "devices that stand out, ");
		text_cell_name(text, section, cell, &line);
		buf_add(&line, ": ");
		for (size_t k = 0; k < analysis->ndevices; k++) {
			if (analysis->devices[k].cell != cell)
				continue;
			first = first ? first : &analysis->devices[k];
			if (n++ < MAX_NAMED) {
				buf_add(&line, n > 1 ? ", " : "");
				add_device(text, &analysis->devices[k], &line);
			}
		}
		if (!n)
			continue;
		if (n > MAX_NAMED)
			buf_addf(&line, " and %zu more", n - MAX_NAMED);
		buf_addf(&line, " in time beside the middle one of %zu, median of %zu runs", first->of,
			 first->n);
		text_paragraph(text, &line);
	}
}
