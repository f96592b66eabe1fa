// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/blk_record.h"

/*
 * The same record written out by hand in both byte orders: sequence 2, time 0x0102030405060708,
 * sector 0x1112131415161718, 4096 bytes, action 0x00410007 (issue of a read, D), pid 1234,
 * device 7:3, cpu 5, error 6, two bytes of pdu.
 */
static const unsigned char little7[] = {
	0x07, 0x74, 0x61, 0x65, 2, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1,
	0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0, 0x10, 0, 0, 7, 0, 0x41, 0,
	0xd2, 4, 0, 0, 3, 0, 0x70, 0, 5, 0, 0, 0, 6, 0, 2, 0, 0xaa, 0xbb,
};
static const unsigned char big7[] = {
	0x65, 0x61, 0x74, 0x07, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0, 0, 0x10, 0, 0, 0x41, 0, 7,
	0, 0, 4, 0xd2, 0, 0x70, 0, 3, 0, 0, 0, 5, 0, 6, 0, 2, 0xaa, 0xbb,
};
/* Version 8 with the category of bit 17 (zone reset) on top. */
static const unsigned char little8[] = {
	0x08, 0x74, 0x61, 0x65, 2, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1,
	0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0, 0x10, 0, 0, 0xd2, 4, 0, 0,
	7, 0, 0x41, 0, 2, 0, 0, 0, 3, 0, 0x70, 0, 5, 0, 0, 0,
	6, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xaa, 0xbb,
};
static const unsigned char big8[] = {
	0x65, 0x61, 0x74, 0x08, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8,
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0, 0, 0x10, 0, 0, 0, 4, 0xd2,
	0, 0, 0, 2, 0, 0x41, 0, 7, 0, 0x70, 0, 3, 0, 0, 0, 5,
	0, 6, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xaa, 0xbb,
};

static const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

static void check_fields(const unsigned char *bytes, size_t len, unsigned int version,
			 uint64_t action, bool little)
{
	struct blk_record record;
	size_t size;

	assert_int_equal(blk_record_decode(bytes, len, &record, &size), 0);
	assert_int_equal(size, len);
	assert_int_equal(record.version, version);
	assert_int_equal(record.swapped, little != host_is_little);
	assert_int_equal(record.sequence, 2);
	assert_true(record.time == 0x0102030405060708);
	assert_true(record.sector == 0x1112131415161718);
	assert_int_equal(record.bytes, 4096);
	assert_true(record.action == action);
	assert_int_equal(record.pid, 1234);
	assert_int_equal(record.device, 7 << 20 | 3);
	assert_int_equal(record.cpu, 5);
	assert_int_equal(record.error, 6);
	assert_int_equal(record.pdu_len, 2);
	assert_memory_equal(record.pdu, "\xaa\xbb", 2);
}

static void test_both_versions_in_both_byte_orders(void **state)
{
	(void)state;
	check_fields(little7, sizeof(little7), 7, 0x410007, true);
	check_fields(big7, sizeof(big7), 7, 0x410007, false);
	check_fields(little8, sizeof(little8), 8, 0x200410007, true);
	check_fields(big8, sizeof(big8), 8, 0x200410007, false);
}

static void check_truncated(const unsigned char *bytes, size_t len)
{
	struct blk_record record = { .pid = 99 };
	unsigned char *exact;
	size_t size = 77;

	for (size_t n = 0; n < len; n++) {
		exact = malloc(n ? n : 1); /* so that a sanitizer sees a look behind the end */
		memcpy(exact, bytes, n);
		assert_int_equal(blk_record_decode(exact, n, &record, &size), -EAGAIN);
		free(exact);
	}
	assert_int_equal(record.pid, 99);
	assert_int_equal(size, 77);
}

static void test_truncated_anywhere(void **state)
{
	(void)state;
	check_truncated(little7, sizeof(little7));
	check_truncated(big8, sizeof(big8));
}

static void test_what_is_no_magic(void **state)
{
	unsigned char bytes[sizeof(little7)];
	struct blk_record record;
	size_t size;

	(void)state;
	memcpy(bytes, little7, sizeof(bytes));
	bytes[0] = 6; /* a version that never was */
	assert_int_equal(blk_record_decode(bytes, sizeof(bytes), &record, &size), -EBADMSG);
	bytes[0] = 7;
	bytes[3] = 0x66;
	assert_int_equal(blk_record_decode(bytes, sizeof(bytes), &record, &size), -EBADMSG);
	assert_int_equal(blk_record_decode_bare(bytes, sizeof(bytes), 9, &record, &size), -EBADMSG);
}

