// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/xalloc.h"
#include "machine/accounting.h"
#include "machine/memory.h"
#include "tests/unit/assert_double.h"

#define KTHREAD 0x208040UL
#define USER_TASK 0x400000UL

/* A folder that looks like /proc. */
static char fake_path[64];
static int fake = -1;

static int make_fake(void **state)
{
	(void)state;
	strcpy(fake_path, "/tmp/brunt-test-XXXXXX");
	if (!mkdtemp(fake_path))
		return -1;
	fake = open(fake_path, O_RDONLY | O_DIRECTORY);
	return fake < 0 ? -1 : 0;
}

static void remove_task(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/stat", pid);
	unlinkat(fake, path, 0);
	snprintf(path, sizeof(path), "%d/schedstat", pid);
	unlinkat(fake, path, 0);
	snprintf(path, sizeof(path), "%d", pid);
	unlinkat(fake, path, AT_REMOVEDIR);
}

static int remove_fake(void **state)
{
	struct dirent *entry;
	DIR *dir = opendir(fake_path);

	(void)state;
	while ((entry = readdir(dir)))
		if (atoi(entry->d_name))
			remove_task(atoi(entry->d_name));
	closedir(dir);
	unlinkat(fake, "stat", 0);
	close_fd(&fake);
	return rmdir(fake_path);
}

static void put_file(const char *path, const char *text)
{
	int fd = openat(fake, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void put_task(int pid, const char *name, int ppid, unsigned long flags, unsigned int start,
		     unsigned long long cpu_ns)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "%d", pid);
	mkdirat(fake, path, 0700);
	snprintf(path, sizeof(path), "%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (%s) I %d 0 0 0 -1 %lu 0 0 0 0 3 4 0 0 20 0 1 0 %u 0 0 18446744073709551615\n",
		 pid, name, ppid, flags, start);
	put_file(path, text);
	snprintf(path, sizeof(path), "%d/schedstat", pid);
	snprintf(text, sizeof(text), "%llu 7727339 61\n", cpu_ns);
	put_file(path, text);
}

static void put_stat(const char *numbers)
{
	char text[256];

	snprintf(text, sizeof(text), "cpu  %s 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n", numbers);
	put_file("stat", text);
}

static void put_kthreadd(void)
{
	put_task(2, "kthreadd", 0, KTHREAD, 14, 1000000000ULL);
	put_stat("100 10 50 1000 20 5 6 7");
}

static struct accounting *look(void)
{
	struct accounting *out = NULL;
	struct err err = { 0 };

	assert_int_equal(accounting_look_at(fake, &out, &err), 0);
	return out;
}

static struct accounting_change change_since(struct accounting *before, double idle_rate)
{
	struct accounting *after = look();
	struct accounting_change change;

	accounting_between(before, after, idle_rate, &change);
	accounting_free(before);
	accounting_free(after);
	return change;
}

static void only_kernel_threads_count(void **state)
{
	struct accounting *before;

	(void)state;
	put_kthreadd();
	put_task(1, "init", 0, USER_TASK, 0, 5000000000ULL);
	put_task(40, "kworker/0:1-loop0", 2, KTHREAD, 20, 2000000000ULL);
	put_task(300, "make", 1, USER_TASK, 900, 100);
	put_task(301, "cc1", 300, USER_TASK, 900, 100);
	before = look();
	put_task(1, "init", 0, USER_TASK, 0, 9000000000ULL);
	put_task(2, "kthreadd", 0, KTHREAD, 14, 1250000000ULL);
	put_task(40, "kworker/0:1-loop0", 2, KTHREAD, 20, 2500000000ULL);
	put_task(301, "cc1", 300, USER_TASK, 900, 3000000000ULL);
	assert_double(change_since(before, 0).kthread_s, .75, 1e-12);
}

static void renamed_threads_are_the_same(void **state)
{
	struct accounting *before;

	(void)state;
	put_kthreadd();
	put_task(40, "kworker/u8:0", 2, KTHREAD, 20, 2000000000ULL);
	before = look();
	put_task(40, "odd) S 1 1 (name", 2, KTHREAD, 20, 2500000000ULL);
	assert_double(change_since(before, 0).kthread_s, .5, 1e-12);
}

