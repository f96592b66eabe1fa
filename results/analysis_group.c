// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * From runs to cells and rounds. Runs are sorted into cells; at each point the runs of one round
 * are looked at together, and only rounds count in which every configuration of the session has
 * an ok run: so each mean of a table comes from the same rounds as the comparisons below it.
 * Where a round was done twice under one number the last run of each configuration stands for it.
 * A configuration that fails each time in a session says nothing there, and costs the others
 * nothing: rounds are those of the rest.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/analysis_parts.h"

struct found_cell {
	const struct set_run *first;
	size_t host, workload, label, config; /* ranks */
	size_t found;			      /* order of appearance */
	bool measured; /* in rounds: not by a summary */
};

/* A measured run on its way to a complete round. */
struct entry {
	const struct set_run *run;
	size_t cell, site, session;
	bool imported; /* not in a round with others */
};

struct grouping {
	struct analysis_builder *builder;
	const struct set_data *data;
	json_t *hosts, *labels, *configs, *workloads, *sessions; /* ranks */
	json_t *index; /* pointers of a cell's names -> found */
	struct found_cell *cells;
	size_t ncells, cells_cap;
	size_t first_cell; /* of this set in the analysis */
	size_t *cell_of;   /* run -> cell, counted from first_cell */
	size_t *round_of;  /* run -> complete round from 1; 0: not in one */
	size_t *site_of;   /* cell -> site */
	bool *is_lost;	   /* cell: in the session that is looked at none of its runs is ok */
	size_t *summary_cell_of; /* summary -> cell, counted from first_cell */
};

size_t analysis_rank(json_t *names, const char *name)
{
	const json_t *known = json_object_get(names, name);
	size_t rank = json_object_size(names);

	if (known)
		return (size_t)json_integer_value(known);
	json_object_set_new(names, name, json_integer((json_int_t)rank));
	return rank;
}

/* ---- cells ---- */

static const json_t *session_configs(const json_t *session)
{
	return json_object_get(json_object_get(session, "experiment"), "configs");
}

static void rank_sessions(struct grouping *g)
{
	const char *id;
	json_t *session, *config;
	size_t i;

	json_object_foreach(g->data->sessions, id, session) {
		analysis_rank(g->sessions, id);
		analysis_rank(g->hosts, json_get_text(session, "host", ""));
		analysis_rank(g->labels, json_get_text(session, "label", ""));
		json_array_foreach(session_configs(session), i, config)
			analysis_rank(g->configs, json_get_text(config, "name", ""));
	}
}

/* The cell of a run, by order of appearance. Shared names are equal when their pointers are. */
static size_t find_cell(struct grouping *g, const struct set_run *run)
{
	char key[128];
	const json_t *known;
	size_t found = g->ncells;

	snprintf(key, sizeof(key), "%p %p %p %p %p", (const void *)run->host,
		 (const void *)run->label, (const void *)run->config, (const void *)run->workload,
		 (const void *)run->point);
	known = json_object_get(g->index, key);
	if (known)
		return (size_t)json_integer_value(known);
	json_object_set_new(g->index, key, json_integer((json_int_t)found));
	GROW(g->cells, g->ncells, g->cells_cap);
	g->cells[g->ncells++] = (struct found_cell){
		.first = run,
		.host = analysis_rank(g->hosts, run->host),
		.workload = analysis_rank(g->workloads, run->workload),
		.label = analysis_rank(g->labels, run->label),
		.config = analysis_rank(g->configs, run->config),
		.found = found,
	};
	return found;
}

