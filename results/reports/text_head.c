// SPDX-License-Identifier: GPL-3.0-or-later
/* On what it was run, and how often: from the sessions' files. What they do not say is left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "results/reports/figures.h"
#include "results/reports/text_parts.h"


/* "2 x AMD EPYC (kvm), 23 GiB, Linux 6.18.44 #1 SMP" */
static void add_machine(struct text *text, const json_t *session)
{
	const json_t *environment = json_object_get(session, "environment");
	const char *model = json_get_text(environment, "cpu.model", NULL);
	const char *virtualisation = json_get_text(environment, "virtualisation", NULL);
	const char *release = json_get_text(environment, "kernel.release", NULL);
	const char *version = json_get_text(environment, "kernel.version", "");
	int64_t cpus = json_get_int(environment, "cpu.count", 0);
	double memory = json_get_number(environment, "memory.total_bytes");
	auto_buf struct buf line = BUF_INIT;

	if (text->many_hosts) {
		text->escape(&line, json_get_text(session, "host", "?"));
		buf_add(&line, ": ");
	}
	if (cpus > 0)
		buf_addf(&line, "%lld x ", (long long)cpus);
	if (cpus > 0 || model)
		text->escape(&line, model ? model : "CPU");
	if (virtualisation && strcmp(virtualisation, "none") != 0) {
		buf_add(&line, " (");
		text->escape(&line, virtualisation);
		buf_add(&line, ")");
	}
	if (memory > 0)
		buf_addf(&line, "%s%.0f GiB", line.len ? ", " : "", memory / (1 << 30));
	if (release) {
		buf_addf(&line, "%sLinux ", line.len ? ", " : "");
		text->escape(&line, release);
		buf_addc(&line, ' ');
		text->escape(&line, version);
	}
	text_paragraph(text, &line);
}

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(json_get_text(a, key, ""), json_get_text(b, key, ""));
}

/* ---- rounds and counts ---- */

/* The numbers of values behind the means: rounds, or runs of a configuration that is alone. */
static void count_rounds(const struct text *text, const struct set_data *data, size_t *least,
			 size_t *most)
{
	const struct analysis *analysis = text->analysis;

	*least = *most = 0;
	for (size_t i = 0; i < analysis->ncells; i++) {
		const struct analysis_count *count = &analysis->counts[i];
		size_t n = count->ok - count->broken_rounds;

		n = n ? n : count->published;

		if (count->cell->data != data || !n)
			continue;
		*least = !*least || n < *least ? n : *least;
		*most = n > *most ? n : *most;
	}
}

static void add_rounds(struct text *text, const struct set_data *data, const char *what,
		       struct buf *line)
{
	size_t least, most;

	count_rounds(text, data, &least, &most);
	if (least == most)
		buf_addf(line, "%zu %s%s", most, what, most == 1 ? "" : "s");
	else
		buf_addf(line, "%zu to %zu %ss", least, most, what);
}

/* ---- what others measured ---- */

/* "Re: LSM hook updates, 2005-08-25 (Chris Wright)" */
static void add_source(struct text *text, const json_t *imported)
{
	static const char *const keys[] = { "title", "date", "author" };
	static const char *const before[] = { "published: ", ", ", " (" };
	auto_buf struct buf line = BUF_INIT;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = json_get_text(imported, keys[i], NULL);

		if (!value || (i && !line.len))
			continue;
		buf_add(&line, before[i]);
		text->escape(&line, value);
		buf_add(&line, i == 2 ? ")" : "");
	}
	text_paragraph(text, &line);
}

static void add_published(struct text *text, const struct set_data *data, const json_t *session)
{
	auto_buf struct buf line = BUF_INIT;
	size_t least, most;

	add_source(text, set_imported(session));
	count_rounds(text, data, &least, &most);
	if (most)
		add_rounds(text, data, "run", &line);
	buf_add(&line, most ? " a side, judged as published" :
			      "it is not known how many runs the means are of");
	if (!set_order_is_known(session))
		buf_add(&line, "; the order of the runs is not known: no test for drift");
	text_paragraph(text, &line);
}

/* ---- a set ---- */

static void add_seeds(const struct set_data *data, struct buf *line)
{
	const char *id, *separator = ", balanced random order, seed ";
	int64_t seed, last = -1;
	json_t *session;

	json_object_foreach(data->sessions, id, session) {
		seed = json_get_int(session, "seed", -1);
		if (seed == last)
			continue;
		buf_addf(line, "%s%lld", separator, (long long)seed);
		separator = ", ";
		last = seed;
	}
}

static void add_counts(struct text *text, const struct set_data *data, struct buf *line)
{
	const struct analysis *analysis = text->analysis;
	size_t failed = 0, invalid = 0, warmup = 0, broken = 0;

	for (size_t i = 0; i < analysis->ncells; i++) {
		const struct analysis_count *count = &analysis->counts[i];

		if (count->cell->data != data)
			continue;
		failed += count->failed;
		invalid += count->invalid;
		warmup += count->warmup;
		broken += count->broken_rounds;
	}
	if (warmup)
		buf_addf(line, "; %zu" HARD_BLANK "warm-up run%s left out", warmup,
			 warmup == 1 ? "" : "s");
	buf_addf(line, "; %zu" HARD_BLANK "run%s failed, %zu" HARD_BLANK "invalid", failed,
		 failed == 1 ? "" : "s", invalid);
	if (broken)
		buf_addf(line, ", %zu left out with their broken rounds", broken);
}

static void add_set(struct text *text, const struct set_data *data)
{
	const json_t *first = json_object_iter_value(json_object_iter(data->sessions));
	auto_buf struct buf line = BUF_INIT;
	const char *id, *other_id;
	json_t *session, *other;

	if (text->analysis->nsets > 1) {
		buf_add(&line, "set ");
		text->escape(&line, data->path);
		buf_add(&line, ":");
		text_paragraph(text, &line);
	}
	if (set_imported(first)) {
		add_published(text, data, first);
		return;
	}
	text_work(text, first);
	json_object_foreach(data->sessions, id, session) {
		bool new_host = true;

		json_object_foreach(data->sessions, other_id, other) {
			if (other == session)
				break;
			new_host &= !same_text(other, session, "host");
		}
		if (new_host)
			add_machine(text, session);
	}
	text_environment(text, data);
	add_rounds(text, data, "round", &line);
	if (json_object_size(data->sessions) > 1)
		buf_addf(&line, " in %zu sessions", json_object_size(data->sessions));
	add_seeds(data, &line);
	add_counts(text, data, &line);
	text_paragraph(text, &line);
	text_stopping(text, data);
}

void text_head(struct text *text)
{
	for (size_t i = 0; i < text->analysis->nsets; i++)
		add_set(text, &text->analysis->sets[i]);
}