static void new_threads_count_from_zero(void **state)
{
	struct accounting *before;

	(void)state;
	put_kthreadd();
	put_task(40, "a", 2, KTHREAD, 20, 2000000000ULL);
	before = look();
	put_task(1000, "jbd2", 2, KTHREAD, 500, 300000000ULL);
	put_task(9, "loop9", 2, KTHREAD, 501, 100000000ULL);
	assert_double(change_since(before, 0).kthread_s, .4, 1e-12);
}

static void ended_threads_take_nothing_away(void **state)
{
	struct accounting *before;

	(void)state;
	put_kthreadd();
	put_task(39, "a", 2, KTHREAD, 20, 7000000000ULL);
	put_task(40, "b", 2, KTHREAD, 20, 2000000000ULL);
	before = look();
	remove_task(39);
	put_task(40, "b", 2, KTHREAD, 20, 2100000000ULL);
	assert_double(change_since(before, 0).kthread_s, .1, 1e-12);
}

static void a_pid_used_again_is_another_thread(void **state)
{
	struct accounting *before;

	(void)state;
	put_kthreadd();
	put_task(40, "a", 2, KTHREAD, 20, 100000000ULL);
	before = look();
	put_task(40, "a", 2, KTHREAD, 700, 300000000ULL);
	assert_double(change_since(before, 0).kthread_s, .3, 1e-12);
}

static void a_thousand_threads(void **state)
{
	struct accounting *before;

	(void)state;
	put_kthreadd();
	for (int i = 0; i < 1000; i++)
		put_task(5000 - i, "kworker", 2, KTHREAD, 20, 1000000ULL * (unsigned int)i);
	before = look();
	for (int i = 0; i < 1000; i++)
		put_task(5000 - i, "kworker", 2, KTHREAD, 20, 1000000ULL * (unsigned int)(i + 2));
	assert_double(change_since(before, 0).kthread_s, 2, 1e-12);
}

static void idle_rate_is_taken_off(void **state)
{
	struct accounting_change change;
	struct accounting *before;

	(void)state;
	put_kthreadd();
	before = look();
	put_task(2, "kthreadd", 0, KTHREAD, 14, 1000000ULL + 1000000000ULL);
	change = change_since(before, 1e9);
	assert_true(change.span_s > 0);
	assert_true(change.kthread_s == 0);
	before = look();
	put_task(2, "kthreadd", 0, KTHREAD, 14, 900001000000ULL);
	change = change_since(before, .125);
	assert_double(change.kthread_s, 899 - .125 * change.span_s, 1e-12);
	before = look();
	put_task(2, "kthreadd", 0, KTHREAD, 14, 900501000000ULL);
	assert_double(change_since(before, NAN).kthread_s, .5, 1e-9);
}

static void without_kthreadd_is_unknown(void **state)
{
	struct accounting_change change;
	struct accounting *before;

	(void)state;
	put_stat("100 10 50 1000 20 5 6 7");
	put_task(40, "kworker", 2, KTHREAD, 20, 2000000000ULL);
	change = change_since(look(), 0);
	assert_nan(change.kthread_s);
	assert_true(change.busy_s == 0);

	/* The second process of a pid namespace, whatever it is called. */
	put_task(2, "kthreadd", 1, USER_TASK, 14, 1000000000ULL);
	assert_nan(change_since(look(), 0).kthread_s);

	/* Known on one side only. */
	before = look();
	put_kthreadd();
	assert_nan(change_since(before, 0).kthread_s);
}

static void without_schedstat_is_unknown(void **state)
{
	(void)state;
	put_kthreadd();
	put_task(2, "kthreadd", 0, KTHREAD, 14, 0);
	put_task(40, "kworker", 2, KTHREAD, 20, 0);
	assert_nan(change_since(look(), 0).kthread_s);
	unlinkat(fake, "2/schedstat", 0);
	unlinkat(fake, "40/schedstat", 0);
	assert_nan(change_since(look(), 0).kthread_s);
}

