// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reports/curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/xalloc.h"
#include "results/reports/rows.h"

static const struct analysis_cell *first_cell(const struct analysis *analysis, size_t section)
{
	return analysis->cells[analysis->sections[section].first_cell];
}

/* "16", "4k", "100ms", "loop:8:1G" */
static bool read_value(const json_t *json, double *out)
{
	const char *text = json_string_value(json), *colon;
	unsigned long count;
	uint64_t size;
	int64_t ns;

	if (!text)
		return false;
	colon = strchr(text, ':');
	if (colon) {
		if (sscanf(colon, ":%lu:", &count) != 1)
			return false;
		*out = (double)count;
		return true;
	}
	if (!units_parse_double(text, out))
		return true;
	if (!units_parse_size(text, &size)) {
		*out = (double)size;
		return true;
	}
	if (units_parse_time(text, &ns))
		return false;
	*out = (double)ns / 1e9;
	return true;
}

/* Are two points the same but for this key, which both have as a number? */
static bool differ_in(const struct analysis_cell *a, const struct analysis_cell *b, const char *key)
{
	const char *name;
	json_t *value;
	double number;

	if (a->data != b->data || strcmp(a->host, b->host) != 0 ||
	    strcmp(a->workload, b->workload) != 0 ||
	    json_object_size(a->point_keys) != json_object_size(b->point_keys) ||
	    !read_value(json_object_get(b->point_keys, key), &number))
		return false;
	json_object_foreach((json_t *)a->point_keys, name, value)
		if (strcmp(name, key) != 0 &&
		    !json_equal(value, json_object_get(b->point_keys, name)))
			return false;
	return true;
}

/* How many points it has; the curve is another section's where that comes first. */
static size_t count_points(const struct analysis *analysis, size_t section, const char *key,
			   bool *is_first)
{
	size_t n = 0;

	*is_first = true;
	for (size_t i = 0; i < analysis->nsections; i++) {
		if (!differ_in(first_cell(analysis, section), first_cell(analysis, i), key))
			continue;
		n++;
		*is_first &= i >= section;
	}
	return n;
}

static void add_point(struct curve *curve, size_t section, double value, const char *text)
{
	size_t at = curve->n++;

	for (; at && curve->values[at - 1] > value; at--) {
		curve->sections[at] = curve->sections[at - 1];
		curve->values[at] = curve->values[at - 1];
		curve->texts[at] = curve->texts[at - 1];
	}
	curve->sections[at] = section;
	curve->values[at] = value;
	curve->texts[at] = text;
}

bool curve_find(const struct analysis *analysis, size_t section, struct curve *out)
{
	const struct analysis_cell *cell = first_cell(analysis, section);
	bool is_first, first = false;
	struct curve curve = { .key = NULL };
	size_t most = 1, n;
	const char *key;
	json_t *json;
	double value;

	json_object_foreach((json_t *)cell->point_keys, key, json) {
		if (!read_value(json, &value))
			continue;
		n = count_points(analysis, section, key, &is_first);
		if (n <= most)
			continue;
		most = n;
		curve.key = key;
		first = is_first;
	}
	if (!curve.key || !first)
		return false;
	curve.sections = xcalloc(most, sizeof(*curve.sections));
	curve.values = xcalloc(most, sizeof(*curve.values));
	curve.texts = xcalloc(most, sizeof(*curve.texts));
	for (size_t i = section; i < analysis->nsections; i++) {
		const struct analysis_cell *other = first_cell(analysis, i);

		if (!differ_in(cell, other, curve.key))
			continue;
		json = json_object_get(other->point_keys, curve.key);
		read_value(json, &value);
		add_point(&curve, i, value, json_string_value(json));
	}
	*out = curve;
	return true;
}

void curve_release(struct curve *curve)
{
	free(curve->sections);
	free(curve->values);
	free(curve->texts);
	*curve = (struct curve){ .key = NULL };
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

const char **curve_metrics(const struct analysis *analysis, const struct curve *curve, size_t *n)
{
	const char **metrics = row_metrics(analysis, &analysis->sections[curve->sections[0]], true, n);
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++)
		if (ends_in(metrics[i], ".iops") || ends_in(metrics[i], ".lat.p99"))
			metrics[kept++] = metrics[i];
	*n = kept;
	return metrics;
}

const struct analysis_group *curve_group(const struct analysis *analysis,
					 const struct curve *curve, size_t point,
					 const struct analysis_cell *series, const char *metric)
{
	const struct analysis_section *section = &analysis->sections[curve->sections[point]];
	const struct analysis_cell *cell = row_cell(analysis, section, series->label,
						    series->config);
	const struct analysis_group *group = row_group(analysis, cell, metric);

	return group && group->n && isfinite(group->mean) ? group : NULL;
}
