// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/plan.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"

static void add_points(struct plan *plan, size_t *cap, const struct experiment *experiment,
		       size_t workload)
{
	const struct experiment_workload *w = &experiment->workloads[workload];
	size_t *index = xcalloc(w->nsweeps + 1, sizeof(*index)), i;
	struct plan_point *point;
	struct buf text = BUF_INIT;

	/* An odometer over the swept values, the last key turning fastest. */
	do {
		GROW(plan->points, plan->npoints, *cap);
		point = &plan->points[plan->npoints++];
		*point = (struct plan_point){ .workload = workload };
		buf_clear(&text);
		for (i = 0; i < w->nsweeps; i++) {
			const char *value = w->sweeps[i].values.v[index[i]];

			keys_set(&point->values, w->sweeps[i].key, value);
			buf_addf(&text, "%s%s=%s", i ? " " : "", w->sweeps[i].key, value);
		}
		point->text = xstrdup(text.s);
		for (i = w->nsweeps; i > 0; i--) {
			if (++index[i - 1] < w->sweeps[i - 1].values.n)
				break;
			index[i - 1] = 0;
		}
	} while (i > 0);
	buf_release(&text);
	free(index);
}

static void add_step(struct plan *plan, struct plan_step step)
{
	GROW(plan->steps, plan->nsteps, plan->steps_cap);
	plan->steps[plan->nsteps++] = step;
}

static void identity(size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
}

/*
 * How alike neighbouring rounds are: over all pairs of items and of neighbours, 1 where the two
 * items stand in the same order, -1 where they do not.
 */
static int likeness(const size_t *orders, unsigned int rounds, size_t n, size_t *places)
{
	size_t *before = places, *now = places + n, *swap;
	int sum = 0;

	for (unsigned int round = 0; round < rounds; round++) {
		for (size_t i = 0; i < n; i++)
			now[orders[round * n + i]] = i;
		for (size_t i = 0; round > 0 && i < n; i++)
			for (size_t k = 0; k < i; k++)
				sum += (before[i] < before[k]) == (now[i] < now[k]) ? 1 : -1;
		swap = before;
		before = now;
		now = swap;
	}
	return sum;
}

/*
 * Balance alone makes the orders of two rounds opposite a little more often than alike, and noise
 * that lasts longer than a run makes the differences of neighbours opposite too, so that the
 * products agree: 5.4 % false alarms instead of 5 with AR(1) noise (phi .7, 10 rounds of two).
 * So shuffles whose neighbours are more than half a standard deviation less alike than on average
 * (of Kendall's tau without ties: n (n - 1) (2 n + 5)/18 for each two neighbours) are drawn again:
 * then neighbours are rather alike, which makes up for rounds that lie farther apart, the balance
 * stays, and false alarms are 5.1 %.
 */
static void shuffle_rounds(gsl_rng *rng, size_t *orders, unsigned int rounds, size_t n)
{
	enum { TRIES = 100 };
	size_t *places = xcalloc(2 * n, sizeof(*places));
	double pairs = (double)n * ((double)n - 1) / 2;
	double least = -pairs - sqrt(rounds * pairs * (2 * (double)n + 5) / 9) / 2;

	for (int i = 0; i < TRIES; i++) {
		gsl_ran_shuffle(rng, orders, rounds, n * sizeof(*orders));
		if (likeness(orders, rounds, n, places) >= least)
			break;
	}
	free(places);
}

/*
 * Fills orders[rounds][n]: blocks of n rounds, each block the n rotations of one shuffled order.
 * In a whole block each item is in each position once; what is left over of the last block adds
 * at most one. Then rounds are shuffled among each other, `among` at a time: left in their blocks,
 * neighbours would be each other's mirror (6.3 % false alarms with that noise).
 */
static void draw_orders(gsl_rng *rng, size_t *orders, unsigned int rounds, size_t n,
			unsigned int among)
{
	size_t *symbols = xcalloc(n, sizeof(*symbols)), *rows = xcalloc(n, sizeof(*rows));

	for (unsigned int round = 0; round < rounds; round++) {
		if (round % n == 0) {
			identity(symbols, n);
			identity(rows, n);
			gsl_ran_shuffle(rng, symbols, n, sizeof(*symbols));
			gsl_ran_shuffle(rng, rows, n, sizeof(*rows));
		}
		for (size_t i = 0; i < n; i++)
			orders[round * n + i] = symbols[(rows[round % n] + i) % n];
	}
	for (unsigned int first = 0; first < rounds; first += among)
		shuffle_rounds(rng, &orders[first * n],
			       rounds - first < among ? rounds - first : among, n);
	free(rows);
	free(symbols);
}

/* Rounds that may end early are shuffled in parts, so that each of these is balanced too. */
static unsigned int rounds_among(const struct experiment *experiment, unsigned int rounds)
{
	bool may_end = experiment->until_pct > 0 && experiment->rounds < rounds;

	return may_end ? experiment->rounds : rounds;
}

