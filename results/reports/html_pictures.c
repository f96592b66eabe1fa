// SPDX-License-Identifier: GPL-3.0-or-later
/* Every run as a point: by configuration with mean and interval, and in the order of the runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/html_escape.h"
#include "results/reports/html_parts.h"
#include "results/reports/rows.h"

enum { MAX_METRICS = 6, ROW_HEIGHT = 40, FRAME_HEIGHT = 36, PLANE_HEIGHT = 190, LANES = 5 };
/* where in its row (of height 1) the runs are, and the mean with its interval */
#define POINTS_AT -.14
#define LANE .06
#define MEAN_AT .24

/* ---- one metric in the cells of a section ---- */

struct view {
	struct html *html;
	const struct analysis_section *section;
	const char *metric;
	struct row_style style;
	const struct analysis_group **groups; /* one a cell; NULL: without values */
	double low, high, first, last; /* of the values with their intervals; of run numbers */
	size_t step; /* of how many runs one is drawn */
};

static void widen(double value, double *low, double *high)
{
	if (!isfinite(value))
		return;
	*low = isnan(*low) ? value : fmin(*low, value);
	*high = isnan(*high) ? value : fmax(*high, value);
}

static void view_init(struct view *view, struct html *html,
		      const struct analysis_section *section, const char *metric)
{
	const struct analysis *analysis = html->text.analysis;
	size_t total = 0;

	*view = (struct view){ .html = html, .section = section, .metric = metric,
			       .style = row_style(analysis, section, metric),
			       .low = NAN, .high = NAN, .first = NAN, .last = NAN };
	view->groups = xcalloc(section->ncells + 1, sizeof(*view->groups));
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_group *group =
			row_group_in(analysis, analysis->cells[section->first_cell + i], metric,
				     &view->style);
		double f = view->style.scale.factor;

		if (!group || !group->n || !isfinite(group->mean * f))
			continue;
		view->groups[i] = group;
		total += group->n;
		widen(group->mean * f, &view->low, &view->high);
		widen(group->ci95[0] * f, &view->low, &view->high);
		widen(group->ci95[1] * f, &view->low, &view->high);
		for (size_t k = 0; group->values && k < group->n; k++) {
			widen(group->values[k] * f, &view->low, &view->high);
			widen(group->from[k]->number, &view->first, &view->last);
		}
	}
	view->step = picture_step(total);
}

static int series_of(size_t cell)
{
	return (int)(cell % PICTURE_SERIES) + 1;
}

static void add_caption(const struct view *view, struct picture *picture, const char *what)
{
	const char *unit = view->style.scale.unit;

	html_escape(&picture->caption, view->metric);
	buf_addf(&picture->caption, "%s%s: %s", *unit ? ", " : "", unit, what);
	html_escape(&picture->text, view->metric);
	if (*unit)
		buf_addf(&picture->text, " in %s", unit);
}

/* ---- by configuration ---- */

/* Beside a picture is little room: of names with several parts the legend has the numbers. */
static void add_row(const struct view *view, const struct analysis_cell *cell)
{
	const struct analysis *analysis = view->html->text.analysis;
	size_t number = cell->index - analysis->cells[view->section->first_cell]->index + 1;
	const char *parts[TEXT_CELL_PARTS];
	size_t n = text_cell_parts(&view->html->text, view->section, cell, parts);
	auto_free char *name = n > 1 ? xasprintf("%zu %s", number, parts[n - 1]) :
				       xstrdup(parts[0]);

	picture_add_row(&view->html->pictures, name);
}

static void add_words_of_group(const struct view *view, const struct analysis_group *group,
			       struct buf *out)
{
	struct row_single row;

	row_single(group, &row);
	buf_add(out, ". ");
	text_cell_name(&view->html->text, view->section, group->cell, out);
	buf_addf(out, ": mean %s %s", row.mean, row.unit);
	if (*row.low)
		buf_addf(out, ", 95&nbsp;%% interval %s to %s", row.low, row.high);
	if (group->values)
		buf_addf(out, ", %s runs from %s to %s", row.n, row.min, row.max);
}

/* Points of one row lie in lanes, so that equal values are seen side by side. */
static void add_points(const struct view *view, const struct analysis_group *group, size_t row,
		       size_t block, struct buf *script)
{
	buf_addf(script, "$points%zu << EOD\n", block);
	for (size_t k = 0; k < group->n; k += view->step)
		buf_addf(script, "%.9g %.4f\n", group->values[k] * view->style.scale.factor,
			 (double)row + POINTS_AT + LANE * ((double)(k % LANES) - LANES / 2));
	buf_add(script, "EOD\n");
}

static void add_mean(const struct view *view, const struct analysis_group *group, size_t row,
		     size_t block, struct buf *script)
{
	double f = view->style.scale.factor, mean = group->mean * f;
	double low = group->ci95[0] * f, high = group->ci95[1] * f;

	buf_addf(script, "$mean%zu << EOD\n%.9g %.2f %.9g %.9g\nEOD\n", block, mean,
		 (double)row + MEAN_AT, isfinite(low) ? low : mean, isfinite(high) ? high : mean);
}

