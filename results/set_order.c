// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The runs of a set once its lines are read: each once, those that did not end apart, the others in
 * the order in which they were made.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/set_parts.h"

/* By number and session; runs of one number in the order of the file. */
static int compare_runs(const void *a, const void *b)
{
	const struct set_run *x = *(const struct set_run *const *)a;
	const struct set_run *y = *(const struct set_run *const *)b;
	int order;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	order = x->session == y->session ? 0 : strcmp(x->session, y->session);
	return order ? order : (x > y) - (x < y);
}

static struct set_run **sorted_runs(struct set_run *runs, size_t n)
{
	struct set_run **sorted = xcalloc(n + 1, sizeof(struct set_run *));

	for (size_t i = 0; i < n; i++)
		sorted[i] = &runs[i];
	qsort(sorted, n, sizeof(struct set_run *), compare_runs);
	return sorted;
}

static bool same_run(const struct set_run *a, const struct set_run *b)
{
	return a->number == b->number && a->session == b->session;
}

/* A run that ends twice (a file that was joined with a copy of itself) counts once. */
static void drop_repeated(struct set_data *data)
{
	auto_free struct set_run **sorted = sorted_runs(data->runs, data->nruns);
	size_t kept = 0;

	for (size_t i = 1; i < data->nruns; i++)
		if (same_run(sorted[i - 1], sorted[i]))
			sorted[i]->number = 0;
	for (size_t i = 0; i < data->nruns; i++) {
		if (data->runs[i].number) {
			data->runs[kept++] = data->runs[i];
			continue;
		}
		set_run_release(&data->runs[i]);
		data->skipped++;
	}
	data->nruns = kept;
}

/* ---- the order of the runs ---- */

struct place {
	size_t session; /* rank by start; those without a file come last, as they appear */
	size_t index;	/* in the file */
	unsigned int number;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static struct place *places_of(const struct set_data *data)
{
	struct place *places = xcalloc(data->nruns + 1, sizeof(*places));
	auto_json json_t *ranks = json_object();
	const char *id;
	json_t *session;

	json_object_foreach(data->sessions, id, session)
		json_object_set_new(ranks, id, json_integer((json_int_t)json_object_size(ranks)));
	for (size_t i = 0; i < data->nruns; i++) {
		const struct set_run *run = &data->runs[i];
		const json_t *rank;

		places[i] = (struct place){ .index = i, .number = run->number };
		if (i && run->session == run[-1].session) {
			places[i].session = places[i - 1].session;
			continue;
		}
		rank = json_object_get(ranks, run->session);
		if (!rank) {
			json_object_set_new(ranks, run->session,
					    json_integer((json_int_t)json_object_size(ranks)));
			rank = json_object_get(ranks, run->session);
		}
		places[i].session = (size_t)json_integer_value(rank);
	}
	return places;
}

/* Lines can stand in any order: files are joined, and several sessions write at a time. */
static void sort_runs(struct set_data *data)
{
	auto_free struct place *places = places_of(data);
	struct set_run *runs;
	bool sorted = true;

	for (size_t i = 1; i < data->nruns; i++)
		sorted &= compare_places(&places[i - 1], &places[i]) < 0;
	if (sorted)
		return;
	qsort(places, data->nruns, sizeof(*places), compare_places);
	runs = xcalloc(data->nruns, sizeof(*runs));
	for (size_t i = 0; i < data->nruns; i++)
		runs[i] = data->runs[places[i].index];
	free(data->runs);
	data->runs = runs;
}

/* Starts without an end, in the order of the file. */
static void find_unended(struct set_reader *reader)
{
	struct set_data *data = reader->data;
	auto_free struct set_run **ends = sorted_runs(data->runs, data->nruns);
	auto_free struct set_run **starts = sorted_runs(reader->starts, reader->nstarts);
	size_t end = 0, kept = 0;

	for (size_t i = 0; i < reader->nstarts; i++) {
		const struct set_run *start = starts[i];

		while (end < data->nruns && (ends[end]->number < start->number ||
					     (ends[end]->number == start->number &&
					      strcmp(ends[end]->session, start->session) < 0)))
			end++;
		if (end < data->nruns && same_run(ends[end], start))
			starts[i]->number = 0;
	}
	for (size_t i = 0; i < reader->nstarts; i++)
		if (reader->starts[i].number)
			reader->starts[kept++] = reader->starts[i];
	data->unended = xreallocarray(reader->starts, kept + 1, sizeof(*reader->starts));
	data->nunended = kept;
	reader->starts = NULL;
}

void set_reader_order(struct set_reader *reader)
{
	drop_repeated(reader->data);
	find_unended(reader);
	sort_runs(reader->data);
}
