// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The least that requests which do nothing can cost through io_uring: a loop that does nothing else.
 *   ring_loop BATCH     prints {"cpu":SECONDS,"ios":NUMBER} of about a second
 */
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/process.h"

static int64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return rusage_user_ns(&usage) + rusage_sys_ns(&usage);
}

/* As the engine's rings are made (workloads/io_engine_uring.c), or as an older kernel can. */
static int make(struct io_uring *ring, unsigned int batch)
{
	int rc = io_uring_queue_init(batch, ring,
				     IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);

	return rc ? io_uring_queue_init(batch, ring, 0) : 0;
}

int main(int argc, char **argv)
{
	int batch = argc > 1 ? atoi(argv[1]) : 16;
	int64_t end, cpu;
	struct io_uring ring;
	uint64_t ios = 0;

	if (batch < 1 || make(&ring, (unsigned int)batch))
		return 1;
	end = clock_mono_ns() + NS_PER_S;
	cpu = cpu_ns();
	while (clock_mono_ns() < end) {
		for (int i = 0; i < batch; i++)
			io_uring_prep_nop(io_uring_get_sqe(&ring));
		if (io_uring_submit(&ring) != batch)
			return 1;
		io_uring_cq_advance(&ring, (unsigned int)batch);
		ios += (uint64_t)batch;
	}
	printf("{\"cpu\":%.9f,\"ios\":%llu}\n", (double)(cpu_ns() - cpu) / 1e9,
	       (unsigned long long)ios);
	return 0;
}
