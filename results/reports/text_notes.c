// SPDX-License-Identifier: GPL-3.0-or-later
/* What stands beside the tables: what tracing took, kernel threads, order, runs to look at. */
#include <math.h>
#include <string.h>

#include "results/reports/figures.h"
#include "results/reports/text_parts.h"

enum { MAX_LOST = 20, MAX_NUMBERS = 10, HASH_SHOWN = sizeof("sha256:") - 1 + 12 };

static void add_scaled(struct buf *out, double value, const char *unit, int digits)
{
	struct figure_scale scale = figure_scale(unit, value);
	char number[FIGURE_MAX];

	value *= scale.factor;
	/* as many digits as two digits of a spread of a tenth, or of a hundredth, would show */
	figure_number(number, value, figure_decimals(fabs(value) * pow(10, 2 - digits), 0));
	buf_addf(out, "%s" HARD_BLANK "%s", number, scale.unit);
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
	text_cell_name(text, section, ledger->cell, &line);
	if (ledger->backend) {
		buf_addc(&line, '/');
		text->escape(&line, ledger->backend);
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
	text_paragraph(text, &line);
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
		text_cell_name(text, section, ledger->cell, &line);
		buf_addc(&line, ' ');
		add_scaled(&line, ledger->kthread_s, "s", 3);
		separator = "; ";
	}
	text_paragraph(text, &line);
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
	text_paragraph(text, &line);
}

void text_ledgers(struct text *text, const struct analysis_section *section)
{
	for (size_t i = 0; i < section->ncells; i++)
		add_ledger(text, section, &text->analysis->ledgers[section->first_cell + i]);
}

void text_notes(struct text *text, const struct analysis_section *section)
{
	text_ledgers(text, section);
	add_kernel_threads(text, section);
	text_devices(text, section);
	add_positions(text, section);
	text_missing(text, section);
	text_order(text, section);
}

/* ---- runs to look at ---- */

static void add_set_name(struct text *text, const struct set_data *data, struct buf *line)
{
	if (text->analysis->nsets < 2)
		return;
	buf_add(line, " of ");
	text->escape(line, data->path);
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
		text->escape(&line, run->config);
		buf_addf(&line, ") %s: ", run->status == RUN_FAILED ? "failed" : "is invalid");
		text->prose(&line, run->reason);
		text_paragraph(text, &line);
	}
	if (analysis->nlost > MAX_LOST)
		buf_addf(&line, "and %zu more failed or invalid runs",
			 analysis->nlost - MAX_LOST);
	text_paragraph(text, &line);
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
		text->escape(&line, mark->name);
		buf_addf(&line, ": %zu run%s", mark->n, mark->n == 1 ? "" : "s");
		add_set_name(text, mark->data, &line);
		buf_add(&line, " (");
		add_numbers(mark->runs, mark->n, &line);
		buf_add(&line, ")");
		if (*mark->text) {
			buf_addf(&line, "; run %u: ", mark->runs[0]->number);
			text->prose(&line, mark->text);
		}
		text_paragraph(text, &line);
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
		text_paragraph(text, &line);
	}
}

static void add_sessions(struct text *text)
{
	size_t unread = text->analysis->unread_sessions, missing = text->analysis->missing_sessions;
	auto_buf struct buf line = BUF_INIT;

	if (unread)
		buf_addf(&line, "%zu session file%s could not be read", unread,
			 unread == 1 ? "" : "s");
	if (missing)
		buf_addf(&line, "%s%zu session%s that runs are of %s no file that can be read: on "
				"what they ran, and what was planned, is not known",
			 unread ? "; " : "", missing, missing == 1 ? "" : "s",
			 missing == 1 ? "has" : "have");
	text_paragraph(text, &line);
}