static int by_size(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int compare_sections(const struct found_cell *x, const struct found_cell *y)
{
	int order = by_size(x->host, y->host);

	if (!order)
		order = by_size(x->workload, y->workload);
	if (!order)
		order = strverscmp(x->first->point, y->first->point);
	return order;
}

static int compare_cells(const void *a, const void *b)
{
	const struct found_cell *x = a, *y = b;
	int order = compare_sections(x, y);

	if (!order)
		order = by_size(x->label, y->label);
	if (!order)
		order = by_size(x->config, y->config);
	return order;
}

static void add_cell(struct grouping *g, const struct found_cell *found)
{
	struct analysis *out = g->builder->out;
	struct analysis_cell *cell = xcalloc(1, sizeof(*cell));
	const struct set_run *run = found->first;
	const json_t *session = set_data_session(g->data, run->session);

	*cell = (struct analysis_cell){
		.data = g->data, .set = g->data->path, .host = run->host, .label = run->label,
		.config = run->config, .workload = run->workload, .point = run->point,
		.point_keys = json_object_get(g->data->points, run->point),
		.session = session, .imported = set_imported(session) != NULL,
		.aa_of = analysis_aa_of(session, run->config), .index = out->ncells,
	};
	GROW(out->cells, out->ncells, g->builder->cells_cap);
	out->cells[out->ncells++] = cell;
}

static void add_section(struct grouping *g)
{
	struct analysis *out = g->builder->out;

	GROW(out->sections, out->nsections, g->builder->sections_cap);
	out->sections[out->nsections++] =
		(struct analysis_section){ .first_cell = out->ncells };
}

static void make_cells(struct grouping *g)
{
	size_t n = g->data->nruns, nsummaries = g->data->nsummaries, site = 0;
	size_t *sorted;

	for (size_t i = 0; i < n; i++) {
		g->cell_of[i] = find_cell(g, &g->data->runs[i]);
		g->cells[g->cell_of[i]].measured |= g->data->runs[i].measured;
	}
	for (size_t i = 0; i < nsummaries; i++)
		g->summary_cell_of[i] = find_cell(g, &g->data->summaries[i].place);
	if (!g->ncells)
		return;
	qsort(g->cells, g->ncells, sizeof(*g->cells), compare_cells);
	sorted = xcalloc(g->ncells, sizeof(*sorted));
	g->site_of = xcalloc(g->ncells, sizeof(*g->site_of));
	for (size_t i = 0; i < g->ncells; i++) {
		bool fresh = i == 0 || compare_sections(&g->cells[i - 1], &g->cells[i]) != 0;

		sorted[g->cells[i].found] = i;
		if (fresh)
			add_section(g);
		if (i > 0 && (fresh || g->cells[i - 1].label != g->cells[i].label))
			site++;
		g->site_of[i] = site;
		add_cell(g, &g->cells[i]);
		g->builder->out->sections[g->builder->out->nsections - 1].ncells++;
	}
	for (size_t i = 0; i < n; i++)
		g->cell_of[i] = sorted[g->cell_of[i]];
	for (size_t i = 0; i < nsummaries; i++)
		g->summary_cell_of[i] = sorted[g->summary_cell_of[i]];
	free(sorted);
}

/* ---- counts ---- */

static void make_counts(struct grouping *g)
{
	struct analysis *out = g->builder->out;

	out->counts = xreallocarray(out->counts, out->ncells + 1, sizeof(*out->counts));
	for (; out->ncounts < out->ncells; out->ncounts++)
		out->counts[out->ncounts] =
			(struct analysis_count){ .cell = out->cells[out->ncounts], .lost = NAN };
	for (size_t i = 0; i < g->data->nruns; i++) {
		const struct set_run *run = &g->data->runs[i];
		struct analysis_count *count = &out->counts[g->first_cell + g->cell_of[i]];

		if (!run->measured) {
			count->warmup++;
			continue;
		}
		count->ok += run->status == RUN_OK;
		count->failed += run->status == RUN_FAILED;
		count->invalid += run->status == RUN_INVALID;
		count->interrupted += run->status == RUN_FAILED &&
				      !strcmp(run->reason, "interrupted");
		count->broken_rounds += run->status == RUN_OK && !g->round_of[i];
		if (!isnan(run->ledger.lost))
			count->lost = fmax(count->lost, 0) + run->ledger.lost;
	}
	for (size_t i = 0; i < g->data->nsummaries; i++) {
		size_t cell = g->first_cell + g->summary_cell_of[i];

		if (out->counts[cell].published < g->data->summaries[i].n)
			out->counts[cell].published = g->data->summaries[i].n;
	}
}

/* ---- rounds ---- */

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = by_size(x->site, y->site);

	if (!order)
		order = by_size(x->session, y->session);
	if (!order)
		order = by_size(x->run->round, y->run->round);
	if (!order)
		order = by_size(x->cell, y->cell);
	if (!order)
		order = by_size(x->run->number, y->run->number);
	return order ? order : by_size((size_t)x->run, (size_t)y->run);
}

