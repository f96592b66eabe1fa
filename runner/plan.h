// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_PLAN_H
#define BRUNT_RUNNER_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/experiment.h"

/* A point: one value of each swept key of one workload. */
struct plan_point {
	size_t workload; /* index into the experiment */
	struct keys values;
	char *text; /* "fs=ext3 fill=16M", "" where nothing is swept */
};

struct plan_step {
	unsigned int round;    /* from 1; of warm-ups from 1 too */
	unsigned int position; /* within the round and point, from 1 */
	size_t point, config;
	bool warmup;
};

/*
 * The order of a session's runs. A round is one run of each configuration at each point. Each
 * configuration stands in each position equally often, give or take one, so that drift inside a
 * round hits all alike: orders come from Latin squares (rotations of a shuffled order), and the
 * rounds are shuffled. With --until this holds after the first rounds and each time as many more.
 */
struct plan {
	struct plan_point *points;
	size_t npoints;
	struct plan_step *steps;
	size_t nsteps, steps_cap;
};

/*
 * How large an experiment may be: pairs of a point and a configuration, and runs of one session,
 * each of which takes about a kilobyte of memory and 150 bytes of the session's file.
 */
enum { PLAN_CELLS_MAX = 4096, PLAN_RUNS_MAX = 200000 };

/* Usage error where plan_make() would make more than that; allocates nothing. */
int plan_check_size(const struct experiment *experiment, unsigned int rounds, unsigned int warmup,
		    struct err *err);

void plan_make(struct plan *plan, const struct experiment *experiment, unsigned int rounds,
	       unsigned int warmup, uint32_t seed);

/* One more round of one point, in an order drawn from seed and round. */
void plan_add_round(struct plan *plan, const struct experiment *experiment, size_t point,
		    unsigned int round, uint32_t seed);
void plan_release(struct plan *plan);

/* An array of {round, position, point, config, role} for the session's file. */
json_t *plan_to_json(const struct plan *plan, const struct experiment *experiment);

json_t *plan_point_to_json(const struct plan_point *point);

#endif
