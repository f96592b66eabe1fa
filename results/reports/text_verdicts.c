// SPDX-License-Identifier: GPL-3.0-or-later
/* A line for each row of a table: verdict, p, and what the runs can show. */
#include <math.h>
#include <string.h>

#include "results/reports/rows.h"
#include "results/reports/text_parts.h"

/* Percent of a mean that is next to 0 say nothing. */
#define TOO_MUCH 1e6

static void add_part(struct buf *out, const char *separator)
{
	if (out->len)
		buf_add(out, separator);
}

static void add_runs_needed(const struct analysis_comparison *c, struct buf *out)
{
	char n[FIGURE_MAX], low[FIGURE_MAX], high[FIGURE_MAX];

	if (isnan(c->effect_pct) || isnan(c->runs_needed[1]))
		return;
	add_part(out, "; ");
	buf_addf(out, "for %g" HARD_BLANK "%% ", c->effect_pct);
	figure_count(low, c->runs_needed[1]);
	if (isnan(c->runs_needed[0])) {
		buf_addf(out, "more than %s %ss", low, c->unit);
		return;
	}
	figure_count(n, c->runs_needed[0]);
	buf_addf(out, "about %s %ss ", n, c->unit);
	figure_count(high, c->runs_needed[2]);
	if (isnan(c->runs_needed[2]))
		buf_addf(out, "(%s" HARD_BLANK "or" HARD_BLANK "more)", low);
	else
		buf_addf(out, "(%s" HARD_BLANK "to" HARD_BLANK "%s)", low, high);
	if (isnan(c->runs_needed_holm))
		return;
	figure_count(n, c->runs_needed_holm);
	buf_addf(out, ", %s with" HARD_BLANK "Holm", n);
}

static size_t runs_that_count(const struct analysis_group *group)
{
	return group->n + group->nwithout;
}

/* Pairs that lack the metric on a side. */
static void add_rounds(const struct analysis_comparison *c, struct buf *out)
{
	size_t base = runs_that_count(c->base), fresh = runs_that_count(c->fresh);
	size_t all = base > fresh ? base : fresh;

	if (!c->paired || c->n >= all)
		return;
	add_part(out, "; ");
	buf_addf(out, "%zu of %zu rounds", c->n, all);
}

static void add_rounding(const struct analysis_comparison *c, struct buf *out)
{
	int decimals = figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]);
	char low[FIGURE_MAX], high[FIGURE_MAX], low_without[FIGURE_MAX], high_without[FIGURE_MAX];

	if (isnan(c->ci95_rounding_pct[0]))
		return;
	figure_percent(low, c->ci95_rounding_pct[0], decimals);
	figure_percent(high, c->ci95_rounding_pct[1], decimals);
	figure_percent(low_without, c->ci95_pct[0], decimals);
	figure_percent(high_without, c->ci95_pct[1], decimals);
	if (!strcmp(low, low_without) && !strcmp(high, high_without))
		return;
	add_part(out, "; ");
	buf_addf(out, "with rounding [%s," HARD_BLANK "%s]", low, high);
	if ((c->verdict == VERDICT_WORSE || c->verdict == VERDICT_BETTER) &&
	    c->ci95_rounding_pct[0] * c->ci95_rounding_pct[1] <= 0)
		buf_add(out, ", where 0 is not excluded");
}

void text_verdict_details(struct text *text, const struct analysis_comparison *c, struct buf *out)
{
	char mde[FIGURE_MAX];

	if (c->reason)
		text->prose(out, c->reason);
	add_rounds(c, out);
	add_rounding(c, out);
	/* too few, or labels with too few boots: more runs of the same kind would not help */
	if (c->verdict != VERDICT_INCONCLUSIVE || !c->family_size)
		return;
	if (c->mde_pct < TOO_MUCH) {
		add_part(out, "; ");
		figure_number(mde, c->mde_pct, figure_decimals(c->mde_pct, 0));
		buf_addf(out, "can show %s" HARD_BLANK "%%", mde);
		figure_number(mde, c->mde_holm_pct, figure_decimals(c->mde_holm_pct, 0));
		if (c->mde_holm_pct < TOO_MUCH)
			buf_addf(out, " (%s" HARD_BLANK "%% with" HARD_BLANK "Holm)", mde);
	}
	add_runs_needed(c, out);
}

static void write_verdict(struct text *text, const struct analysis_comparison *c,
			  size_t name_width)
{
	const size_t verdict_width = sizeof("inconclusive"), p_width = sizeof("p <.0001") + 1;
	size_t start = text->out->len, used;
	auto_buf struct buf details = BUF_INIT;
	const char *name = text_metric_name(text, c->base);
	char p[FIGURE_MAX];

	buf_add(text->out, name);
	for (used = layout_width(name); used < name_width + 2; used++)
		buf_addc(text->out, ' ');
	start = text->out->len;
	buf_add(text->out, c->verdict == VERDICT_NONE ? "no verdict" : verdict_name(c->verdict));
	buf_pad_to(text->out, start, verdict_width);
	figure_p(p, c->p_holm);
	buf_add(text->out, isnan(c->p_holm) ? "" : p);
	text_verdict_details(text, c, &details);
	if (!details.len) {
		while (text->out->s[text->out->len - 1] == ' ')
			text->out->len--;
		buf_addc(text->out, '\n');
		return;
	}
	buf_pad_to(text->out, start, verdict_width + p_width);
	used += verdict_width + p_width;
	layout_wrap(text->out, text->width, (unsigned int)used, (unsigned int)used, details.s);
}

void text_verdicts(struct text *text, const struct analysis_comparison **rows, size_t n)
{
	size_t name_width = 0;

	for (size_t i = 0; i < n; i++) {
		size_t width = layout_width(text_metric_name(text, rows[i]->base));

		name_width = width > name_width ? width : name_width;
	}
	for (size_t i = 0; i < n; i++)
		if (rows[i]->verdict != VERDICT_NONE || rows[i]->reason)
			write_verdict(text, rows[i], name_width);
}
