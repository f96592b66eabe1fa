// SPDX-License-Identifier: GPL-3.0-or-later
/* Grids of means, the tables of comparisons with their verdicts, and the table of one side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/figures.h"
#include "results/reports/text_parts.h"

/* ---- the grid: rows are labels, columns configurations ---- */

static const struct analysis_group *find_group(const struct analysis *analysis,
					       const struct analysis_cell *cell,
					       const char *metric)
{
	for (size_t i = 0; i < cell->ngroups; i++)
		if (!strcmp(analysis->groups[cell->first_group + i].metric, metric))
			return &analysis->groups[cell->first_group + i];
	return NULL;
}

static const struct analysis_cell *find_cell(const struct analysis *analysis,
					     const struct analysis_section *section,
					     const char *label, const char *config)
{
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + i];

		if (!strcmp(cell->label, label) && !strcmp(cell->config, config))
			return cell;
	}
	return NULL;
}

/* The distinct names of a section's labels or configurations, in order; n of them. */
static const char **distinct(const struct analysis *analysis,
			     const struct analysis_section *section, bool labels, size_t *n)
{
	const char **names = xcalloc(section->ncells + 1, sizeof(*names));

	*n = 0;
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + i];
		const char *name = labels ? cell->label : cell->config;
		size_t k = 0;

		while (k < *n && strcmp(names[k], name) != 0)
			k++;
		if (k == *n)
			names[(*n)++] = name;
	}
	return names;
}

/* Scale and decimals that fit all cells of a metric. */
struct grid_style {
	struct figure_scale scale;
	int decimals;
};

static struct grid_style grid_style(const struct analysis *analysis,
				    const struct analysis_section *section, const char *metric)
{
	struct grid_style style = { { 1, "" }, 0 };
	bool first = true;

	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_group *group = find_group(
			analysis, analysis->cells[section->first_cell + i], metric);
		int decimals;

		if (!group || !group->n)
			continue;
		if (first)
			style.scale = figure_scale(group->unit, group->mean);
		first = false;
		decimals = figure_decimals(group->sd * style.scale.factor,
					   group->mean * style.scale.factor);
		style.decimals = decimals > style.decimals ? decimals : style.decimals;
	}
	return style;
}

