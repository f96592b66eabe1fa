// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_EXPERIMENT_H
#define BRUNT_RUNNER_EXPERIMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/keys.h"
#include "base/words.h"
#include "runner/options.h"
#include "tracers/tracer.h"
#include "workloads/workload.h"

/* One key with several values: each is a point of its own. */
struct sweep {
	char *key;
	struct words values;
};

struct experiment_workload {
	const struct workload *type;
	char *name; /* the type's, unless the file gives another */
	struct keys keys;
	struct sweep *sweeps;
	size_t nsweeps, sweeps_cap;
};

/* A named set of keys; the first one is the baseline. */
struct config {
	char *name;
	char *aa_of; /* the baseline that this one repeats (--aa); NULL: it is the user's own */
	const struct tracer *tracer;
	struct keys tracer_keys;   /* without "tracer." */
	struct keys settings;	   /* full names, "sysctl.vm.swappiness"; env.NAME too */
	struct keys workload_keys;
};

struct experiment {
	struct experiment_workload *workloads;
	size_t nworkloads, workloads_cap;
	struct config *configs;
	size_t nconfigs, configs_cap;
	unsigned int rounds, warmup, max_retries;
	bool max_retries_given;
	uint32_t seed;
	bool seed_given;
	bool aa; /* the baseline stands twice in each round */
	struct words primary; /* the headline metrics; none: the workload's own */
	double until_pct; /* rounds are added until half widths are below it; 0: they are not */
	unsigned int until_max; /* rounds at most */
};

void experiment_init(struct experiment *experiment);
void experiment_release(struct experiment *experiment);

/* From the command line: WORKLOAD KEY=VALUE... -t -c --sweep -- PROG (not -n and the like). */
int experiment_from_options(struct experiment *experiment, const struct options *options,
			    struct err *err);

/* From YAML or JSON text; name is the file's. */
int experiment_from_text(struct experiment *experiment, const char *text, size_t len,
			 const char *name, struct err *err);

/* As JSON that experiment_from_text() reads back to the same; belongs to the caller. */
json_t *experiment_to_json(const struct experiment *experiment);

/*
 * Completes (configuration "none", seed, absolute paths) and checks all keys against the modules'
 * tables.
 */
int experiment_complete(struct experiment *experiment, struct err *err);

/*
 * The part of experiment_complete() that is about rounds: --aa adds the second baseline, --primary
 * names metrics that there are, --until has its bounds. A second baseline is called NAME#2; no
 * name of a user may end so.
 */
#define AA_SUFFIX "#2"
enum { UNTIL_ROUNDS_MIN = 10 };
int experiment_complete_rounds(struct experiment *experiment, struct err *err);

/* The same primary metrics, in whatever order? */
bool experiment_same_primary(const struct experiment *a, const struct experiment *b);

/* Building blocks of both readers. */
struct experiment_workload *experiment_add_workload(struct experiment *experiment,
						    const struct workload *type, const char *name);
struct config *experiment_add_config(struct experiment *experiment, const char *name);
struct sweep *experiment_add_sweep(struct experiment_workload *workload, const char *key);

/* Sorts KEY into tracer, tracer.KEY, settings or workload keys. */
int config_set(struct config *config, const char *key, const char *value, struct err *err);

/* Usage error where value, which messages call name, is no UTF-8. */
int experiment_check_utf8(const char *name, const char *value, struct err *err);

int experiment_unknown_workload(const char *name, struct err *err);

/* The keys of one cell: workload's, point's and configuration's, later ones winning. */
void experiment_cell_keys(const struct experiment *experiment, size_t workload,
			  const struct keys *point, size_t config, struct keys *out);

bool experiment_has_config(const struct experiment *experiment, const char *name);

/*
 * Do both describe the same work under this configuration? Else what differs, in words for the
 * user ("fs=ext3 there, fs=ext4 here"), to be freed.
 */
bool experiment_same_config(const struct experiment *a, const struct experiment *b,
			    const char *config, char **difference);

#endif