static void add_rounds(struct plan *plan, const struct experiment *experiment,
		       unsigned int rounds, bool warmup, gsl_rng *rng)
{
	size_t nconfigs = experiment->nconfigs, npoints = plan->npoints;
	size_t *points = xcalloc((size_t)rounds * npoints, sizeof(*points));
	size_t *configs = xcalloc((size_t)rounds * npoints * nconfigs, sizeof(*configs));
	unsigned int among = rounds_among(experiment, rounds);
	size_t *own;

	draw_orders(rng, points, rounds, npoints, among);
	for (size_t p = 0; p < npoints; p++)
		draw_orders(rng, configs + p * rounds * nconfigs, rounds, nconfigs, among);
	for (unsigned int round = 0; round < rounds; round++) {
		for (size_t i = 0; i < npoints; i++) {
			size_t point = points[round * npoints + i];

			own = configs + (point * rounds + round) * nconfigs;
			for (size_t k = 0; k < nconfigs; k++)
				add_step(plan, (struct plan_step){ .round = round + 1,
								   .position = (unsigned int)k + 1,
								   .point = point,
								   .config = own[k],
								   .warmup = warmup });
		}
	}
	free(configs);
	free(points);
}

/* Not beyond what is too many anyway, so that nothing overflows. */
static size_t count_points(const struct experiment *experiment)
{
	size_t all = 0;

	for (size_t i = 0; i < experiment->nworkloads; i++) {
		const struct experiment_workload *w = &experiment->workloads[i];
		size_t own = 1;

		for (size_t k = 0; k < w->nsweeps && own <= PLAN_CELLS_MAX; k++)
			own *= w->sweeps[k].values.n;
		all += own;
	}
	return all;
}

int plan_check_size(const struct experiment *experiment, unsigned int rounds, unsigned int warmup,
		    struct err *err)
{
	size_t points = count_points(experiment), cells = points * experiment->nconfigs;
	uint64_t runs = (uint64_t)cells * ((uint64_t)rounds + warmup);

	if (cells > PLAN_CELLS_MAX)
		return err_usage(err, "%s%zu points of %zu configuration%s are too many: at most %d "
				 "pairs of the two fit in an experiment; sweep fewer values",
				 points > PLAN_CELLS_MAX ? "at least " : "", points,
				 experiment->nconfigs, experiment->nconfigs == 1 ? "" : "s",
				 PLAN_CELLS_MAX);
	if (runs > PLAN_RUNS_MAX)
		return err_usage(err, "%u rounds of %zu runs are %llu: at most %d fit in a session; "
				 "fewer rounds (--rounds, --max), or several sessions (--add)", rounds, cells,
				 (unsigned long long)runs, PLAN_RUNS_MAX);
	return 0;
}

void plan_make(struct plan *plan, const struct experiment *experiment, unsigned int rounds,
	       unsigned int warmup, uint32_t seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t cap = 0;

	*plan = (struct plan){ 0 };
	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < experiment->nworkloads; i++)
		add_points(plan, &cap, experiment, i);
	add_rounds(plan, experiment, warmup, true, rng);
	add_rounds(plan, experiment, rounds, false, rng);
	gsl_rng_free(rng);
}

void plan_add_round(struct plan *plan, const struct experiment *experiment, size_t point,
		    unsigned int round, uint32_t seed)
{
	size_t *order = xcalloc(experiment->nconfigs, sizeof(*order));
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, seed + 7919u * round);
	identity(order, experiment->nconfigs);
	gsl_ran_shuffle(rng, order, experiment->nconfigs, sizeof(*order));
	for (size_t k = 0; k < experiment->nconfigs; k++)
		add_step(plan, (struct plan_step){ .round = round,
						   .position = (unsigned int)k + 1,
						   .point = point,
						   .config = order[k] });
	gsl_rng_free(rng);
	free(order);
}

void plan_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->npoints; i++) {
		keys_release(&plan->points[i].values);
		free(plan->points[i].text);
	}
	free(plan->points);
	free(plan->steps);
	*plan = (struct plan){ 0 };
}

json_t *plan_point_to_json(const struct plan_point *point)
{
	json_t *object = json_object();

	for (size_t i = 0; i < point->values.n; i++)
		json_object_set_new(object, point->values.v[i].name,
				    json_text(point->values.v[i].value));
	return object;
}

json_t *plan_to_json(const struct plan *plan, const struct experiment *experiment)
{
	json_t *array = json_array();

	for (size_t i = 0; i < plan->nsteps; i++) {
		const struct plan_step *step = &plan->steps[i];
		const struct plan_point *point = &plan->points[step->point];

		json_array_append_new(
			array,
			json_pack("{s:I,s:I,s:s,s:o,s:s,s:s}", "round", (json_int_t)step->round,
				  "position", (json_int_t)step->position, "workload",
				  experiment->workloads[point->workload].name, "point",
				  plan_point_to_json(point), "config",
				  experiment->configs[step->config].name, "role",
				  step->warmup ? "warmup" : "measured"));
	}
	return array;
}