static void draw_runs(const struct view *view, size_t section)
{
	struct pictures *pictures = &view->html->pictures;
	struct picture *picture = picture_add(pictures, section, 0);
	const char *separator = "plot ";
	size_t row = 0;

	add_caption(view, picture, "every run, mean and 95&nbsp;% interval");
	picture_add_step(picture, view->step);
	picture->series = true;
	for (size_t i = 0; i < view->section->ncells; i++) {
		if (!view->groups[i])
			continue;
		add_row(view, view->groups[i]->cell);
		add_words_of_group(view, view->groups[i], &picture->text);
	}
	picture->height = FRAME_HEIGHT + ROW_HEIGHT * (unsigned int)picture->names.n;
	picture_rows(pictures, view->low, view->high);
	for (size_t i = 0; i < view->section->ncells; i++) {
		if (!view->groups[i])
			continue;
		row++;
		if (view->groups[i]->values)
			add_points(view, view->groups[i], row, i, &pictures->script);
		add_mean(view, view->groups[i], row, i, &pictures->script);
	}
	for (size_t i = 0; i < view->section->ncells; i++) {
		if (!view->groups[i])
			continue;
		if (view->groups[i]->values) {
			buf_addf(&pictures->script,
				 "%s$points%zu with points pt 7 ps .45 lc rgb %d", separator, i,
				 series_of(i));
			separator = ", ";
		}
		buf_addf(&pictures->script, "%s$mean%zu with xerrorbars pt 7 ps .6 lw 2 lc rgb %d",
			 separator, i, series_of(i));
		separator = ", ";
	}
	buf_add(&pictures->script, "\n");
}

/* ---- in their order ---- */

static void add_words_of_order(const struct view *view, const struct analysis_group *group,
			       struct buf *out)
{
	if (isnan(group->lag1))
		return;
	buf_add(out, ". ");
	text_cell_name(&view->html->text, view->section, group->cell, out);
	buf_add(out, group->drifts ? ": drift is shown" : ": no drift is shown");
}

static void draw_order(const struct view *view, size_t section)
{
	struct pictures *pictures = &view->html->pictures;
	struct picture *picture = picture_add(pictures, section, PLANE_HEIGHT);
	struct buf *script = &pictures->script;
	const char *separator = "plot ";

	add_caption(view, picture, "over the number of the run");
	picture_add_step(picture, view->step);
	buf_add(&picture->text, " over the number of the run");
	picture->series = true;
	picture_plane(pictures, view->first, view->last, view->low, view->high);
	for (size_t i = 0; i < view->section->ncells; i++) {
		const struct analysis_group *group = view->groups[i];
		double mean = group ? group->mean * view->style.scale.factor : NAN;

		if (!group || !group->values)
			continue;
		add_words_of_order(view, group, &picture->text);
		buf_addf(script, "$order%zu << EOD\n", i);
		for (size_t k = 0; k < group->n; k += view->step)
			buf_addf(script, "%u %.9g\n", group->from[k]->number,
				 group->values[k] * view->style.scale.factor);
		buf_addf(script, "EOD\n$level%zu << EOD\n%.9g %.9g\n%.9g %.9g\nEOD\n", i,
			 view->first, mean, view->last, mean);
	}
	for (size_t i = 0; i < view->section->ncells; i++) {
		if (!view->groups[i] || !view->groups[i]->values)
			continue;
		buf_addf(script,
			 "%s$level%zu with lines lw 1 dt 2 lc rgb %d, "
			 "$order%zu with points pt 7 ps .45 lc rgb %d",
			 separator, i, series_of(i), i, series_of(i));
		separator = ", ";
	}
	buf_add(script, "\n");
}

/* ---- which ---- */

static bool is_shown_to_change(const struct html *html, const struct analysis_section *section,
			       const char *metric)
{
	for (size_t i = 0; i < section->ncomparisons; i++) {
		const struct analysis_comparison *c =
			&html->text.analysis->comparisons[section->first_comparison + i];

		if (!strcmp(c->base->metric, metric) &&
		    (c->verdict == VERDICT_WORSE || c->verdict == VERDICT_BETTER))
			return true;
	}
	return false;
}

/* Of many metrics those that change are drawn first; the tables have all. */
static void draw_some(struct html *html, size_t section, const char **metrics, size_t n)
{
	const struct analysis_section *s = &html->text.analysis->sections[section];
	size_t drawn = 0;

	for (int pass = n > MAX_METRICS ? 0 : 1; pass < 2; pass++) {
		for (size_t i = 0; i < n && drawn < MAX_METRICS; i++) {
			bool changes = n > MAX_METRICS && is_shown_to_change(html, s, metrics[i]);
			struct view view;

			if (changes != (pass == 0))
				continue;
			view_init(&view, html, s, metrics[i]);
			if (isfinite(view.low)) {
				draw_runs(&view, section);
				if (view.last > view.first)
					draw_order(&view, section);
				drawn++;
			}
			free(view.groups);
		}
	}
}

void html_pictures_of_runs(struct html *html, size_t section)
{
	const struct analysis *analysis = html->text.analysis;
	const struct analysis_section *s = &analysis->sections[section];
	size_t n;
	const char **metrics = row_metrics(analysis, s, true, &n);

	if (!n) {
		free(metrics);
		metrics = row_metrics(analysis, s, false, &n);
	}
	draw_some(html, section, metrics, n);
	free(metrics);
}
