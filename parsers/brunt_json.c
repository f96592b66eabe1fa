// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A JSON report has its values by metric. Metrics of one cell (host, label, configuration,
 * workload, point) with equally many values have them in the same order of runs, so that they are
 * put together again as runs; which round and session each was of is not in the report.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/brunt_reader.h"

struct reader {
	struct parsed *out;
	const struct jp_doc *doc;
	bool several_sets;
	const struct jp_node *cell; /* the group that began the cell; NULL: none yet */
	size_t first, n;	    /* its records of runs */
};

static struct slice text_of(struct reader *reader, const struct jp_node *object, const char *key)
{
	const struct jp_node *node = jp_get_kind(reader->doc, object, key, JP_STRING);

	return node ? node->text : (struct slice){ 0 };
}

bool brunt_json_is_report(const struct jp_doc *doc)
{
	const struct jp_node *groups = jp_get_kind(doc, doc->v, "groups", JP_ARRAY);
	const struct jp_node *first = jp_first(doc, groups);

	return groups && jp_get_kind(doc, doc->v, "comparisons", JP_ARRAY) &&
	       (!first || jp_get_kind(doc, first, "metric", JP_STRING));
}

static bool same(struct slice a, struct slice b)
{
	return a.len == b.len && (!a.len || !memcmp(a.s, b.s, a.len));
}

/* ---- cells ---- */

static bool same_point(struct reader *reader, const struct jp_node *a, const struct jp_node *b)
{
	const struct jp_doc *doc = reader->doc;
	const struct jp_node *ka = jp_first(doc, jp_get_kind(doc, a, "point", JP_OBJECT));
	const struct jp_node *kb = jp_first(doc, jp_get_kind(doc, b, "point", JP_OBJECT));

	while (ka && kb && same(ka->key, kb->key) && same(ka->text, kb->text)) {
		ka = jp_next(doc, ka);
		kb = jp_next(doc, kb);
	}
	return !ka && !kb;
}

static bool same_cell(struct reader *reader, const struct jp_node *a, const struct jp_node *b)
{
	static const char *const keys[] = { "set", "host", "label", "config", "workload" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!same(text_of(reader, a, keys[i]), text_of(reader, b, keys[i])))
			return false;
	return same_point(reader, a, b);
}

static int set_unescaped(char **member, struct slice text)
{
	size_t len;
	char *plain;
	int rc;

	if (!text.s)
		return 0;
	plain = jp_unescape(text, &len);
	rc = plain ? parsed_set_text(member, plain, len) : -ENOMEM;
	free(plain);
	return rc;
}

static int add_point(struct parsed_record *record, const struct jp_node *key)
{
	size_t name_len, len;
	char *name = jp_unescape(key->key, &name_len), *value = jp_unescape(key->text, &len);
	int rc = -ENOMEM;

	if (name && value)
		rc = *name ? parsed_add_point(record, name, value, len) : 0;
	free(name);
	free(value);
	return rc;
}

/* "label (set)" */
static int set_label(struct reader *reader, struct parsed_record *record,
		     const struct jp_node *group)
{
	struct slice set = text_of(reader, group, "set");
	size_t len, set_len;
	char *label = jp_unescape(text_of(reader, group, "label"), &len), *name, *both;
	int rc = -ENOMEM;

	name = jp_unescape(set, &set_len);
	both = malloc(len + set_len + 4);
	if (label && name && both) {
		memcpy(both, label, len);
		memcpy(both + len, " (", 2);
		memcpy(both + len + 2, name, set_len);
		both[len + 2 + set_len] = ')';
		rc = parsed_set_text(&record->label, both,
				     reader->several_sets ? len + set_len + 3 : len);
	}
	free(label);
	free(name);
	free(both);
	return rc;
}

static int add_record(struct reader *reader, const struct jp_node *group)
{
	const struct jp_doc *doc = reader->doc;
	const struct jp_node *point = jp_get_kind(doc, group, "point", JP_OBJECT);
	struct parsed_record *record = parsed_add_record(reader->out, "", 0);
	int rc;

	if (!record)
		return -errno;
	record->line = group->line;
	rc = set_label(reader, record, group);
	if (!rc)
		rc = set_unescaped(&record->config, text_of(reader, group, "config"));
	if (!rc)
		rc = set_unescaped(&record->workload, text_of(reader, group, "workload"));
	if (!rc)
		rc = set_unescaped(&record->host, text_of(reader, group, "host"));
	for (const struct jp_node *key = jp_first(doc, point); !rc && key; key = jp_next(doc, key))
		rc = add_point(record, key);
	return rc;
}

/* ---- values ---- */

/* The metric's kind; names that were unescaped belong to figure_release(). */
struct kind {
	char *metric, *unit;
	struct figure figure;
};