static void whole_machine_by_ticks(void **state)
{
	double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	struct accounting_change change;
	struct accounting *before;

	(void)state;
	put_kthreadd();
	before = look();
	put_stat("200 30 350 9000 19 9 16 47"); /* iowait ran backwards */
	change = change_since(before, 0);
	assert_double(change.busy_s, (100 + 20 + 300 + 4 + 10) * tick, 1e-12);
	assert_double(change.irq_s, 4 * tick, 1e-12);
	assert_double(change.softirq_s, 10 * tick, 1e-12);
	assert_double(change.steal_s, 40 * tick, 1e-12);
	assert_true(change.iowait_s == 0);
	before = look();
	put_file("stat", "cpu  1 2 3 4\n");
	change = change_since(before, 0);
	assert_nan(change.busy_s);
	assert_nan(change.steal_s);
}

static void no_stat_is_an_error(void **state)
{
	struct accounting *out = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(accounting_look_at(fake, &out, &err), -ENOENT);
	assert_null(out);
	assert_non_null(strstr(err.text, "stat"));
}

static void this_machine(void **state)
{
	struct accounting *a = NULL, *b = NULL;
	struct accounting_change change;
	struct err err = { 0 };
	double rate;

	(void)state;
	assert_int_equal(accounting_look(&a, &err), 0);
	assert_int_equal(accounting_look(&b, &err), 0);
	accounting_between(a, b, 0, &change);
	accounting_free(a);
	accounting_free(b);
	assert_true(change.span_s > 0);
	assert_true(change.busy_s >= 0);
	rate = accounting_idle_rate(1000000);
	assert_int_equal(!isnan(rate), !isnan(change.kthread_s));
	if (isnan(rate)) {
		print_message("kernel threads cannot be seen here\n");
		skip();
	}
	assert_true(rate >= 0);
}

/* An idle rate far below 0 makes any machine look busy, one far above makes it look quiet. */
static void settle_ends(void **state)
{
	(void)state;
	if (isnan(accounting_idle_rate(1000000))) {
		print_message("kernel threads cannot be seen here\n");
		skip();
	}
	assert_int_equal(accounting_settle(1e6, 60000000000LL), 0);
	assert_int_equal(accounting_settle(-1e6, 30000000), -ETIMEDOUT);
}

static void memory_fields(void **state)
{
	uint64_t total = 0, none = 7;

	(void)state;
	assert_int_equal(memory_field("MemTotal", &total), 0);
	assert_true(total >= memory_available());
	assert_true(memory_available() > 0);
	assert_int_equal(memory_field("MemTot", &none), -ENOENT);
	assert_int_equal(none, 7);
}

/* The last one: an interrupt stays. */
static void settle_is_interrupted(void **state)
{
	(void)state;
	assert_int_equal(interrupt_init(), 0);
	raise(SIGTERM);
	assert_int_equal(accounting_settle(-1e6, 60000000000LL), -EINTR);
	assert_nan(accounting_idle_rate(60000000000LL));
}

#define WITH_FAKE(test) cmocka_unit_test_setup_teardown(test, make_fake, remove_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FAKE(only_kernel_threads_count),
		WITH_FAKE(renamed_threads_are_the_same),
		WITH_FAKE(new_threads_count_from_zero),
		WITH_FAKE(ended_threads_take_nothing_away),
		WITH_FAKE(a_pid_used_again_is_another_thread),
		WITH_FAKE(a_thousand_threads),
		WITH_FAKE(idle_rate_is_taken_off),
		WITH_FAKE(without_kthreadd_is_unknown),
		WITH_FAKE(without_schedstat_is_unknown),
		WITH_FAKE(whole_machine_by_ticks),
		WITH_FAKE(no_stat_is_an_error),
		cmocka_unit_test(this_machine),
		cmocka_unit_test(settle_ends),
		cmocka_unit_test(memory_fields),
		cmocka_unit_test(settle_is_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
