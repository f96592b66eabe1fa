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

#include "base/files.h"
#include "base/xalloc.h"
#include "tracers/ftrace_options.h"

static char folder[64] = "/tmp/brunt-test-ftrace-XXXXXX";
static int fd;

static int read_keys(struct ftrace_options *options, const char *const *pairs, struct err *err)
{
	auto_keys struct keys keys = KEYS_INIT;
	int rc;

	for (; *pairs; pairs += 2)
		keys_set(&keys, pairs[0], pairs[1]);
	rc = keys_check(&keys, ftrace_keys, "tracer ftrace", err);
	return rc ? rc : ftrace_options_read(&keys, options, err);
}

static void defaults_are_those_of_a_recording_to_a_file(void **state)
{
	const char *const pairs[] = { "events", "block", NULL };
	struct ftrace_options options;
	struct err err = { .text = "" };

	(void)state;
	assert_int_equal(read_keys(&options, pairs, &err), 0);
	assert_string_equal(options.events, "block");
	assert_string_equal(options.clock, "local");
	assert_null(options.output);
	assert_int_equal(options.buffer, 8 << 20);
	assert_int_equal(options.mode, FTRACE_DRAIN);
	assert_int_equal(options.scope, FTRACE_MACHINE);
	assert_false(options.keep);
	assert_int_equal(ftrace_options_check(&options, fd, &err), 0);
	ftrace_options_release(&options);
}

static void all_keys_are_read(void **state)
{
	const char *const pairs[] = { "events", "a+b", "mode", "overwrite", "scope", "work",
				      "buffer", "128k", "clock", "mono", "keep", "yes",
				      "output", "/tmp", NULL };
	struct ftrace_options options;
	struct err err = { .text = "" };

	(void)state;
	assert_int_equal(read_keys(&options, pairs, &err), 0);
	assert_string_equal(options.events, "a+b");
	assert_string_equal(options.clock, "mono");
	assert_string_equal(options.output, "/tmp");
	assert_int_equal(options.buffer, 128 << 10);
	assert_string_equal(ftrace_mode_name(options.mode), "overwrite");
	assert_string_equal(ftrace_scope_name(options.scope), "work");
	assert_true(options.keep);
	ftrace_options_release(&options);
}

static void assert_refused(const char *const *pairs, enum exit_status status, const char *words)
{
	struct ftrace_options options = { .events = NULL };
	struct err err = { .text = "" };
	int rc = read_keys(&options, pairs, &err);

	if (!rc)
		rc = ftrace_options_check(&options, fd, &err);
	assert_true(rc < 0);
	assert_int_equal(err.status, status);
	if (!strstr(err.text, words))
		fail_msg("%s", err.text);
	ftrace_options_release(&options);
}

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	assert_refused((const char *const[]){ NULL }, EXIT_USAGE, "events= is missing");
	assert_refused((const char *const[]){ "events", "", NULL }, EXIT_USAGE, "events");
	assert_refused((const char *const[]){ "events", "a", "mode", "x", NULL }, EXIT_USAGE,
		       "drain");
	/* known to some kernels, and not to this one */
	assert_refused((const char *const[]){ "events", "a", "clock", "tai", NULL }, EXIT_MISSING,
		       "no trace clock tai; it has [local] global mono");
	assert_refused((const char *const[]){ "events", "a", "buffer", "1T", NULL }, EXIT_MISSING,
		       "give buffer=");
	assert_refused((const char *const[]){ "events", "a", "output", "/no/such", NULL },
		       EXIT_USAGE, "/no/such");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_a_recording_to_a_file),
		cmocka_unit_test(all_keys_are_read),
		cmocka_unit_test(what_cannot_be_is_refused),
	};
	static const char clocks[] = "[local] global mono\n";
	int file, rc;

	if (!mkdtemp(folder) || (fd = open(folder, O_RDONLY | O_DIRECTORY)) < 0 ||
	    (file = openat(fd, "trace_clock", O_CREAT | O_WRONLY, 0600)) < 0 ||
	    files_write_all(file, clocks, strlen(clocks))) {
		perror(folder);
		return 1;
	}
	close(file);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlinkat(fd, "trace_clock", 0);
	rmdir(folder);
	return rc;
}
