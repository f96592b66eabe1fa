// SPDX-License-Identifier: GPL-3.0-or-later
/* Tables as GitHub and its like draw them, with the same words as the report for a terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/markdown_escape.h"
#include "results/reports/rows.h"
#include "results/reports/runs.h"
#include "results/reports/text_parts.h"

/* ---- words ---- */

static void add_words(struct buf *out, const char *line)
{
	for (; *line; line++)
		buf_addc(out, *line == *HARD_BLANK ? ' ' : *line);
}

static void write_answer(struct text *text, const char *line)
{
	add_words(text->out, line);
	buf_add(text->out, "\n\n");
}

static void write_item(struct text *text, unsigned int indent, const char *line)
{
	buf_add(text->out, indent ? "  - " : "- ");
	add_words(text->out, line);
	buf_addc(text->out, '\n');
}

static void write_heading(struct text *text, int level, const char *words)
{
	for (int i = 0; i < level; i++)
		buf_addc(text->out, '#');
	buf_addf(text->out, " %s\n\n", words);
}

/* ---- tables ---- */

static void add_cell(struct text *text, const char *cell)
{
	buf_addf(text->out, " %s |", cell);
}

static void begin_row(struct text *text, const char *first)
{
	buf_addf(text->out, "| %s |", first);
}

static void end_row(struct text *text)
{
	buf_addc(text->out, '\n');
}

/* The line below the heads: the first column and the last words to the left, figures right. */
static void write_rule(struct text *text, size_t figures, size_t words)
{
	buf_add(text->out, "|:--|");
	while (figures--)
		buf_add(text->out, "--:|");
	while (words--)
		buf_add(text->out, ":--|");
	buf_addc(text->out, '\n');
}

static void begin_metric(struct text *text, const char *metric, const char *unit)
{
	buf_addf(text->out, "| %s%s%s |", layout_name(&text->metrics, metric), *unit ? ", " : "",
		 unit);
}

static void write_grid(struct text *text, const struct analysis_section *section,
		       const char *metric)
{
	const struct analysis *analysis = text->analysis;
	struct row_style style = row_style(analysis, section, metric);
	size_t nlabels, nconfigs;
	const char **labels = row_names(analysis, section, true, &nlabels);
	const char **configs = row_names(analysis, section, false, &nconfigs);

	begin_metric(text, metric, style.scale.unit);
	for (size_t i = 0; i < nconfigs; i++)
		buf_addf(text->out, " %s | sd |", layout_name(&text->names, configs[i]));
	end_row(text);
	write_rule(text, 2 * nconfigs, 0);
	for (size_t l = 0; l < nlabels; l++) {
		begin_row(text, layout_name(&text->rows, labels[l]));
		for (size_t i = 0; i < nconfigs; i++) {
			char mean[FIGURE_MAX], sd[FIGURE_MAX];

			row_grid_cell(analysis, section, labels[l], configs[i], metric, &style,
				      mean, sd);
			add_cell(text, mean);
			add_cell(text, sd);
		}
		end_row(text);
	}
	buf_addc(text->out, '\n');
	free(labels);
	free(configs);
}

static void add_interval(struct text *text, const char *low, const char *high, bool known)
{
	if (known)
		buf_addf(text->out, " [%s, %s] |", low, high);
	else
		add_cell(text, "-");
}

static void write_row(struct text *text, const struct analysis_comparison *c, bool verdicts)
{
	auto_buf struct buf details = BUF_INIT;
	struct row_change row;

	row_change(c, &row);
	begin_metric(text, c->base->metric, row.unit);
	add_cell(text, row.base_mean);
	add_cell(text, row.base_sd);
	add_cell(text, row.fresh_mean);
	add_cell(text, row.fresh_sd);
	add_cell(text, row.change);
	add_interval(text, row.low, row.high, row_has_interval(&row));
	add_cell(text, row.worst);
	if (verdicts) {
		text_verdict_details(text, c, &details);
		add_cell(text, c->verdict == VERDICT_NONE ? "no verdict" :
							    verdict_name(c->verdict));
		add_cell(text, *row.p ? row.p + strlen("p ") : "");
		add_cell(text, "");
		text->out->len -= strlen(" |");
		add_words(text->out, details.len ? details.s : "");
		buf_add(text->out, " |");
	}
	end_row(text);
}

static void write_rows(struct text *text, const struct text_pair *pair, bool headline)
{
	bool verdicts = headline;
	size_t n, before;
	const struct analysis_comparison **rows = text_pick_rows(pair, headline, &n);

	for (size_t i = 0; i < n; i++)
		verdicts |= rows[i]->verdict != VERDICT_NONE;
	if (n) {
		if (!headline)
			buf_add(text->out, "Other figures:\n\n");
		buf_addf(text->out, "| | %s | sd |",
			 layout_name(&text->names, text_side_name(pair, false)));
		buf_addf(text->out, " %s | sd | change | 95 %% | at worst |%s\n",
			 layout_name(&text->names, text_side_name(pair, true)),
			 verdicts ? " verdict | p | |" : "");
		write_rule(text, 7, verdicts ? 3 : 0);
		for (size_t i = 0; i < n; i++)
			write_row(text, rows[i], verdicts);
		buf_addc(text->out, '\n');
		if (headline) {
			before = text->out->len;
			text_ranks(text, rows, n);
			text_boots(text, rows, n);
			buf_add(text->out, text->out->len > before ? "\n" : "");
		}
	}
	free(rows);
}

