// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/report_diff.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/xalloc.h"

/* ---- where a difference is ---- */

static void add_name(struct buf *out, const json_t *object, const char *key, const char *before)
{
	const char *text = json_get_text(object, key, NULL);

	if (text && *text)
		buf_addf(out, "%s%s", before, text);
}

/* "label/config" */
static void add_side(struct buf *out, const json_t *side)
{
	add_name(out, side, "label", "");
	add_name(out, side, "config", json_object_get(side, "label") ? "/" : "");
}

/* "sys, none -> blktrace": what tells an element of an array from the others. */
static void add_element(struct buf *out, const json_t *element, size_t i)
{
	const json_t *base = json_object_get(element, "base");
	const json_t *fresh = json_object_get(element, "new");

	buf_addf(out, "[%zu]", i);
	add_name(out, element, "metric", " ");
	if (base && fresh) {
		buf_add(out, ", ");
		add_side(out, base);
		buf_add(out, " -> ");
		add_side(out, fresh);
	} else {
		add_name(out, element, "label", ", ");
		add_name(out, element, "config", ", ");
		add_name(out, element, "set", ", ");
	}
}

/* What is large is not written out. */
static void add_value(struct buf *out, const json_t *value)
{
	if (json_array_size(value))
		buf_addf(out, "an array of %zu", json_array_size(value));
	else if (json_object_size(value))
		buf_add(out, "an object");
	else
		json_write(out, value, 0);
}

struct diff {
	struct words *lines;
	struct buf where;
};

/* NULL: there is none on that side. */
static void differs(struct diff *diff, const json_t *stated, const json_t *computed)
{
	auto_buf struct buf line = BUF_INIT;

	buf_addf(&line, "%s is ", diff->where.len ? diff->where.s : "it");
	if (stated)
		add_value(&line, stated);
	else
		buf_add(&line, "missing");
	buf_add(&line, ", the set gives ");
	if (computed)
		add_value(&line, computed);
	else
		buf_add(&line, "none");
	words_add(diff->lines, line.s);
}

/* ---- values ---- */

static bool same_number(double a, double b)
{
	return fabs(a - b) <= REPORT_DIFF_TOLERANCE * fmax(fabs(a), fabs(b));
}

/* As deep as what was computed, and no deeper. */
static void compare(struct diff *diff, const json_t *stated, const json_t *computed);

static void go_back(struct buf *where, size_t len)
{
	if (where->s)
		where->s[len] = '\0';
	where->len = len;
}

static void compare_member(struct diff *diff, const char *key, const json_t *stated,
			   const json_t *computed)
{
	size_t len = diff->where.len;

	buf_addf(&diff->where, "%s%s", len ? ": " : "", key);
	compare(diff, stated, computed);
	go_back(&diff->where, len);
}

static void compare_objects(struct diff *diff, json_t *stated, json_t *computed)
{
	const char *key;
	json_t *value;

	json_object_foreach(stated, key, value)
		compare_member(diff, key, value, json_object_get(computed, key));
	json_object_foreach(computed, key, value)
		if (!json_object_get(stated, key))
			compare_member(diff, key, NULL, value);
}

static void compare_element(struct diff *diff, size_t i, const json_t *stated,
			    const json_t *computed)
{
	size_t len = diff->where.len;

	add_element(&diff->where, stated ? stated : computed, i);
	compare(diff, stated, computed);
	go_back(&diff->where, len);
}

/* What an element is of: all that tells it from the others of its array. The caller frees it. */
static char *name_of(const json_t *element)
{
	static const char *const keys[] = { "set", "host", "workload", "point", "metric", "label",
					    "config", "base", "new", "kind", "headline", "key" };
	auto_buf struct buf name = BUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const json_t *member = json_object_get(element, keys[i]);

		if (member)
			json_write(&name, member, 0);
		buf_addc(&name, '\n');
	}
	return buf_steal(&name);
}

static json_t *names_in(const json_t *array)
{
	json_t *names = json_object();
	const json_t *element;
	size_t i;

	json_array_foreach(array, i, element) {
		auto_free char *name = name_of(element);

		json_object_set_new(names, name, json_true());
	}
	return names;
}

/* The elements of one side that the other has not at all. */
static void tell_surplus(struct diff *diff, const json_t *array, const json_t *other, bool missing)
{
	auto_json json_t *names = names_in(other);
	const json_t *element;
	size_t i;

	json_array_foreach(array, i, element) {
		auto_free char *name = name_of(element);

		if (json_is_object(element) && !json_object_get(names, name))
			compare_element(diff, i, missing ? NULL : element,
					missing ? element : NULL);
	}
}

static void compare_arrays(struct diff *diff, const json_t *stated, const json_t *computed)
{
	size_t n = json_array_size(stated), m = json_array_size(computed);

	if (n != m) {
		auto_buf struct buf line = BUF_INIT;

		buf_addf(&line, "%s has %zu elements, the set gives %zu", diff->where.s, n, m);
		words_add(diff->lines, line.s);
		tell_surplus(diff, computed, stated, true);
		tell_surplus(diff, stated, computed, false);
		return;
	}
	for (size_t i = 0; i < n; i++)
		compare_element(diff, i, json_array_get(stated, i), json_array_get(computed, i));
}

static void compare(struct diff *diff, const json_t *stated, const json_t *computed)
{
	if (json_is_object(stated) && json_is_object(computed))
		compare_objects(diff, (json_t *)stated, (json_t *)computed);
	else if (json_is_array(stated) && json_is_array(computed))
		compare_arrays(diff, stated, computed);
	else if (json_is_number(stated) && json_is_number(computed)) {
		if (!same_number(json_number_value(stated), json_number_value(computed)))
			differs(diff, stated, computed);
	} else if (!stated || !computed || !json_equal((json_t *)stated, (json_t *)computed)) {
		differs(diff, stated, computed);
	}
}

void report_diff(const json_t *stated, const json_t *computed, struct words *lines)
{
	struct diff diff = { .lines = lines };

	compare(&diff, stated, computed);
	buf_release(&diff.where);
}

/* ---- options ---- */

static const struct analysis_side *read_side(const json_t *report, const json_t *object,
					     struct analysis_side *side)
{
	const json_t *sets = json_object_get(report, "sets"), *set;
	size_t i;

	if (!json_is_object(object))
		return NULL;
	*side = (struct analysis_side){ .label = json_get_text(object, "label", NULL),
					.config = json_get_text(object, "config", NULL) };
	json_array_foreach(sets, i, set)
		if (!strcmp(json_get_text(set, "set", ""), json_get_text(object, "set", "")))
			side->set = i;
	return side;
}

void report_read_back_options(const json_t *report, struct analysis_options *out,
			      struct analysis_side sides[2])
{
	const json_t *options = json_object_get(report, "options");
	double margin = json_get_number(report, "margin_pct");
	double effect = json_get_number(report, "effect_pct");

	*out = (struct analysis_options)ANALYSIS_OPTIONS_INIT;
	if (!isnan(margin))
		out->margin_pct = margin;
	if (!isnan(effect))
		out->effect_pct = effect;
	out->base_config = json_get_text(options, "base_config", NULL);
	out->base_label = json_get_text(options, "base_label", NULL);
	out->metric = json_get_text(options, "metric", NULL);
	out->all_metrics = json_is_true(json_object_get(options, "all_metrics"));
	out->one_boot = json_is_true(json_object_get(options, "one_boot"));
	out->base = read_side(report, json_object_get(options, "base"), &sides[0]);
	out->fresh = read_side(report, json_object_get(options, "new"), &sides[1]);
}
