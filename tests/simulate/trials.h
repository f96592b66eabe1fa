// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Simulated sessions with known truth and fixed seeds: how often the analysis is wrong. Two sides
 * of ROUNDS runs each are drawn in the order of time; sides differ by a known ratio, or not.
 */
#ifndef BRUNT_TESTS_SIMULATE_TRIALS_H
#define BRUNT_TESTS_SIMULATE_TRIALS_H

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "results/power.h"
#include "results/ratio.h"
#include "results/stats.h"
#include "runner/experiment.h"
#include "runner/plan.h"

enum { ROUNDS = 10, SLOTS = 2 * ROUNDS, FAMILY = 40, UNTIL_MAX = 100 };
#define ALPHA .05
#define TRIAL_MEAN 100.
#define DRIFT_SDS 3 /* over the session, and the height of a step */
#define AR_PHI .7
#define TAIL_SHARE .1
#define TAIL_SDS 10

enum noise { NOISE_INDEPENDENT, NOISE_DRIFT, NOISE_AR, NOISE_STEP, NOISE_TAIL, NOISES };
static const char *const noise_names[NOISES] = { "independent", "linear drift", "AR(1), phi = .7",
						 "one step", "10 % heavy tail" };

/* The runs of a session in the order of time, sd 1. */
static inline void draw_session(gsl_rng *rng, enum noise noise, double out[SLOTS])
{
	double step_at = gsl_rng_uniform(rng) * SLOTS, last = gsl_ran_gaussian(rng, 1);

	for (size_t i = 0; i < SLOTS; i++) {
		double z = gsl_ran_gaussian(rng, 1);

		out[i] = TRIAL_MEAN + z;
		if (noise == NOISE_DRIFT)
			out[i] += DRIFT_SDS * (double)i / (SLOTS - 1);
		else if (noise == NOISE_STEP)
			out[i] += (double)i >= step_at ? DRIFT_SDS : 0;
		else if (noise == NOISE_TAIL && gsl_rng_uniform(rng) < TAIL_SHARE)
			out[i] += fabs(gsl_ran_gaussian(rng, TAIL_SDS));
		if (noise != NOISE_AR)
			continue;
		last = AR_PHI * last + sqrt(1 - AR_PHI * AR_PHI) * z;
		out[i] = TRIAL_MEAN + last;
	}
}

/* Two configurations, for plan_make(). */
static inline void two_configs(struct experiment *experiment)
{
	experiment_init(experiment);
	experiment_add_workload(experiment, workload_find("command"), "command");
	experiment_add_config(experiment, "base");
	experiment_add_config(experiment, "new");
}

/* In the order that a real session would have. */
static inline void split_in_rounds(const struct experiment *experiment, unsigned int seed,
				   const double session[SLOTS], double x[ROUNDS], double y[ROUNDS])
{
	struct plan plan;

	plan_make(&plan, experiment, ROUNDS, 0, seed);
	for (size_t i = 0; i < SLOTS; i++)
		(plan.steps[i].config ? y : x)[plan.steps[i].round - 1] = session[i];
	plan_release(&plan);
}

static inline double welch_p(const double *x, const double *y, size_t n)
{
	struct sample_summary base, fresh;
	struct t_test test = { .p = NAN };

	sample_summarize(x, n, &base);
	sample_summarize(y, n, &fresh);
	welch_test(&base, &fresh, .95, &test);
	return test.p;
}

static inline double paired_p(const double *x, const double *y, size_t n)
{
	struct pair_summary pair;
	struct t_test test = { .p = NAN };

	pair_summarize(x, y, n, &pair);
	paired_test(&pair, .95, &test);
	return test.p;
}

/* Shares of false alarms where nothing differs. */
struct false_alarms {
	double in_turn_welch, rounds_welch, rounds_paired;
};

static inline struct false_alarms simulate_noise(enum noise noise, size_t repeats, unsigned int seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct false_alarms sum = { 0 };
	struct experiment experiment;

	two_configs(&experiment);
	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < repeats; i++) {
		double session[SLOTS], x[ROUNDS], y[ROUNDS];

		draw_session(rng, noise, session);
		sum.in_turn_welch += welch_p(session, session + ROUNDS, ROUNDS) < ALPHA;
		split_in_rounds(&experiment, (unsigned int)(1 + i), session, x, y);
		sum.rounds_welch += welch_p(x, y, ROUNDS) < ALPHA;
		sum.rounds_paired += paired_p(x, y, ROUNDS) < ALPHA;
	}
	gsl_rng_free(rng);
	experiment_release(&experiment);
	sum.in_turn_welch /= (double)repeats;
	sum.rounds_welch /= (double)repeats;
	sum.rounds_paired /= (double)repeats;
	return sum;
}

/* A pair of a round: a common part that both sides share, and a part of each side's own. */
static inline void draw_pairs(gsl_rng *rng, double ratio, double sd, double *x, double *y, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double common = gsl_ran_gaussian(rng, sd);

		x[i] = TRIAL_MEAN + common + gsl_ran_gaussian(rng, sd);
		y[i] = ratio * (TRIAL_MEAN + common) + gsl_ran_gaussian(rng, sd);
	}
}

static inline bool covers(const struct interval *ci, double ratio)
{
	return ci->low <= ratio && ratio <= ci->high;
}

/* Coverage of Fieller's 95 % intervals at a ratio of 1.05. */
struct coverage {
	double paired, unpaired;
};

