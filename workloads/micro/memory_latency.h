// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_MEMORY_LATENCY_H
#define BRUNT_WORKLOADS_MICRO_MEMORY_LATENCY_H

#include "workloads/micro/bench.h"

/*
 * The curve of latencies over sizes: a bench a size, from 1 KiB to site->memory, two an octave. At
 * most MICRO_CURVE_MOST; their sizes in bytes.
 */
enum { MICRO_CURVE_MOST = 48, MICRO_CURVE_BATCHES = 9, MICRO_STRIDE = 128 };
size_t micro_curve(const struct micro_site *site, struct micro_bench benches[MICRO_CURVE_MOST],
		   uint64_t bytes[MICRO_CURVE_MOST]);

#endif
