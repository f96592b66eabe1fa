// SPDX-License-Identifier: GPL-3.0-or-later
/* How reports for people name things: sections, pairs, changes; and how words are written. */
#include <stdint.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/rows.h"
#include "results/reports/text_parts.h"

enum { HEAD_COLUMNS = 13, METRIC_COLUMNS = 24, GRID_COLUMNS = 30, NARROWEST = 48 };

/* ---- names and paragraphs ---- */

static void wrapped(struct text *text, unsigned int indent, const char *line)
{
	for (unsigned int i = 0; i < indent; i++)
		buf_addc(text->out, ' ');
	layout_wrap(text->out, text->width, indent, text->brief ? indent : 2, line);
}

static void answer_wrapped(struct text *text, const char *line)
{
	layout_wrap(text->out, text->width, 0, 0, line);
}

void text_paragraph(struct text *text, struct buf *line)
{
	if (line->len)
		text->paragraph(text, 0, line->s);
	buf_clear(line);
}

void text_set_escape(struct text *text, void (*escape)(struct buf *out, const char *name), bool cut)
{
	layout_names_release(&text->names);
	layout_names_release(&text->rows);
	layout_names_release(&text->metrics);
	text->escape = text->prose = escape;
	layout_names_init(&text->names, cut ? HEAD_COLUMNS : SIZE_MAX, escape);
	layout_names_init(&text->rows, cut ? text->width - GRID_COLUMNS : SIZE_MAX, escape);
	layout_names_init(&text->metrics, cut ? METRIC_COLUMNS : SIZE_MAX, escape);
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

void text_init(struct text *text, const struct analysis *analysis, unsigned int width,
	       struct buf *out)
{
	*text = (struct text){ .analysis = analysis, .out = out, .width = width,
			       .answer = answer_wrapped, .paragraph = wrapped };
	if (width < NARROWEST)
		text->width = width ? NARROWEST : 72;
	text->many_sets = has_several(analysis, false);
	text->many_hosts = has_several(analysis, true);
	text_set_escape(text, layout_escape, true);
}

void text_release(struct text *text)
{
	layout_names_release(&text->names);
	layout_names_release(&text->rows);
	layout_names_release(&text->metrics);
}

const char *text_metric_name(struct text *text, const struct analysis_group *group)
{
	auto_free char *both = NULL;

	if (!row_has_other_unit(text->analysis, group))
		return layout_name(&text->metrics, group->metric);
	both = xasprintf("%s in %s", group->metric, *group->unit ? group->unit : "counts");
	return layout_name(&text->metrics, both);
}

/* ---- sections and pairs ---- */

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

size_t text_cell_parts(const struct text *text, const struct analysis_section *section,
		       const struct analysis_cell *cell, const char *parts[TEXT_CELL_PARTS])
{
	size_t n = 0;

	if (section->names_repeat)
		parts[n++] = cell->set;
	if (text_many_labels(text->analysis, section))
		parts[n++] = cell->label;
	if (!n || text_many_configs(text->analysis, section))
		parts[n++] = cell->config;
	return n;
}

void text_cell_name(struct text *text, const struct analysis_section *section,
		    const struct analysis_cell *cell, struct buf *out)
{
	const char *parts[TEXT_CELL_PARTS];
	size_t n = text_cell_parts(text, section, cell, parts);

	for (size_t i = 0; i < n; i++) {
		buf_add(out, i ? ", " : "");
		text->escape(out, *parts[i] ? parts[i] : "(no name)");
	}
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

	text->escape(out, *cell->workload ? cell->workload : "work");
	if (*cell->point) {
		buf_addc(out, ' ');
		text->escape(out, cell->point);
	}
	if (text->many_hosts && *cell->host) {
		buf_add(out, " on ");
		text->escape(out, cell->host);
	}
	if (text->many_sets && !text_many_sets(text->analysis, section)) {
		buf_add(out, " in ");
		text->escape(out, cell->set);
	}
}

static void add_name(struct text *text, struct buf *out, const char *name, const char *behind)
{
	text->escape(out, *name ? name : "(no name)");
	buf_add(out, behind);
}

void text_pair_name(struct text *text, const struct analysis_section *section,
		    const struct text_pair *pair, struct buf *out)
{
	const struct analysis_cell *base = pair->first->base->cell;
	const struct analysis_cell *fresh = pair->first->fresh->cell;

	if (text_is_label_pair(pair)) {
		if (strcmp(base->config, fresh->config) != 0) {
			add_name(text, out, base->label, ", ");
			add_name(text, out, base->config, " -> ");
			add_name(text, out, fresh->label, ", ");
			add_name(text, out, fresh->config, "");
			return;
		}
		if (text_many_configs(text->analysis, section))
			add_name(text, out, base->config, ", ");
		add_name(text, out, text_side_name(pair, false), " -> ");
		add_name(text, out, text_side_name(pair, true), "");
		return;
	}
	if (text_many_labels(text->analysis, section))
		add_name(text, out, base->label, ", ");
	add_name(text, out, base->config, " -> ");
	add_name(text, out, fresh->config, text_is_noise_floor(pair) ? ", noise floor (A/A)" : "");
}

void text_add_interval(struct buf *out, const struct analysis_comparison *c)
{
	int decimals = figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]);
	char low[FIGURE_MAX], high[FIGURE_MAX];
	struct row_in_units row;

	if (row_has_units_only(c)) {
		row_in_units(c, &row);
		buf_addf(out, "[%s," HARD_BLANK "%s]", row.low, row.high);
		return;
	}
	figure_percent(low, c->ci95_pct[0], decimals);
	figure_percent(high, c->ci95_pct[1], decimals);
	buf_addf(out, "[%s," HARD_BLANK "%s]", low, high);
}

void text_add_change(struct buf *out, const struct analysis_comparison *c)
{
	int decimals = figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]);
	char change[FIGURE_MAX];
	struct row_in_units row;

	if (row_has_units_only(c)) {
		row_in_units(c, &row);
		buf_addf(out, "%s%s%s", row.change, *row.unit ? HARD_BLANK : "", row.unit);
		return;
	}
	figure_percent(change, c->change_pct, decimals);
	buf_addf(out, "%s" HARD_BLANK "%%", change);
}
