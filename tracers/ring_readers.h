// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_RING_READERS_H
#define BRUNT_TRACERS_RING_READERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * One process a CPU that reads the raw pages of its ring buffer into a spool file. Each is pinned
 * to its CPU where that is online, is in a process group of its own (a Ctrl-C does not reach it)
 * and dies with the thread that started it. It sleeps 20 ms whenever it finds nothing.
 */
struct ring_reader {
	unsigned int cpu;
	int spool_fd;	/* nameless file of whole pages, O_RDWR */
	uint64_t bytes; /* that read() gave; known after finish */
};

struct ring_readers {
	struct ring_reader *v;
	size_t n;
	double cpu_s; /* user and system time of all of them; known after finish */
	pid_t *pids;  /* of their processes, as in v; -1 once ended */
	/* implementation's own */
	struct ring_readers_shared *shared;
};

/*
 * Starts a reader for each of cpus[n]. page_size: what one read() gives. The spools are made in
 * the folder. On failure none is left. From here on the kernel refuses to change current_tracer.
 */
int ring_readers_start(struct ring_readers **out, int tracefs, int folder_fd,
		       const unsigned int *cpus, size_t n, size_t page_size, struct err *err);

/*
 * Once nothing is recorded any more: has the readers take what is left, and waits until they
 * ended. An error names the first reader that failed (ENOSPC: no room for the spool) after all
 * have ended; the counts are set all the same. Done twice it does nothing.
 */
int ring_readers_finish(struct ring_readers *readers, struct err *err);

/* Ends readers that still run without waiting for what they would read; NULL is fine. */
void ring_readers_free(struct ring_readers *readers);

#endif
