// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/hyperfine_reader.h"

static const struct jp_node *results_of(const struct jp_doc *doc)
{
	return jp_get_kind(doc, doc->v, "results", JP_ARRAY);
}

bool hyperfine_json_is_one(const struct jp_doc *doc)
{
	const struct jp_node *first = jp_first(doc, results_of(doc));

	return first && jp_get_kind(doc, first, "command", JP_STRING) &&
	       (jp_get(doc, first, "times") || jp_get(doc, first, "mean"));
}

/* ---- what a result is called ---- */

struct name {
	char *text;
	size_t len;
	size_t index, again; /* how many results before it have the same */
};

static int compare(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;
	int order = strcmp(a->text, b->text);

	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int by_index(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;

	return (a->index > b->index) - (a->index < b->index);
}

/* Puts the two together; frees what was there. 0 or -ENOMEM. */
static int append(struct name *name, const char *between, struct slice more)
{
	size_t gap = strlen(between);
	char *grown = realloc(name->text, name->len + gap + more.len + 1);

	if (!grown)
		return -ENOMEM;
	memcpy(grown + name->len, between, gap);
	if (more.len)
		memcpy(grown + name->len + gap, more.s, more.len);
	name->text = grown;
	name->len += gap + more.len;
	grown[name->len] = '\0';
	return 0;
}

/* The command, with the parameters that hyperfine put into it: "make -j 4 [jobs=4]". */
static int name_result(const struct jp_doc *doc, const struct jp_node *result, struct name *name)
{
	const struct jp_node *command = jp_get_kind(doc, result, "command", JP_STRING);
	const struct jp_node *first =
		jp_first(doc, jp_get_kind(doc, result, "parameters", JP_OBJECT));
	int rc = 0;

	name->text = jp_unescape(command ? command->text : (struct slice){ "", 0 }, &name->len);
	if (!name->text)
		return -ENOMEM;
	for (const struct jp_node *p = first; !rc && p; p = jp_next(doc, p)) {
		rc = append(name, p == first ? " [" : ", ", p->key);
		if (!rc)
			rc = append(name, "=", p->text);
		if (!rc && !jp_next(doc, p))
			rc = append(name, "]", (struct slice){ 0 });
	}
	return rc;
}

struct names {
	struct name *v;
	size_t n;
};

static void release_names(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i].text);
	free(names->v);
}

static int read_names(const struct jp_doc *doc, struct names *names)
{
	size_t n = 0;
	int rc = 0;

	for (const struct jp_node *r = jp_first(doc, results_of(doc)); r; r = jp_next(doc, r))
		n++;
	names->v = calloc(n ? n : 1, sizeof(*names->v));
	if (!names->v)
		return -ENOMEM;
	for (const struct jp_node *r = jp_first(doc, results_of(doc)); !rc && r;
	     r = jp_next(doc, r)) {
		names->v[names->n].index = names->n;
		rc = name_result(doc, r, &names->v[names->n]);
		names->n++;
	}
	if (rc)
		return rc;
	qsort(names->v, n, sizeof(*names->v), compare);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(names->v[i].text, names->v[i - 1].text))
			names->v[i].again = names->v[i - 1].again + 1;
	qsort(names->v, n, sizeof(*names->v), by_index);
	return 0;
}

/* ---- a result ---- */

struct result {
	struct parsed *out;
	const struct jp_doc *doc;
	const struct jp_node *node;
	struct slice name;
	size_t n, failed;
	bool alone; /* the command's only run */
	double sum;
};

static void set_figure(const struct jp_node *node, struct hyperfine_figure *out)
{
	*out = (struct hyperfine_figure){ 0 };
	if (!jp_number(node, &out->number) || out->number.value < 0)
		return;
	out->text = node->text;
	out->line = node->line;
	out->column = node->column;
	out->known = true;
}

