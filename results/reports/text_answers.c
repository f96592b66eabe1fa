// SPDX-License-Identifier: GPL-3.0-or-later
/* The answer first, in words: a sentence or two for each pair that was compared. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "results/reports/rows.h"
#include "results/reports/text_parts.h"

static bool has_verdict(const struct analysis_comparison *c, enum verdict verdict)
{
	return c->headline && c->verdict == verdict;
}

static const struct analysis_comparison *first_with(const struct text_pair *pair,
						    enum verdict verdict)
{
	for (size_t i = 0; i < pair->n; i++)
		if (has_verdict(&pair->first[i], verdict))
			return &pair->first[i];
	return NULL;
}

/* cpu is user + sys: not said again where one of them was. */
static bool is_said_by_parts(const struct text_pair *pair, const struct analysis_comparison *c)
{
	if (strcmp(c->base->metric, "cpu") != 0)
		return false;
	for (size_t i = 0; i < pair->n; i++) {
		const char *metric = pair->first[i].base->metric;

		if (has_verdict(&pair->first[i], c->verdict) &&
		    (!strcmp(metric, "user") || !strcmp(metric, "sys")))
			return true;
	}
	return false;
}

/* " costs sys +12.3 % [+8.1, +16.4], ..." */
static bool add_changes(struct text *text, const struct text_pair *pair, enum verdict verdict,
			const char *verb, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < pair->n; i++) {
		const struct analysis_comparison *c = &pair->first[i];

		if (!has_verdict(c, verdict) || is_said_by_parts(pair, c))
			continue;
		buf_addf(out, "%s%s ", any ? ", " : verb,
			 text_metric_name(text, c->base));
		text_add_change(out, c);
		buf_add(out, HARD_BLANK);
		text_add_interval(out, c);
		any = true;
	}
	return any;
}

static bool add_equivalent(struct text *text, const struct text_pair *pair, const char *verb,
			   struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < pair->n; i++) {
		const struct analysis_comparison *c = &pair->first[i];

		if (!has_verdict(c, VERDICT_EQUIVALENT) || is_said_by_parts(pair, c))
			continue;
		buf_addf(out, "%s%s", any ? ", " : verb,
			 text_metric_name(text, c->base));
		any = true;
	}
	if (any)
		buf_addf(out, " the same within %g" HARD_BLANK "%%",
			 text->analysis->margin_pct);
	return any;
}

static void add_excluded(struct text *text, const struct analysis_comparison *c,
			 struct buf *out)
{
	bool higher = !strcmp(c->base->better, "higher");
	double worst = higher ? -c->at_worst_pct : c->at_worst_pct;
	char bound[FIGURE_MAX];

	buf_add(out, "no change shown");
	if (c->reason) {
		buf_add(out, " (");
		text->prose(out, c->reason);
		buf_addc(out, ')');
	}
	if (row_has_units_only(c)) {
		buf_add(out, ": ");
		text_add_change(out, c);
		buf_add(out, HARD_BLANK);
		text_add_interval(out, c);
		return;
	}
	if (isnan(worst)) {
		buf_add(out, "; how large it may be is not known");
		return;
	}
	buf_addf(out, "; a %s ", higher ? "loss" : "slowdown");
	if (worst > 0) {
		figure_number(bound, worst,
			      figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]));
		buf_addf(out, "above %s" HARD_BLANK "%% ", bound);
	}
	buf_add(out, "is excluded");
}

/* What people ask for first: real, else the first headline metric. */
static const struct analysis_comparison *primary(const struct text_pair *pair)
{
	const struct analysis_comparison *first = NULL;

	for (size_t i = 0; i < pair->n; i++) {
		if (!pair->first[i].headline)
			continue;
		if (!strcmp(pair->first[i].base->metric, "real"))
			return &pair->first[i];
		first = first ? first : &pair->first[i];
	}
	return first;
}

/* Too few runs, or labels that are not told from boots, or no verdict by its kind. */
static bool is_undecided(const struct analysis_comparison *c)
{
	return !c->family_size && c->reason;
}

/* The sentence on a metric without a change; true: written. */
static bool add_primary(struct text *text, const struct analysis_comparison *c, struct buf *out)
{
	if (!c || (c->verdict != VERDICT_INCONCLUSIVE && c->verdict != VERDICT_NONE))
		return false;
	buf_addf(out, "%s: ", text_metric_name(text, c->base));
	if (is_undecided(c)) {
		buf_add(out, "no verdict: ");
		text->prose(out, c->reason);
	} else {
		add_excluded(text, c, out);
	}
	buf_addc(out, '.');
	return true;
}

static void write_line(struct text *text, struct buf *line)
{
	text->answer(text, line->s);
	buf_clear(line);
}

