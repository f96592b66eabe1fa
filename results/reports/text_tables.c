// SPDX-License-Identifier: GPL-3.0-or-later
/* Grids of means, the tables of comparisons with their verdicts, and the table of one side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/rows.h"
#include "results/reports/text_parts.h"

/* ---- the grid: rows are labels, columns configurations ---- */

static void grid_row(struct text *text, const struct analysis_section *section,
		     const char *metric, const char *label, const char **configs, size_t n,
		     const struct row_style *style, struct layout *layout)
{
	const char **cells = xcalloc(2 * n + 1, sizeof(*cells));
	char(*figures)[FIGURE_MAX] = xcalloc(2 * n + 1, sizeof(*figures));

	cells[0] = layout_name(&text->rows, label);
	for (size_t i = 0; i < n; i++) {
		row_grid_cell(text->analysis, section, label, configs[i], metric, style,
			      figures[2 * i], figures[2 * i + 1]);
		cells[2 * i + 1] = figures[2 * i];
		cells[2 * i + 2] = figures[2 * i + 1];
	}
	layout_row(layout, cells);
	free(figures);
	free(cells);
}

static void write_grid(struct text *text, const struct analysis_section *section,
		       const char *metric)
{
	size_t nlabels, nconfigs;
	const char **labels = row_names(text->analysis, section, true, &nlabels);
	const char **configs = row_names(text->analysis, section, false, &nconfigs);
	struct row_style style = row_style(text->analysis, section, metric);
	struct layout_column *columns = xcalloc(2 * nconfigs + 1, sizeof(*columns));
	char *head = xasprintf("%s%s%s", layout_name(&text->metrics, metric),
			       *style.scale.unit ? ", " : "", style.scale.unit);
	struct layout *layout;

	columns[0] = (struct layout_column){ .head = head };
	for (size_t i = 0; i < nconfigs; i++) {
		columns[2 * i + 1] = (struct layout_column){
			.head = layout_name(&text->names, configs[i]), .right = true, .gap = 2
		};
		columns[2 * i + 2] = (struct layout_column){
			.head = "STDDEV", .right = true, .glued = true, .gap = 2
		};
	}
	layout = layout_new(columns, 2 * nconfigs + 1, true);
	for (size_t i = 0; i < nlabels; i++)
		grid_row(text, section, metric, labels[i], configs, nconfigs, &style, layout);
	layout_write(layout, text->width, text->out);
	buf_addc(text->out, '\n');
	free(head);
	free(columns);
	free(configs);
	free(labels);
}

static bool is_shown_to_change(const struct analysis *analysis,
			       const struct analysis_section *section, const char *metric)
{
	for (size_t i = 0; i < section->ncomparisons; i++) {
		const struct analysis_comparison *c =
			&analysis->comparisons[section->first_comparison + i];

		if (!strcmp(c->base->metric, metric) &&
		    (c->verdict == VERDICT_WORSE || c->verdict == VERDICT_BETTER))
			return true;
	}
	return false;
}

/* real, and with several labels the headline metrics that some comparison changes. */
bool text_has_grid(const struct analysis *analysis, const struct analysis_section *section)
{
	return text_many_labels(analysis, section) && text_many_configs(analysis, section) &&
	       !section->names_repeat;
}

void text_grids(struct text *text, const struct analysis_section *section)
{
	const struct analysis *analysis = text->analysis;
	const struct analysis_cell *cell =
		analysis->comparisons[section->first_comparison].base->cell;
	bool many = text_many_labels(analysis, section), any = false;

	if (section->names_repeat || (text_many_sets(analysis, section) && !many))
		return; /* rows of one label and several sets would look the same */
	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &analysis->groups[cell->first_group + i];

		if (!group->headline || row_group(analysis, cell, group->metric) != group ||
		    (strcmp(group->metric, "real") != 0 &&
		     !(many && is_shown_to_change(analysis, section, group->metric))))
			continue;
		write_grid(text, section, group->metric);
		any = true;
	}
	for (size_t i = 0; i < cell->ngroups && !any; i++) {
		if (!analysis->groups[cell->first_group + i].headline)
			continue;
		write_grid(text, section, analysis->groups[cell->first_group + i].metric);
		any = true;
	}
}

/* ---- comparisons ---- */

/* Strongest first: by corrected p, then by the size of the change. */
static int compare_rows(const void *a, const void *b)
{
	const struct analysis_comparison *x = *(const struct analysis_comparison *const *)a;
	const struct analysis_comparison *y = *(const struct analysis_comparison *const *)b;
	double p = isnan(x->p_holm) ? 2 : x->p_holm, q = isnan(y->p_holm) ? 2 : y->p_holm;
	double v = fabs(x->change_pct), w = fabs(y->change_pct);

	if (p != q)
		return p < q ? -1 : 1;
	if (p < 2 && v != w && !isnan(v) && !isnan(w))
		return v > w ? -1 : 1;
	return x < y ? -1 : x > y;
}

const struct analysis_comparison **text_pick_rows(const struct text_pair *pair, bool headline,
						  size_t *n)
{
	const struct analysis_comparison **rows = xcalloc(pair->n + 1, sizeof(*rows));

	*n = 0;
	for (size_t i = 0; i < pair->n; i++)
		if (pair->first[i].headline == headline)
			rows[(*n)++] = &pair->first[i];
	if (headline)
		qsort(rows, *n, sizeof(*rows), compare_rows);
	return rows;
}

static void table_row(struct text *text, const struct analysis_comparison *c,
		      struct layout *layout)
{
	struct row_change row;

