// SPDX-License-Identifier: GPL-3.0-or-later
/* No IO at all: what a storm costs by itself, without the kernel. */
#include <stdlib.h>

#include "base/xalloc.h"
#include "workloads/io_engine.h"

struct null {
	struct io_unit **finished; /* a ring */
	unsigned int depth, first, n, queued;
};

static int null_open(const struct io_engine_setup *setup, void **state, struct err *err)
{
	struct null *null = xcalloc(1, sizeof(*null));

	(void)err;
	null->depth = setup->depth;
	null->finished = xcalloc(setup->depth, sizeof(*null->finished));
	*state = null;
	return 0;
}

static void null_close(void *state)
{
	struct null *null = state;

	free(null->finished);
	free(null);
}

static void null_queue(void *state, struct io_unit *unit)
{
	struct null *null = state;
	unsigned int at = null->first + null->n + null->queued++;

	null->finished[at < null->depth ? at : at - null->depth] = unit;
}

static int null_submit(void *state)
{
	struct null *null = state;
	unsigned int n = null->queued;

	null->n += n;
	null->queued = 0;
	return (int)n;
}

static int null_reap(void *state, unsigned int min, int64_t timeout_ns, struct io_done *done,
		     unsigned int max)
{
	struct null *null = state;
	unsigned int n = null->n < max ? null->n : max;

	(void)min;
	(void)timeout_ns;
	for (unsigned int i = 0; i < n; i++) {
		struct io_unit *unit = null->finished[null->first];

		done[i] = (struct io_done){ unit, unit->length };
		if (++null->first == null->depth)
			null->first = 0;
	}
	null->n -= n;
	return (int)n;
}

const struct io_engine io_engine_null = {
	.name = "null",
	.summary = "no IO: what the storm itself costs",
	.touches_nothing = true,
	.open = null_open,
	.close = null_close,
	.queue = null_queue,
	.submit = null_submit,
	.reap = null_reap,
};
