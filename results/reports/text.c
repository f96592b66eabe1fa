// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The report for a terminal and a file: the answer in words, what was run, a grid of means as
 * kernel developers post them, each comparison, and what stands beside it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/reports/figures.h"
#include "results/reports/text_parts.h"

enum { HEAD_COLUMNS = 13, METRIC_COLUMNS = 24, GRID_COLUMNS = 30, NARROWEST = 48 };

struct text_pair text_pair_at(const struct analysis *analysis,
			      const struct analysis_section *section, size_t i)
{
	const struct analysis_comparison *c = &analysis->comparisons[section->first_comparison];
	struct text_pair pair = { &c[i], 0 };

	while (i + pair.n < section->ncomparisons &&
	       c[i + pair.n].base->cell == c[i].base->cell &&
	       c[i + pair.n].fresh->cell == c[i].fresh->cell)
		pair.n++;
	return pair;
}

bool text_is_label_pair(const struct text_pair *pair)
{
	return !strcmp(pair->first->kind, "label");
}

bool text_many_labels(const struct analysis *analysis, const struct analysis_section *section)
{
	struct analysis_cell **cells = &analysis->cells[section->first_cell];

	for (size_t i = 1; i < section->ncells; i++)
		if (strcmp(cells[i]->label, cells[0]->label) != 0)
			return true;
	return false;
}

bool text_many_configs(const struct analysis *analysis, const struct analysis_section *section)
{
	struct analysis_cell **cells = &analysis->cells[section->first_cell];

	for (size_t i = 1; i < section->ncells; i++)
		if (strcmp(cells[i]->config, cells[0]->config) != 0)
			return true;
	return false;
}

bool text_many_sets(const struct analysis *analysis, const struct analysis_section *section)
{
	struct analysis_cell **cells = &analysis->cells[section->first_cell];

	for (size_t i = 1; i < section->ncells; i++)
		if (cells[i]->data != cells[0]->data)
			return true;
	return false;
}

const char *text_side_name(const struct text_pair *pair, bool fresh)
{
	const struct analysis_cell *base = pair->first->base->cell;
	const struct analysis_cell *other = pair->first->fresh->cell;
	const struct analysis_cell *cell = fresh ? other : base;

	if (!text_is_label_pair(pair))
		return cell->config;
	return strcmp(base->label, other->label) != 0 ? cell->label : cell->set;
}

void text_section_name(struct text *text, const struct analysis_section *section, struct buf *out)
{
	const struct analysis_cell *cell = text->analysis->cells[section->first_cell];

	layout_escape(out, *cell->workload ? cell->workload : "work");
	if (*cell->point) {
		buf_addc(out, ' ');
		layout_escape(out, cell->point);
	}
	if (text->many_hosts) {
		buf_add(out, " on ");
		layout_escape(out, cell->host);
	}
	if (text->many_sets && !text_many_sets(text->analysis, section)) {
		buf_add(out, " in ");
		layout_escape(out, cell->set);
	}
}

static void add_name(struct buf *out, const char *name, const char *behind)
{
	layout_escape(out, *name ? name : "(no name)");
	buf_add(out, behind);
}

void text_pair_name(struct text *text, const struct analysis_section *section,
		    const struct text_pair *pair, struct buf *out)
{
	const struct analysis_cell *base = pair->first->base->cell;
	const struct analysis_cell *fresh = pair->first->fresh->cell;

	if (text_is_label_pair(pair)) {
		if (strcmp(base->config, fresh->config) != 0) {
			add_name(out, base->label, ", ");
			add_name(out, base->config, " -> ");
			add_name(out, fresh->label, ", ");
			add_name(out, fresh->config, "");
			return;
		}
		if (text_many_configs(text->analysis, section))
			add_name(out, base->config, ", ");
		add_name(out, text_side_name(pair, false), " -> ");
		add_name(out, text_side_name(pair, true), "");
		return;
	}
	if (text_many_labels(text->analysis, section))
		add_name(out, base->label, ", ");
	add_name(out, base->config, " -> ");
	add_name(out, fresh->config, "");
}

void text_add_interval(struct buf *out, const struct analysis_comparison *c)
{
	int decimals = figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]);
	char low[FIGURE_MAX], high[FIGURE_MAX];

	figure_percent(low, c->ci95_pct[0], decimals);
	figure_percent(high, c->ci95_pct[1], decimals);
	buf_addf(out, "[%s," HARD_BLANK "%s]", low, high);
}

void text_add_change(struct buf *out, const struct analysis_comparison *c)
{
	int decimals = figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]);
	char change[FIGURE_MAX];

	figure_percent(change, c->change_pct, decimals);
	buf_addf(out, "%s" HARD_BLANK "%%", change);
}

static bool has_several(const struct analysis *analysis, bool hosts)
{
	for (size_t i = 1; i < analysis->ncells; i++) {
		const struct analysis_cell *a = analysis->cells[0], *b = analysis->cells[i];

		if (strcmp(hosts ? a->host : a->set, hosts ? b->host : b->set) != 0)
			return true;
	}
	return false;
}

static void write_section(struct text *text, const struct analysis_section *section)
{
	auto_buf struct buf name = BUF_INIT;
	struct text_pair pair;

	buf_addc(text->out, '\n');
	if (text->analysis->nsections > 1) {
		text_section_name(text, section, &name);
		layout_wrap(text->out, text->width, 0, 0, name.s);
		for (size_t i = 0; i < text->width && i < layout_width(name.s); i++)
			buf_addc(text->out, '=');
		buf_add(text->out, "\n\n");
	}
	if (section->ncomparisons) {
		text_grids(text, section);
		for (size_t i = 0; i < section->ncomparisons; i += pair.n) {
			pair = text_pair_at(text->analysis, section, i);
			text_pair_table(text, section, &pair);
		}
	} else {
		text_single_table(text, section);
	}
	text_interactions(text, section);
	text_notes(text, section);
}

static int write_text(const struct analysis *analysis, const struct report_options *options,
		      struct buf *out, struct err *err)
{
	struct text text = { .analysis = analysis, .out = out, .width = options->width };

	(void)err;
	if (text.width < NARROWEST)
		text.width = text.width ? NARROWEST : 72;
	text.many_sets = has_several(analysis, false);
	text.many_hosts = has_several(analysis, true);
	layout_names_init(&text.names, HEAD_COLUMNS);
	layout_names_init(&text.rows, text.width - GRID_COLUMNS);
	layout_names_init(&text.metrics, METRIC_COLUMNS);
	text_answers(&text);
	text_head(&text);
	for (size_t i = 0; i < analysis->nsections; i++)
		write_section(&text, &analysis->sections[i]);
	text_runs(&text);
	text_footnotes(&text);
	layout_names_release(&text.names);
	layout_names_release(&text.rows);
	layout_names_release(&text.metrics);
	return 0;
}

const struct report report_text = {
	.name = "text",
	.summary = "for a terminal: answer, tables, phases, what tracing took, runs to look at",
	.write = write_text,
};
