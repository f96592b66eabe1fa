// SPDX-License-Identifier: GPL-3.0-or-later
/* The change of each headline figure with its interval, against the margin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/html_escape.h"
#include "results/reports/html_parts.h"
#include "results/reports/rows.h"

enum { ROW_HEIGHT = 26, FRAME_HEIGHT = 36 };

/*
 * Rows that are in no family (too few ticks for user and sys) can have intervals that leave no
 * room for the others.
 */
static bool is_drawn(const struct analysis_comparison *c)
{
	return c->verdict != VERDICT_NONE && isfinite(c->change_pct) &&
	       isfinite(c->ci95_pct[0]) && isfinite(c->ci95_pct[1]);
}

static int colour_of(const struct analysis_comparison *c)
{
	return c->verdict == VERDICT_WORSE  ? PICTURE_WORSE :
	       c->verdict == VERDICT_BETTER ? PICTURE_BETTER :
					      PICTURE_OPEN;
}

static void add_row(struct pictures *pictures, struct picture *picture,
		    const struct analysis_comparison *c)
{
	struct row_change row;

	picture_add_row(pictures, c->base->metric);
	row_change(c, &row);
	buf_add(&picture->text, ". ");
	html_escape(&picture->text, c->base->metric);
	buf_addf(&picture->text, ": %s, 95&nbsp;%% interval %s to %s, %s", row.change, row.low,
		 row.high, c->verdict == VERDICT_NONE ? "no verdict" : verdict_name(c->verdict));
}

static void draw_pair(struct html *html, size_t section, const struct text_pair *pair)
{
	const struct analysis *analysis = html->text.analysis;
	struct pictures *pictures = &html->pictures;
	struct buf *script = &pictures->script, name = BUF_INIT;
	double low = fmin(0, -analysis->margin_pct), high = fmax(0, analysis->margin_pct);
	size_t n, drawn = 0;
	const struct analysis_comparison **rows = text_pick_rows(pair, true, &n);
	struct picture *picture;

	for (size_t i = 0; i < n; i++) {
		if (!is_drawn(rows[i]))
			continue;
		rows[drawn++] = rows[i];
		low = fmin(low, rows[i]->ci95_pct[0]);
		high = fmax(high, rows[i]->ci95_pct[1]);
	}
	if (!drawn) {
		free(rows);
		return;
	}
	picture = picture_add(pictures, section, FRAME_HEIGHT + ROW_HEIGHT * (unsigned int)drawn);
	text_pair_name(&html->text, &analysis->sections[section], pair, &name);
	html_add_words(&picture->caption, name.s);
	buf_add(&picture->caption, ": change in&nbsp;%, 95&nbsp;% interval");
	if (analysis->margin_pct > 0)
		buf_addf(&picture->caption, ", margin &#177;%g&nbsp;%%", analysis->margin_pct);
	html_add_words(&picture->text, name.s);
	buf_add(&picture->text, ", change");
	for (size_t i = 0; i < drawn; i++)
		add_row(pictures, picture, rows[i]);
	picture_rows(pictures, low, high);
	if (analysis->margin_pct > 0)
		buf_addf(script,
			 "set object 1 rectangle from %.9g,graph 0 to %.9g,graph 1 behind "
			 "fillcolor rgb %d fillstyle solid noborder\n",
			 -analysis->margin_pct, analysis->margin_pct, PICTURE_BAND);
	buf_addf(script, "set arrow 1 from 0,graph 0 to 0,graph 1 nohead lw 1 lc rgb %d\n",
		 PICTURE_INK);
	for (size_t i = 0; i < drawn; i++)
		buf_addf(script, "$change%zu << EOD\n%.9g %zu %.9g %.9g\nEOD\n", i,
			 rows[i]->change_pct, i + 1, rows[i]->ci95_pct[0], rows[i]->ci95_pct[1]);
	for (size_t i = 0; i < drawn; i++)
		buf_addf(script, "%s$change%zu with xerrorbars pt 7 ps .6 lw 2 lc rgb %d",
			 i ? ", " : "plot ", i, colour_of(rows[i]));
	buf_add(script, "\n");
	buf_release(&name);
	free(rows);
}

void html_pictures_of_changes(struct html *html, size_t section)
{
	const struct analysis *analysis = html->text.analysis;
	const struct analysis_section *s = &analysis->sections[section];
	struct text_pair pair;

	for (size_t i = 0; i < s->ncomparisons; i += pair.n) {
		pair = text_pair_at(analysis, s, i);
		draw_pair(html, section, &pair);
	}
}
