// SPDX-License-Identifier: GPL-3.0-or-later
/* Does a change inside the boots look alike in all of them? */
#include <math.h>

#include "results/reports/figures.h"
#include "results/reports/text_parts.h"

static void add_row(struct text *text, const struct analysis_comparison *c, struct buf *out)
{
	int decimals = figure_percent_decimals(c->ci95_pct[0], c->ci95_pct[1]);
	char change[FIGURE_MAX];

	buf_addf(out, "%s ", text_metric_name(text, c->base));
	for (size_t i = 0; i < c->nboots && i < ANALYSIS_BOOTS; i++) {
		figure_percent(change, c->boots[i].change_pct, decimals);
		buf_addf(out, "%s%s", i ? ", " : "", change);
	}
	buf_addf(out, HARD_BLANK "%%%s", c->nboots > ANALYSIS_BOOTS ? ", ..." : "");
}

void text_boots(struct text *text, const struct analysis_comparison **rows, size_t n)
{
	auto_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		if (!rows[i]->nboots || isnan(rows[i]->change_pct))
			continue;
		if (line.len)
			buf_add(&line, "; ");
		else
			buf_addf(&line, "change by boot (%zu): ", rows[i]->nboots);
		add_row(text, rows[i], &line);
	}
	text_paragraph(text, &line);
}