static bool same_round(const struct entry *x, const struct entry *y)
{
	return !x->imported && x->site == y->site && x->session == y->session &&
	       x->run->round == y->run->round;
}

static bool is_imported(const struct grouping *g, const struct set_run *run)
{
	return set_imported(set_data_session(g->data, run->session)) != NULL;
}

static struct entry *make_entries(struct grouping *g, size_t *n)
{
	struct entry *entries = xcalloc(g->data->nruns + 1, sizeof(*entries));

	*n = 0;
	for (size_t i = 0; i < g->data->nruns; i++) {
		const struct set_run *run = &g->data->runs[i];

		if (run->measured)
			entries[(*n)++] =
				(struct entry){ run, g->cell_of[i], g->site_of[g->cell_of[i]],
						analysis_rank(g->sessions, run->session),
						is_imported(g, run) };
	}
	qsort(entries, *n, sizeof(*entries), compare_entries);
	return entries;
}

static bool has_config(const json_t *session, const char *name)
{
	const json_t *configs = session_configs(session), *config;
	size_t i;

	if (!json_array_size(configs))
		return true;
	json_array_foreach(configs, i, config)
		if (!strcmp(json_get_text(config, "name", ""), name))
			return true;
	return false;
}

static bool same_session(const struct entry *x, const struct entry *y)
{
	return x->site == y->site && x->session == y->session;
}

/*
 * Finds the cells that failed each time in the session that begins here; true: there are some. A
 * run that the user stopped is no sign of it.
 */
static bool find_lost(struct grouping *g, const struct entry *first, const struct entry *end)
{
	const struct entry *e;
	bool any = false;

	memset(g->is_lost, 0, g->ncells * sizeof(*g->is_lost));
	for (e = first; e < end && same_session(first, e); e++)
		if (e->run->status != RUN_OK && strcmp(e->run->reason, "interrupted") != 0)
			g->is_lost[e->cell] = true;
	for (e = first; e < end && same_session(first, e); e++)
		if (e->run->status == RUN_OK)
			g->is_lost[e->cell] = false;
	for (e = first; e < end && same_session(first, e); e++)
		any |= g->is_lost[e->cell];
	return any;
}

/* How many configurations a round of this session has at this point, but for lost ones. */
static size_t expected_configs(const struct grouping *g, const struct entry *entry)
{
	const json_t *session = set_data_session(g->data, entry->run->session);
	size_t expected = 0;

	if (entry->imported)
		return 1;
	for (size_t i = 0; i < g->ncells; i++)
		expected += g->site_of[i] == entry->site && g->cells[i].measured &&
			    !g->is_lost[i] && has_config(session, g->cells[i].first->config);
	return expected;
}

/* Numbers the runs of a round if it is complete. */
static bool take_round(struct grouping *g, const struct entry *entries, size_t n,
		       size_t expected, size_t number)
{
	size_t ok = 0;

	if (!expected)
		return false;
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			if (i + 1 < n && entries[i + 1].cell == entries[i].cell)
				continue; /* done again later */
			if (g->is_lost[entries[i].cell])
				continue;
			if (pass)
				g->round_of[entries[i].run - g->data->runs] = number;
			else if (entries[i].run->status == RUN_OK)
				ok++;
			else
				return false;
		}
		if (ok < expected)
			return false;
	}
	return true;
}