void text_runs(struct text *text)
{
	size_t skipped = text->analysis->skipped_lines;
	auto_buf struct buf line = BUF_INIT;

	text_unmatched(text);
	add_lost(text);
	if (text->analysis->order_not_looked_at)
		buf_add(text->out, "drift was not looked for: too many values\n");
	add_marks(text);
	add_unended(text);
	add_sessions(text);
	if (skipped)
		buf_addf(&line, "%zu line%s could not be read and %s left out", skipped,
			 skipped == 1 ? "" : "s", skipped == 1 ? "was" : "were");
	text_paragraph(text, &line);
}

/* ---- footnotes ---- */

static bool any_paired(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		if (analysis->comparisons[i].paired)
			return true;
	return false;
}

static bool any_of_boots(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		if (!strcmp(analysis->comparisons[i].unit, "boot"))
			return true;
	return false;
}

static bool any_noise_floor(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		if (analysis->comparisons[i].noise_floor)
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

/* Of a metric that was picked alone no p need be there. */
static bool has_p(const struct analysis *analysis, const struct analysis_family *family)
{
	for (size_t i = 0; i < analysis->ncomparisons; i++) {
		const struct analysis_comparison *c = &analysis->comparisons[i];

		if (!isnan(c->p_holm) && c->headline == family->headline &&
		    !strcmp(c->kind, family->kind) &&
		    !strcmp(c->base->cell->workload, family->workload))
			return true;
	}
	return false;
}

/* Has any row a figure of its family beside its own? */
static bool any_holm(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		if (!isnan(analysis->comparisons[i].mde_holm_pct))
			return true;
	return false;
}

static void add_families(struct text *text, struct buf *line)
{
	const struct analysis *analysis = text->analysis;
	const char *separator = "; p corrected by Holm over ";

	for (size_t i = 0; i < analysis->nfamilies; i++) {
		const struct analysis_family *family = &analysis->families[i];

		if (!has_p(analysis, family))
			continue;
		buf_addf(line, "%s%zu", separator, family->size);
		if (analysis->nfamilies > 1) {
			buf_add(line, " (");
			if (many_workloads(analysis)) {
				text->escape(line, family->workload);
				buf_add(line, ", ");
			}
			buf_addf(line, "%s%s)",
				 !strcmp(family->kind, "label") ? "labels" : "configurations",
				 family->headline ? "" : ", other figures");
		}
		separator = ", ";
	}
}

void text_name_list(struct text *text)
{
	layout_names_list(&text->names, text->width, text->out);
	layout_names_list(&text->rows, text->width, text->out);
	layout_names_list(&text->metrics, text->width, text->out);
}

void text_legend(struct text *text)
{
	const struct analysis *analysis = text->analysis;
	auto_buf struct buf line = BUF_INIT;

	if (!analysis->ncomparisons)
		return;
	buf_add(&line, "plus = more of it");
	buf_add(&line, "; at worst = bound of 95" HARD_BLANK "%, one-sided");
	add_families(text, &line);
	if (any_holm(analysis))
		buf_add(&line, "; with Holm = by the strictest step of that correction");
	if (analysis->margin_pct > 0)
		buf_addf(&line, "; equivalent = within %g" HARD_BLANK "%%", analysis->margin_pct);
	if (any_of_boots(analysis))
		buf_add(&line, "; between boots mean and sd are of the boots' means, in the grid of all runs");
	if (any_noise_floor(analysis))
		buf_add(&line, "; A/A = the baseline against itself");
	if (any_paired(analysis))
		buf_add(&line, "; sd holds drift between rounds, the change does not");
	text_paragraph(text, &line);
}

/* Enough of each set's hash to tell it from others. */
void text_origin(struct text *text, const struct report_options *options)
{
	const char *before = "set ";
	auto_buf struct buf line = BUF_INIT;

	if (options->version)
		buf_addf(&line, "brunt %s", options->version);
	for (size_t i = 0; i < text->analysis->nsets; i++) {
		const char *hash = text->analysis->sets[i].hash;

		if (!*hash)
			continue;
		buf_addf(&line, "%s%s%.*s", line.len ? ", " : "", before, HASH_SHOWN, hash);
		before = "";
	}
	text_paragraph(text, &line);
}
