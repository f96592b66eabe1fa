// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_RUN_H
#define BRUNT_RESULTS_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "results/metric.h"

/*
 * One run while it is made: what workload, tracer and accounting find goes through here into
 * its line of runs.jsonl. Nothing of this is called in the timed part.
 */
enum run_status { RUN_OK, RUN_FAILED, RUN_INVALID };

struct run;

struct run *run_new(void);
void run_free(struct run *run);

/* A value of a metric; NAN makes it null with the reason "not measured". */
void run_metric(struct run *run, const struct metric_spec *spec, double value);
void run_metric_missing(struct run *run, const struct metric_spec *spec, const char *reason);

/* What the run sampled inside for a metric that it has: {n, median, mad, min, p95}; taken over. */
void run_metric_within(struct run *run, const char *metric, json_t *within);

/* One element of "devices"; taken over. */
void run_device(struct run *run, json_t *device);

/*
 * Members of "system" and "tracer", and of the line itself ("start_skew_s"); taken over. A
 * detail never replaces a member that the line has anyway.
 */
void run_system(struct run *run, const char *key, json_t *value);
void run_tracer(struct run *run, const char *key, json_t *value);
void run_detail(struct run *run, const char *key, json_t *value);

/* Evidence that does not make the run invalid: "steal" and words for it. */
void run_mark(struct run *run, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The work failed / was not what the configuration says. The first reason stays; failed
 * outweighs invalid. The reason names the device and the phase where there are any.
 */
void run_fail(struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void run_invalid(struct run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

enum run_status run_status(const struct run *run);
const char *run_reason(const struct run *run); /* NULL when ok */
double run_value(const struct run *run, const char *metric); /* NAN where there is none */
const char *run_status_name(enum run_status status); /* "ok", "failed", "invalid" */

/*
 * Puts status, reason (where there is one), marks, metrics, and what there is of devices,
 * tracer, system and details into the line object. The line shares them with the run.
 */
void run_finish(const struct run *run, json_t *line);

/* What the hooks of a run get. */
struct run_context {
	struct run *run;	/* the builder */
	const char *folder;	/* SET/runs/<n>, exists */
	int folder_fd;
	unsigned int number;
	const struct words *environment; /* NAME=VALUE added to the children's environment */
	double idle_rate;	/* of accounting.h */
	bool stuck; /* set by a hook: processes or devices hang for good, no run can follow */
};

#endif
