// SPDX-License-Identifier: GPL-3.0-or-later
/* A folder of plain files stands for tracefs: who else may be tracing, values, losses. */
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

#include "base/files.h"
#include "machine/tracefs.h"
#include "tracers/trace_buffer.h"

static const unsigned int cpus[] = { 0, 2 };

struct place {
	char folder[64];
	int fd;
};

static void put(const struct place *place, const char *name, const char *text)
{
	int fd = openat(place->fd, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(files_write_all(fd, text, strlen(text)), 0);
	close(fd);
}

static void put_stats(const struct place *place, unsigned int cpu, unsigned int entries,
		      unsigned int overrun, unsigned int commit, unsigned int dropped)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "per_cpu/cpu%u/stats", cpu);
	snprintf(text, sizeof(text), "entries: %u\noverrun: %u\ncommit overrun: %u\nbytes: 99\n"
		 "oldest event ts:     0.000000\nnow ts:  1118.084367\ndropped events: %u\n"
		 "read events: 77\n", entries, overrun, commit, dropped);
	put(place, path, text);
}

static void place_make(struct place *place)
{
	*place = (struct place){ .folder = "/tmp/brunt-test-buffer-XXXXXX" };
	assert_non_null(mkdtemp(place->folder));
	place->fd = open(place->folder, O_RDONLY | O_DIRECTORY);
	assert_true(place->fd >= 0);
	assert_int_equal(mkdirat(place->fd, "per_cpu", 0755), 0);
	assert_int_equal(mkdirat(place->fd, "per_cpu/cpu2", 0755), 0);
	assert_int_equal(mkdirat(place->fd, "per_cpu/cpu0", 0755), 0);
	put_stats(place, 0, 0, 0, 0, 0);
	put_stats(place, 2, 0, 0, 0, 0);
	put(place, "current_tracer", "nop\n");
	put(place, "set_event", "");
	put(place, "tracing_cpumask", "0,00000005\n");
	put(place, "trace_pipe", "");
}

static void place_remove(struct place *place)
{
	char command[128];

	close(place->fd);
	snprintf(command, sizeof(command), "rm -r %s", place->folder);
	assert_int_equal(system(command), 0);
}

static void check_busy(const struct place *place, const char *words)
{
	struct err err = { 0 };

	assert_int_equal(trace_buffer_check_idle(place->fd, cpus, 2, &err), -EBUSY);
	assert_non_null(strstr(err.text, words));
}

static void test_who_else_traces(void **state)
{
	struct err err = { 0 };
	struct place place;

	(void)state;
	place_make(&place);
	assert_int_equal(trace_buffer_check_idle(place.fd, cpus, 2, &err), 0);
	put(&place, "tracing_cpumask", "4\n");
	check_busy(&place, "tracing_cpumask");
	put(&place, "tracing_cpumask", "f\n");
	put_stats(&place, 2, 3, 0, 0, 0);
	check_busy(&place, "holds 3 entries");
	put(&place, "set_event", "sched:sched_switch\nblock:block_rq_issue\n");
	check_busy(&place, "the event sched:sched_switch ");
	put(&place, "current_tracer", "function\n");
	check_busy(&place, "current_tracer is function");
	place_remove(&place);
}

