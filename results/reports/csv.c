// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A row a value, for statistics programs and spreadsheets: the values that the other reports are
 * made of, so runs of broken rounds and warm-ups are not among them. Of a published summary there
 * is one row without a run, with its mean as the value. docs/format.md names the columns.
 *
 * Spreadsheets take a cell that begins with "=" and the like for a formula, quoted or not: such
 * text gets an apostrophe in front, which they do not show. Numbers never do.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "results/report.h"
#include "results/reports/layout.h"

enum { SPILL_SIZE = 1 << 20 };

static const char header[] = "set,host,label,config,workload,point,run,round,position,metric,"
			     "unit,better,value,n,sd,session,boot_id,aa_of,half_step,headline\n";

/* The signs themselves, and those of full width that some programs read alike. */
static bool is_formula(const char *text)
{
	static const char *const starts[] = { "=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b",
					      "\xef\xbc\x8d", "\xef\xbc\xa0" };

	text += strspn(text, " ");
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static void add_text(struct buf *out, const char *text)
{
	auto_buf struct buf cell = BUF_INIT;

	buf_add(&cell, is_formula(text) ? "'" : "");
	layout_escape(&cell, text);
	if (!strpbrk(cell.s, ",\"\r\n") && *cell.s != ' ') {
		buf_add(out, cell.s);
		return;
	}
	buf_addc(out, '"');
	for (const char *s = cell.s; *s; s++) {
		if (*s == '"')
			buf_addc(out, '"');
		buf_addc(out, *s);
	}
	buf_addc(out, '"');
}

static void add_number(struct buf *out, double value)
{
	auto_json json_t *number = json_number(value);

	if (json_is_real(number))
		json_write(out, number, 0);
}

/* The columns that all values of a cell have. */
static void cell_columns(const struct analysis_cell *cell, struct buf *out)
{
	const char *const texts[] = { cell->set, cell->host, cell->label, cell->config,
				      cell->workload, cell->point };

	buf_clear(out);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		add_text(out, texts[i]);
		buf_addc(out, ',');
	}
}

static void add_metric(const struct analysis_group *group, struct buf *out)
{
	add_text(out, group->metric);
	buf_addc(out, ',');
	add_text(out, group->unit);
	buf_addc(out, ',');
	add_text(out, group->better);
	buf_addc(out, ',');
}

/* At the end of a row: how far the print was rounded, and whether it gets a verdict. */
static void add_kind(const struct analysis_group *group, struct buf *out)
{
	buf_addc(out, ',');
	if (group->step > 0)
		add_number(out, group->step / 2);
	buf_add(out, group->headline ? ",1\n" : ",0\n");
}

/* Behind the value: n, sd, where the run was made, and what kind of value it is. */
static void run_columns(const struct set_run *run, const struct analysis_group *group,
			struct buf *out)
{
	const char *aa_of = group->cell->aa_of;

	buf_clear(out);
	buf_add(out, ",1,,");
	add_text(out, run->session);
	buf_addc(out, ',');
	add_text(out, run->boot_id);
	buf_addc(out, ',');
	add_text(out, aa_of ? aa_of : "");
	add_kind(group, out);
}

static void spill(const struct report_options *options, struct buf *out)
{
	if (options->spill && out->len >= SPILL_SIZE)
		options->spill(out);
}

/* What many rows have in common is written once. */
static void add_values(const struct analysis_group *group, const char *cell,
		       const struct report_options *options, struct buf *out)
{
	auto_buf struct buf metric = BUF_INIT, tail = BUF_INIT;
	const struct set_run *last = NULL;

	add_metric(group, &metric);
	for (size_t i = 0; i < group->n; i++) {
		const struct set_run *run = group->from[i];

		if (!last || run->session != last->session || run->boot_id != last->boot_id)
			run_columns(run, group, &tail);
		last = run;
		buf_add(out, cell);
		buf_addf(out, "%u,%u,%u,", run->number, run->round, run->position);
		buf_addn(out, metric.s, metric.len);
		add_number(out, group->values[i]);
		buf_addn(out, tail.s, tail.len);
		spill(options, out);
	}
}

static void add_summary(const struct analysis_group *group, const char *cell, struct buf *out)
{
	buf_add(out, cell);
	buf_add(out, ",,,");
	add_metric(group, out);
	add_number(out, group->mean);
	if (group->n)
		buf_addf(out, ",%zu,", group->n);
	else
		buf_add(out, ",,"); /* not known */
	add_number(out, group->sd);
	buf_add(out, ",,,");
	add_kind(group, out);
}

static int write_csv(const struct analysis *analysis, const struct report_options *options,
		     struct buf *out, struct err *err)
{
	auto_buf struct buf columns = BUF_INIT;

	(void)err;
	buf_add(out, header);
	for (size_t c = 0; c < analysis->ncells; c++) {
		const struct analysis_cell *cell = analysis->cells[c];

		cell_columns(cell, &columns);
		for (size_t g = 0; g < cell->ngroups; g++) {
			const struct analysis_group *group =
				&analysis->groups[cell->first_group + g];

			if (group->summarised)
				add_summary(group, columns.s, out);
			if (group->values)
				add_values(group, columns.s, options, out);
		}
	}
	return 0;
}

const struct report report_csv = {
	.name = "csv",
	.summary = "a row a value, for statistics programs and spreadsheets",
	.write = write_csv,
};
