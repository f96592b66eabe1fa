// SPDX-License-Identifier: GPL-3.0-or-later
/* A folder of plain files stands for tracefs; the file is read back as its manual page says. */
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
#include "base/xalloc.h"
#include "traces/trace_dat.h"

#define PAGE 4096u

static char folder[64] = "/tmp/brunt-test-dat-XXXXXX";
static int fd;

static void put(const char *name, const char *text)
{
	int file = openat(fd, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	assert_true(file >= 0);
	assert_int_equal(files_write_all(file, text, strlen(text)), 0);
	close(file);
}

static void make_tracefs(void)
{
	static const char *const folders[] = { "events", "events/ftrace", "events/ftrace/print",
					       "events/sched", "events/sched/sched_switch",
					       "events/sched/sched_wakeup", "events/block",
					       "events/block/block_rq_issue" };

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		mkdirat(fd, folders[i], 0755);
	put("events/header_page", "the page\n");
	put("events/header_event", "the event\n");
	put("events/ftrace/print/format", "name: print\n");
	put("events/sched/sched_switch/format", "name: switch\n");
	put("events/sched/sched_wakeup/format", "name: wakeup\n");
	put("events/block/block_rq_issue/format", "name: issue\n");
	put("saved_cmdlines", "1 init\n");
	put("trace_clock", "local [mono]\n");
}

static int make_pages(char byte, size_t pages)
{
	int file = openat(fd, ".", O_TMPFILE | O_RDWR, 0600);
	auto_free char *page = xmalloc(PAGE);

	assert_true(file >= 0);
	memset(page, byte, PAGE);
	for (size_t i = 0; i < pages; i++)
		assert_int_equal(files_write_all(file, page, PAGE), 0);
	return file;
}

/* Reading with a cursor; everything is native. */
static const char *at;

static uint64_t number(size_t width)
{
	uint64_t value = 0;
	uint32_t half;
	uint16_t quarter;

	if (width == 8) {
		memcpy(&value, at, 8);
	} else if (width == 4) {
		memcpy(&half, at, 4);
		value = half;
	} else {
		memcpy(&quarter, at, 2);
		value = quarter;
	}
	at += width;
	return value;
}

static void expect_name(const char *name)
{
	assert_string_equal(at, name);
	at += strlen(name) + 1;
}

static void expect_text(size_t width, const char *text)
{
	assert_int_equal(number(width), strlen(text));
	assert_memory_equal(at, text, strlen(text));
	at += strlen(text);
}

static void expect_head(void)
{
	assert_memory_equal(at, "\x17\x08\x44tracing", 10);
	at += 10;
	expect_name("6");
	at++; /* byte order */
	assert_int_equal(*at++, sizeof(long));
	assert_int_equal(number(4), PAGE);
	expect_name("header_page");
	expect_text(8, "the page\n");
	expect_name("header_event");
	expect_text(8, "the event\n");
	assert_int_equal(number(4), 1);
	expect_text(8, "name: print\n");
}

static void expect_formats(void)
{
	assert_int_equal(number(4), 2);
	expect_name("sched");
	assert_int_equal(number(4), 2);
	expect_text(8, "name: switch\n");
	expect_text(8, "name: wakeup\n");
	expect_name("block");
	assert_int_equal(number(4), 1);
	expect_text(8, "name: issue\n");
}

static void expect_rest(void)
{
	at += number(4);		   /* kallsyms, whatever they are here */
	assert_int_equal(number(4), 0);	   /* no printk_formats */
	expect_text(8, "1 init\n");
	assert_int_equal(number(4), 4);	   /* CPUs */
	assert_memory_equal(at, "options  ", 10);
	at += 10;
	assert_int_equal(number(2), 4);
	expect_text(4, "local [mono]\n");
	assert_int_equal(number(2), 0);
	assert_memory_equal(at, "flyrecord", 10);
	at += 10;
}

static void expect_pages(const char *start, char byte, size_t pages)
{
	uint64_t offset = number(8), size = number(8);

	assert_int_equal(offset % PAGE, 0);
	assert_int_equal(size, pages * PAGE);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(start[offset + i], byte);
}

static void a_file_as_the_manual_describes_it(void **state)
{
	struct words events = WORDS_INIT;
	struct trace_dat_cpu cpus[] = { { .cpu = 0 }, { .cpu = 1 }, { .cpu = 3 } };
	const struct trace_dat_source source = { .tracefs = fd, .instance = fd, .events = &events,
						 .page_size = PAGE, .cpus = cpus, .ncpus = 3 };
	auto_buf struct buf text = BUF_INIT;
	struct err err = { .text = "" };
	int file = openat(fd, "dat", O_CREAT | O_RDWR, 0600);

	(void)state;
	words_add(&events, "sched:sched_switch");
	words_add(&events, "sched:sched_wakeup");
	words_add(&events, "block:block_rq_issue");
	cpus[0].fd = make_pages('a', 3);
	cpus[1].fd = make_pages('b', 0);
	cpus[2].fd = make_pages('d', 300); /* more than is copied at once */
	if (trace_dat_write(file, &source, &err))
		fail_msg("%s", err.text);
	assert_int_equal(files_read_at(fd, "dat", 64 << 20, &text), 0);
	at = text.s;
	expect_head();
	expect_formats();
	expect_rest();
	expect_pages(text.s, 'a', 3);
	expect_pages(text.s, 'b', 0);
	expect_pages(text.s, 'c', 0); /* there is no CPU 2 */
	expect_pages(text.s, 'd', 300);
	assert_int_equal(text.len % PAGE, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		close(cpus[i].fd);
	close(file);
	words_release(&events);
}

static void a_format_that_is_gone_is_an_error(void **state)
{
	struct words events = WORDS_INIT;
	const struct trace_dat_source source = { .tracefs = fd, .instance = fd, .events = &events,
						 .page_size = PAGE };
	struct err err = { .text = "" };
	int file = openat(fd, "dat", O_CREAT | O_RDWR | O_TRUNC, 0600);

	(void)state;
	words_add(&events, "sched:sched_unknown");
	assert_int_equal(trace_dat_write(file, &source, &err), -ENOENT);
	assert_non_null(strstr(err.text, "events/sched/sched_unknown/format"));
	close(file);
	words_release(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_as_the_manual_describes_it),
		cmocka_unit_test(a_format_that_is_gone_is_an_error),
	};
	struct err err = { .text = "" };
	int rc;

	if (!mkdtemp(folder) || (fd = open(folder, O_RDONLY | O_DIRECTORY)) < 0) {
		perror(folder);
		return 1;
	}
	make_tracefs();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	if (files_remove_tree(folder, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return rc;
}
