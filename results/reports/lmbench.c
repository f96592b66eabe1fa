// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The tables that lmbench prints, so that results can stand beside those of decades of posts. A
 * row a label and configuration, or with --runs a row a run as those posts have them. lmbench's
 * tables have no place for a configuration: where there are several rows' groups, a bare line
 * above each group says whose it is.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/report.h"
#include "results/reports/layout.h"
#include "results/reports/lmbench_cell.h"
#include "results/reports/lmbench_tables.h"

enum { HOST_WIDTH = 9, OS_WIDTH = 13 };

/* ---- what there is ---- */

static bool cell_has(const struct analysis *analysis, const struct analysis_cell *cell,
		     const struct lmbench_table *table)
{
	for (size_t i = 0; i < cell->ngroups; i++)
		if (lmbench_column_of(table, analysis->groups[cell->first_group + i].metric))
			return true;
	return false;
}

static size_t cells_with(const struct analysis *analysis, const struct lmbench_table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < analysis->ncells; i++)
		n += cell_has(analysis, analysis->cells[i], table);
	return n;
}

static const struct analysis_group *find_group(const struct analysis *analysis,
					       const struct analysis_cell *cell,
					       const struct lmbench_column *column)
{
	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &analysis->groups[cell->first_group + i];

		if (!strcmp(group->metric, column->metric) ||
		    !strcmp(group->metric, column->micro))
			return group;
	}
	return NULL;
}

/* A value in the unit of the table; NAN for a unit that is none of time or bytes a second. */
static double in_unit(const struct lmbench_table *table, double value, const char *unit)
{
	static const struct {
		const char *unit;
		double seconds, rate;
	} units[] = {
		{ "s", 1, 0 },	  { "ms", 1e-3, 0 }, { "us", 1e-6, 0 },	  { "ns", 1e-9, 0 },
		{ "B/s", 0, 1e-6 }, { "MB/s", 0, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].unit, unit) && (units[i].seconds > 0) == (table->seconds > 0))
			return value * (table->seconds > 0 ? units[i].seconds * table->seconds :
							     units[i].rate);
	return NAN;
}

/* ---- lines ---- */

static void add_ascii(struct buf *out, const char *text, int width, bool right)
{
	auto_buf struct buf escaped = BUF_INIT;

	layout_escape_ascii(&escaped, *text ? text : "-");
	buf_addf(out, right ? "%*.*s" : "%-*.*s", width, width, escaped.s);
}

static void begin_row(const struct analysis_cell *cell, const struct lmbench_table *table,
		      struct buf *out)
{
	const json_t *environment = json_object_get(cell->session, "environment");
	auto_free char *system = xasprintf("Linux %s", cell->label);
	double mhz = json_get_number(environment, "cpu.mhz");

	add_ascii(out, cell->host, HOST_WIDTH, false);
	buf_addc(out, ' ');
	add_ascii(out, system, OS_WIDTH, true);
	if (table->mhz && mhz > 0)
		buf_addf(out, " %*.0f", table->mhz, mhz);
	else if (table->mhz)
		buf_addf(out, " %*s", table->mhz, "");
}

static void end_row(struct buf *out)
{
	while (out->s[out->len - 1] == ' ')
		out->len--;
	buf_addc(out, '\n');
}

static void add_figure(const struct lmbench_table *table, const struct lmbench_column *column,
		       const struct analysis_group *group, double value, struct buf *out)
{
	char text[LMBENCH_CELL_MAX];

	lmbench_cell(text, group ? in_unit(table, value, group->unit) : NAN, column->width);
	buf_addf(out, " %s", text);
}

static void write_mean_row(const struct analysis *analysis, const struct analysis_cell *cell,
			   const struct lmbench_table *table, struct buf *out)
{
	begin_row(cell, table, out);
	for (const struct lmbench_column *c = table->columns; c->metric; c++) {
		const struct analysis_group *group = find_group(analysis, cell, c);

		add_figure(table, c, group, group ? group->mean : NAN, out);
	}
	end_row(out);
}

/* The value that a run gave; hint is where the last run's stood, since groups are in run order. */
static double value_of(const struct analysis_group *group, const struct set_run *run, size_t *hint)
{
	if (!group || !group->values)
		return NAN;
	for (size_t i = *hint; i < group->n; i++) {
		if (group->from[i] != run)
			continue;
		*hint = i + 1;
		return group->values[i];
	}
	return NAN;
}

