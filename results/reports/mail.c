// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The report for a mailing list: ASCII, at most 72 columns whatever the terminal, the answer
 * first, one table a comparison, every row with its verdict. With several labels and several
 * configurations the grid of the means is the table (rows are labels, column pairs configurations),
 * and the changes follow as a list. Figures that have no verdict are left to the other formats.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/reports/rows.h"
#include "results/reports/text_parts.h"

enum { COLUMNS = 72, NOTE_INDENT = 6 };

/* ---- one label: a table a pair ---- */

static void write_pair(struct text *text, const struct analysis_section *section,
		       const struct text_pair *pair, bool named)
{
	auto_buf struct buf name = BUF_INIT;
	size_t n;
	const struct analysis_comparison **rows = text_pick_rows(pair, true, &n);

	if (!n) {
		free(rows);
		rows = text_pick_rows(pair, false, &n);
	}
	buf_addc(text->out, '\n');
	if (named) {
		text_pair_name(text, section, pair, &name);
		text_paragraph(text, &name);
	}
	text_rows_table(text, pair, rows, n);
	buf_addc(text->out, '\n');
	text_verdicts(text, rows, n);
	free(rows);
}

/* The noise floor stands in the answer; a table it gets where there is nothing else. */
static bool has_table(const struct text *text, const struct analysis_section *section,
		      const struct text_pair *pair)
{
	struct text_pair other;

	if (!text_is_noise_floor(pair))
		return true;
	for (size_t i = 0; i < section->ncomparisons; i += other.n) {
		other = text_pair_at(text->analysis, section, i);
		if (!text_is_noise_floor(&other))
			return false;
	}
	return true;
}

static void write_pairs(struct text *text, const struct analysis_section *section)
{
	size_t tables = 0;
	struct text_pair pair;

	for (size_t i = 0; i < section->ncomparisons; i += pair.n) {
		pair = text_pair_at(text->analysis, section, i);
		tables += has_table(text, section, &pair);
	}
	for (size_t i = 0; i < section->ncomparisons; i += pair.n) {
		pair = text_pair_at(text->analysis, section, i);
		if (has_table(text, section, &pair))
			write_pair(text, section, &pair, tables > 1);
	}
}

/* ---- several labels: the grid, and the changes as a list ---- */

/* One reason for all rows of a pair is said once. */
static const char *common_reason(const struct analysis_comparison **rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!rows[i]->reason || strcmp(rows[i]->reason, rows[0]->reason) != 0)
			return NULL;
	return n ? rows[0]->reason : NULL;
}

static void write_notes(struct text *text, const struct analysis_comparison **rows, size_t n)
{
	auto_buf struct buf note = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		/* what equivalent means is in the legend */
		if (rows[i]->verdict != VERDICT_EQUIVALENT)
			text_verdict_details(text, rows[i], &note);
		if (!note.len)
			continue;
		auto_buf struct buf line = BUF_INIT;

		buf_addf(&line, "%s: %s", layout_name(&text->metrics, rows[i]->base->metric),
			 note.s);
		for (int k = 0; k < NOTE_INDENT; k++)
			buf_addc(text->out, ' ');
		layout_wrap(text->out, text->width, NOTE_INDENT, NOTE_INDENT, line.s);
		buf_clear(&note);
	}
}

static void write_changes(struct text *text, const struct analysis_comparison **rows, size_t n)
{
	static const struct layout_column columns[] = {
		{ .head = "" },
		{ .head = "change", .right = true, .gap = 2 },
		{ .right = true, .gap = 2, .glued = true, .before = "[", .after = "," },
		{ .head = "[95 %]", .right = true, .glued = true, .after = "]" },
		{ .head = "at worst", .right = true, .gap = 2 },
		{ .head = "verdict", .gap = 2 },
		{ .gap = 1, .glued = true },
	};
	struct layout *layout = layout_new(columns, sizeof(columns) / sizeof(columns[0]), false);

	for (size_t i = 0; i < n; i++) {
		struct row_change row;

		row_change(rows[i], &row);
		if (!row_has_interval(&row))
			*row.low = *row.high = '\0';
		layout_row(layout, (const char *const[]){
					   layout_name(&text->metrics, rows[i]->base->metric),
					   row.change, row.low, row.high, row.worst,
					   rows[i]->verdict == VERDICT_NONE ?
						   "none" :
						   verdict_name(rows[i]->verdict),
					   row.p });
	}
	layout_write(layout, text->width, text->out);
}

