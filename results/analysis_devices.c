// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Which devices stand out (Iglewicz and Hoaglin's modified z-score, 3.5, over devices). Each run's
 * times are divided by their median first, so that a slow run does not make all devices slow.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/analysis_parts.h"
#include "results/stats.h"

#define MIN_RUNS 3
#define FAR 3.5
#define MAD_TO_SD 1.4826
#define LEAST_SPREAD .02 /* of the middle one: finer than that nobody times devices */
#define LEAST_CHANGE .1

/* What the runs of a cell say of one device. */
struct seen {
	const char *name;
	double *ratios; /* n of them */
	size_t n;
	double middle;
};

struct table {
	struct seen *v;
	size_t n, cap;
};

static double median(const double *values, size_t n)
{
	struct sample_order order;

	return sample_order(values, n, &order) ? NAN : order.median;
}

static double run_median(const struct set_run *run)
{
	auto_free double *times = xcalloc(run->ndevices, sizeof(*times));
	size_t n = 0;

	for (size_t i = 0; i < run->ndevices; i++)
		if (run->devices[i].work_s > 0)
			times[n++] = run->devices[i].work_s;
	return n >= ANALYSIS_DEVICES ? median(times, n) : NAN;
}

/* As a rule the devices of all runs are in one order. */
static struct seen *find_device(struct table *table, const char *name, size_t hint, size_t nruns)
{
	if (hint < table->n && table->v[hint].name == name)
		return &table->v[hint];
	for (size_t i = 0; i < table->n; i++)
		if (table->v[i].name == name)
			return &table->v[i];
	GROW(table->v, table->n, table->cap);
	table->v[table->n] = (struct seen){
		.name = name, .ratios = xcalloc(nruns, sizeof(double)),
	};
	return &table->v[table->n++];
}

static void take_run(struct table *table, const struct set_run *run, size_t nruns)
{
	double middle = run_median(run);

	for (size_t i = 0; middle > 0 && i < run->ndevices; i++) {
		struct seen *seen;

		if (!(run->devices[i].work_s > 0))
			continue;
		seen = find_device(table, run->devices[i].name, i, nruns);
		if (seen->n < nruns)
			seen->ratios[seen->n++] = run->devices[i].work_s / middle;
	}
}

static int farthest_first(const void *a, const void *b)
{
	double x = fabs(log(((const struct analysis_device *)a)->factor));
	double y = fabs(log(((const struct analysis_device *)b)->factor));

	return x > y ? -1 : x < y;
}

static void add_far_ones(struct analysis *out, const struct analysis_cell *cell,
			 const struct table *table, double center, double spread)
{
	size_t first = out->ndevices;

	for (size_t i = 0; i < table->n; i++) {
		double far = fabs(table->v[i].middle - center);

		if (table->v[i].n < MIN_RUNS || !(far > FAR * spread) ||
		    !(far > LEAST_CHANGE * center))
			continue;
		out->devices = xreallocarray(out->devices, out->ndevices + 1,
					     sizeof(*out->devices));
		out->devices[out->ndevices++] = (struct analysis_device){
			.cell = cell, .name = table->v[i].name, .n = table->v[i].n,
			.factor = table->v[i].middle / center, .of = table->n,
		};
	}
	if (out->ndevices > first)
		qsort(&out->devices[first], out->ndevices - first, sizeof(*out->devices),
		      farthest_first);
}

static void judge(struct analysis *out, const struct analysis_cell *cell, struct table *table)
{
	auto_free double *middles = xcalloc(table->n, sizeof(*middles));
	struct sample_order order;
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++) {
		struct seen *seen = &table->v[i];

		seen->middle = seen->n ? median(seen->ratios, seen->n) : NAN;
		if (seen->n >= MIN_RUNS)
			middles[n++] = seen->middle;
	}
	if (n < ANALYSIS_DEVICES || sample_order(middles, n, &order))
		return;
	add_far_ones(out, cell, table, order.median,
		     fmax(MAD_TO_SD * order.mad, LEAST_SPREAD * order.median));
}

void analysis_look_at_devices(struct analysis *out)
{
	for (size_t i = 0; i < out->ncells; i++) {
		const struct analysis_group *group = analysis_fullest_group(out, out->cells[i]);
		struct table table = { NULL, 0, 0 };

		for (size_t k = 0; group && k < group->n; k++)
			take_run(&table, group->from[k], group->n);
		judge(out, out->cells[i], &table);
		for (size_t k = 0; k < table.n; k++)
			free(table.v[k].ratios);
		free(table.v);
	}
}
