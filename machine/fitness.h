// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_FITNESS_H
#define BRUNT_MACHINE_FITNESS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Is a machine fit to measure on, and what stands in the way? Nothing is changed to find out. */
enum fitness_state { FITNESS_OK, FITNESS_HINDERS, FITNESS_UNKNOWN };

struct fitness_finding {
	const char *name; /* "governor" */
	enum fitness_state state;
	char *text;   /* how it is */
	char *advice; /* what to do; NULL where nothing is */
};

struct fitness {
	struct fitness_finding *v;
	size_t n, cap;
};

/* What the environment does not hold; -1 and 0 where unknown. */
struct fitness_facts {
	int64_t running; /* tasks, without us */
	double load1;	 /* NAN: unknown */
	uint64_t memory_available, swap_free; /* bytes */
	uint64_t files_limit;	      /* descriptors that a process may have */
	uint64_t aio_used, aio_limit; /* fs.aio-nr, fs.aio-max-nr */
	size_t dead_sessions;
	int is_root;
};

void fitness_facts_read(struct fitness_facts *facts);

/* Judges an environment as environment_read() gives it. */
void fitness_judge(const json_t *environment, const struct fitness_facts *facts,
		   struct fitness *out);
void fitness_release(struct fitness *fitness);
const char *fitness_state_name(enum fitness_state state); /* "ok", "hinders", "unknown" */

#endif
