// SPDX-License-Identifier: GPL-3.0-or-later
/* What stands beside the tables: what tracing took, kernel threads, order, runs to look at. */
#include <math.h>
#include <string.h>

#include "results/reports/figures.h"
#include "results/reports/text_parts.h"

enum { MAX_LOST = 20, MAX_NUMBERS = 10 };

static void wrap_line(struct text *text, struct buf *line)
{
	layout_wrap(text->out, text->width, 0, 2, line->s);
	buf_clear(line);
}

static void add_scaled(struct buf *out, double value, const char *unit, int digits)
{
	struct figure_scale scale = figure_scale(unit, value);
	char number[FIGURE_MAX];

	value *= scale.factor;
	/* as many digits as two digits of a spread of a tenth, or of a hundredth, would show */
	figure_number(number, value, figure_decimals(fabs(value) * pow(10, 2 - digits), 0));
	buf_addf(out, "%s" HARD_BLANK "%s", number, scale.unit);
}

/* "configuration (label)" where there are several labels */
static void add_cell_name(struct text *text, const struct analysis_section *section,
			  const struct analysis_cell *cell, struct buf *out)
{
	if (text_many_labels(text->analysis, section)) {
		layout_escape(out, cell->label);
		buf_add(out, ", ");
	}
	layout_escape(out, cell->config);
}

/* ---- the ledger ---- */

static bool has_tracer(const struct analysis_ledger *ledger)
{
	return ledger->backend || !isnan(ledger->events) || !isnan(ledger->lost) ||
	       !isnan(ledger->cpu_s) || !isnan(ledger->bytes);
}

static void add_event_cost(const struct analysis_ledger *ledger, struct buf *line)
{
	struct figure_scale scale = figure_scale("s", ledger->event_cpu_s);
	double low = ledger->event_cpu_ci95_s[0] * scale.factor;
	double high = ledger->event_cpu_ci95_s[1] * scale.factor;
	int decimals = figure_decimals((high - low) / 2, ledger->event_cpu_s * scale.factor);
	char cost[FIGURE_MAX], a[FIGURE_MAX], b[FIGURE_MAX];

	if (isnan(ledger->event_cpu_s))
		return;
	figure_number(cost, ledger->event_cpu_s * scale.factor, decimals);
	figure_number(a, low, decimals);
	figure_number(b, high, decimals);
	buf_addf(line, "; %s" HARD_BLANK "%s of CPU an event [%s," HARD_BLANK "%s]", cost,
		 scale.unit, a, b);
}

static void add_ledger(struct text *text, const struct analysis_section *section,
		       const struct analysis_ledger *ledger)
{
	auto_buf struct buf line = BUF_INIT;
	char number[FIGURE_MAX];
	const char *separator = ": ";

	if (!has_tracer(ledger))
		return;
	add_cell_name(text, section, ledger->cell, &line);
	if (ledger->backend) {
		buf_addc(&line, '/');
		layout_escape(&line, ledger->backend);
	}
	if (!isnan(ledger->events)) {
		figure_number(number, ledger->events, 0);
		buf_addf(&line, "%s%s events a run", separator, number);
		separator = ", ";
	}
	if (!isnan(ledger->lost)) {
		figure_number(number, ledger->lost, 0);
		buf_addf(&line, "%s%s lost", separator, number);
		separator = ", ";
	}
	if (!isnan(ledger->bytes)) {
		buf_add(&line, separator);
		add_scaled(&line, ledger->bytes, "B", 2);
		separator = ", ";
	}
	if (!isnan(ledger->cpu_s)) {
		buf_addf(&line, "%sreaders ", separator);
		add_scaled(&line, ledger->cpu_s, "s", 2);
		buf_add(&line, " CPU");
	}
	add_event_cost(ledger, &line);
	wrap_line(text, &line);
}

/* ---- kernel threads ---- */

static void add_kernel_threads(struct text *text, const struct analysis_section *section)
{
	const char *separator = "kernel threads, CPU a run: ";
	auto_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_ledger *ledger =
			&text->analysis->ledgers[section->first_cell + i];

		if (isnan(ledger->kthread_s))
			continue;
		buf_add(&line, separator);
		add_cell_name(text, section, ledger->cell, &line);
		buf_addc(&line, ' ');
		add_scaled(&line, ledger->kthread_s, "s", 3);
		separator = "; ";
	}
	if (line.len)
		wrap_line(text, &line);
}

/* ---- order ---- */

static void add_positions(struct text *text, const struct analysis_section *section)
{
	auto_buf struct buf line = BUF_INIT;

	if (section->npositions < 2)
		return;
	buf_addf(&line, "order check: %s by position in the round ",
		 layout_name(&text->metrics, section->position_metric));
	for (size_t i = 0; i < section->npositions; i++) {
		buf_add(&line, i ? ", " : "");
		add_scaled(&line, section->position_means[i], section->position_unit, 4);
	}
	wrap_line(text, &line);
}

void text_notes(struct text *text, const struct analysis_section *section)
{
	for (size_t i = 0; i < section->ncells; i++)
		add_ledger(text, section, &text->analysis->ledgers[section->first_cell + i]);
	add_kernel_threads(text, section);
	add_positions(text, section);
	text_order(text, section);
}

/* ---- runs to look at ---- */

static void add_set_name(struct text *text, const struct set_data *data, struct buf *line)
{
	if (text->analysis->nsets < 2)
		return;
	buf_add(line, " of ");
	layout_escape(line, data->path);
}

