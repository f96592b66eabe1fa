// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_LIMITS_H
#define BRUNT_WORKLOADS_IO_LIMITS_H

#include "workloads/io_options.h"

/*
 * What so many jobs dealt to so many workers need, against what the machine lets us have: IOs in
 * flight of the engine, memory, processes, open files, whose soft limit is raised. Status 77 or a
 * usage error that names the limit, its value and what is needed.
 */
int io_limits_check(const struct io_options *options, size_t jobs, uint32_t workers,
		    struct err *err);

/* How many workers there are to be on so many CPUs. */
uint32_t io_limits_workers(const struct io_options *options, size_t jobs, unsigned int cpus);

#endif
