// SPDX-License-Identifier: GPL-3.0-or-later
/* What each run took on each device, as strips: one that stands out is seen, and in which runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/html_escape.h"
#include "results/reports/html_parts.h"
#include "results/reports/rows.h"

enum { FRAME_HEIGHT = 36, STRIP_HEIGHT = 9, GAP_HEIGHT = 7, MAX_DEVICES = 200 };

struct devices {
	const char *names[MAX_DEVICES];
	size_t n, values;
	double low, high;
};

static size_t find_device(struct devices *devices, const char *name)
{
	size_t i = 0;

	while (i < devices->n && strcmp(devices->names[i], name) != 0)
		i++;
	if (i == devices->n && i < MAX_DEVICES)
		devices->names[devices->n++] = name;
	return i;
}

/* The group whose runs stand for those of the cell; NULL: none with runs. */
static const struct analysis_group *runs_of(const struct analysis *analysis,
					    const struct analysis_cell *cell)
{
	const struct analysis_group *most = NULL;

	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group = &analysis->groups[cell->first_group + i];

		if (group->from && (!most || group->n > most->n))
			most = group;
	}
	return most;
}

static void find_devices(const struct analysis *analysis, const struct analysis_section *section,
			 struct devices *devices)
{
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_group *group =
			runs_of(analysis, analysis->cells[section->first_cell + i]);

		for (size_t k = 0; group && k < group->n; k++) {
			const struct set_run *run = group->from[k];

			for (size_t d = 0; d < run->ndevices; d++) {
				double real = run->devices[d].real_s;

				if (!isfinite(real))
					continue;
				find_device(devices, run->devices[d].name);
				devices->values++;
				devices->low = fmin(devices->low, real);
				devices->high = fmax(devices->high, real);
			}
		}
	}
}

/* Where the strip of a cell is in the row of a device, which is 1 high. */
static double strip_at(const struct analysis_section *section, size_t cell)
{
	double share = STRIP_HEIGHT / (double)(STRIP_HEIGHT * section->ncells + GAP_HEIGHT);

	return ((double)cell - ((double)section->ncells - 1) / 2) * share;
}

static bool add_strip(const struct analysis *analysis, const struct analysis_section *section,
		      size_t cell, struct devices *devices, double factor, struct buf *script)
{
	const struct analysis_group *group =
		runs_of(analysis, analysis->cells[section->first_cell + cell]);
	bool any = false;

	buf_addf(script, "$strip%zu << EOD\n", cell);
	for (size_t k = 0; group && k < group->n; k += picture_step(devices->values)) {
		const struct set_run *run = group->from[k];

		for (size_t d = 0; d < run->ndevices; d++) {
			size_t row = find_device(devices, run->devices[d].name);

			if (!isfinite(run->devices[d].real_s) || row >= devices->n)
				continue;
			buf_addf(script, "%.9g %.4f\n", run->devices[d].real_s * factor,
				 (double)row + 1 + strip_at(section, cell));
			any = true;
		}
	}
	buf_add(script, "EOD\n");
	return any;
}

static void add_names(struct pictures *pictures, struct picture *picture,
		      const struct devices *devices)
{
	for (size_t i = 0; i < devices->n; i++) {
		buf_add(&picture->text, i ? ", " : "");
		html_escape(&picture->text, devices->names[i]);
		picture_add_row(pictures, devices->names[i]);
	}
}

void html_pictures_of_devices(struct html *html, size_t section)
{
	const struct analysis *analysis = html->text.analysis;
	const struct analysis_section *s = &analysis->sections[section];
	struct devices devices = { .low = INFINITY, .high = -INFINITY };
	struct buf *script = &html->pictures.script;
	const char *separator = "plot ";
	struct figure_scale scale;
	struct picture *picture;
	bool *drawn;

	find_devices(analysis, s, &devices);
	if (devices.n < 2)
		return;
	scale = figure_scale("s", devices.high);
	picture = picture_add(&html->pictures, section,
			      (unsigned int)(FRAME_HEIGHT +
					     devices.n * (STRIP_HEIGHT * s->ncells + GAP_HEIGHT)));
	picture->series = true;
	buf_addf(&picture->caption, "devices, %s: every run", scale.unit);
	picture_add_step(picture, picture_step(devices.values));
	buf_addf(&picture->text, "Wall time in %s of every run on each device: ", scale.unit);
	add_names(&html->pictures, picture, &devices);
	if (devices.n == MAX_DEVICES)
		buf_addf(&picture->caption, " (the first %d devices)", MAX_DEVICES);
	picture_rows(&html->pictures, devices.low * scale.factor, devices.high * scale.factor);
	drawn = xcalloc(s->ncells + 1, sizeof(*drawn));
	for (size_t i = 0; i < s->ncells; i++)
		drawn[i] = add_strip(analysis, s, i, &devices, scale.factor, script);
	for (size_t i = 0; i < s->ncells; i++) {
		if (!drawn[i])
			continue;
		buf_addf(script, "%s$strip%zu with points pt 7 ps .4 lc rgb %d", separator, i,
			 (int)(i % PICTURE_SERIES) + 1);
		separator = ", ";
	}
	buf_add(script, "\n");
	free(drawn);
}
