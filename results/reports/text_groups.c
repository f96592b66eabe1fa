// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The comparisons of micro benchmarks: many rows, which people know by lmbench's tables. A table a
 * subject in their order, with the difference in ns beside the percent, since what is added to
 * each system call is the same few ns in all of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/lmbench_tables.h"
#include "results/reports/rows.h"
#include "results/reports/text_parts.h"

enum { DELTA_DECIMALS = 2 }; /* of ns: more is below what a clock shows */

bool text_has_groups(const struct text_pair *pair)
{
	return !strcmp(pair->first->base->cell->workload, "micro");
}

/* ---- order ---- */

struct placed {
	const struct analysis_comparison *row;
	size_t place;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The first table that has the metric: one column stands in two of them. The end: none has it. */
static const struct lmbench_table *table_of(const char *metric)
{
	const struct lmbench_table *table = lmbench_tables;

	while (table->title && lmbench_place_of(table, metric) == LMBENCH_NOWHERE)
		table++;
	return table;
}

/* Those of a table in its order; of the end: those of none. */
static struct placed *pick(const struct lmbench_table *table,
			   const struct analysis_comparison **rows, size_t n, size_t *npicked)
{
	struct placed *placed = xcalloc(n + 1, sizeof(*placed));

	*npicked = 0;
	for (size_t i = 0; i < n; i++) {
		const char *metric = rows[i]->base->metric;

		if (table_of(metric) != table)
			continue;
		placed[*npicked].place = table->title ? lmbench_place_of(table, metric) : 0;
		placed[(*npicked)++].row = rows[i];
	}
	qsort(placed, *npicked, sizeof(*placed), compare_placed);
	return placed;
}

/* ---- rows ---- */

static void add_delta(const struct analysis_comparison *c, char out[FIGURE_MAX])
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	double half, delta;
	int decimals;

	*out = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].unit, c->base->unit) != 0)
			continue;
		half = (c->ci95_units[1] - c->ci95_units[0]) / 2 * units[i].ns;
		delta = c->difference * units[i].ns;
		decimals = figure_decimals(half, delta);
		figure_signed(out, delta, decimals < DELTA_DECIMALS ? decimals : DELTA_DECIMALS);
	}
}

static void add_row(struct text *text, const struct analysis_comparison *c,
		    struct layout *layout)
{
	char delta[FIGURE_MAX], mde[FIGURE_MAX] = "";
	struct row_change row;

	row_change(c, &row);
	add_delta(c, delta);
	if (!row_has_interval(&row))
		*row.low = *row.high = '\0';
	if (c->verdict == VERDICT_INCONCLUSIVE && !isnan(c->mde_pct))
		figure_number(mde, c->mde_pct, figure_decimals(c->mde_pct, 0));
	layout_row(layout,
		   (const char *const[]){ layout_name(&text->metrics, c->base->metric), row.unit,
					  row.base_mean, row.fresh_mean, delta, row.change,
					  row.low, row.high,
					  c->verdict == VERDICT_NONE ? "" : verdict_name(c->verdict),
					  row.p, mde });
}

/* title: what stands before " - times in microseconds", for units stand in each row. */
static void write_group(struct text *text, const struct text_pair *pair, const char *title,
			const struct placed *placed, size_t n)
{
	const char *dash = strstr(title, " - ");
	const struct layout_column columns[] = {
		{ .head = "" },
		{ .gap = 1, .glued = true },
		{ .title = "mean", .head = layout_name(&text->names, text_side_name(pair, false)),
		  .right = true, .gap = 2 },
		{ .head = layout_name(&text->names, text_side_name(pair, true)), .right = true,
		  .gap = 2, .glued = true },
		{ .title = "change", .head = "ns", .right = true, .gap = 2 },
		{ .head = "%", .right = true, .gap = 2, .glued = true },
		{ .right = true, .gap = 2, .glued = true, .before = "[", .after = "," },
		{ .head = "[95 %]", .right = true, .gap = 0, .glued = true, .after = "]" },
		{ .head = "verdict", .gap = 2 },
		{ .gap = 1, .glued = true },
		{ .head = "can show %", .right = true, .gap = 2, .glued = true },
	};
	struct layout *layout = layout_new(columns, ARRAY_SIZE(columns), false);

	buf_addn(text->out, title, dash ? (size_t)(dash - title) : strlen(title));
	buf_addc(text->out, '\n');
	for (size_t i = 0; i < n; i++)
		add_row(text, placed[i].row, layout);
	layout_write(layout, text->width, text->out);
	buf_addc(text->out, '\n');
}

/* ---- all ---- */

/* What stands behind verdicts that are no mere figures: too few rounds, drift, one run. */
static void write_reasons(struct text *text, const struct analysis_comparison **rows, size_t n)
{
	const struct analysis_comparison **told = xcalloc(n + 1, sizeof(*told));
	size_t ntold = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i]->reason && rows[i]->verdict != VERDICT_EQUIVALENT)
			told[ntold++] = rows[i];
	text_verdicts(text, told, ntold);
	free(told);
}

static void write_ranks(struct text *text, const struct analysis_comparison **rows, size_t n)
{
	const struct analysis_comparison **shown = xcalloc(n + 1, sizeof(*shown));
	size_t nshown = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i]->verdict == VERDICT_WORSE || rows[i]->verdict == VERDICT_BETTER)
			shown[nshown++] = rows[i];
	text_ranks(text, shown, nshown);
	free(shown);
}

void text_groups(struct text *text, const struct text_pair *pair,
		 const struct analysis_comparison **rows, size_t n)
{
	const struct lmbench_table *table = lmbench_tables;
	struct placed *placed;
	size_t npicked;
	bool end = false;

	for (; !end; table++) {
		end = !table->title;
		placed = pick(table, rows, n, &npicked);
		if (npicked)
			write_group(text, pair, end ? "Others" : table->title, placed, npicked);
		free(placed);
	}
	write_reasons(text, rows, n);
	write_ranks(text, rows, n);
	text_boots(text, rows, n);
}
