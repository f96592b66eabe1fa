// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "workloads/micro/site.h"

enum { WORDS = 8 }; /* a turn of the loops */

void *micro_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	if (memory == MAP_FAILED)
		return NULL;
	/* Partners that fork later would make the next write to each page copy it. */
	madvise(memory, bytes, MADV_DONTFORK);
	memset(memory, 1, bytes);
	return memory;
}

void micro_memory_free(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

/* An asm statement that takes a value is opaque: the value must be there, and all memory, too. */
void micro_use(uint64_t value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

uint64_t micro_sum(const void *memory, size_t bytes)
{
	const uint64_t *word = memory, *end = word + bytes / sizeof(*word);
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (; word < end; word += WORDS) {
		a += word[0] + word[4];
		b += word[1] + word[5];
		c += word[2] + word[6];
		d += word[3] + word[7];
	}
	micro_use(a + b + c + d);
	return a + b + c + d;
}

/* The barrier keeps the loop from becoming a call of memcpy or memset. */
void micro_copy_words(void *to, const void *from, size_t bytes)
{
	uint64_t *target = to;
	const uint64_t *word = from, *end = word + bytes / sizeof(*word);

	for (; word < end; word += WORDS, target += WORDS) {
		for (int i = 0; i < WORDS; i++)
			target[i] = word[i];
		__asm__ volatile("" : : : "memory");
	}
}

void micro_write_words(void *memory, size_t bytes, uint64_t value)
{
	uint64_t *word = memory, *end = word + bytes / sizeof(*word);

	for (; word < end; word += WORDS) {
		for (int i = 0; i < WORDS; i++)
			word[i] = value;
		__asm__ volatile("" : : : "memory");
	}
}

static void **place(void *memory, size_t at)
{
	return (void **)(void *)((char *)memory + at);
}

void **micro_chain(void *memory, size_t bytes, size_t stride)
{
	size_t n = bytes / stride;

	for (size_t i = 0; i < n; i++)
		*place(memory, i * stride) = place(memory, (i + n - 1) % n * stride);
	return place(memory, 0);
}

void **micro_chain_random(void *memory, size_t bytes)
{
	size_t n = bytes / MICRO_LINE, *order = micro_shuffled(n);

	for (size_t i = 0; i < n; i++)
		*place(memory, order[i] * MICRO_LINE) =
			place(memory, order[(i + 1) % n] * MICRO_LINE);
	free(order);
	return place(memory, 0);
}

void **micro_chase_loads(void **from, uint64_t n)
{
	uint64_t turns = n / MICRO_LOADS;

#define LOAD from = *from;
#define TEN_LOADS LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD
	for (uint64_t i = 0; i < turns; i++) {
		TEN_LOADS TEN_LOADS TEN_LOADS TEN_LOADS TEN_LOADS
		TEN_LOADS TEN_LOADS TEN_LOADS TEN_LOADS TEN_LOADS
		__asm__ volatile("" : "+r"(from));
	}
	for (uint64_t i = turns * MICRO_LOADS; i < n; i++)
		LOAD
#undef TEN_LOADS
#undef LOAD
	micro_use((uint64_t)(uintptr_t)from);
	return from;
}