static void list_pair(struct text *text, const struct analysis_section *section,
		      const struct text_pair *pair)
{
	auto_buf struct buf name = BUF_INIT;
	const char *reason;
	size_t n;
	const struct analysis_comparison **rows = text_pick_rows(pair, true, &n);

	if (n) {
		text_pair_name(text, section, pair, &name);
		buf_addc(&name, ':');
		reason = common_reason(rows, n);
		if (reason) {
			buf_addc(&name, ' ');
			text->prose(&name, reason);
		}
		text_paragraph(text, &name);
		write_changes(text, rows, n);
		if (!reason)
			write_notes(text, rows, n);
		buf_addc(text->out, '\n');
	}
	free(rows);
}

static void write_labels(struct text *text, const struct analysis_section *section)
{
	struct text_pair pair;

	buf_addc(text->out, '\n');
	text_grids(text, section);
	for (size_t i = 0; i < section->ncomparisons; i += pair.n) {
		pair = text_pair_at(text->analysis, section, i);
		if (!text_is_noise_floor(&pair))
			list_pair(text, section, &pair);
	}
}

/* ---- all ---- */

static bool has_headlines(const struct analysis *analysis, const struct analysis_cell *cell)
{
	for (size_t i = 0; i < cell->ngroups; i++)
		if (analysis->groups[cell->first_group + i].headline)
			return true;
	return false;
}

/* Nothing to compare: what each cell has. */
static void write_singles(struct text *text, const struct analysis_section *section)
{
	auto_buf struct buf name = BUF_INIT;

	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = text->analysis->cells[section->first_cell + i];

		buf_addc(text->out, '\n');
		text->escape(&name, cell->label);
		buf_add(&name, ", ");
		text->escape(&name, cell->config);
		buf_add(&name, cell->ngroups ? "" : ": no run counts");
		text_paragraph(text, &name);
		if (cell->ngroups)
			text_single_table_of(text, cell, has_headlines(text->analysis, cell));
	}
}

static void end_with_one_newline(struct buf *out)
{
	while (out->len > 1 && out->s[out->len - 1] == '\n' && out->s[out->len - 2] == '\n')
		out->len--;
	out->s[out->len] = '\0';
}

static void write_section(struct text *text, const struct analysis_section *section, bool runs)
{
	auto_buf struct buf name = BUF_INIT;

	if (text->analysis->nsections > 1) {
		buf_addc(text->out, '\n');
		text_section_name(text, section, &name);
		buf_addc(&name, ':');
		text_paragraph(text, &name);
	}
	if (!section->ncomparisons)
		write_singles(text, section);
	else if (text_has_grid(text->analysis, section))
		write_labels(text, section);
	else
		write_pairs(text, section);
	end_with_one_newline(text->out);
	if (runs) {
		buf_addc(text->out, '\n');
		text_each_run(text, section);
		end_with_one_newline(text->out);
	}
}

static void write_notes_of(struct text *text, const struct analysis_section *section)
{
	text_interactions(text, section);
	text_missing(text, section);
	text_order(text, section);
	text_ledgers(text, section);
}

static int write_mail(const struct analysis *analysis, const struct report_options *options,
		      struct buf *out, struct err *err)
{
	struct text text;

	(void)err;
	text_init(&text, analysis, COLUMNS, out);
	text_set_escape(&text, layout_escape_ascii, true);
	text.brief = true;
	text_answers(&text);
	buf_addc(out, '\n');
	text_head(&text);
	for (size_t i = 0; i < analysis->nsections; i++)
		write_section(&text, &analysis->sections[i], options->runs);
	buf_addc(out, '\n');
	text_name_list(&text);
	text_legend(&text);
	for (size_t i = 0; i < analysis->nsections; i++)
		write_notes_of(&text, &analysis->sections[i]);
	text_runs(&text);
	text_origin(&text, options);
	text_release(&text);
	return 0;
}

const struct report report_mail = {
	.name = "mail",
	.summary = "for a mailing list: ASCII, 72 columns, the answer and one table",
	.write = write_mail,
};