static inline struct coverage simulate_coverage(size_t repeats, unsigned int seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct coverage sum = { 0 };
	const double ratio = 1.05;

	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < repeats; i++) {
		double x[ROUNDS], y[ROUNDS];
		struct pair_summary pair;
		struct interval ci;

		draw_pairs(rng, ratio, 3, x, y, ROUNDS);
		pair_summarize(x, y, ROUNDS, &pair);
		if (!ratio_paired(&pair, .95, &ci))
			sum.paired += covers(&ci, ratio);
		for (size_t k = 0; k < ROUNDS; k++) {
			x[k] = TRIAL_MEAN + gsl_ran_gaussian(rng, 3);
			y[k] = ratio * TRIAL_MEAN + gsl_ran_gaussian(rng, 5);
		}
		pair_summarize(x, y, ROUNDS, &pair);
		if (!ratio_unpaired(&pair.base, &pair.new, .95, &ci))
			sum.unpaired += covers(&ci, ratio);
	}
	gsl_rng_free(rng);
	sum.paired /= (double)repeats;
	sum.unpaired /= (double)repeats;
	return sum;
}

/* Shares of tables of FAMILY rows, where nothing differs, that have a false alarm. */
struct family_error {
	double holm, uncorrected;
};

static inline struct family_error simulate_family(size_t repeats, unsigned int seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct family_error sum = { 0 };

	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < repeats; i++) {
		double p[FAMILY], x[ROUNDS], y[ROUNDS], least = 1, least_holm = 1;

		for (size_t k = 0; k < FAMILY; k++) {
			draw_pairs(rng, 1, 1, x, y, ROUNDS);
			p[k] = paired_p(x, y, ROUNDS);
			least = fmin(least, p[k]);
		}
		holm_adjust(p, FAMILY, p);
		for (size_t k = 0; k < FAMILY; k++)
			least_holm = fmin(least_holm, p[k]);
		sum.uncorrected += least < ALPHA;
		sum.holm += least_holm < ALPHA;
	}
	gsl_rng_free(rng);
	sum.holm /= (double)repeats;
	sum.uncorrected /= (double)repeats;
	return sum;
}

/* How often a change as large as the margin is called equivalent. */
static inline double simulate_equivalence(double margin_pct, double sd, size_t repeats,
					  unsigned int seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double sum = 0;

	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < repeats; i++) {
		double x[ROUNDS], y[ROUNDS];
		struct pair_summary pair;
		struct interval ci90;

		draw_pairs(rng, 1 + margin_pct / 100, sd, x, y, ROUNDS);
		pair_summarize(x, y, ROUNDS, &pair);
		if (!ratio_paired(&pair, .90, &ci90))
			sum += ratio_equivalent(&ci90, margin_pct);
	}
	gsl_rng_free(rng);
	return sum / (double)repeats;
}

/* How often a change is found, and how often that is foretold. */
struct found_power {
	double found, foretold;
};

static inline struct found_power simulate_power(double effect_pct, double sd, size_t repeats,
						unsigned int seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double ratio = 1 + effect_pct / 100;
	/* of a difference: the common part is (ratio - 1) as large there */
	double diff_sd = sd * sqrt(2 + (ratio - 1) * (ratio - 1));
	struct found_power ret = { 0, NAN };

	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < repeats; i++) {
		double x[ROUNDS], y[ROUNDS];

		draw_pairs(rng, ratio, sd, x, y, ROUNDS);
		ret.found += paired_p(x, y, ROUNDS) < ALPHA;
	}
	gsl_rng_free(rng);
	ret.found /= (double)repeats;
	t_test_power((ratio - 1) * TRIAL_MEAN / (diff_sd / sqrt(ROUNDS)), ROUNDS - 1, .95,
		     &ret.foretold);
	return ret;
}

/* --until: coverage of the interval at which rounds end, from so many rounds on. */
struct until_coverage {
	double coverage, rounds, reached;
};

static inline struct until_coverage simulate_until(size_t from, double half_width_pct,
						   size_t repeats, unsigned int seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct until_coverage sum = { 0 };
	const double ratio = 1.02;

	gsl_rng_set(rng, seed);
	for (size_t i = 0; i < repeats; i++) {
		double x[UNTIL_MAX], y[UNTIL_MAX];
		struct interval ci = { NAN, NAN };
		struct pair_summary pair;
		bool reached = false;
		size_t n = from;

		draw_pairs(rng, ratio, 2, x, y, UNTIL_MAX);
		for (; !reached && n <= UNTIL_MAX; n += !reached) {
			pair_summarize(x, y, n, &pair);
			ratio_paired(&pair, .95, &ci);
			reached = 100 * (ci.high - ci.low) / 2 < half_width_pct;
		}
		sum.coverage += covers(&ci, ratio);
		sum.rounds += (double)(reached ? n : UNTIL_MAX);
		sum.reached += reached;
	}
	gsl_rng_free(rng);
	sum.coverage /= (double)repeats;
	sum.rounds /= (double)repeats;
	sum.reached /= (double)repeats;
	return sum;
}

/* Is a share of repeats within so many standard deviations of what it should be? */
static inline bool share_is(double share, double expected, size_t repeats)
{
	return fabs(share - expected) <=
	       3 * sqrt(expected * (1 - expected) / (double)repeats) + 1e-12;
}

static inline bool share_is_at_most(double share, double limit, size_t repeats)
{
	return share <= limit || share_is(share, limit, repeats);
}

#endif
