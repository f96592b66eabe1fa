// SPDX-License-Identifier: GPL-3.0-or-later
/* A folder of plain files stands for tracefs. */
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
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "tracers/trace_events.h"

static const char available[] = "sched:sched_switch\nsched:sched_wakeup\nblock:block_rq_issue\n"
				"syscalls:sys_enter_read\nsyscalls:sys_exit_read\n"
				"syscalls:sys_enter_write\nmodule:sched\n";
static char folder[64] = "/tmp/brunt-test-events-XXXXXX";
static int fd;

static void put(const char *name, const char *text)
{
	int file = openat(fd, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	assert_true(file >= 0);
	assert_int_equal(files_write_all(file, text, strlen(text)), 0);
	close(file);
}

static char *joined(const struct words *words)
{
	auto_buf struct buf text = BUF_INIT;

	buf_clear(&text);
	for (size_t i = 0; i < words->n; i++)
		buf_addf(&text, "%s%s", i ? " " : "", words->v[i]);
	return buf_steal(&text);
}

static void assert_found(const char *value, const char *expected)
{
	auto_words struct words names = WORDS_INIT;
	auto_free char *text = NULL;
	struct err err = { .text = "" };

	if (trace_events_find(fd, value, &names, NULL, &err))
		fail_msg("%s: %s", value, err.text);
	text = joined(&names);
	assert_string_equal(text, expected);
}

static void assert_refused(const char *value, const char *words)
{
	auto_words struct words names = WORDS_INIT;
	struct err err = { .text = "" };

	assert_int_equal(trace_events_find(fd, value, &names, NULL, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	if (!strstr(err.text, words))
		fail_msg("%s: %s", value, err.text);
	assert_int_equal(names.n, 0);
}

static void words_find_systems_and_events(void **state)
{
	(void)state;
	assert_found("block", "block:block_rq_issue");
	assert_found("sched_switch", "sched:sched_switch");
	assert_found("syscalls:sys_enter_*", "syscalls:sys_enter_read syscalls:sys_enter_write");
	assert_found("*_read", "syscalls:sys_enter_read syscalls:sys_exit_read");
	/* a word may be the name of a system and of an event */
	assert_found("sched", "sched:sched_switch sched:sched_wakeup module:sched");
	assert_found("sched:*", "sched:sched_switch sched:sched_wakeup");
	/* each once, in the kernel's order */
	assert_found("block+sched_switch+sched:*",
		     "sched:sched_switch sched:sched_wakeup block:block_rq_issue");
	assert_found("all", "sched:sched_switch sched:sched_wakeup block:block_rq_issue "
		     "syscalls:sys_enter_read syscalls:sys_exit_read syscalls:sys_enter_write "
		     "module:sched");
}

static void unknown_ones_get_a_suggestion(void **state)
{
	(void)state;
	assert_refused("sched:sched_swich", "did you mean 'sched:sched_switch'?");
	assert_refused("syscall", "did you mean 'syscalls'?");
	assert_refused("block+sched_swtich", "no event 'sched_swtich'; did you mean 'sched_switch'?");
	assert_refused("nothing:like:this", "available_events");
	assert_refused("sys_enter_?", "no event 'sys_enter_?'");
}

static void assert_word(const char *value, int rc)
{
	struct err err = { .text = "" };

	assert_int_equal(trace_events_check(value, &err), rc);
	assert_int_equal(err.status, rc ? EXIT_USAGE : 0);
}

static void words_have_a_form(void **state)
{
	(void)state;
	assert_word("block", 0);
	assert_word("block:*+sched:sched_switch", 0);
	assert_word("", -EINVAL);
	assert_word("block+", -EINVAL);
	assert_word("a:b:c", -EINVAL);
	assert_word(":b", -EINVAL);
	assert_word("a:", -EINVAL);
	assert_word("a b", -EINVAL);
	assert_word("../x", -EINVAL);
}

static void switching_on_and_off(void **state)
{
	auto_words struct words names = WORDS_INIT, requests = WORDS_INIT;
	auto_buf struct buf text = BUF_INIT;
	struct err err = { .text = "" };
	size_t n = 9;

	(void)state;
	put("set_event", "");
	assert_int_equal(trace_events_count_enabled(fd, &n, &err), 0);
	assert_int_equal(n, 0);
	assert_int_equal(trace_events_find(fd, "sys_*_read", &names, &requests, &err), 0);
	assert_int_equal(trace_events_enable(fd, &requests, &err), 0);
	assert_int_equal(files_read_at(fd, "set_event", 4096, &text), 0);
	assert_string_equal(text.s, "syscalls:sys_enter_read\nsyscalls:sys_exit_read\n");
	assert_int_equal(trace_events_count_enabled(fd, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_int_equal(trace_events_disable(fd), 0);
	assert_int_equal(trace_events_count_enabled(fd, &n, &err), 0);
	assert_int_equal(n, 0);
}

static void a_whole_system_is_one_request(void **state)
{
	auto_words struct words names = WORDS_INIT, requests = WORDS_INIT;
	auto_free char *text = NULL;
	struct err err = { .text = "" };

	(void)state;
	assert_int_equal(trace_events_find(fd, "syscalls+sched:sched_switch+block", &names,
					   &requests, &err), 0);
	assert_int_equal(names.n, 5);
	text = joined(&requests);
	assert_string_equal(text, "sched:sched_switch block:block_rq_issue syscalls:*");
}

static void a_kernel_without_events_is_77(void **state)
{
	auto_words struct words names = WORDS_INIT;
	struct err err = { .text = "" };

	(void)state;
	put("available_events", "");
	assert_int_equal(trace_events_find(fd, "block", &names, NULL, &err), -ENOENT);
	assert_int_equal(err.status, EXIT_MISSING);
	put("available_events", available);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_find_systems_and_events),
		cmocka_unit_test(unknown_ones_get_a_suggestion),
		cmocka_unit_test(words_have_a_form),
		cmocka_unit_test(switching_on_and_off),
		cmocka_unit_test(a_whole_system_is_one_request),
		cmocka_unit_test(a_kernel_without_events_is_77),
	};
	int rc;

	if (!mkdtemp(folder) || (fd = open(folder, O_RDONLY | O_DIRECTORY)) < 0) {
		perror(folder);
		return 1;
	}
	put("available_events", available);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlinkat(fd, "available_events", 0);
	unlinkat(fd, "set_event", 0);
	rmdir(folder);
	return rc;
}