static void answer_pair(struct text *text, const struct analysis_section *section,
			const struct text_pair *pair)
{
	const struct analysis_comparison *invalid = first_with(pair, VERDICT_INVALID);
	auto_buf struct buf line = BUF_INIT;
	bool any = false;

	if (text_is_noise_floor(pair)) {
		text_noise_floor(text, section, pair);
		return;
	}
	text_section_name(text, section, &line);
	buf_add(&line, ": ");
	text_pair_name(text, section, pair, &line);
	if (!primary(pair)) {
		buf_add(&line, ": no headline metric to judge by.");
		write_line(text, &line);
		return;
	}
	if (is_undecided(primary(pair)) && primary(pair)->verdict == VERDICT_INCONCLUSIVE) {
		buf_add(&line, ": no verdict: ");
		text->prose(&line, primary(pair)->reason);
		buf_addc(&line, '.');
		write_line(text, &line);
		return;
	}
	if (invalid) {
		buf_add(&line, " is not to be trusted: ");
		text->prose(&line, invalid->reason);
		buf_addc(&line, '.');
		write_line(text, &line);
		return;
	}
	any |= add_changes(text, pair, VERDICT_WORSE, " costs ", &line);
	any |= add_changes(text, pair, VERDICT_BETTER, any ? "; improves " : " improves ", &line);
	any |= add_equivalent(text, pair, any ? "; leaves " : " leaves ", &line);
	if (!any)
		buf_add(&line, ": no change shown");
	buf_addc(&line, '.');
	write_line(text, &line);
	if (add_primary(text, primary(pair), &line))
		write_line(text, &line);
}

static void say_no_run(struct text *text, const struct analysis_section *section,
		       const struct analysis_cell *of, const char *config)
{
	auto_buf struct buf line = BUF_INIT;

	text_section_name(text, section, &line);
	buf_add(&line, ": ");
	if (text_many_labels(text->analysis, section)) {
		text->escape(&line, of->label);
		buf_add(&line, ", ");
	}
	text->escape(&line, config);
	buf_add(&line, ": no verdict: it was planned and has no runs.");
	write_line(text, &line);
}

/* A configuration of the session that was never run is in no table. */
static void answer_planned(struct text *text, const struct analysis_section *section)
{
	const struct analysis *analysis = text->analysis;
	const json_t *last = NULL, *config;
	size_t k;

	for (size_t i = 0; i < section->ncells && !analysis->options.base; i++) {
		const struct analysis_cell *cell = analysis->cells[section->first_cell + i];
		const json_t *experiment = json_object_get(cell->session, "experiment");
		const char *name;

		if (cell->session == last)
			continue;
		last = cell->session;
		json_array_foreach(json_object_get(experiment, "configs"), k, config) {
			name = json_get_text(config, "name", NULL);
			if (name && !row_cell(analysis, section, cell->label, name))
				say_no_run(text, section, cell, name);
		}
	}
}

static bool any_metric_unmatched(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->nunmatched; i++)
		if (analysis->unmatched[i].base || analysis->unmatched[i].fresh)
			return true;
	return false;
}

/* A configuration none of whose runs counts has no row that could say so. */
static void answer_lost(struct text *text, const struct analysis_section *section)
{
	const struct analysis *analysis = text->analysis;

	for (size_t i = 0; i < analysis->nunmatched; i++) {
		const struct analysis_unmatched *u = &analysis->unmatched[i];
		auto_buf struct buf line = BUF_INIT;
		const struct analysis_cell *lost = u->fresh_cell;

		if (u->base || u->fresh || u->base_cell->index < section->first_cell ||
		    u->base_cell->index >= section->first_cell + section->ncells)
			continue;
		if (!u->base_cell->ngroups)
			lost = u->base_cell;
		text_section_name(text, section, &line);
		buf_add(&line, ": ");
		text_cell_name(text, section, u->base_cell, &line);
		buf_add(&line, " -> ");
		text_cell_name(text, section, u->fresh_cell, &line);
		buf_add(&line, ": no verdict: no run of ");
		text_cell_name(text, section, lost, &line);
		buf_add(&line, " counts.");
		write_line(text, &line);
	}
}

static void answer_single(struct text *text, const struct analysis_section *section)
{
	auto_buf struct buf line = BUF_INIT;

	text_section_name(text, section, &line);
	if (section->ncells == 1) {
		buf_add(&line, ": one configuration (");
		text->escape(&line, text->analysis->cells[section->first_cell]->config);
		buf_add(&line, "): nothing to compare with.");
	} else {
		buf_addf(&line, ": nothing can be compared: no pair has %s.",
			 any_metric_unmatched(text->analysis) ? "a metric in common" :
								"runs that count");
	}
	write_line(text, &line);
}

void text_answers(struct text *text)
{
	const struct analysis *analysis = text->analysis;
	struct text_pair pair;

	if (!analysis->nsections)
		text->answer(text, "No finished runs: there is nothing to report.");
	for (size_t s = 0; s < analysis->nsections; s++) {
		const struct analysis_section *section = &analysis->sections[s];

		if (!section->ncomparisons)
			answer_single(text, section);
		for (size_t i = 0; i < section->ncomparisons; i += pair.n) {
			pair = text_pair_at(analysis, section, i);
			answer_pair(text, section, &pair);
		}
		if (section->ncomparisons)
			answer_lost(text, section);
		answer_planned(text, section);
	}
}
