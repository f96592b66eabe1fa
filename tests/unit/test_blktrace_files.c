// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/process.h"
#include "traces/blktrace_files.h"

#define LOOP2 (7u << 20 | 2)
#define LOOP3 (7u << 20 | 3)

static const struct blktrace_device devices[] = { { "loop2", LOOP2 }, { "loop3", LOOP3 } };

static const char *comm_of(void *arg, uint32_t pid)
{
	unsigned int *asked = arg;

	++*asked;
	return pid == 7 ? "a command longer than fits" : pid == 8 ? "mkfs.ext4" : NULL;
}

struct place {
	char folder[64];
	unsigned int asked;
	struct blktrace_files *files;
};

static void place_start(struct place *place)
{
	struct blktrace_source source = {
		.devices = devices,
		.ndevices = 2,
		.mono_ns = 5000,
		.wall_ns = 1700000000123456789,
		.comm = comm_of,
		.arg = &place->asked,
	};

	*place = (struct place){ .folder = "/tmp/brunt-test-files-XXXXXX" };
	assert_non_null(mkdtemp(place->folder));
	place->files = blktrace_files_new(place->folder, &source);
}

static void place_remove(const struct place *place)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", place->folder);
	assert_int_equal(system(command), 0);
}

static void begin(struct place *place, unsigned int cpu)
{
	struct err err = { 0 };

	assert_int_equal(blktrace_files_begin_cpu(place->files, cpu, &err), 0);
}

static void add(struct place *place, size_t device, uint64_t time, uint32_t pid, uint64_t action)
{
	static const unsigned char pdu[8] = { [7] = 3 };
	const struct blk_record record = {
		.time = time, .pid = pid, .action = action, .version = 7,
		.sector = 8 * time, .bytes = 4096,
		.device = devices[device].number, .cpu = 99, .sequence = 1234,
		.pdu = pdu, .pdu_len = (action & 0xff) == BLK_ACTION_UNPLUG ? 8 : 0,
	};
	struct err err = { 0 };

	assert_int_equal(blktrace_files_add(place->files, device, &record, &err), 0);
}

static uint64_t finish(struct place *place)
{
	struct err err = { 0 };
	uint64_t left_out;

	assert_int_equal(blktrace_files_finish(place->files, &left_out, &err), 0);
	return left_out;
}

static void read_file(const struct place *place, const char *name, struct buf *out)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", place->folder, name);
	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 24, out), 0);
}

static bool file_exists(const struct place *place, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", place->folder, name);
	return files_exists(path);
}

/* The next record; checks what all of a file have in common. */
static struct blk_record next(const struct buf *file, size_t *at, unsigned int cpu,
			      uint32_t device)
{
	struct blk_record record;
	size_t size;

	assert_int_equal(blk_record_decode(file->s + *at, file->len - *at, &record, &size), 0);
	assert_int_equal(record.version, 7);
	assert_int_equal(record.cpu, cpu);
	assert_int_equal(record.device, device);
	*at += size;
	return record;
}

static void check_named(const struct blk_record *record, uint32_t pid, uint64_t time,
			const char *comm)
{
	char name[16] = "";

	snprintf(name, sizeof(name), "%s", comm);
	assert_string_equal(blk_record_action_name(record), "process");
	assert_int_equal(record->sequence, 0);
	assert_int_equal(record->pid, pid);
	assert_true(record->time == time);
	assert_int_equal(record->pdu_len, 16);
	assert_memory_equal(record->pdu, name, 16);
}

static void check_event(const struct blk_record *record, const char *name, uint32_t sequence,
			uint64_t time)
{
	assert_string_equal(blk_record_action_name(record), name);
	assert_int_equal(record->sequence, sequence);
	assert_true(record->time == time);
	assert_true(record->sector == 8 * time);
}

static void test_a_file_from_start_to_end(void **state)
{
	const uint32_t wall[2] = { 1700000000, 123456789 };
	auto_buf struct buf file = BUF_INIT;
	struct blk_record record;
	struct place place;
	size_t at = 0;

	(void)state;
	place_start(&place);
	begin(&place, 0);
	add(&place, 0, 6000, 7, 0x00110001);
	add(&place, 0, 6001, 7, 0x0011000a);
	add(&place, 0, 6002, 6, 0x00410007);
	add(&place, 0, 6003, 7, 0x00810008);
	assert_int_equal(finish(&place), 0);
	read_file(&place, "loop2.blktrace.0", &file);
	record = next(&file, &at, 0, LOOP2);
	assert_string_equal(blk_record_action_name(&record), "timestamp");
	assert_true(record.time == 5000);
	assert_int_equal(record.pdu_len, 8);
	assert_memory_equal(record.pdu, wall, 8);
	record = next(&file, &at, 0, LOOP2);
	check_named(&record, 7, 6000, "a command longe");
	record = next(&file, &at, 0, LOOP2);
	check_event(&record, "Q", 1, 6000);
	record = next(&file, &at, 0, LOOP2);
	check_event(&record, "U", 2, 6001);
	assert_int_equal(record.pdu_len, 8);
	assert_int_equal(record.pdu[7], 3);
	record = next(&file, &at, 0, LOOP2);
	check_event(&record, "D", 3, 6002); /* nobody knows the name of 6 */
	record = next(&file, &at, 0, LOOP2);
	check_event(&record, "C", 4, 6003);
	assert_int_equal(at, file.len);
	assert_int_equal(place.asked, 2);
	assert_false(file_exists(&place, "loop3.blktrace.0"));
	place_remove(&place);
}

