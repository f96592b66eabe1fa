// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "parsers/blk_record.h"
#include "traces/blktrace_count.h"

#define LOOP2 (7u << 20 | 2)
#define LOOP3 (7u << 20 | 3)
#define NAME "loop2.blktrace.0"

static char folder_name[64];
static int folder;

static void add(struct buf *out, unsigned int version, uint32_t device, uint64_t action,
		size_t pdu_len)
{
	const char pdu[64] = "bytes that belong to the record";
	struct blk_record record = {
		.version = version, .device = device, .action = action,
		.pdu_len = (uint16_t)pdu_len,
	};
	unsigned char header[BLK_RECORD_HEADER_MAX];

	buf_addn(out, header, blk_record_encode(&record, version, header));
	buf_addn(out, pdu, pdu_len);
}

static uint64_t queue(void)
{
	return BLK_ACTION_QUEUE |
	       (uint64_t)(BLK_CATEGORY_QUEUE | BLK_CATEGORY_WRITE) << BLK_CATEGORY_SHIFT;
}

static uint64_t notify(unsigned int code)
{
	return code | (uint64_t)BLK_CATEGORY_NOTIFY << BLK_CATEGORY_SHIFT;
}

static int count(const struct buf *bytes, struct blktrace_count *result, struct err *err)
{
	int fd = openat(folder, NAME, O_WRONLY | O_CREAT | O_TRUNC, 0600), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes->len ? bytes->s : "", bytes->len), bytes->len);
	close(fd);
	rc = blktrace_count_file(folder, NAME, LOOP2, result, err);
	assert_int_equal(unlinkat(folder, NAME, 0), 0);
	return rc;
}

static void test_events_are_no_notify_records(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct blktrace_count result = { .events = 100 };
	struct err err;

	(void)state;
	add(&bytes, 7, LOOP2, notify(BLK_NOTIFY_TIMESTAMP), 8);
	add(&bytes, 7, LOOP2, notify(BLK_NOTIFY_PROCESS), 16);
	for (int i = 0; i < 5; i++)
		add(&bytes, 7, LOOP2, queue(), (size_t)i);
	add(&bytes, 7, LOOP3, queue(), 0);
	assert_int_equal(count(&bytes, &result, &err), 0);
	assert_int_equal(result.events, 105);
	assert_int_equal(result.notify, 2);
	assert_int_equal(result.foreign, 1);
	assert_int_equal(result.bytes, bytes.len);
	assert_int_equal(result.broken, 0);
	assert_false(result.torn);
}

static void test_version_8(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct blktrace_count result = { 0 };
	struct err err;

	(void)state;
	add(&bytes, 8, LOOP2, notify(BLK_NOTIFY_TIMESTAMP), 8);
	add(&bytes, 8, LOOP2, queue(), 3);
	add(&bytes, 8, LOOP2, BLK_ACTION_ZONE_PLUG | 1ull << 36, 0);
	assert_int_equal(count(&bytes, &result, &err), 0);
	assert_int_equal(result.events, 2);
	assert_int_equal(result.broken, 0);
}

static void test_an_empty_file_and_none(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct blktrace_count result = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(count(&bytes, &result, &err), 0);
	assert_int_equal(result.events, 0);
	assert_int_equal(blktrace_count_file(folder, NAME, LOOP2, &result, &err), -ENOENT);
	assert_non_null(strstr(err.text, NAME));
}

/* Of a program that was killed. */
static void test_a_cut_record(void **state)
{
	for (size_t cut = 1; cut < 51; cut++) {
		auto_buf struct buf bytes = BUF_INIT;
		struct blktrace_count result = { 0 };
		struct err err;

		(void)state;
		add(&bytes, 7, LOOP2, queue(), 0);
		add(&bytes, 7, LOOP2, queue(), 3);
		bytes.len -= cut;
		assert_int_equal(count(&bytes, &result, &err), 0);
		assert_int_equal(result.events, 1);
		assert_true(result.torn);
	}
}

/* Such files end in what was allocated for more of them. */
static void test_zeros_at_the_end(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct blktrace_count result = { 0 };
	struct err err;

	(void)state;
	add(&bytes, 7, LOOP2, queue(), 0);
	for (int i = 0; i < 1000; i++)
		buf_addc(&bytes, '\0');
	assert_int_equal(count(&bytes, &result, &err), 0);
	assert_int_equal(result.events, 1);
	assert_int_equal(result.broken, 1);
}

static void test_goes_on_behind_damage(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct blktrace_count result = { 0 };
	struct err err;

	(void)state;
	add(&bytes, 7, LOOP2, queue(), 0);
	buf_add(&bytes, "something that is no record");
	add(&bytes, 7, LOOP2, queue(), 5);
	assert_int_equal(count(&bytes, &result, &err), 0);
	assert_int_equal(result.events, 2);
	assert_int_equal(result.broken, 1);
}

static void test_an_action_that_no_kernel_writes(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct blktrace_count result = { 0 };
	struct err err;

	(void)state;
	add(&bytes, 7, LOOP2, 200, 0);
	assert_int_equal(count(&bytes, &result, &err), 0);
	assert_int_equal(result.events, 0);
	assert_int_equal(result.broken, 1);
}

static void test_the_other_byte_order_is_refused(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct blktrace_count result = { 0 };
	struct err err;
	uint32_t magic;

	(void)state;
	add(&bytes, 7, LOOP2, queue(), 0);
	memcpy(&magic, bytes.s, sizeof(magic));
	magic = bswap_32(magic);
	memcpy(bytes.s, &magic, sizeof(magic));
	assert_int_equal(count(&bytes, &result, &err), -EBADMSG);
	assert_string_equal(err.text, NAME " is in the other byte order");
	assert_int_equal(result.bytes, 0);
}

static void test_a_version_to_come_is_refused(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct blktrace_count result = { 0 };
	struct err err;
	uint32_t magic = BLK_RECORD_MAGIC | 9;

	(void)state;
	add(&bytes, 7, LOOP2, queue(), 0);
	memcpy(bytes.s, &magic, sizeof(magic));
	assert_int_equal(count(&bytes, &result, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "version 9"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_are_no_notify_records),
		cmocka_unit_test(test_version_8),
		cmocka_unit_test(test_an_empty_file_and_none),
		cmocka_unit_test(test_a_cut_record),
		cmocka_unit_test(test_zeros_at_the_end),
		cmocka_unit_test(test_goes_on_behind_damage),
		cmocka_unit_test(test_an_action_that_no_kernel_writes),
		cmocka_unit_test(test_the_other_byte_order_is_refused),
		cmocka_unit_test(test_a_version_to_come_is_refused),
	};
	int failed;

	strcpy(folder_name, "/tmp/brunt-test-count-XXXXXX");
	if (!mkdtemp(folder_name))
		return 1;
	folder = open(folder_name, O_RDONLY | O_DIRECTORY);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	close(folder);
	rmdir(folder_name);
	return failed;
}
