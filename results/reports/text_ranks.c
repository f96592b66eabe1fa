// SPDX-License-Identifier: GPL-3.0-or-later
/* What tests say that assume no distribution. */
#include <math.h>

#include "results/reports/rows.h"
#include "results/reports/text_parts.h"

#define ALPHA .05

static void add_change(const struct analysis_comparison *c, struct buf *out)
{
	const struct analysis_rank *rank = &c->rank;
	bool percent = !isnan(rank->change_pct);
	struct figure_scale scale = row_scale(c);
	double f = percent ? 1 : scale.factor;
	double value = f * (percent ? rank->change_pct : rank->shift);
	double low = f * (percent ? rank->ci95_pct[0] : rank->ci95_units[0]);
	double high = f * (percent ? rank->ci95_pct[1] : rank->ci95_units[1]);
	int decimals = percent ? figure_percent_decimals(low, high) :
				 figure_decimals((high - low) / 2, value);
	char text[FIGURE_MAX], from[FIGURE_MAX], to[FIGURE_MAX];

	figure_signed(text, value, decimals);
	buf_addf(out, HARD_BLANK "%s" HARD_BLANK "%s", text, percent ? "%" : scale.unit);
	if (isnan(low))
		return;
	figure_signed(from, low, decimals);
	figure_signed(to, high, decimals);
	buf_addf(out, " [%s," HARD_BLANK "%s]", from, to);
}

/* None of these can reach the level, whatever the values. */
static bool none_can(const struct analysis_comparison **rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i]->rank.p_min < ALPHA)
			return false;
	return true;
}

static bool has_ties(const struct analysis_comparison **rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i]->rank.ties)
			return true;
	return false;
}

static void add_row(struct text *text, const struct analysis_comparison *c, struct buf *out)
{
	char p[FIGURE_MAX];

	buf_add(out, text_metric_name(text, c->base));
	add_change(c, out);
	figure_p(p, c->rank.p);
	buf_addf(out, " %s", p);
	if (c->rank.p_min >= ALPHA) {
		figure_p(p, c->rank.p_min);
		buf_addf(out, " (%s can give no p below %s)", c->rank.ties ? "so many equal ones" :
									   "so few",
			 p + 2);
	}
}

void text_ranks(struct text *text, const struct analysis_comparison **rows, size_t n)
{
	auto_buf struct buf line = BUF_INIT;
	bool too_few = none_can(rows, n) && !has_ties(rows, n);

	for (size_t i = 0; i < n && !(too_few && line.len); i++) {
		if (isnan(rows[i]->rank.p))
			continue;
		if (!line.len)
			buf_addf(&line, "%s, beside t: ",
				 rows[i]->paired ? "signed-rank" : "Mann-Whitney");
		else
			buf_add(&line, "; ");
		if (too_few)
			buf_addf(&line, "no p below .05 can come from so few %ss", rows[i]->unit);
		else
			add_row(text, rows[i], &line);
	}
	text_paragraph(text, &line);
}