/* Rounds that a session was to give; a session that goes on with another adds none. */
static double planned_rounds(const struct grouping *g, const char *id)
{
	const json_t *session = set_data_session(g->data, id);
	double rounds = json_get_number(session, "rounds");

	if (json_is_string(json_object_get(session, "resumes")))
		return 0;
	return isnan(rounds) ? json_get_number(json_object_get(session, "experiment"), "rounds") :
			       rounds;
}

struct site_tally {
	size_t complete;
	bool broken; /* by a failed or invalid run */
	bool lost;   /* a configuration failed each time in some session */
	bool enough; /* rounds were added until there were enough */
	double planned;
};

static bool reached_enough(const struct grouping *g, const char *id)
{
	const json_t *until = json_object_get(set_data_session(g->data, id), "until");

	return !strcmp(json_get_text(until, "stopped", ""), "reached");
}

/* Were rounds that broke made up for? Where it is not known how many were wanted: no. */
static void judge_site(struct grouping *g, const struct site_tally *tally)
{
	if (tally->lost ||
	    (tally->broken && !tally->enough && !((double)tally->complete >= tally->planned)))
		g->builder->out->untrusted = true;
}

static bool any_lost(const struct entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (entries[i].run->status != RUN_OK)
			return true;
	return false;
}

static void make_rounds(struct grouping *g)
{
	struct site_tally tally = { 0 };
	size_t n, expected = 0, last;
	struct entry *entries = make_entries(g, &n);

	for (size_t first = 0; first < n; first = last) {
		const struct entry *e = &entries[first];
		bool new_site = first == 0 || e[-1].site != e->site;

		if (new_site && first)
			judge_site(g, &tally);
		if (new_site)
			tally = (struct site_tally){ 0 };
		if (new_site || e[-1].session != e->session) {
			tally.lost |= find_lost(g, e, entries + n);
			expected = expected_configs(g, e);
			tally.planned += planned_rounds(g, e->run->session);
			tally.enough |= reached_enough(g, e->run->session);
		}
		for (last = first + 1; last < n && same_round(e, &entries[last]); last++)
			;
		if (take_round(g, e, last - first, expected, tally.complete + 1))
			tally.complete++;
		else if (any_lost(e, last - first))
			tally.broken = true;
	}
	judge_site(g, &tally);
	free(entries);
}

/* ---- one set ---- */

void analysis_group_set(struct analysis_builder *builder, const struct set_data *data)
{
	struct grouping g = { .builder = builder, .data = data,
			      .first_cell = builder->out->ncells };
	size_t first_section = builder->out->nsections;
	struct analysis_places places;

	g.hosts = json_object();
	g.labels = json_object();
	g.configs = json_object();
	g.workloads = json_object();
	g.sessions = json_object();
	g.index = json_object();
	g.cell_of = xcalloc(data->nruns + 1, sizeof(*g.cell_of));
	g.round_of = xcalloc(data->nruns + 1, sizeof(*g.round_of));
	g.summary_cell_of = xcalloc(data->nsummaries + 1, sizeof(*g.summary_cell_of));
	rank_sessions(&g);
	make_cells(&g);
	g.is_lost = xcalloc(g.ncells + 1, sizeof(*g.is_lost));
	make_rounds(&g);
	make_counts(&g);
	places = (struct analysis_places){ g.first_cell, first_section, g.cell_of, g.round_of,
					  g.summary_cell_of };
	analysis_fill_cells(builder, data, &places);
	free(g.cells);
	free(g.cell_of);
	free(g.round_of);
	free(g.summary_cell_of);
	free(g.site_of);
	free(g.is_lost);
	json_decref(g.hosts);
	json_decref(g.labels);
	json_decref(g.configs);
	json_decref(g.workloads);
	json_decref(g.sessions);
	json_decref(g.index);
}