static void add_lost(struct text *text)
{
	const struct analysis *analysis = text->analysis;
	auto_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < analysis->nlost && i < MAX_LOST; i++) {
		const struct set_run *run = analysis->lost[i];

		buf_addf(&line, "run %u", run->number);
		add_set_name(text, analysis->lost_data[i], &line);
		buf_addf(&line, " (%s%u, ", run->measured ? "round " : "warm-up ", run->round);
		layout_escape(&line, run->config);
		buf_addf(&line, ") %s: ", run->status == RUN_FAILED ? "failed" : "is invalid");
		layout_escape(&line, run->reason);
		wrap_line(text, &line);
	}
	if (analysis->nlost > MAX_LOST)
		buf_addf(text->out, "and %zu more failed or invalid runs\n",
			 analysis->nlost - MAX_LOST);
}

static void add_numbers(const struct set_run *const *runs, size_t n, struct buf *line)
{
	for (size_t i = 0; i < n && i < MAX_NUMBERS; i++)
		buf_addf(line, "%s%u", i ? ", " : "", runs[i]->number);
	if (n > MAX_NUMBERS)
		buf_add(line, ", ...");
}

static void add_marks(struct text *text)
{
	auto_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < text->analysis->nmarks; i++) {
		const struct analysis_mark *mark = &text->analysis->marks[i];

		buf_add(&line, "mark ");
		layout_escape(&line, mark->name);
		buf_addf(&line, ": %zu run%s", mark->n, mark->n == 1 ? "" : "s");
		add_set_name(text, mark->data, &line);
		buf_add(&line, " (");
		add_numbers(mark->runs, mark->n, &line);
		buf_add(&line, ")");
		if (*mark->text) {
			buf_addf(&line, "; run %u: ", mark->runs[0]->number);
			layout_escape(&line, mark->text);
		}
		wrap_line(text, &line);
	}
}

static void add_unended(struct text *text)
{
	auto_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < text->analysis->nsets; i++) {
		const struct set_data *data = &text->analysis->sets[i];

		if (!data->nunended)
			continue;
		buf_addf(&line, "%zu run%s", data->nunended, data->nunended == 1 ? "" : "s");
		add_set_name(text, data, &line);
		buf_add(&line, " began and did not end: ");
		for (size_t k = 0; k < data->nunended && k < MAX_NUMBERS; k++)
			buf_addf(&line, "%s%u", k ? ", " : "", data->unended[k].number);
		buf_add(&line, data->nunended > MAX_NUMBERS ? ", ..." : "");
		wrap_line(text, &line);
	}
}

void text_runs(struct text *text)
{
	size_t skipped = text->analysis->skipped_lines;

	add_lost(text);
	if (text->analysis->order_not_looked_at)
		buf_add(text->out, "drift was not looked for: too many values\n");
	add_marks(text);
	add_unended(text);
	if (skipped)
		buf_addf(text->out, "%zu line%s could not be read and %s left out\n", skipped,
			 skipped == 1 ? "" : "s", skipped == 1 ? "was" : "were");
}

/* ---- footnotes ---- */

static bool any_paired(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		if (analysis->comparisons[i].paired)
			return true;
	return false;
}

static bool many_workloads(const struct analysis *analysis)
{
	for (size_t i = 1; i < analysis->nfamilies; i++)
		if (strcmp(analysis->families[i].workload, analysis->families[0].workload) != 0)
			return true;
	return false;
}

static void add_families(struct text *text, struct buf *line)
{
	const struct analysis *analysis = text->analysis;
	const char *separator = "; p by Holm over ";

	for (size_t i = 0; i < analysis->nfamilies; i++) {
		const struct analysis_family *family = &analysis->families[i];

		if (!family->size)
			continue;
		buf_addf(line, "%s%zu", separator, family->size);
		if (analysis->nfamilies > 1) {
			buf_add(line, " (");
			if (many_workloads(analysis)) {
				layout_escape(line, family->workload);
				buf_add(line, ", ");
			}
			buf_addf(line, "%s%s)",
				 !strcmp(family->kind, "label") ? "labels" : "configurations",
				 family->headline ? "" : ", other figures");
		}
		separator = ", ";
	}
}

/* Enough of each set's hash to tell it from others. */
static void add_hashes(struct text *text)
{
	enum { SHOWN = sizeof("sha256:") - 1 + 12 };
	const struct analysis *analysis = text->analysis;
	auto_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < analysis->nsets; i++) {
		if (!*analysis->sets[i].hash)
			continue;
		buf_addf(&line, "%s %.*s", line.len ? "," : "set", SHOWN, analysis->sets[i].hash);
	}
	if (line.len)
		wrap_line(text, &line);
}

void text_footnotes(struct text *text)
{
	const struct analysis *analysis = text->analysis;
	auto_buf struct buf line = BUF_INIT;

	layout_names_list(&text->names, text->width, text->out);
	layout_names_list(&text->rows, text->width, text->out);
	layout_names_list(&text->metrics, text->width, text->out);
	if (!analysis->ncomparisons) {
		add_hashes(text);
		return;
	}
	buf_add(&line, "plus = more of it; at worst = bound of 95 %, one-sided");
	add_families(text, &line);
	if (analysis->margin_pct > 0)
		buf_addf(&line, "; equivalent = within %g" HARD_BLANK "%%", analysis->margin_pct);
	if (any_paired(analysis))
		buf_add(&line, "; sd holds drift between rounds, the change does not");
	wrap_line(text, &line);
	add_hashes(text);
}
