// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_LIMITS_H
#define BRUNT_WORKLOADS_STORM_LIMITS_H

#include <stddef.h>

#include "base/err.h"
#include "workloads/storm_options.h"

/*
 * Are there descriptors (the limit is raised), processes and memory for so many workers and their
 * programs? Memory that devices themselves take is not looked at. Status 77.
 */
int storm_limits_check(const struct storm_options *options, size_t devices, struct err *err);

#endif
