// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/xalloc.h"
#include "workloads/io_pattern.h"

enum { BS = 4096, BLOCKS = 64 };

static struct io_pattern_spec random_reads(void)
{
	return (struct io_pattern_spec){
		.random = true,
		.read_pct = 100,
		.bs_min = BS,
		.bs_max = BS,
		.offset = 5 * BS,
		.size = BLOCKS * BS,
	};
}

/* 2000 a block expected: beyond 1700 and 2300 is more than six standard deviations off. */
static void random_offsets_reach_each_block_equally_often(void **state)
{
	struct io_pattern_spec spec = random_reads();
	unsigned int hits[BLOCKS] = { 0 };
	struct io_pattern pattern;
	struct io_unit unit;

	(void)state;
	io_pattern_init(&pattern, &spec, 1, 0);
	for (int i = 0; i < 2000 * BLOCKS; i++) {
		io_pattern_next(&pattern, &unit);
		assert_int_equal(unit.op, IO_READ);
		assert_int_equal(unit.length, BS);
		assert_int_equal(unit.offset % BS, 0);
		assert_true(unit.offset >= spec.offset);
		assert_true(unit.offset + unit.length <= spec.offset + spec.size);
		hits[(unit.offset - spec.offset) / BS]++;
	}
	for (int i = 0; i < BLOCKS; i++)
		assert_in_range(hits[i], 1700, 2300);
}

static void a_range_of_sizes_has_each_and_stays_inside(void **state)
{
	struct io_pattern_spec spec = random_reads();
	unsigned int sizes[5] = { 0 };
	bool first = false, last = false;
	struct io_pattern pattern;
	struct io_unit unit;

	(void)state;
	spec.bs_max = 4 * BS;
	io_pattern_init(&pattern, &spec, 1, 0);
	for (int i = 0; i < 100000; i++) {
		io_pattern_next(&pattern, &unit);
		assert_int_equal(unit.length % BS, 0);
		assert_true(unit.offset >= spec.offset);
		assert_true(unit.offset + unit.length <= spec.offset + spec.size);
		sizes[unit.length / BS]++;
		first |= unit.offset == spec.offset;
		last |= unit.offset + unit.length == spec.offset + spec.size;
	}
	for (int i = 1; i <= 4; i++)
		assert_in_range(sizes[i], 24000, 26000);
	assert_true(first && last);
}

static void sequential_offsets_go_on_and_start_again(void **state)
{
	struct io_pattern_spec spec = random_reads();
	struct io_pattern pattern;
	struct io_unit unit;

	(void)state;
	spec.random = false;
	io_pattern_init(&pattern, &spec, 1, 0);
	for (int i = 0; i < 3 * BLOCKS; i++) {
		io_pattern_next(&pattern, &unit);
		assert_int_equal(unit.offset, spec.offset + (uint64_t)(i % BLOCKS) * BS);
	}
	/* a last block that is too short for the IO is left out */
	spec.bs_min = spec.bs_max = 3 * BS;
	io_pattern_init(&pattern, &spec, 1, 0);
	for (int i = 0; i < 200; i++) {
		io_pattern_next(&pattern, &unit);
		assert_true(unit.offset + unit.length <= spec.offset + spec.size);
		assert_int_equal(unit.offset, spec.offset + (uint64_t)(i % (BLOCKS / 3)) * 3 * BS);
	}
}

static void the_mix_is_as_asked_for(void **state)
{
	struct io_pattern_spec spec = random_reads();
	unsigned int reads = 0;
	struct io_pattern pattern;
	struct io_unit unit;

	(void)state;
	spec.read_pct = 70;
	io_pattern_init(&pattern, &spec, 1, 0);
	for (int i = 0; i < 100000; i++) {
		io_pattern_next(&pattern, &unit);
		reads += unit.op == IO_READ;
	}
	assert_in_range(reads, 69000, 71000);
	spec.read_pct = 0;
	io_pattern_init(&pattern, &spec, 1, 0);
	for (int i = 0; i < 1000; i++) {
		io_pattern_next(&pattern, &unit);
		assert_int_equal(unit.op, IO_WRITE);
	}
}

static void a_sync_comes_after_so_many_writes(void **state)
{
	struct io_pattern_spec spec = random_reads();
	unsigned int writes = 0;
	struct io_pattern pattern;
	struct io_unit unit;

	(void)state;
	spec.read_pct = 50;
	spec.fsync_every = 8;
	io_pattern_init(&pattern, &spec, 1, 0);
	for (int i = 0; i < 10000; i++) {
		io_pattern_next(&pattern, &unit);
		if (unit.op == IO_SYNC) {
			assert_int_equal(writes, 8);
			assert_int_equal(unit.length, 0);
			writes = 0;
		}
		writes += unit.op == IO_WRITE;
		assert_true(writes <= 8);
	}
}

/* How many of the first 100 offsets of two streams are the same. */
static unsigned int same(uint64_t seed_a, uint64_t job_a, uint64_t seed_b, uint64_t job_b)
{
	struct io_pattern_spec spec = random_reads();
	struct io_pattern a, b;
	struct io_unit of_a, of_b;
	unsigned int n = 0;

	spec.size = 1ULL << 40;
	io_pattern_init(&a, &spec, seed_a, job_a);
	io_pattern_init(&b, &spec, seed_b, job_b);
	for (int i = 0; i < 100; i++) {
		io_pattern_next(&a, &of_a);
		io_pattern_next(&b, &of_b);
		n += of_a.offset == of_b.offset;
	}
	return n;
}

static void a_seed_gives_the_same_io_and_each_job_its_own(void **state)
{
	(void)state;
	assert_int_equal(same(7, 3, 7, 3), 100);
	assert_int_equal(same(7, 3, 7, 4), 0);
	assert_int_equal(same(7, 3, 8, 3), 0);
	assert_int_equal(same(0, 0, 0, 1), 0);
	/* a job's stream is not that of another seed's neighbour */
	assert_int_equal(same(1, 2, 2, 1), 0);
}

static void what_is_written_bears_no_signature(void **state)
{
	struct io_pattern_spec spec = random_reads();
	struct io_pattern pattern;
	unsigned char *bytes = xmalloc(1 << 20);
	unsigned int counts[256] = { 0 };

	(void)state;
	io_pattern_init(&pattern, &spec, 1, 0);
	io_pattern_fill(&pattern, bytes, 1 << 20);
	for (int i = 0; i < 1 << 20; i++)
		counts[bytes[i]]++;
	for (int i = 0; i < 128; i++)
		assert_int_equal(counts[i], 0);
	for (int i = 128; i < 256; i++)
		assert_in_range(counts[i], 7500, 9000); /* 8192 */
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_offsets_reach_each_block_equally_often),
		cmocka_unit_test(a_range_of_sizes_has_each_and_stays_inside),
		cmocka_unit_test(sequential_offsets_go_on_and_start_again),
		cmocka_unit_test(the_mix_is_as_asked_for),
		cmocka_unit_test(a_sync_comes_after_so_many_writes),
		cmocka_unit_test(a_seed_gives_the_same_io_and_each_job_its_own),
		cmocka_unit_test(what_is_written_bears_no_signature),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
