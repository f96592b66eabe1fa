// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_SITE_H
#define BRUNT_WORKLOADS_MICRO_SITE_H

#include <stdint.h>

#include "base/err.h"
#include "workloads/micro/bench.h"

/* What the benches find: CPUs, sizes of caches, files in their folder. */
enum micro_place { MICRO_SAME_CPU, MICRO_OTHER_CPU, MICRO_FREE };

/*
 * The last CPU that may be used, since the first ones have most interrupts; the partner's is
 * another one, of another core where there is one. place_free leaves both at -1.
 */
void micro_site_place(struct micro_site *site, enum micro_place place);

/*
 * Sizes of the data caches, and what no cache holds: four times the largest, 64 MiB at least,
 * 256 MiB and a 16th of the free memory at most (all benches take six times as much). wanted: bytes
 * that the user gave; 0: none.
 */
void micro_site_memory(struct micro_site *site, uint64_t wanted);

#define MICRO_SMALL_FILE "file"
#define MICRO_FAULT_FILE "fault"   /* MICRO_FAULT_FILE_SIZE bytes */
#define MICRO_REREAD_FILE "reread" /* site->memory bytes */
#define MICRO_HELLO "hello"
#define MICRO_HELLO_STATIC "hello-static"
#define MICRO_FAULT_FILE_SIZE ((size_t)16 << 20)

/*
 * Puts them into site->folder, those of that size only where a bench needs them. Their data is on
 * the disk when this returns, so that nothing is left to be written while others are measured.
 */
int micro_site_fill(const struct micro_site *site, bool fault, bool reread, struct err *err);

/* Numbers 0..n-1 in an order that is random and always the same; belongs to the caller. */
size_t *micro_shuffled(size_t n);

#endif