static void test_bare_ignores_the_magic(void **state)
{
	const unsigned char *ours = host_is_little ? little7 : big7;
	unsigned char bytes[sizeof(little7)];
	struct blk_record record;
	size_t size;

	(void)state;
	memcpy(bytes, ours, sizeof(bytes));
	memset(bytes, 0x5a, 8);
	assert_int_equal(blk_record_decode_bare(bytes, sizeof(bytes), 7, &record, &size), 0);
	assert_int_equal(size, sizeof(bytes));
	assert_int_equal(record.pid, 1234);
	assert_int_equal(blk_record_decode_bare(bytes, sizeof(bytes) - 1, 7, &record, &size),
			 -EAGAIN);
}

static void test_find_goes_to_the_next_record(void **state)
{
	unsigned char bytes[7 + sizeof(big7) + sizeof(little8)];

	(void)state;
	memset(bytes, 0x65, 7);
	memcpy(bytes + 7, big7, sizeof(big7));
	memcpy(bytes + 7 + sizeof(big7), little8, sizeof(little8));
	assert_int_equal(blk_record_find(bytes, sizeof(bytes), 0), 7);
	assert_int_equal(blk_record_find(bytes, sizeof(bytes), 8), 7 + sizeof(big7));
	assert_int_equal(blk_record_find(bytes, sizeof(bytes), 8 + sizeof(big7)), sizeof(bytes));
	assert_int_equal(blk_record_find(bytes, 3, 0), 3);
}

static void check_round_trip(const unsigned char *bytes, size_t len, unsigned int version)
{
	unsigned char out[BLK_RECORD_HEADER_MAX];
	struct blk_record record;
	size_t size;

	assert_int_equal(blk_record_decode(bytes, len, &record, &size), 0);
	assert_int_equal(blk_record_encode(&record, version, out), len - 2);
	assert_memory_equal(out, bytes, len - 2);
}

static void test_encode(void **state)
{
	unsigned char out[BLK_RECORD_HEADER_MAX];
	struct blk_record record;
	size_t size;

	(void)state;
	check_round_trip(host_is_little ? little7 : big7, sizeof(little7), 7);
	check_round_trip(host_is_little ? little8 : big8, sizeof(little8), 8);
	/* What came in the other byte order leaves in ours; version 7 cuts categories off. */
	assert_int_equal(blk_record_decode(host_is_little ? big8 : little8, sizeof(big8), &record,
					   &size), 0);
	assert_int_equal(blk_record_encode(&record, 7, out), 48);
	assert_memory_equal(out, host_is_little ? little7 : big7, 48);
	assert_int_equal(blk_record_encode(&record, 6, out), 0);
}

static struct blk_record with_action(uint64_t action, unsigned int version)
{
	return (struct blk_record){ .action = action, .version = version };
}

static void check_name(uint64_t action, unsigned int version, const char *name, bool valid)
{
	struct blk_record record = with_action(action, version);
	const char *got = blk_record_action_name(&record);

	assert_int_equal(blk_record_action_valid(&record), valid);
	if (!name)
		assert_null(got);
	else
		assert_string_equal(got, name);
}

static void test_actions(void **state)
{
	(void)state;
	check_name(0x00110001, 7, "Q", true);
	check_name(0x00410107, 7, "D", true);	/* with a cgroup id */
	check_name(0x0081000b, 7, "UT", true);
	check_name(0x00410011, 7, "driver data", true);
	check_name(0x00410012, 7, "ZP", false);	/* of version 8 */
	check_name(0x00410012, 8, "ZP", true);
	check_name(0x00410014, 8, NULL, false);
	check_name(0x00410000, 7, NULL, false);
	check_name(0x00000001, 7, "Q", false);	/* in no category */
	check_name(0x00110201, 7, "Q", false);
	check_name(0x200000001, 7, "Q", false);
	check_name(0x04000000, 7, "process", true);
	check_name(0x04000001, 7, "timestamp", true);
	check_name(0x04000102, 7, "message", true);
	check_name(0x04000003, 7, NULL, false);
}

static void test_category_names(void **state)
{
	(void)state;
	assert_int_equal(blk_category_bit("read", 4), BLK_CATEGORY_READ);
	assert_int_equal(blk_category_bit("complete,x", 8), BLK_CATEGORY_COMPLETE);
	assert_int_equal(blk_category_bit("drv_data", 8), BLK_CATEGORY_DRIVER_DATA);
	assert_int_equal(blk_category_bit("fua", 3), BLK_CATEGORY_FUA);
	assert_int_equal(blk_category_bit("queue", 4), 0);
	assert_int_equal(blk_category_bit("", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_versions_in_both_byte_orders),
		cmocka_unit_test(test_truncated_anywhere),
		cmocka_unit_test(test_what_is_no_magic),
		cmocka_unit_test(test_bare_ignores_the_magic),
		cmocka_unit_test(test_find_goes_to_the_next_record),
		cmocka_unit_test(test_encode),
		cmocka_unit_test(test_actions),
		cmocka_unit_test(test_category_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
