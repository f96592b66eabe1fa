// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Loads that depend on each other, 128 bytes apart, in as much memory as one level of the caches
 * holds. All sizes use one chain down through the largest: before a batch its first place is made to
 * point to the last one of the size, and back again after it.
 */
#include "workloads/micro/memory_latency.h"

#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "workloads/micro/memory.h"

/* So far apart that one load of the loop does not come to the same page twice in a row. */
_Static_assert(MICRO_LOADS * MICRO_STRIDE > 4096, "prefetchers can follow");

static struct {
	char *memory;
	size_t size;
	int users;
} shared; /* in the process that measures */

struct chase_state {
	void **at, **last; /* last: place of the size, that the first one points to */
	char *own;	   /* of the random chain */
	size_t own_size;
};

static uint64_t curve_size(unsigned int i)
{
	return (i % 2 ? 3ULL : 2ULL) << (i / 2) << 9;
}

/* 0: not known. */
static uint64_t wanted_size(const struct micro_site *site, int variant)
{
	if (variant >= CHASE_CURVE)
		return curve_size((unsigned int)(variant - CHASE_CURVE));
	if (variant == CHASE_MAIN)
		return site->memory;
	return site->cache[variant - CHASE_L1 + 1] / 2;
}

static void chase_close(void *p)
{
	struct chase_state *state = p;

	micro_memory_free(state->own, state->own_size);
	if (!state->own && !--shared.users) {
		micro_memory_free(shared.memory, shared.size);
		shared.memory = NULL;
	}
	free(state);
}

static int open_shared(const struct micro_site *site, struct err *err)
{
	if (!shared.memory) {
		shared.size = site->memory;
		shared.memory = micro_memory(shared.size);
		if (!shared.memory)
			return err_sys(err, ENOMEM, "memory");
		micro_chain(shared.memory, shared.size, MICRO_STRIDE);
	}
	shared.users++;
	return 0;
}

static int chase_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	uint64_t size = wanted_size(site, variant);
	struct chase_state *state;
	int rc;

	if (!size)
		return err_set(err, ENOENT, "the size of the level %d cache is not known",
			       variant - CHASE_L1 + 1);
	if (size > site->memory)
		return err_set(err, ENOMEM, "half of the level %d cache is more than memory=",
			       variant - CHASE_L1 + 1);
	rc = open_shared(site, err);
	if (rc)
		return rc;
	state = xcalloc(1, sizeof(*state));
	state->at = (void **)(void *)shared.memory;
	state->last = (void **)(void *)(shared.memory + size / MICRO_STRIDE * MICRO_STRIDE -
					MICRO_STRIDE);
	*ret = state;
	return 0;
}

static int chase_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	struct chase_state *state = p;
	void **first = (void **)(void *)shared.memory, *end_of_all = *first;
	int64_t start_ns;

	*first = state->last;
	start_ns = clock_mono_ns();
	state->at = micro_chase_loads(state->at, n);
	sample->ns = clock_mono_ns() - start_ns;
	sample->n = n;
	*first = end_of_all;
	return 0;
}

const struct micro_ops micro_chase = { chase_open, chase_batch, chase_close };

static int random_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct chase_state *state = xcalloc(1, sizeof(*state));

	(void)variant;
	state->own_size = site->memory;
	state->own = micro_memory(state->own_size);
	if (!state->own) {
		free(state);
		return err_sys(err, ENOMEM, "memory");
	}
	state->at = micro_chain_random(state->own, state->own_size);
	*ret = state;
	return 0;
}

static int random_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	struct chase_state *state = p;
	int64_t start_ns = clock_mono_ns();

	state->at = micro_chase_loads(state->at, n);
	sample->ns = clock_mono_ns() - start_ns;
	sample->n = n;
	return 0;
}

const struct micro_ops micro_chase_random = { random_open, random_batch, chase_close };

size_t micro_curve(const struct micro_site *site, struct micro_bench benches[MICRO_CURVE_MOST],
		   uint64_t bytes[MICRO_CURVE_MOST])
{
	size_t n = 0;

	while (n < MICRO_CURVE_MOST && curve_size((unsigned int)n) <= site->memory) {
		bytes[n] = curve_size((unsigned int)n);
		benches[n] = (struct micro_bench){ .name = "mem_lat curve",
						   .family = "memory_latency", .unit = "ns",
						   .ops = &micro_chase,
						   .variant = CHASE_CURVE + (int)n,
						   .most_batches = MICRO_CURVE_BATCHES };
		n++;
	}
	return n;
}