/* Of the metrics of a table the one that most runs have: a row for each of these. */
static const struct analysis_group *longest(const struct analysis *analysis,
					    const struct analysis_cell *cell,
					    const struct lmbench_table *table)
{
	const struct analysis_group *most = NULL;

	for (const struct lmbench_column *c = table->columns; c->metric; c++) {
		const struct analysis_group *group = find_group(analysis, cell, c);

		if (group && group->values && (!most || group->n > most->n))
			most = group;
	}
	return most;
}

static void write_run_rows(const struct analysis *analysis, const struct analysis_cell *cell,
			   const struct lmbench_table *table, struct buf *out)
{
	const struct analysis_group *rows = longest(analysis, cell, table);
	size_t hints[LMBENCH_COLUMNS_MAX] = { 0 };

	for (size_t i = 0; rows && i < rows->n; i++) {
		begin_row(cell, table, out);
		for (size_t c = 0; table->columns[c].metric; c++) {
			const struct analysis_group *group =
				find_group(analysis, cell, &table->columns[c]);

			add_figure(table, &table->columns[c], group,
				   value_of(group, rows->from[i], &hints[c]), out);
		}
		end_row(out);
	}
	if (!rows)
		write_mean_row(analysis, cell, table, out);
}

static void add_dashes(struct buf *out, size_t n)
{
	while (n--)
		buf_addc(out, '-');
}

static void write_head(const struct lmbench_table *table, struct buf *out)
{
	buf_addf(out, "%s\n", table->title);
	add_dashes(out, table->underline);
	buf_addf(out, "\n%s\n", table->heads);
	if (table->ruler) {
		buf_addf(out, "%s\n", table->ruler);
		return;
	}
	add_dashes(out, HOST_WIDTH);
	buf_addc(out, ' ');
	add_dashes(out, OS_WIDTH);
	if (table->mhz) {
		buf_addc(out, ' ');
		add_dashes(out, (size_t)table->mhz);
	}
	for (const struct lmbench_column *c = table->columns; c->metric; c++) {
		buf_addc(out, ' ');
		add_dashes(out, (size_t)c->width);
	}
	buf_addc(out, '\n');
}

static void write_owner(const struct analysis_cell *cell, struct buf *out)
{
	auto_buf struct buf name = BUF_INIT;

	layout_escape_ascii(&name, cell->label);
	buf_add(&name, ", ");
	layout_escape_ascii(&name, cell->config);
	buf_add(&name, cell->aa_of ? " (A/A: the baseline again)" : "");
	if (*cell->point) {
		buf_add(&name, ", ");
		layout_escape_ascii(&name, cell->point);
	}
	buf_addf(out, "%s\n", name.s);
}

static void write_table(const struct analysis *analysis, const struct lmbench_table *table,
			bool runs, struct buf *out)
{
	bool several = analysis->ncells > 1, first = true;

	buf_add(out, out->len ? "\n" : "");
	write_head(table, out);
	for (size_t i = 0; i < analysis->ncells; i++) {
		const struct analysis_cell *cell = analysis->cells[i];

		if (!cell_has(analysis, cell, table))
			continue;
		buf_add(out, runs && several && !first ? "\n" : "");
		if (several)
			write_owner(cell, out);
		if (runs)
			write_run_rows(analysis, cell, table, out);
		else
			write_mean_row(analysis, cell, table, out);
		first = false;
	}
}

static int write_lmbench(const struct analysis *analysis, const struct report_options *options,
			 struct buf *out, struct err *err)
{
	bool any = false;

	for (const struct lmbench_table *table = lmbench_tables; table->title; table++) {
		if (!cells_with(analysis, table))
			continue;
		write_table(analysis, table, options->runs, out);
		any = true;
	}
	return any ? 0 :
		     err_set(err, ENODATA,
			     "there is no metric that lmbench's tables have (null_call, stat, "
			     "pipe.lat, ...)");
}

const struct report report_lmbench = {
	.name = "lmbench",
	.summary = "lmbench's tables, for metrics that they have",
	.write = write_lmbench,
};
