// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/figure.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int figure_add(struct parsed_record *record, const struct figure *figure)
{
	struct parsed_value *value;
	int rc = parsed_add_value(record, figure->metric, figure->unit, figure->value,
				  figure->half_step, figure->text.s, figure->text.len,
				  figure->line, figure->column);

	if (rc)
		return rc;
	value = parsed_last_value(record);
	value->better = figure->better;
	value->headline = figure->headline;
	return 0;
}

int figure_add_summary(struct parsed_record *record, const struct figure *figure, size_t n,
		       enum parsed_spread kind, const struct number *spread, struct slice text)
{
	int rc;

	if (record->failed)
		return 0; /* a mean over work that failed is of nothing */
	rc = figure_add(record, figure);
	if (rc)
		return rc;
	if (!spread || !(spread->value >= 0))
		return parsed_set_summary(record, n, PARSED_NO_SPREAD, NAN, 0, NULL, 0);
	return parsed_set_summary(record, n, kind, spread->value, spread->half_step, text.s,
				  text.len);
}

struct parsed_record *figure_record(struct parsed *out, struct slice label, const char *workload,
				    size_t line)
{
	struct parsed_record *record = parsed_add_record(out, label.len ? label.s : "", label.len);

	if (!record)
		return NULL;
	record->line = line;
	if (parsed_set_text(&record->workload, workload, strlen(workload))) {
		errno = ENOMEM;
		return NULL;
	}
	return record;
}

int figure_fail(struct parsed_record *record, const char *fmt, ...)
{
	char text[256];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if (n >= (int)sizeof(text))
		n = sizeof(text) - 1;
	return parsed_fail(record, text, (size_t)n);
}

/* ---- results that are named alike ---- */

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_places(const struct parsed_record *a, const struct parsed_record *b)
{
	const char *const texts[][2] = { { a->label, b->label },
					 { a->config, b->config },
					 { a->workload, b->workload },
					 { a->host, b->host } };
	int order = 0;

	for (size_t i = 0; !order && i < sizeof(texts) / sizeof(texts[0]); i++)
		order = compare_texts(texts[i][0], texts[i][1]);
	if (!order && a->npoint != b->npoint)
		order = a->npoint < b->npoint ? -1 : 1;
	for (size_t i = 0; !order && i < a->npoint; i++) {
		order = strcmp(a->point[i].key, b->point[i].key);
		if (!order)
			order = strcmp(a->point[i].value, b->point[i].value);
	}
	return order;
}

static int compare(const void *pa, const void *pb, void *arg)
{
	const struct parsed_record *records = arg;
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
	int order = compare_places(&records[a], &records[b]);

	return order ? order : (a > b) - (a < b);
}

/* The records at order[0..n) are one place. */
static int count_group(struct parsed *out, const size_t *order, size_t n, const char *key)
{
	char text[24];
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		snprintf(text, sizeof(text), "%zu", i + 1);
		rc = parsed_add_point(&out->records[order[i]], key, text, strlen(text));
	}
	return rc;
}

int figure_tell_apart(struct parsed *out, size_t first, const char *key, bool summaries,
		      const char *what)
{
	size_t n = 0, found = 0, *order, end;
	int rc = 0;

	if (out->n - first < 2)
		return 0;
	order = reallocarray(NULL, out->n - first, sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (size_t i = first; i < out->n; i++)
		if (!summaries || (out->records[i].n && out->records[i].values[0].summary))
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), compare, out->records);
	for (size_t i = 0; !rc && i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (compare_places(&out->records[order[i]], &out->records[order[end]]))
				break;
		if (end - i < 2)
			continue;
		found += end - i;
		rc = count_group(out, order + i, end - i, key);
	}
	free(order);
	if (rc || !found)
		return rc;
	return parsed_add_note(out, out->records[first].line, 1,
			       "%zu %s: each stands for itself (%s=1, %s=2, ...)", found, what, key,
			       key);
}
