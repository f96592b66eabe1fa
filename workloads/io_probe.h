// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_PROBE_H
#define BRUNT_WORKLOADS_IO_PROBE_H

#include "machine/target.h"
#include "workloads/io_options.h"

/*
 * One read on each device by the engine as it is wanted, in a child. With hipri a device that
 * cannot poll refuses each IO, though the ring was made: -ENOENT with status 77 naming it. Any
 * other error of the IO is left to the run, whose business it is.
 */
int io_probe(const struct io_options *options, const struct target_device *devices,
	     const struct io_pattern_spec *ranges, size_t count, struct err *err);

#endif