static void write_single(struct text *text, const struct analysis_cell *cell)
{
	buf_add(text->out, "| | n | mean | sd | 95 % | min | median | max |\n");
	write_rule(text, 7, 0);
	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &text->analysis->groups[cell->first_group + i];
		struct row_single row;

		row_single(group, &row);
		begin_metric(text, group->metric, row.unit);
		buf_addf(text->out, " %s | %s | %s |", row.n, row.mean, row.sd);
		add_interval(text, row.low, row.high, *row.low);
		buf_addf(text->out, " %s | %s | %s |\n", row.min, row.median, row.max);
	}
	buf_addc(text->out, '\n');
}

static void write_singles(struct text *text, const struct analysis_section *section)
{
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell = text->analysis->cells[section->first_cell + i];
		auto_buf struct buf name = BUF_INIT;

		text->escape(&name, cell->label);
		buf_add(&name, ", ");
		text->escape(&name, cell->config);
		buf_add(&name, cell->ngroups ? "" : ": no run counts");
		write_heading(text, 3, name.s);
		if (cell->ngroups)
			write_single(text, cell);
	}
}

/* ---- each run ---- */

static void write_runs(struct text *text, const struct analysis_section *section)
{
	struct runs runs;
	char figure[FIGURE_MAX];

	runs_init(&runs, text->analysis, section);
	buf_add(text->out, "Each run:\n\n| | |");
	for (size_t i = 0; i < section->ncells; i++) {
		auto_buf struct buf name = BUF_INIT;

		text_cell_name(text, section, text->analysis->cells[section->first_cell + i],
			       &name);
		add_cell(text, name.s);
	}
	buf_add(text->out, "\n|--:|:--|");
	for (size_t i = 0; i < section->ncells; i++)
		buf_add(text->out, "--:|");
	end_row(text);
	for (size_t round = 1; round <= runs.rounds; round++) {
		for (size_t m = 0; m < runs.nmetrics; m++) {
			buf_addf(text->out, "| %.0zu ", m ? 0 : round);
			begin_metric(text, runs.metrics[m], runs.styles[m].scale.unit);
			for (size_t i = 0; i < section->ncells; i++) {
				runs_figure(text->analysis, &runs, section, i, m, round, figure);
				add_cell(text, figure);
			}
			end_row(text);
		}
	}
	buf_addc(text->out, '\n');
	runs_release(&runs);
}

/* ---- all ---- */

static void write_comparisons(struct text *text, const struct analysis_section *section)
{
	struct text_pair pair;

	if (text_has_grid(text->analysis, section)) {
		size_t n;
		const char **metrics = row_metrics(text->analysis, section, true, &n);

		for (size_t i = 0; i < n; i++)
			write_grid(text, section, metrics[i]);
		free(metrics);
	}
	for (size_t i = 0; i < section->ncomparisons; i += pair.n) {
		auto_buf struct buf name = BUF_INIT;

		pair = text_pair_at(text->analysis, section, i);
		text_pair_name(text, section, &pair, &name);
		write_heading(text, 3, name.s);
		write_rows(text, &pair, true);
		write_rows(text, &pair, false);
	}
}

static void write_section(struct text *text, const struct analysis_section *section, bool runs)
{
	auto_buf struct buf name = BUF_INIT;
	size_t before;

	text_section_name(text, section, &name);
	write_heading(text, 2, name.s);
	if (section->ncomparisons)
		write_comparisons(text, section);
	else
		write_singles(text, section);
	if (runs)
		write_runs(text, section);
	before = text->out->len;
	text_interactions(text, section);
	text_notes(text, section);
	if (text->out->len > before)
		buf_addc(text->out, '\n');
}

static int write_markdown(const struct analysis *analysis, const struct report_options *options,
			  struct buf *out, struct err *err)
{
	struct text text;

	(void)err;
	text_init(&text, analysis, 0, out);
	text_set_escape(&text, markdown_escape, false);
	text.prose = markdown_prose;
	text.answer = write_answer;
	text.paragraph = write_item;
	text_answers(&text);
	text_head(&text);
	buf_addc(out, '\n');
	for (size_t i = 0; i < analysis->nsections; i++)
		write_section(&text, &analysis->sections[i], options->runs);
	text_runs(&text);
	text_legend(&text);
	text_origin(&text, options);
	text_release(&text);
	return 0;
}

const struct report report_markdown = {
	.name = "markdown",
	.summary = "tables for GitHub, GitLab and the like",
	.write = write_markdown,
};
