// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The page in the fixtures was read from a ring buffer on x86-64 while dd wrote three blocks of
 * 4 KiB from sector 80 on to loop2, "hello" was written to trace_marker, dd read two blocks of
 * 8 KiB from the start, and blkdiscard looked at the device. The other pages are made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "traces/ring_buffer.h"

#define LOOP2 (7u << 20 | 2)
#define PAGE 4096u
#define BLK_TYPE 14
#define PRINT_TYPE 5
#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define MISSED (1u << 31)
#define MISSED_STORED (1u << 30)

static const uint32_t loop2[] = { LOOP2 };

static char *fixture(const char *name)
{
	const char *tests = getenv("BRUNT_TESTS");
	char *path;

	if (asprintf(&path, "%s/fixtures/blktrace/%s", tests ? tests : "tests", name) < 0)
		abort();
	return path;
}

static void read_format(struct ring_format *format)
{
	char *path = fixture("tracefs");
	struct err err = { 0 };
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	assert_true(fd >= 0);
	assert_int_equal(ring_format_read(fd, format, &err), 0);
	close(fd);
	free(path);
}

struct taken {
	struct blk_record v[128];
	unsigned char pdu[128][8];
	size_t n, stop_at;
};

static int take(void *arg, const struct blk_record *record)
{
	struct taken *taken = arg;

	assert_true(taken->n < 128);
	taken->v[taken->n] = *record;
	memcpy(taken->pdu[taken->n], record->pdu, record->pdu_len < 8 ? record->pdu_len : 8);
	taken->n++;
	return taken->stop_at && taken->n == taken->stop_at ? -1234 : 0;
}

/* ---- pages made here ---- */

struct page {
	union {
		unsigned char bytes[PAGE];
		uint64_t align;
	};
	size_t used;
};

static void page_start(struct page *page, uint64_t time)
{
	memset(page, 0, sizeof(*page));
	memcpy(page->bytes, &time, sizeof(time));
	page->used = 16;
}

static void page_flags(struct page *page, uint64_t flags)
{
	uint64_t commit = (page->used - 16) | flags;

	memcpy(page->bytes + 8, &commit, sizeof(commit));
}

/* An entry of any length: type_len 0, then the length with its own four bytes. */
static void page_add(struct page *page, uint32_t delta, const void *data, uint32_t len)
{
	uint32_t head = BIG_ENDIAN_HOST ? delta : delta << 5, length = (len + 3) / 4 * 4 + 4;

	memcpy(page->bytes + page->used, &head, 4);
	memcpy(page->bytes + page->used + 4, &length, 4);
	memcpy(page->bytes + page->used + 8, data, len);
	page->used += 4 + length;
	page_flags(page, 0);
}

static void page_add_record(struct page *page, uint16_t type, unsigned int version,
			    uint32_t device, uint64_t action, uint16_t pdu_len)
{
	const struct blk_record record = {
		.action = action, .device = device, .pid = 42, .sector = 8, .bytes = 512,
		.pdu_len = pdu_len,
	};
	unsigned char entry[BLK_RECORD_HEADER_MAX + 64] = { 0 };
	size_t size = blk_record_encode(&record, version, entry);

	memset(entry, 0xee, 16); /* trace entry and a time that nobody wrote */
	memcpy(entry, &type, sizeof(type));
	memset(entry + size, 0x77, pdu_len);
	page_add(page, 10, entry, (uint32_t)size + pdu_len);
}

static struct taken decode(struct ring_format *format, const uint32_t *devices, size_t n,
			   const void *page, struct ring_counts *counts)
{
	struct ring_decoder *decoder = ring_decoder_new(format, devices, n);
	struct taken taken = { .n = 0 };

	assert_int_equal(ring_decode_page(decoder, page, take, &taken), 0);
	*counts = *ring_decoder_counts(decoder);
	ring_decoder_free(decoder);
	return taken;
}

/* ---- tests ---- */

static void test_format(void **state)
{
	struct ring_format format;

	(void)state;
	read_format(&format);
	assert_int_equal(format.page_size, PAGE);
	assert_int_equal(format.commit_size, 8);
	assert_true(format.claimed[0]);
	assert_true(format.claimed[PRINT_TYPE]);
	assert_false(format.claimed[BLK_TYPE]);
	assert_true(format.claimed[20]);  /* func_repeats, the last one */
	assert_true(format.claimed[21]);  /* an event, and so no type of ftrace's own */
	assert_int_equal(format.blk_type, 0);
}

