// SPDX-License-Identifier: GPL-3.0-or-later
/* What a sweep shows, as bars: the mean of each point and configuration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/curve.h"
#include "results/reports/rows.h"
#include "results/reports/text_parts.h"

enum { VALUE_COLUMNS = 10, NAME_COLUMNS = 14, MEAN_COLUMNS = 10, LEAST_BAR = 10 };

static double highest(const struct analysis *analysis, const struct curve *curve,
		      const char *metric, const char **unit)
{
	const struct analysis_section *section = &analysis->sections[curve->sections[0]];
	double high = 0;

	for (size_t c = 0; c < section->ncells; c++) {
		for (size_t i = 0; i < curve->n; i++) {
			const struct analysis_group *group = curve_group(
				analysis, curve, i, analysis->cells[section->first_cell + c], metric);

			if (!group)
				continue;
			high = fmax(high, group->mean);
			*unit = group->unit;
		}
	}
	return high;
}

/* Where the other keys of the point are: "bs=4k". */
static void add_other_keys(const struct analysis_cell *cell, const char *key, struct buf *out)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)cell->point_keys, name, value) {
		if (!strcmp(name, key))
			continue;
		buf_add(out, ", ");
		layout_escape(out, name);
		buf_addc(out, '=');
		layout_escape(out, json_string_value(value));
	}
}

static void add_bar(struct text *text, const char *value, const char *name, double mean,
		    double high, const struct figure_scale *scale)
{
	struct buf *out = text->out;
	size_t start = out->len, bar;
	char number[FIGURE_MAX];
	int room = (int)text->width - VALUE_COLUMNS - NAME_COLUMNS - MEAN_COLUMNS - 2;

	layout_escape(out, value);
	buf_pad_to(out, start, VALUE_COLUMNS);
	if (name)
		buf_add(out, name);
	buf_pad_to(out, start, VALUE_COLUMNS + NAME_COLUMNS);
	figure_number(number, mean * scale->factor, figure_decimals(NAN, high * scale->factor));
	for (size_t n = strlen(number); n < MEAN_COLUMNS; n++)
		buf_addc(out, ' ');
	buf_addf(out, "%s  ", number);
	room = room < LEAST_BAR ? LEAST_BAR : room;
	bar = high > 0 ? (size_t)(mean / high * room + .5) : 0;
	for (size_t i = 0; i < bar; i++)
		buf_addc(out, '#');
	while (out->len && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	buf_addc(out, '\n');
}

static void write_metric(struct text *text, const struct curve *curve, const char *metric)
{
	const struct analysis *analysis = text->analysis;
	const struct analysis_section *section = &analysis->sections[curve->sections[0]];
	const char *unit = "";
	double high = highest(analysis, curve, metric, &unit);
	struct figure_scale scale = figure_scale(unit, high);
	auto_buf struct buf title = BUF_INIT;

	buf_addf(&title, "%s%s%s against ", layout_name(&text->metrics, metric),
		 *scale.unit ? ", " : "", scale.unit);
	layout_escape(&title, curve->key);
	add_other_keys(analysis->cells[section->first_cell], curve->key, &title);
	buf_addc(text->out, '\n');
	layout_wrap(text->out, text->width, 0, 2, title.s);
	for (size_t i = 0; i < curve->n; i++) {
		const char *value = curve->texts[i];

		for (size_t c = 0; c < section->ncells; c++) {
			const struct analysis_cell *cell = analysis->cells[section->first_cell + c];
			const struct analysis_group *group =
				curve_group(analysis, curve, i, cell, metric);
			const char *parts[TEXT_CELL_PARTS];
			size_t n = text_cell_parts(text, section, cell, parts);

			if (!group)
				continue;
			add_bar(text, value, layout_name(&text->names, parts[n - 1]), group->mean,
				high, &scale);
			value = "";
		}
	}
}

void text_curves(struct text *text)
{
	for (size_t s = 0; s < text->analysis->nsections; s++) {
		struct curve curve;
		const char **metrics;
		size_t n;

		if (!curve_find(text->analysis, s, &curve))
			continue;
		metrics = curve_metrics(text->analysis, &curve, &n);
		for (size_t i = 0; i < n; i++)
			write_metric(text, &curve, metrics[i]);
		free(metrics);
		curve_release(&curve);
	}
}
