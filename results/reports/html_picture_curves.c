// SPDX-License-Identifier: GPL-3.0-or-later
/* What a sweep shows: means with their intervals against the swept key. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/reports/curve.h"
#include "results/reports/html_escape.h"
#include "results/reports/html_parts.h"
#include "results/reports/rows.h"

enum { PLANE_HEIGHT = 200 };

struct view {
	struct html *html;
	const struct curve *curve;
	const struct analysis_section *section; /* the first */
	const char *metric;
	struct figure_scale scale;
	double low, high;
};

static const struct analysis_group *group_at(const struct view *view, size_t point, size_t cell)
{
	const struct analysis *analysis = view->html->text.analysis;

	return curve_group(analysis, view->curve, point,
			   analysis->cells[view->section->first_cell + cell], view->metric);
}

static double end_of(const struct analysis_group *group, int end)
{
	return isfinite(group->ci95[end]) ? group->ci95[end] : group->mean;
}

static void find_range(struct view *view)
{
	const char *unit = "";

	view->low = INFINITY;
	view->high = -INFINITY;
	for (size_t c = 0; c < view->section->ncells; c++) {
		for (size_t i = 0; i < view->curve->n; i++) {
			const struct analysis_group *group = group_at(view, i, c);

			if (!group)
				continue;
			view->low = fmin(view->low, end_of(group, 0));
			view->high = fmax(view->high, end_of(group, 1));
			unit = group->unit;
		}
	}
	view->scale = figure_scale(unit, view->high);
	/* beside the axis is room for five digits */
	if (!strcmp(unit, "1/s") && view->high >= 1e5)
		view->scale = (struct figure_scale){ 1e-3, "1000/s" };
}

/* The values stand at equal distances, as those of a sweep mostly grow by a factor. */
static void set_values(const struct view *view, struct buf *script)
{
	buf_add(script, "set xtics (");
	for (size_t i = 0; i < view->curve->n; i++)
		buf_addf(script, "%s'%.9g' %zu", i ? "," : "", view->curve->values[i], i);
	buf_add(script, ")\n");
}

static bool add_series(const struct view *view, size_t cell, struct picture *picture,
		       struct buf *script)
{
	const struct analysis *analysis = view->html->text.analysis;
	double f = view->scale.factor;
	bool any = false;

	buf_addf(script, "$curve%zu << EOD\n", cell);
	for (size_t i = 0; i < view->curve->n; i++) {
		const struct analysis_group *group = group_at(view, i, cell);
		struct row_single row;

		if (!group)
			continue;
		buf_addf(script, "%zu %.9g %.9g %.9g\n", i, group->mean * f, end_of(group, 0) * f,
			 end_of(group, 1) * f);
		row_single(group, &row);
		if (!any) {
			buf_add(&picture->text, ". ");
			text_cell_name(&view->html->text, view->section,
				       analysis->cells[view->section->first_cell + cell],
				       &picture->text);
			buf_addc(&picture->text, ':');
		}
		buf_addf(&picture->text, " %.9g: %s %s", view->curve->values[i], row.mean, row.unit);
		any = true;
	}
	buf_add(script, "EOD\n");
	return any;
}

static void add_words(const struct view *view, struct picture *picture)
{
	struct buf *caption = &picture->caption;

	html_escape(caption, view->metric);
	buf_addf(caption, "%s%s against ", *view->scale.unit ? ", " : "", view->scale.unit);
	html_escape(caption, view->curve->key);
	buf_add(caption, ": mean and 95&nbsp;% interval");
	html_escape(&picture->text, view->metric);
	buf_add(&picture->text, " against ");
	html_escape(&picture->text, view->curve->key);
}

static void draw(struct view *view, size_t section)
{
	struct pictures *pictures = &view->html->pictures;
	struct picture *picture = picture_add(pictures, section, PLANE_HEIGHT);
	struct buf *script = &pictures->script;
	bool drawn[PICTURE_SERIES] = { false };
	const char *separator = "plot ";

	picture->series = true;
	add_words(view, picture);
	picture_plane(pictures, 0, (double)view->curve->n - 1, view->low * view->scale.factor,
		      view->high * view->scale.factor);
	set_values(view, script);
	for (size_t c = 0; c < view->section->ncells && c < PICTURE_SERIES; c++)
		drawn[c] = add_series(view, c, picture, script);
	for (size_t c = 0; c < view->section->ncells && c < PICTURE_SERIES; c++) {
		if (!drawn[c])
			continue;
		buf_addf(script,
			 "%s$curve%zu using 1:2 with lines lw 1 lc rgb %zu, "
			 "$curve%zu with yerrorbars pt 7 ps .5 lw 1 lc rgb %zu",
			 separator, c, c + 1, c, c + 1);
		separator = ", ";
	}
	buf_add(script, "\n");
}

void html_pictures_of_curves(struct html *html, size_t section)
{
	const struct analysis *analysis = html->text.analysis;
	const char **metrics;
	struct curve curve;
	size_t n;

	if (!curve_find(analysis, section, &curve))
		return;
	metrics = curve_metrics(analysis, &curve, &n);
	for (size_t i = 0; i < n; i++) {
		struct view view = { .html = html, .curve = &curve, .metric = metrics[i],
				     .section = &analysis->sections[curve.sections[0]] };

		find_range(&view);
		if (isfinite(view.low) && isfinite(view.high))
			draw(&view, section);
	}
	free(metrics);
	curve_release(&curve);
}