static void test_format_of_a_wrong_folder(void **state)
{
	struct ring_format format = { .page_size = 1 };
	struct err err = { 0 };
	int fd = open("/", O_RDONLY | O_DIRECTORY);

	(void)state;
	assert_true(ring_format_read(fd, &format, &err) < 0);
	assert_non_null(strstr(err.text, "header_page"));
	assert_int_equal(format.page_size, 1);
	close(fd);
}

static void read_real_page(struct buf *page)
{
	char *path = fixture("page-little-endian.raw");

	assert_int_equal(files_read_at(AT_FDCWD, path, 2 * PAGE, page), 0);
	assert_int_equal(page->len, PAGE);
	free(path);
	if (BIG_ENDIAN_HOST) {
		print_message("the page in the fixtures is of a little-endian machine\n");
		skip();
	}
}

/* The six records of one IO without merging: queue, get, plug, unplug, issue, complete. */
static void check_io(const struct taken *taken, size_t from, uint64_t sector, uint32_t bytes,
		     enum blk_category direction)
{
	static const char *const names[] = { "Q", "G", "P", "U", "D", "C" };
	static const unsigned char depth[8] = { [7] = 1 };
	const struct blk_record *record;

	for (size_t i = 0; i < 6; i++) {
		record = &taken->v[from + i];
		assert_string_equal(blk_record_action_name(record), names[i]);
		assert_int_equal(record->device, LOOP2);
		assert_int_equal(record->cpu, 0);
		if (i == 2 || i == 3)
			continue; /* of the queue, not of an IO */
		assert_true(record->action >> BLK_CATEGORY_SHIFT & direction);
		assert_true(record->sector == sector);
		assert_int_equal(record->bytes, bytes);
	}
	assert_int_equal(taken->v[from + 3].pdu_len, 8);
	assert_memory_equal(taken->pdu[from + 3], depth, 8);
}

static void test_real_page(void **state)
{
	auto_buf struct buf page = BUF_INIT;
	struct ring_format format;
	struct ring_counts counts;
	struct taken taken;

	(void)state;
	read_real_page(&page);
	read_format(&format);
	taken = decode(&format, loop2, 1, page.s, &counts);
	assert_int_equal(format.blk_type, BLK_TYPE);
	assert_int_equal(format.blk_version, 7);
	assert_int_equal(counts.pages, 1);
	assert_int_equal(counts.blk, 75);
	assert_int_equal(counts.other, 1);
	assert_int_equal(counts.broken, 0);
	assert_int_equal(counts.missed, 0);
	assert_int_equal(taken.n, 75);
	for (uint64_t i = 0; i < 3; i++)
		check_io(&taken, i * 6, 80 + 8 * i, 4096, BLK_CATEGORY_WRITE);
	for (uint64_t i = 0; i < 2; i++)
		check_io(&taken, 18 + i * 6, 16 * i, 8192, BLK_CATEGORY_READ);
	assert_true(taken.v[0].time == 2435047842487);
	for (size_t i = 1; i < taken.n; i++)
		assert_true(taken.v[i].time > taken.v[i - 1].time);
}

static void test_unknown_devices_name_no_type(void **state)
{
	static const uint32_t others[] = { 7u << 20, 7u << 20 | 1, 7u << 20 | 3 };
	auto_buf struct buf page = BUF_INIT;
	struct ring_format format;
	struct ring_counts counts;

	(void)state;
	read_real_page(&page);
	read_format(&format);
	assert_int_equal(decode(&format, others, 3, page.s, &counts).n, 0);
	assert_int_equal(format.blk_type, 0);
	assert_int_equal(counts.other, 76);
	/* Once the type is known, records of all devices come. */
	decode(&format, loop2, 1, page.s, &counts);
	assert_int_equal(decode(&format, others, 3, page.s, &counts).n, 75);
}

static void test_version_8(void **state)
{
	struct ring_format format;
	struct ring_counts counts;
	struct page page;
	struct taken taken;

	(void)state;
	read_format(&format);
	page_start(&page, 1000);
	page_add_record(&page, BLK_TYPE, 8, LOOP2, 0x200410007, 3);
	taken = decode(&format, loop2, 1, page.bytes, &counts);
	assert_int_equal(format.blk_version, 8);
	assert_int_equal(taken.n, 1);
	assert_true(taken.v[0].action == 0x200410007);
	assert_int_equal(taken.v[0].pid, 42);
	assert_int_equal(taken.v[0].sequence, 0);
	assert_true(taken.v[0].time == 1010);
	assert_int_equal(taken.v[0].pdu_len, 3);
	assert_memory_equal(taken.pdu[0], "\x77\x77\x77", 3);
}

