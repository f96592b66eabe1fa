// SPDX-License-Identifier: GPL-3.0-or-later
/* Results that others published as mean, spread and number of runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/set_parts.h"
#include "results/stats.h"

/*
 * The sd that a spread of this kind stands for; NAN where it says none. n is 0 where the number of
 * runs is not known: a standard error then says nothing.
 */
static double sd_of(const char *kind, double spread, double mean, size_t n)
{
	double in_units = spread / 100 * fabs(mean);

	if (!(spread >= 0))
		return NAN;
	if (!strcmp(kind, "sd"))
		return spread;
	if (!strcmp(kind, "variance"))
		return sqrt(spread);
	if (!strcmp(kind, "sd_pct"))
		return in_units;
	if (!strcmp(kind, "se") && n)
		return spread * sqrt((double)n);
	if (!strcmp(kind, "se_pct") && n)
		return in_units * sqrt((double)n);
	if (!strcmp(kind, "ci95") && n > 1)
		return spread * sqrt((double)n) / student_critical(.95, (double)n - 1);
	return NAN;
}

/* false: there is one already */
static bool is_first(struct set_reader *reader, const struct set_summary *s)
{
	const struct set_run *place = &s->place;
	char key[160];

	snprintf(key, sizeof(key), "%p %p %p %p %p %p", (const void *)place->host,
		 (const void *)place->label, (const void *)place->config,
		 (const void *)place->workload, (const void *)place->point,
		 (const void *)s->metric);
	if (json_object_get(reader->summary_index, key))
		return false;
	json_object_set_new(reader->summary_index, key, json_true());
	return true;
}

bool set_reader_summary(struct set_reader *reader, const struct json_item *line)
{
	const struct json_item *count = json_item_get(line, "n");
	bool unknown_n = count && count->kind == JSON_KIND_NULL;
	const char *metric = json_item_text(line, "metric", NULL);
	double half_step = json_item_number(line, "half_step");
	int64_t n = json_item_int(line, "n", 0);
	struct set_data *data = reader->data;
	struct set_summary s = { .mean = json_item_number(line, "mean") };

	if (!metric || (n < 1 && !unknown_n) || isnan(s.mean) ||
	    !set_reader_place(reader, line, &s.place))
		return false;
	s.place.measured = true;
	s.n = (size_t)n;
	s.sd = sd_of(json_item_text(line, "spread_kind", ""), json_item_number(line, "spread"),
		     s.mean, s.n);
	s.half_step = half_step > 0 ? half_step : 0;
	s.metric = set_reader_metric(reader, metric, line, NULL);
	if (!is_first(reader, &s))
		return false;
	GROW(data->summaries, data->nsummaries, reader->summaries_cap);
	data->summaries[data->nsummaries++] = s;
	return true;
}

/* ---- without a file ---- */

static void add_side(struct set_reader *reader, const struct set_side *side)
{
	auto_json json_t *line = json_object();
	auto_buf struct buf text = BUF_INIT;
	json_t *session = json_object(), *imported = json_object();

	json_object_set_new(imported, "order", json_string("unknown"));
	json_object_set_new(session, "label", json_text(side->label));
	json_object_set_new(session, "host", json_string(""));
	json_object_set_new(session, "imported", imported);
	json_object_set_new(reader->data->sessions, side->label, session);
	json_object_set_new(line, "session", json_text(side->label));
	json_object_set_new(line, "label", json_text(side->label));
	json_object_set_new(line, "config", json_string("mean"));
	json_object_set_new(line, "workload", json_string("summary"));
	json_object_set_new(line, "metric", json_string("value"));
	json_object_set_new(line, "better", json_string("lower"));
	json_object_set_new(line, "headline", json_true());
	json_object_set_new(line, "n", json_integer((json_int_t)side->n));
	json_object_set_new(line, "mean", json_number(side->mean));
	json_object_set_new(line, "spread", json_number(side->sd));
	json_object_set_new(line, "spread_kind", json_string("sd"));
	json_object_set_new(line, "half_step", json_number(side->step / 2));
	json_write(&text, line, 0);
	if (!json_line_parse(&reader->line, text.s, text.len))
		set_reader_summary(reader, reader->line.items);
}

void set_of_summaries(const char *path, const struct set_side *sides, size_t n,
		      struct set_data *data)
{
	struct set_data made = { .path = xstrdup(path), .sessions = json_object(),
				 .points = json_object(), .names = json_object() };
	struct set_reader reader = { .data = &made, .metric_index = json_object(),
				     .summary_index = json_object() };

	for (size_t i = 0; i < n; i++)
		add_side(&reader, &sides[i]);
	json_decref(reader.metric_index);
	json_decref(reader.summary_index);
	json_line_release(&reader.line);
	buf_release(&reader.key);
	*data = made;
}
