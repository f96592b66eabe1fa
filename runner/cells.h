// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_CELLS_H
#define BRUNT_RUNNER_CELLS_H

#include <jansson.h>

#include "runner/experiment.h"
#include "runner/plan.h"

/*
 * The workloads of a session, set up: one instance for each set of keys that a point and a
 * configuration come to. Configurations that change no key of the workload share one.
 */
struct instance {
	size_t workload;
	struct keys keys;
	void *state; /* NULL: not set up */
};

struct cells {
	const struct experiment *experiment;
	const struct plan *plan;
	struct instance *instances;
	size_t ninstances;
	size_t *index; /* [point * nconfigs + config] -> instance */
};

/* Sorts out which instances there are; sets nothing up. */
void cells_init(struct cells *cells, const struct experiment *experiment, const struct plan *plan);

/*
 * The check hook of every instance; what each needs goes to text, a line each. Where some are
 * refused for safety (EXIT_REFUSED), the lines of text are all the reasons, each once.
 */
int cells_check(const struct cells *cells, const struct guard_consent *consent, struct buf *text,
		struct err *err);

int cells_setup(struct cells *cells, const struct workload_site *site, struct err *err);
void cells_release(struct cells *cells); /* tears down in reverse order */

struct instance *cells_find(const struct cells *cells, size_t point, size_t config);

/*
 * Gives keys that were chosen for a point (a calibration) to its instances, which are set up
 * anew with them.
 */
int cells_choose(struct cells *cells, size_t point, const struct keys *chosen,
		 const struct workload_site *site, struct err *err);

/* [{workload, keys, description, text, cells: [{point, config}]}] for the session's file. */
json_t *cells_describe(const struct cells *cells);

/* The folders that they work in (appended), after cells_setup(); some may stand there twice. */
void cells_places(const struct cells *cells, struct words *out);

#endif