static void test_claimed_types_are_no_records(void **state)
{
	struct ring_format format;
	struct ring_counts counts;
	struct page page;

	(void)state;
	read_format(&format);
	page_start(&page, 1000);
	page_add_record(&page, PRINT_TYPE, 7, LOOP2, 0x410007, 0);
	page_add_record(&page, 21, 7, LOOP2, 0x410007, 0);
	page_add_record(&page, 300, 7, LOOP2, 0x410007, 0);
	page_add_record(&page, 12, 7, LOOP2, 0x410000, 0); /* no such action */
	assert_int_equal(decode(&format, loop2, 1, page.bytes, &counts).n, 0);
	assert_int_equal(counts.other, 4);
	assert_int_equal(format.blk_type, 0);
}

static void test_damaged_records_are_counted(void **state)
{
	const uint16_t tiny[2] = { BLK_TYPE };
	struct ring_format format;
	struct ring_counts counts;
	struct page page;

	(void)state;
	read_format(&format);
	page_start(&page, 1000);
	page_add_record(&page, BLK_TYPE, 7, LOOP2, 0x410007, 0);
	page_add_record(&page, BLK_TYPE, 7, LOOP2, 0x410000, 0);
	page_add(&page, 1, tiny, sizeof(tiny));
	page_add_record(&page, BLK_TYPE, 7, LOOP2, 0x410007, 0);
	assert_int_equal(decode(&format, loop2, 1, page.bytes, &counts).n, 2);
	assert_int_equal(counts.broken, 2);
}

static void test_missed_events(void **state)
{
	struct ring_format format;
	struct ring_counts counts;
	const uint64_t missed = 77;
	struct page page;

	(void)state;
	read_format(&format);
	page_start(&page, 1000);
	page_add_record(&page, BLK_TYPE, 7, LOOP2, 0x410007, 0);
	memcpy(page.bytes + page.used, &missed, sizeof(missed));
	page_flags(&page, MISSED | MISSED_STORED);
	assert_int_equal(decode(&format, loop2, 1, page.bytes, &counts).n, 1);
	assert_int_equal(counts.missed, 77);
	assert_false(counts.missed_unknown);
	page_flags(&page, MISSED);
	decode(&format, loop2, 1, page.bytes, &counts);
	assert_int_equal(counts.missed, 0);
	assert_true(counts.missed_unknown);
}

static void test_pages_that_run_over_their_end(void **state)
{
	struct ring_format format;
	struct ring_counts counts;
	const uint64_t too_much = PAGE;
	uint32_t length = PAGE;
	struct page page;

	(void)state;
	read_format(&format);
	page_start(&page, 1000);
	page_add_record(&page, BLK_TYPE, 7, LOOP2, 0x410007, 0);
	memcpy(page.bytes + 8, &too_much, sizeof(too_much));
	assert_int_equal(decode(&format, loop2, 1, page.bytes, &counts).n, 0);
	assert_int_equal(counts.broken, 1);
	/* The second entry says that it is longer than the page. */
	page_start(&page, 1000);
	page_add_record(&page, BLK_TYPE, 7, LOOP2, 0x410007, 0);
	memcpy(page.bytes + page.used + 4, &length, sizeof(length));
	page.used += 64;
	page_flags(&page, 0);
	assert_int_equal(decode(&format, loop2, 1, page.bytes, &counts).n, 1);
	assert_int_equal(counts.broken, 1);
	page_start(&page, 1000);
	assert_int_equal(decode(&format, loop2, 1, page.bytes, &counts).n, 0);
	assert_int_equal(counts.broken, 1);
}

static void test_take_ends_the_page(void **state)
{
	struct taken taken = { .stop_at = 2 };
	struct ring_decoder *decoder;
	struct ring_format format;
	struct page page;

	(void)state;
	read_format(&format);
	page_start(&page, 1000);
	for (int i = 0; i < 5; i++)
		page_add_record(&page, BLK_TYPE, 7, LOOP2, 0x410007, 0);
	decoder = ring_decoder_new(&format, loop2, 1);
	assert_int_equal(ring_decode_page(decoder, page.bytes, take, &taken), -1234);
	assert_int_equal(taken.n, 2);
	ring_decoder_free(decoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_format_of_a_wrong_folder),
		cmocka_unit_test(test_real_page),
		cmocka_unit_test(test_unknown_devices_name_no_type),
		cmocka_unit_test(test_version_8),
		cmocka_unit_test(test_claimed_types_are_no_records),
		cmocka_unit_test(test_damaged_records_are_counted),
		cmocka_unit_test(test_missed_events),
		cmocka_unit_test(test_pages_that_run_over_their_end),
		cmocka_unit_test(test_take_ends_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
