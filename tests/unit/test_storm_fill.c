// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "workloads/storm_fill.h"
#include "workloads/storm_uuid.h"

#define SIZE (2 * STORM_FILL_CHUNK + 1000)

/* A file of SIZE bytes in memory as storm_fill_write() leaves it, read back. */
static unsigned char *written(unsigned char *pattern, uint64_t seed, uint64_t size)
{
	unsigned char *bytes = xcalloc(1, SIZE);
	int fd = memfd_create("fill", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(storm_fill_write(fd, pattern, seed, size), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), size);
	assert_int_equal(pread(fd, bytes, SIZE, 0), size);
	close(fd);
	return bytes;
}

static void what_is_written_is_recognised(void **state)
{
	auto_free unsigned char *pattern = storm_fill_pattern();
	auto_free unsigned char *other = storm_fill_pattern();
	auto_free unsigned char *bytes = written(pattern, 7, SIZE);
	const unsigned char *second = bytes + STORM_FILL_CHUNK;
	const unsigned char *third = second + STORM_FILL_CHUNK;

	(void)state;
	/* also by a pattern that was not written with: the stamps are no part of it */
	assert_true(storm_fill_same(other, 7, 0, bytes, STORM_FILL_CHUNK));
	assert_true(storm_fill_same(other, 7, STORM_FILL_CHUNK, second, STORM_FILL_CHUNK));
	assert_true(storm_fill_same(other, 7, 2 * STORM_FILL_CHUNK, third, 1000));
	/* another cycle's, or at another place */
	assert_false(storm_fill_same(other, 8, 0, bytes, STORM_FILL_CHUNK));
	assert_false(storm_fill_same(other, 7, 0, second, STORM_FILL_CHUNK));
	bytes[1000] ^= 1;
	assert_false(storm_fill_same(other, 7, 0, bytes, STORM_FILL_CHUNK));
}

static void small_files_work(void **state)
{
	auto_free unsigned char *pattern = storm_fill_pattern();

	(void)state;
	for (size_t size = 1; size < 40; size++) {
		auto_free unsigned char *bytes = written(pattern, 3, size);

		assert_true(storm_fill_same(pattern, 3, 0, bytes, size));
		bytes[size - 1] ^= 1;
		assert_false(storm_fill_same(pattern, 3, 0, bytes, size));
	}
}

static void pattern_is_not_constant(void **state)
{
	auto_free unsigned char *pattern = storm_fill_pattern();
	size_t counts[256] = { 0 };

	(void)state;
	for (size_t i = 0; i < STORM_FILL_CHUNK; i++)
		counts[pattern[i]]++;
	for (int i = 0; i < 256; i++)
		assert_in_range(counts[i], STORM_FILL_CHUNK / 256 / 2,
				STORM_FILL_CHUNK / 256 * 2);
	for (size_t i = 4096; i < STORM_FILL_CHUNK; i += 4096)
		assert_memory_not_equal(pattern, pattern + i, 4096);
}

static void errors_of_write_are_given(void **state)
{
	auto_free unsigned char *pattern = storm_fill_pattern();

	(void)state;
	assert_true(storm_fill_write(-1, pattern, 0, 1) < 0);
	assert_int_equal(storm_fill_write(-1, pattern, 0, 0), 0);
}

static void uuids_tell_device_and_cycle(void **state)
{
	char uuid[STORM_UUID_SIZE];
	unsigned char bytes[16];
	static const unsigned char expected[16] = {
		0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0x4c, 0xde,
		0x80, 0x0f, 0x00, 0x2a, 0x00, 0x00, 0x10, 0xff,
	};

	(void)state;
	storm_uuid_make(uuid, 0x0123456789abcdef, 42);
	assert_string_equal(uuid, "01234567-89ab-4cde-800f-002a00000000");
	storm_uuid_set_cycle(uuid, 0x10ff);
	assert_string_equal(uuid, "01234567-89ab-4cde-800f-002a000010ff");
	storm_uuid_bytes(uuid, bytes);
	assert_memory_equal(bytes, expected, 16);
	storm_uuid_set_cycle(uuid, 0);
	assert_string_equal(uuid, "01234567-89ab-4cde-800f-002a00000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_recognised),
		cmocka_unit_test(small_files_work),
		cmocka_unit_test(pattern_is_not_constant),
		cmocka_unit_test(errors_of_write_are_given),
		cmocka_unit_test(uuids_tell_device_and_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