static int add_run(struct result *result, const struct jp_node *time, const struct jp_node *code)
{
	struct hyperfine_result run = { .command = result->name, .line = time->line, .n = 1 };
	struct number status;
	char why[64];

	set_figure(time, &run.real);
	if (result->alone) { /* the means are its own times */
		set_figure(jp_get(result->doc, result->node, "user"), &run.user);
		set_figure(jp_get(result->doc, result->node, "system"), &run.sys);
	}
	if (!run.real.known)
		return parsed_add_note(result->out, time->line, time->column, "no time: left out");
	result->n++;
	result->sum += run.real.number.value;
	if (code && code->kind == JP_NULL) {
		run.failed = "ended by a signal";
	} else if (jp_number(code, &status) && fabs(status.value) > 0) {
		snprintf(why, sizeof(why), "exit status %.0f", status.value);
		run.failed = why;
	}
	result->failed += run.failed != NULL;
	return hyperfine_add(result->out, &run);
}

static int add_runs(struct result *result)
{
	const struct jp_doc *doc = result->doc;
	const struct jp_node *times = jp_get_kind(doc, result->node, "times", JP_ARRAY);
	const struct jp_node *codes = jp_get_kind(doc, result->node, "exit_codes", JP_ARRAY);
	const struct jp_node *code = jp_first(doc, codes);
	const struct jp_node *first = jp_first(doc, times);
	int rc = 0;

	result->alone = first && !jp_next(doc, first);
	for (const struct jp_node *t = first; !rc && t; t = jp_next(doc, t)) {
		rc = add_run(result, t, code);
		code = code ? jp_next(doc, code) : NULL;
	}
	return rc;
}

static int note(const struct result *result, const char *text)
{
	return parsed_add_note(result->out, result->node->line, result->node->column, "%s", text);
}

/* Means that stand beside the single times; or instead of them, where these were not exported. */
static int add_means(struct result *result)
{
	const struct jp_doc *doc = result->doc;
	struct hyperfine_result means = { .command = result->name,
					  .line = result->node->line,
					  .n = result->n };
	struct hyperfine_figure mean;
	int rc = 0;

	set_figure(jp_get(doc, result->node, "mean"), &mean);
	if (!result->alone) {
		set_figure(jp_get(doc, result->node, "user"), &means.user);
		set_figure(jp_get(doc, result->node, "system"), &means.sys);
	}
	if (result->n && mean.known) {
		double own = result->sum / (double)result->n;

		if (fabs(own - mean.number.value) > 1e-6 * own + mean.number.half_step)
			rc = note(result, "the mean is not that of the times, of which some may be "
					  "missing");
	}
	if (!result->n) {
		means.real = mean;
		set_figure(jp_get(doc, result->node, "stddev"), &means.sd);
	}
	if (!means.real.known && !means.user.known && !means.sys.known)
		return rc;
	if (!rc && result->failed)
		return note(result, "runs failed, so the means of user and system time, which are "
				    "over all runs, are left out");
	return rc ? rc : hyperfine_add(result->out, &means);
}

static int add_result(struct parsed *out, const struct jp_doc *doc, const struct jp_node *node,
		      struct name *name)
{
	struct result result = { .out = out, .doc = doc, .node = node };
	char again[32];
	int rc = 0;

	if (node->kind != JP_OBJECT)
		return 0;
	if (name->again) {
		snprintf(again, sizeof(again), " (%zu)", name->again + 1);
		rc = append(name, again, (struct slice){ 0 });
	}
	result.name = (struct slice){ name->text, name->len };
	if (!rc)
		rc = add_runs(&result);
	return rc ? rc : add_means(&result);
}

int hyperfine_json_read(struct parsed *out, const struct jp_doc *doc)
{
	struct names names = { 0 };
	int rc = read_names(doc, &names);
	size_t i = 0;

	for (const struct jp_node *r = jp_first(doc, results_of(doc)); !rc && r;
	     r = jp_next(doc, r))
		rc = add_result(out, doc, r, &names.v[i++]);
	release_names(&names);
	/* command after command, each run after the one before */
	out->in_order = true;
	return rc;
}
