// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Each run's figures side by side, a column a configuration or label and a line a metric, as
 * kernel developers post them. The runs of a line are of one round where configurations are
 * compared; under different labels they stand beside each other by their number only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/rows.h"
#include "results/reports/runs.h"
#include "results/reports/text_parts.h"

static void add_round(struct text *text, const struct analysis_section *section,
		      const struct runs *runs, size_t round, struct layout *layout)
{
	const char **cells = xcalloc(section->ncells + 1, sizeof(*cells));
	char(*figures)[FIGURE_MAX] = xcalloc(section->ncells + 1, sizeof(*figures));
	char *head;

	if (round > 1 && runs->nmetrics > 1)
		layout_row(layout, cells);
	for (size_t m = 0; m < runs->nmetrics; m++) {
		const struct row_style *style = &runs->styles[m];
		const char *unit = style->scale.unit;

		head = m ? xasprintf("%*s %s%s%s", runs->digits, "",
				     layout_name(&text->metrics, runs->metrics[m]),
				     *unit ? " " : "", unit) :
			   xasprintf("%*zu %s%s%s", runs->digits, round,
				     layout_name(&text->metrics, runs->metrics[m]),
				     *unit ? " " : "", unit);
		cells[0] = head;
		for (size_t i = 0; i < section->ncells; i++) {
			runs_figure(text->analysis, runs, section, i, m, round, figures[i]);
			cells[i + 1] = figures[i];
		}
		layout_row(layout, cells);
		free(head);
	}
	free(figures);
	free(cells);
}

/* "label", or "set, label": what stands above the last part of a cell's name; "": nothing. */
static char *title_of(struct text *text, const char *const *parts, size_t n)
{
	auto_buf struct buf title = BUF_INIT;

	for (size_t i = 0; i + 1 < n; i++)
		buf_addf(&title, "%s%s", i ? ", " : "", layout_name(&text->names, parts[i]));
	return buf_steal(&title);
}

void text_each_run(struct text *text, const struct analysis_section *section)
{
	struct layout_column *columns = xcalloc(section->ncells + 1, sizeof(*columns));
	char **titles = xcalloc(section->ncells + 1, sizeof(*titles));
	const char *parts[TEXT_CELL_PARTS];
	struct layout *layout;
	struct runs runs;

	runs_init(&runs, text->analysis, section);
	columns[0] = (struct layout_column){ .head = "each run" };
	for (size_t i = 0; i < section->ncells; i++) {
		size_t n = text_cell_parts(text, section,
					   text->analysis->cells[section->first_cell + i], parts);

		titles[i] = title_of(text, parts, n);
		columns[i + 1] = (struct layout_column){
			.title = n > 1 ? titles[i] : NULL,
			.head = layout_name(&text->names, parts[n - 1]),
			.right = true, .gap = 2,
		};
	}
	layout = layout_new(columns, section->ncells + 1, false);
	for (size_t round = 1; round <= runs.rounds; round++)
		add_round(text, section, &runs, round, layout);
	layout_write(layout, text->width, text->out);
	buf_addc(text->out, '\n');
	runs_release(&runs);
	for (size_t i = 0; i < section->ncells; i++)
		free(titles[i]);
	free(titles);
	free(columns);
}