/* Each CPU counts for itself; blkparse needs the files of the CPUs before, though empty. */
static void test_cpus(void **state)
{
	auto_buf struct buf first = BUF_INIT, second = BUF_INIT, empty = BUF_INIT;
	struct blk_record record;
	struct place place;
	size_t at = 0;

	(void)state;
	place_start(&place);
	begin(&place, 1);
	add(&place, 0, 10, 8, 0x00110001);
	begin(&place, 3);
	add(&place, 0, 11, 8, 0x00110001);
	add(&place, 1, 12, 8, 0x00110001);
	finish(&place);
	read_file(&place, "loop2.blktrace.1", &first);
	record = next(&first, &at, 1, LOOP2);
	assert_string_equal(blk_record_action_name(&record), "timestamp");
	at = 0;
	read_file(&place, "loop2.blktrace.3", &second);
	record = next(&second, &at, 3, LOOP2);
	check_named(&record, 8, 11, "mkfs.ext4"); /* no second timestamp, but the name again */
	record = next(&second, &at, 3, LOOP2);
	check_event(&record, "Q", 1, 11);
	assert_int_equal(at, second.len);
	read_file(&place, "loop2.blktrace.0", &empty);
	read_file(&place, "loop2.blktrace.2", &empty);
	read_file(&place, "loop3.blktrace.2", &empty);
	assert_int_equal(empty.len, 0);
	assert_true(file_exists(&place, "loop3.blktrace.3"));
	assert_false(file_exists(&place, "loop2.blktrace.4"));
	place_remove(&place);
}

static void test_more_than_one_buffer(void **state)
{
	const uint32_t many = 5000; /* 240 kB */
	auto_buf struct buf file = BUF_INIT;
	struct blk_record record;
	struct place place;
	size_t at = 0;

	(void)state;
	place_start(&place);
	begin(&place, 0);
	for (uint32_t i = 1; i <= many; i++)
		add(&place, 1, 100 + i, 6, 0x00110001);
	finish(&place);
	read_file(&place, "loop3.blktrace.0", &file);
	next(&file, &at, 0, LOOP3);
	for (uint32_t i = 1; i <= many; i++) {
		record = next(&file, &at, 0, LOOP3);
		check_event(&record, "Q", i, 100 + i);
	}
	assert_int_equal(at, file.len);
	place_remove(&place);
}

static void test_what_version_7_cannot_say(void **state)
{
	auto_buf struct buf file = BUF_INIT;
	struct blk_record record;
	struct place place;
	size_t at = 0;

	(void)state;
	place_start(&place);
	begin(&place, 0);
	add(&place, 0, 1, 6, 0x00110012);    /* zone plug */
	add(&place, 0, 2, 6, 0x200810008);   /* completion of a zone reset */
	add(&place, 0, 3, 6, 0x04000002);    /* a message is no event and has no number */
	add(&place, 0, 4, 6, 0x00810008);
	assert_int_equal(finish(&place), 1);
	read_file(&place, "loop2.blktrace.0", &file);
	next(&file, &at, 0, LOOP2);
	record = next(&file, &at, 0, LOOP2);
	check_event(&record, "C", 1, 2);
	assert_true(record.action == 0x00810008);
	record = next(&file, &at, 0, LOOP2);
	check_event(&record, "message", 0, 3);
	record = next(&file, &at, 0, LOOP2);
	check_event(&record, "C", 2, 4);
	place_remove(&place);
}

static void test_a_folder_that_is_not_there(void **state)
{
	struct err err = { 0 };
	struct place place;

	(void)state;
	place_start(&place);
	place_remove(&place);
	begin(&place, 0);
	add(&place, 0, 1, 6, 0x00110001);
	assert_int_equal(blktrace_files_finish(place.files, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.text, "loop2.blktrace.0"));
}

/* blkparse itself: all records, none skipped, names and the wall clock known. */
static void test_blkparse_reads_it(void **state)
{
	const char *argv[] = { "sh", "-c", NULL, NULL };
	auto_buf struct buf out = BUF_INIT;
	struct err err = { 0 };
	char command[256], *blkparse;
	struct place place;
	int status;

	(void)state;
	if (process_find("blkparse", &blkparse)) {
		print_message("blkparse is not installed (package blktrace)\n");
		skip();
	}
	place_start(&place);
	begin(&place, 1);
	for (uint64_t i = 0; i < 300; i++) {
		add(&place, 0, 10000 + 1000 * i, 8, 0x00120001);
		add(&place, 0, 10100 + 1000 * i, 8, 0x00420007);
	}
	begin(&place, 2);
	for (uint64_t i = 0; i < 300; i++)
		add(&place, 0, 10200 + 1000 * i, 0, 0x00820008);
	finish(&place);
	snprintf(command, sizeof(command), "cd %s && %s -i loop2", place.folder, blkparse);
	argv[2] = command;
	assert_int_equal(process_capture(argv, &out, &status, &err), 0);
	assert_int_equal(status, 0);
	assert_non_null(strstr(out.s, "Events (loop2): 900 entries"));
	assert_non_null(strstr(out.s, "Skips: 0 forward (0 -   0.0%)"));
	assert_non_null(strstr(out.s, "[mkfs.ext4]"));
	assert_non_null(strstr(out.s, " Writes Queued:         300,     1200KiB"));
	assert_null(strstr(out.s, "error cpu"));
	place_remove(&place);
	free(blkparse);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_from_start_to_end),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_more_than_one_buffer),
		cmocka_unit_test(test_what_version_7_cannot_say),
		cmocka_unit_test(test_a_folder_that_is_not_there),
		cmocka_unit_test(test_blkparse_reads_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
