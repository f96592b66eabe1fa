// SPDX-License-Identifier: GPL-3.0-or-later
/* What is done to memory is done: results that depend on all of the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "workloads/micro/memory.h"
#include "workloads/micro/site.h"

enum { BYTES = 64 << 10, WORDS = BYTES / 8, LINES = BYTES / MICRO_LINE };

static uint64_t *numbered(void)
{
	uint64_t *memory = micro_memory(BYTES);

	assert_non_null(memory);
	for (uint64_t i = 0; i < WORDS; i++)
		memory[i] = i;
	return memory;
}

static void every_word_is_in_the_sum(void **state)
{
	uint64_t *memory = numbered(), whole = (uint64_t)WORDS * (WORDS - 1) / 2;

	(void)state;
	assert_int_equal(micro_sum(memory, BYTES), whole);
	for (size_t i = 0; i < WORDS; i += 701) {
		memory[i] += 5;
		assert_int_equal(micro_sum(memory, BYTES), whole + 5);
		memory[i] -= 5;
	}
	micro_memory_free(memory, BYTES);
}

static void every_word_is_copied_and_written(void **state)
{
	uint64_t *from = numbered(), *to = micro_memory(BYTES);

	(void)state;
	micro_copy_words(to, from, BYTES);
	assert_memory_equal(to, from, BYTES);
	micro_write_words(to, BYTES, 7);
	for (size_t i = 0; i < WORDS; i++)
		assert_int_equal(to[i], 7);
	micro_memory_free(from, BYTES);
	micro_memory_free(to, BYTES);
}

/* So many loads end at that very place. */
static void a_chase_makes_as_many_loads_as_asked(void **state)
{
	char *memory = micro_memory(BYTES);
	void **start = micro_chain(memory, BYTES, 128);
	static const uint64_t counts[] = { 0, 1, 99, 100, 101, 250, BYTES / 128, 12345 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		assert_ptr_equal(micro_chase_loads(start, counts[i]),
				 memory + (BYTES - counts[i] * 128 % BYTES) % BYTES);
	micro_memory_free(memory, BYTES);
}

static void a_random_chain_visits_every_line_once(void **state)
{
	char *memory = micro_memory(BYTES), seen[LINES] = { 0 };
	void **start = micro_chain_random(memory, BYTES), **at = start;
	size_t in_order = 0;

	(void)state;
	for (size_t i = 0; i < LINES; i++) {
		size_t line = (size_t)((char *)at - memory) / MICRO_LINE;
		void **next = micro_chase_loads(at, 1);

		assert_int_equal(seen[line]++, 0);
		in_order += (char *)next - (char *)at == MICRO_LINE;
		at = next;
	}
	assert_ptr_equal(at, start);
	assert_true(in_order < 20);
	micro_memory_free(memory, BYTES);
}

static void a_shuffle_is_all_numbers_and_always_the_same(void **state)
{
	size_t *order = micro_shuffled(1000), *again = micro_shuffled(1000), moved = 0;
	char seen[1000] = { 0 };

	(void)state;
	assert_memory_equal(order, again, 1000 * sizeof(*order));
	for (size_t i = 0; i < 1000; i++) {
		assert_true(order[i] < 1000);
		assert_int_equal(seen[order[i]]++, 0);
		moved += order[i] != i;
	}
	assert_true(moved > 900);
	free(order);
	free(again);
}

/* ---- twice the work takes twice the CPU time ---- */

static char *one, *other;
static void **chain;

static void sum_it(uint64_t n)
{
	while (n--)
		micro_sum(one, BYTES);
}

static void copy_it(uint64_t n)
{
	while (n--)
		micro_copy_words(other, one, BYTES);
}

static void write_it(uint64_t n)
{
	while (n--)
		micro_write_words(one, BYTES, 1);
}

static void chase_it(uint64_t n)
{
	chain = micro_chase_loads(chain, n * 1000);
}

static int64_t cpu_ns(void (*work)(uint64_t n), uint64_t n)
{
	struct timespec before, after;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	work(n);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	return (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec;
}

static double least_cpu_ns(void (*work)(uint64_t n), uint64_t n)
{
	int64_t least = INT64_MAX, took;

	for (int i = 0; i < 15; i++) {
		took = cpu_ns(work, n);
		least = took < least ? took : least;
	}
	return (double)least;
}

/* A loop that a compiler has removed takes as long for eight times the work. */
static void more_work_takes_more_cpu(void **state)
{
	static void (*const works[])(uint64_t n) = { sum_it, copy_it, write_it, chase_it };

	(void)state;
	one = micro_memory(BYTES);
	other = micro_memory(BYTES);
	chain = micro_chain(micro_memory(BYTES), BYTES, 128);
	for (size_t i = 0; i < ARRAY_SIZE(works); i++) {
		double once = least_cpu_ns(works[i], 100), more = least_cpu_ns(works[i], 800);

		if (!(more > 3 * once && more < 20 * once))
			fail_msg("work %zu: %.0f ns, and %.0f ns for 8 times as much", i, once,
				 more);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_is_in_the_sum),
		cmocka_unit_test(every_word_is_copied_and_written),
		cmocka_unit_test(a_chase_makes_as_many_loads_as_asked),
		cmocka_unit_test(a_random_chain_visits_every_line_once),
		cmocka_unit_test(a_shuffle_is_all_numbers_and_always_the_same),
		cmocka_unit_test(more_work_takes_more_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
