// SPDX-License-Identifier: GPL-3.0-or-later
/* Plain files stand for the pipes: they give their pages and then 0, as the kernel's may. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracers/ring_readers.h"

#define PAGE 4096u

struct place {
	char folder[64];
	int fd;
};

static void place_make(struct place *place)
{
	*place = (struct place){ .folder = "/tmp/brunt-test-readers-XXXXXX" };
	assert_non_null(mkdtemp(place->folder));
	place->fd = open(place->folder, O_RDONLY | O_DIRECTORY);
	assert_true(place->fd >= 0);
	assert_int_equal(mkdirat(place->fd, "per_cpu", 0755), 0);
}

static void place_remove(struct place *place)
{
	char command[128];

	close(place->fd);
	snprintf(command, sizeof(command), "rm -r %s", place->folder);
	assert_int_equal(system(command), 0);
}

/* Page i of a CPU's pipe is full of the byte cpu + i. */
static void add_pipe(struct place *place, unsigned int cpu, size_t bytes)
{
	char path[64];
	unsigned char c;
	int fd;

	snprintf(path, sizeof(path), "per_cpu/cpu%u", cpu);
	assert_int_equal(mkdirat(place->fd, path, 0755), 0);
	snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	fd = openat(place->fd, path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	for (size_t i = 0; i < bytes; i++) {
		c = (unsigned char)(cpu + i / PAGE);
		assert_int_equal(pwrite(fd, &c, 1, (off_t)i), 1);
	}
	close(fd);
}

static void check_spool(const struct ring_reader *reader, unsigned int cpu, size_t pages)
{
	unsigned char page[PAGE];

	assert_int_equal(reader->cpu, cpu);
	assert_true(reader->bytes == pages * PAGE);
	assert_int_equal(lseek(reader->spool_fd, 0, SEEK_END), pages * PAGE);
	for (size_t i = 0; i < pages; i++) {
		assert_int_equal(pread(reader->spool_fd, page, PAGE, (off_t)(i * PAGE)), PAGE);
		assert_int_equal(page[0], (unsigned char)(cpu + i));
		assert_int_equal(page[PAGE - 1], (unsigned char)(cpu + i));
	}
}

static void test_everything_is_spooled(void **state)
{
	static const unsigned int cpus[] = { 0, 1, 700 }; /* no CPU 700 to pin to */
	struct ring_readers *readers;
	struct err err = { 0 };
	struct place place;

	(void)state;
	place_make(&place);
	add_pipe(&place, 0, 3 * PAGE);
	add_pipe(&place, 1, 0);
	add_pipe(&place, 700, 70 * PAGE); /* more than a reader collects before it writes */
	assert_int_equal(ring_readers_start(&readers, place.fd, place.fd, cpus, 3, PAGE, &err), 0);
	assert_int_equal(ring_readers_finish(readers, &err), 0);
	check_spool(&readers->v[0], 0, 3);
	check_spool(&readers->v[1], 1, 0);
	check_spool(&readers->v[2], 700, 70);
	assert_true(readers->cpu_s > 0);
	assert_int_equal(ring_readers_finish(readers, &err), 0); /* does nothing */
	ring_readers_free(readers);
	place_remove(&place);
}

static void test_a_pipe_that_is_not_there(void **state)
{
	static const unsigned int cpus[] = { 0, 1 };
	struct ring_readers *readers = NULL;
	struct err err = { 0 };
	struct place place;

	(void)state;
	place_make(&place);
	add_pipe(&place, 0, PAGE);
	assert_int_equal(ring_readers_start(&readers, place.fd, place.fd, cpus, 2, PAGE, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "CPU 1"));
	assert_null(readers);
	place_remove(&place);
}

static void test_a_torn_page_is_a_failure(void **state)
{
	static const unsigned int cpus[] = { 0, 1 };
	struct ring_readers *readers;
	struct err err = { 0 };
	struct place place;

	(void)state;
	place_make(&place);
	add_pipe(&place, 0, PAGE + 100);
	add_pipe(&place, 1, 2 * PAGE);
	assert_int_equal(ring_readers_start(&readers, place.fd, place.fd, cpus, 2, PAGE, &err), 0);
	assert_int_equal(ring_readers_finish(readers, &err), -EMSGSIZE);
	assert_non_null(strstr(err.text, "CPU 0"));
	check_spool(&readers->v[1], 1, 2);
	ring_readers_free(readers);
	place_remove(&place);
}

static void test_free_ends_what_still_runs(void **state)
{
	static const unsigned int cpus[] = { 0 };
	struct ring_readers *readers;
	struct err err = { 0 };
	struct place place;
	int pid;

	(void)state;
	place_make(&place);
	add_pipe(&place, 0, PAGE);
	assert_int_equal(ring_readers_start(&readers, place.fd, place.fd, cpus, 1, PAGE, &err), 0);
	pid = readers->pids[0];
	assert_int_equal(kill(pid, 0), 0);
	ring_readers_free(readers);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	place_remove(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything_is_spooled),
		cmocka_unit_test(test_a_pipe_that_is_not_there),
		cmocka_unit_test(test_a_torn_page_is_a_failure),
		cmocka_unit_test(test_free_ends_what_still_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