static void grid_row(struct text *text, const struct analysis_section *section,
		     const char *metric, const char *label, const char **configs, size_t n,
		     const struct grid_style *style, struct layout *layout)
{
	const char **cells = xcalloc(2 * n + 1, sizeof(*cells));
	char(*figures)[FIGURE_MAX] = xcalloc(2 * n + 1, sizeof(*figures));

	cells[0] = layout_name(&text->rows, label);
	for (size_t i = 0; i < n; i++) {
		const struct analysis_cell *cell =
			find_cell(text->analysis, section, label, configs[i]);
		const struct analysis_group *group =
			cell ? find_group(text->analysis, cell, metric) : NULL;

		figure_number(figures[2 * i], group ? group->mean * style->scale.factor : NAN,
			      style->decimals);
		figure_sd(figures[2 * i + 1], group ? group->sd * style->scale.factor : NAN,
			  style->decimals);
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
	const char **labels = distinct(text->analysis, section, true, &nlabels);
	const char **configs = distinct(text->analysis, section, false, &nconfigs);
	struct grid_style style = grid_style(text->analysis, section, metric);
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
void text_grids(struct text *text, const struct analysis_section *section)
{
	const struct analysis *analysis = text->analysis;
	const struct analysis_cell *cell =
		analysis->comparisons[section->first_comparison].base->cell;
	bool many = text_many_labels(analysis, section), any = false;

	if (text_many_sets(analysis, section) && !many)
		return; /* rows of one label and several sets would look the same */
	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &analysis->groups[cell->first_group + i];

		if (!group->headline ||
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

static const struct analysis_comparison **pick_rows(const struct text_pair *pair, bool headline,
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
	struct figure_scale scale = figure_scale(c->base->unit, c->base->mean);
	double f = scale.factor;
	int decimals = figure_decimals(c->base->sd * f, c->base->mean * f);
	int other = figure_decimals(c->fresh->sd * f, c->fresh->mean * f);
	int percents = figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]);
	char figures[8][FIGURE_MAX];

	decimals = other > decimals ? other : decimals;
	figure_number(figures[0], c->base->mean * f, decimals);
	figure_sd(figures[1], c->base->sd * f, decimals);
	figure_number(figures[2], c->fresh->mean * f, decimals);
	figure_sd(figures[3], c->fresh->sd * f, decimals);
	figure_percent(figures[4], c->change_pct, percents);
	if (isfinite(c->change_pct))
		strcat(figures[4], "%");
	figure_percent(figures[5], c->ci95_pct[0], percents);
	figure_percent(figures[6], c->ci95_pct[1], percents);
	figure_percent(figures[7], c->at_worst_pct, percents);
	if (isfinite(c->at_worst_pct))
		strcat(figures[7], "%");
	layout_row(layout, (const char *const[]){
				   layout_name(&text->metrics, c->base->metric), scale.unit,
				   figures[0], figures[1], figures[2], figures[3], figures[4],
				   figures[5], figures[6], figures[7] });
}

static const char *change_title(const struct analysis_comparison *c)
{
	if (c->paired)
		return "change in the same round";
	return strcmp(c->unit, "boot") != 0 ? "change" : "change between boots";
}

static void write_table(struct text *text, const struct text_pair *pair,
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

static size_t largest_n(const struct text_pair *pair)
{
	size_t n = 0;

	for (size_t i = 0; i < pair->n; i++)
		n = pair->first[i].n > n ? pair->first[i].n : n;
	return n;
}

static void write_pair_heading(struct text *text, const struct analysis_section *section,
			       const struct text_pair *pair)
{
	const struct analysis_comparison *c = pair->first;
	auto_buf struct buf heading = BUF_INIT;
	size_t n = largest_n(pair);

	text_pair_name(text, section, pair, &heading);
	if (c->paired)
		buf_addf(&heading, " (%zu round%s)", n, n == 1 ? "" : "s");
	else if (!strcmp(c->unit, "run"))
		buf_addf(&heading, " (%zu and %zu runs)", c->base->n, c->fresh->n);
	else
		buf_addf(&heading, " (%zu boots or more a side)", n);
	layout_wrap(text->out, text->width, 0, 0, heading.s);
}

void text_pair_table(struct text *text, const struct analysis_section *section,
		     const struct text_pair *pair)
{
	size_t n, others;
	const struct analysis_comparison **rows = pick_rows(pair, true, &n);
	const struct analysis_comparison **other_rows = pick_rows(pair, false, &others);

	write_pair_heading(text, section, pair);
	if (n) {
		write_table(text, pair, rows, n);
		buf_addc(text->out, '\n');
		text_verdicts(text, rows, n);
	}
	if (others) {
		buf_addf(text->out, "%sother figures%s\n", n ? "\n" : "",
			 isnan(other_rows[0]->p_holm) ? ": intervals without a verdict" : "");
		write_table(text, pair, other_rows, others);
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
	struct figure_scale scale = figure_scale(group->unit, group->mean);
	double f = scale.factor;
	int decimals = figure_decimals(group->sd * f, group->mean * f);
	char n[FIGURE_MAX], figures[7][FIGURE_MAX];

	figure_number(n, (double)group->n, 0);
	figure_number(figures[0], group->mean * f, decimals);
	figure_sd(figures[1], group->sd * f, decimals);
	figure_number(figures[2], group->ci95[0] * f, decimals);
	figure_number(figures[3], group->ci95[1] * f, decimals);
	figure_number(figures[4], group->min * f, decimals);
	figure_number(figures[5], group->median * f, decimals);
	figure_number(figures[6], group->max * f, decimals);
	layout_row(layout, (const char *const[]){ layout_name(&text->metrics, group->metric),
						  scale.unit, n, figures[0], figures[1],
						  figures[2], figures[3], figures[4], figures[5],
						  figures[6] });
}

static void write_single(struct text *text, const struct analysis_cell *cell)
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

	for (size_t i = 0; i < cell->ngroups; i++)
		single_row(text, &text->analysis->groups[cell->first_group + i], layout);
	layout_write(layout, text->width, text->out);
	buf_addc(text->out, '\n');
}

void text_single_table(struct text *text, const struct analysis_section *section)
{
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = text->analysis->cells[section->first_cell + i];

		auto_buf struct buf heading = BUF_INIT;

		layout_escape(&heading, cell->label);
		buf_add(&heading, ", ");
		layout_escape(&heading, cell->config);
		buf_add(&heading, cell->ngroups ? "" : ": no run counts");
		layout_wrap(text->out, text->width, 0, 2, heading.s);
		if (cell->ngroups)
			write_single(text, cell);
		else
			buf_addc(text->out, '\n');
	}
}
