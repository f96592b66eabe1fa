// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACES_TRACE_DAT_H
#define BRUNT_TRACES_TRACE_DAT_H

#include <stddef.h>

#include "base/err.h"
#include "base/words.h"

/*
 * A trace.dat file of version 6 (trace-cmd.dat.v6(5)), which trace-cmd report and kernelshark
 * read: pages of the ring buffer and what is needed to decode them. It must be written by the
 * kernel that recorded.
 */
struct trace_dat_cpu {
	unsigned int cpu;
	int fd; /* a file of whole pages */
};

struct trace_dat_source {
	int tracefs;		    /* formats, names of processes */
	int instance;		    /* the clock; tracefs itself where there is none */
	const struct words *events; /* "system:event", those whose format is put in */
	size_t page_size;
	const struct trace_dat_cpu *cpus; /* ascending */
	size_t ncpus;
};

/* fd: an empty file. On failure what is in it is no trace. */
int trace_dat_write(int fd, const struct trace_dat_source *source, struct err *err);

#endif