static void test_cpus(void **state)
{
	unsigned int *found;
	struct err err = { 0 };
	struct place place;
	size_t n;

	(void)state;
	place_make(&place);
	assert_int_equal(trace_buffer_cpus(place.fd, &found, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_int_equal(found[0], 0);
	assert_int_equal(found[1], 2);
	free(found);
	place_remove(&place);
}

static void test_losses(void **state)
{
	struct trace_buffer_stats before, after, change;
	struct err err = { 0 };
	struct place place;

	(void)state;
	place_make(&place);
	put_stats(&place, 0, 0, 5, 100, 7);
	put_stats(&place, 2, 1, 1, 0, 0);
	assert_int_equal(trace_buffer_stats(place.fd, cpus, 2, &before, &err), 0);
	assert_int_equal(before.entries, 1);
	assert_int_equal(before.overrun, 6);
	assert_int_equal(before.commit_overrun, 100);
	assert_int_equal(before.dropped, 7);
	assert_int_equal(before.read, 2 * 77);
	assert_int_equal(before.bytes, 2 * 99);
	/* Two more overwritten, the second counter reset and at 4 again, the third as it was. */
	put_stats(&place, 0, 0, 7, 4, 7);
	assert_int_equal(trace_buffer_stats(place.fd, cpus, 2, &after, &err), 0);
	assert_int_equal(trace_buffer_lost(&before, &after), 2 + 4);
	change = trace_buffer_change(&before, &after);
	assert_int_equal(change.overrun, 2);
	assert_int_equal(change.commit_overrun, 4);
	assert_int_equal(change.dropped, 0);
	assert_int_equal(change.read, 0);
	assert_int_equal(change.entries, 1);
	assert_int_equal(change.bytes, 2 * 99);
	put(&place, "per_cpu/cpu2/stats", "entries: 0\noverrun: 1\n");
	assert_int_equal(trace_buffer_stats(place.fd, cpus, 2, &after, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "cpu2"));
	place_remove(&place);
}

static void check_reads(const struct place *place, const char *text, const char *value)
{
	char out[64];

	put(place, "value", text);
	assert_int_equal(tracefs_read(place->fd, "value", out, sizeof(out)), 0);
	assert_string_equal(out, value);
}

static void test_values_as_they_are_written(void **state)
{
	struct place place;
	char out[4];

	(void)state;
	place_make(&place);
	check_reads(&place, "[local] global counter mono\n", "local");
	check_reads(&place, "local global [mono_raw] x86-tsc\n", "mono_raw");
	check_reads(&place, "7 (expanded: 1410)\n", "1410");
	check_reads(&place, "1410\n", "1410");
	check_reads(&place, "nop\nmore\n", "nop");
	check_reads(&place, "", "");
	put(&place, "value", "12345\n");
	assert_int_equal(tracefs_read(place.fd, "value", out, sizeof(out)), -EOVERFLOW);
	assert_int_equal(tracefs_read(place.fd, "missing", out, sizeof(out)), -ENOENT);
	place_remove(&place);
}

static void test_set_and_restore(void **state)
{
	struct tracefs_value value = { .set = false };
	struct err err = { 0 };
	struct place place;
	struct undo *undo;
	char session[32];

	(void)state;
	place_make(&place);
	snprintf(session, sizeof(session), "test-buffer-%d", (int)getpid());
	assert_int_equal(undo_open(session, &undo, &err), 0);
	put(&place, "value", "nop\n");
	assert_int_equal(tracefs_set(place.fd, undo, &value, "value", "nop", &err), 0);
	assert_false(value.set);
	assert_int_equal(tracefs_set(place.fd, undo, &value, "value", "blk", &err), 0);
	assert_true(value.set);
	assert_int_equal(files_read_line_at(place.fd, "value", session, sizeof(session)), 0);
	assert_string_equal(session, "blk");
	assert_int_equal(tracefs_restore(place.fd, undo, &value, &err), 0);
	assert_int_equal(files_read_line_at(place.fd, "value", session, sizeof(session)), 0);
	assert_string_equal(session, "nop");
	/* What somebody else wrote meanwhile stays. */
	assert_int_equal(tracefs_set(place.fd, undo, &value, "value", "blk", &err), 0);
	put(&place, "value", "function\n");
	assert_int_equal(tracefs_restore(place.fd, undo, &value, &err), -EBUSY);
	assert_false(value.set);
	assert_int_equal(files_read_line_at(place.fd, "value", session, sizeof(session)), 0);
	assert_string_equal(session, "function");
	assert_int_equal(tracefs_set(place.fd, undo, &value, "missing", "1", &err), -ENOENT);
	undo_close(undo);
	place_remove(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_else_traces),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_values_as_they_are_written),
		cmocka_unit_test(test_set_and_restore),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