static int read_kind(struct reader *reader, const struct jp_node *group, struct kind *out)
{
	struct number half_step;
	size_t len;

	*out = (struct kind){ .metric = jp_unescape(text_of(reader, group, "metric"), &len) };
	out->unit = jp_unescape(text_of(reader, group, "unit"), &len);
	out->figure.metric = out->metric;
	out->figure.unit = out->unit;
	out->figure.better = brunt_better(text_of(reader, group, "better"));
	out->figure.headline = jp_get_kind(reader->doc, group, "headline", JP_TRUE) != NULL;
	if (jp_number(jp_get(reader->doc, group, "half_step"), &half_step) && half_step.value > 0)
		out->figure.half_step = half_step.value;
	return out->metric && out->unit ? 0 : -ENOMEM;
}

static bool set_value(struct kind *kind, const struct jp_node *node)
{
	struct number number;

	if (!jp_number(node, &number))
		return false;
	kind->figure.value = number.value;
	kind->figure.text = node->text;
	kind->figure.line = node->line;
	kind->figure.column = node->column;
	return true;
}

static size_t count_of(struct reader *reader, const struct jp_node *values)
{
	size_t n = 0;

	for (const struct jp_node *v = jp_first(reader->doc, values); v;
	     v = jp_next(reader->doc, v))
		n++;
	return n;
}

static int not_a_number(struct reader *reader, const struct jp_node *node)
{
	return parsed_add_note(reader->out, node->line, node->column, "no number: left out");
}

/* Values of the runs of a cell that are there already, or of new ones. */
static int add_values(struct reader *reader, const struct jp_node *group,
		      const struct jp_node *values, struct kind *kind)
{
	size_t n = count_of(reader, values), i = 0;
	bool join = reader->cell && reader->n == n && same_cell(reader, reader->cell, group);
	int rc = 0;

	if (!join) {
		reader->first = reader->out->n;
		reader->cell = group;
		reader->n = n;
	}
	for (const struct jp_node *v = jp_first(reader->doc, values); !rc && v;
	     v = jp_next(reader->doc, v), i++) {
		if (!set_value(kind, v)) {
			reader->cell = NULL; /* the values have lost their places */
			rc = not_a_number(reader, v);
			continue;
		}
		if (!join)
			rc = add_record(reader, group);
		if (!rc)
			rc = figure_add(&reader->out->records[join ? reader->first + i
								   : reader->out->n - 1],
					&kind->figure);
	}
	return rc;
}

static int add_summary(struct reader *reader, const struct jp_node *group, struct kind *kind)
{
	const struct jp_node *mean = jp_get(reader->doc, group, "mean");
	const struct jp_node *sd = jp_get(reader->doc, group, "sd");
	struct number n, spread;
	bool known =
		jp_number(jp_get(reader->doc, group, "n"), &n) && n.value >= 1 && n.value < 1e9;
	bool has_sd = jp_number(sd, &spread);
	int rc;

	if (!set_value(kind, mean))
		return not_a_number(reader, mean ? mean : group);
	rc = add_record(reader, group);
	spread.half_step = 0; /* it is not rounded */
	return rc ? rc
		  : figure_add_summary(&reader->out->records[reader->out->n - 1], &kind->figure,
				       known ? (size_t)n.value : 0, PARSED_SD,
				       has_sd ? &spread : NULL,
				       has_sd ? sd->text : (struct slice){ 0 });
}

static int add_group(struct reader *reader, const struct jp_node *group)
{
	const struct jp_node *values = jp_get(reader->doc, group, "values");
	struct kind kind;
	int rc;

	if (!text_of(reader, group, "metric").len)
		return parsed_add_note(reader->out, group->line, group->column,
				       "a group without a metric: left out");
	rc = read_kind(reader, group, &kind);
	if (!rc && values && values->kind == JP_ARRAY)
		rc = add_values(reader, group, values, &kind);
	else if (!rc)
		rc = add_summary(reader, group, &kind);
	free(kind.metric);
	free(kind.unit);
	return rc;
}

int brunt_json_read(struct parsed *out, const struct jp_doc *doc)
{
	struct reader reader = { .out = out, .doc = doc };
	const struct jp_node *groups = jp_get_kind(doc, doc->v, "groups", JP_ARRAY);
	const struct jp_node *first = jp_first(doc, groups);
	int rc = 0;

	for (const struct jp_node *g = first; g && !reader.several_sets; g = jp_next(doc, g))
		reader.several_sets =
			!same(text_of(&reader, g, "set"), text_of(&reader, first, "set"));
	for (const struct jp_node *g = first; !rc && g; g = jp_next(doc, g))
		rc = add_group(&reader, g);
	return rc;
}