	row_change(c, &row);
	if (!row_has_interval(&row))
		*row.low = *row.high = '\0';
	layout_row(layout, (const char *const[]){
				   layout_name(&text->metrics, c->base->metric), row.unit,
				   row.base_mean, row.base_sd, row.fresh_mean, row.fresh_sd,
				   row.change, row.low, row.high, row.worst });
}

static const char *change_title(const struct analysis_comparison *c)
{
	if (c->paired)
		return "change in the same round";
	return strcmp(c->unit, "boot") != 0 ? "change" : "change between boots";
}

void text_rows_table(struct text *text, const struct text_pair *pair,
		     const struct analysis_comparison **rows, size_t n)
{
	const struct layout_column columns[] = {
		{ .head = "" },
		{ .gap = 1, .glued = true },
		{ .title = layout_name(&text->names, text_side_name(pair, false)),
		  .head = "mean", .right = true, .gap = 2 },
		{ .head = "sd", .right = true, .gap = 2, .glued = true },
		{ .title = layout_name(&text->names, text_side_name(pair, true)),
		  .head = "mean", .right = true, .gap = 2 },
		{ .head = "sd", .right = true, .gap = 2, .glued = true },
		{ .title = change_title(pair->first), .right = true, .gap = 2 },
		{ .right = true, .gap = 2, .glued = true, .before = "[", .after = "," },
		{ .head = "[95 %]", .right = true, .gap = 0, .glued = true, .after = "]" },
		{ .head = "at worst", .right = true, .gap = 2, .glued = true },
	};
	struct layout *layout = layout_new(columns, ARRAY_SIZE(columns), false);

	for (size_t i = 0; i < n; i++)
		table_row(text, rows[i], layout);
	layout_write(layout, text->width, text->out);
}

/* ---- a pair ---- */

static const struct analysis_comparison *largest_of(const struct text_pair *pair)
{
	const struct analysis_comparison *largest = pair->first;

	for (size_t i = 0; i < pair->n; i++)
		largest = pair->first[i].n > largest->n ? &pair->first[i] : largest;
	return largest;
}

static void write_pair_heading(struct text *text, const struct analysis_section *section,
			       const struct text_pair *pair)
{
	const struct analysis_comparison *c = pair->first;
	auto_buf struct buf heading = BUF_INIT;
	const struct analysis_comparison *largest = largest_of(pair);
	size_t n = largest->n;

	text_pair_name(text, section, pair, &heading);
	if (c->paired)
		buf_addf(&heading, " (%zu round%s)", n, n == 1 ? "" : "s");
	else if (largest->of_base.n && largest->of_fresh.n)
		buf_addf(&heading, " (%zu and %zu %ss)", largest->of_base.n, largest->of_fresh.n,
			 c->unit);
	layout_wrap(text->out, text->width, 0, 0, heading.s);
}

void text_pair_table(struct text *text, const struct analysis_section *section,
		     const struct text_pair *pair)
{
	size_t n, others;
	const struct analysis_comparison **rows = text_pick_rows(pair, true, &n);
	const struct analysis_comparison **other_rows = text_pick_rows(pair, false, &others);

	write_pair_heading(text, section, pair);
	if (n && text_has_groups(pair)) {
		text_groups(text, pair, rows, n);
	} else if (n) {
		text_rows_table(text, pair, rows, n);
		buf_addc(text->out, '\n');
		text_verdicts(text, rows, n);
		text_ranks(text, rows, n);
		text_boots(text, rows, n);
	}
	if (others) {
		buf_addf(text->out, "%sother figures%s\n", n ? "\n" : "",
			 isnan(other_rows[0]->p_holm) ? ": intervals without a verdict" : "");
		text_rows_table(text, pair, other_rows, others);
		text_verdicts(text, other_rows, others);
	}
	buf_addc(text->out, '\n');
	free(rows);
	free(other_rows);
}

/* ---- one side ---- */

static void single_row(struct text *text, const struct analysis_group *group,
		       struct layout *layout)
{
	struct row_single row;

	row_single(group, &row);
	layout_row(layout, (const char *const[]){ layout_name(&text->metrics, group->metric),
						  row.unit, row.n, row.mean, row.sd, row.low,
						  row.high, row.min, row.median, row.max });
}

void text_single_table_of(struct text *text, const struct analysis_cell *cell, bool headline)
{
	static const struct layout_column columns[] = {
		{ .head = "" },
		{ .gap = 1, .glued = true },
		{ .head = "n", .right = true, .gap = 2 },
		{ .head = "mean", .right = true, .gap = 2 },
		{ .head = "sd", .right = true, .gap = 2 },
		{ .right = true, .gap = 2, .before = "[", .after = "," },
		{ .head = "[95 %]", .right = true, .glued = true, .after = "]" },
		{ .head = "min", .right = true, .gap = 2 },
		{ .head = "median", .right = true, .gap = 2 },
		{ .head = "max", .right = true, .gap = 2 },
	};
	struct layout *layout = layout_new(columns, ARRAY_SIZE(columns), false);

	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &text->analysis->groups[cell->first_group + i];

		if (group->headline || !headline)
			single_row(text, group, layout);
	}
	layout_write(layout, text->width, text->out);
	buf_addc(text->out, '\n');
}

void text_single_table(struct text *text, const struct analysis_section *section)
{
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = text->analysis->cells[section->first_cell + i];

		auto_buf struct buf heading = BUF_INIT;

		text->escape(&heading, cell->label);
		buf_add(&heading, ", ");
		text->escape(&heading, cell->config);
		buf_add(&heading, cell->ngroups ? "" : ": no run counts");
		layout_wrap(text->out, text->width, 0, 2, heading.s);
		if (cell->ngroups)
			text_single_table_of(text, cell, false);
		else
			buf_addc(text->out, '\n');
	}
}
