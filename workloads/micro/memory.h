// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_MEMORY_H
#define BRUNT_WORKLOADS_MICRO_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * What is done to memory. No compiler can leave any of it out or replace a loop by a library's
 * call: results are handed to where it cannot look (micro_use).
 */

enum {
	MICRO_LINE = 64, /* bytes between the loads of a random chain */
	/*
	 * Loads a turn of the loop. Prefetchers know a load by its address in the program: of a few
	 * loads each sees a stride that it can follow, and what is measured is the prefetcher
	 * (1.4 ns for level 2, 10 for memory, where lmbench and this have 4 and 67).
	 */
	MICRO_LOADS = 100,
};

/* Mapped and touched; NULL without memory. */
void *micro_memory(size_t bytes);
void micro_memory_free(void *memory, size_t bytes);

/* Sum of the 64-bit words; bytes is a multiple of 64. */
uint64_t micro_sum(const void *memory, size_t bytes);
void micro_copy_words(void *to, const void *from, size_t bytes);
void micro_write_words(void *memory, size_t bytes, uint64_t value);

/*
 * A ring of pointers: a load each stride bytes, downwards, from the first to the last and on, or
 * each cache line in a random order that is a single ring. Returns the first.
 */
void **micro_chain(void *memory, size_t bytes, size_t stride);
void **micro_chain_random(void *memory, size_t bytes);

/* n loads, each from where the one before points; where the last one points. */
void **micro_chase_loads(void **from, uint64_t n);

/* The value was needed. */
void micro_use(uint64_t value);

#endif
