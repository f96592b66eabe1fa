// SPDX-License-Identifier: GPL-3.0-or-later
/* Instances of our own in the tracefs of this machine, where root may make some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "machine/trace_instance.h"
#include "machine/tracefs.h"
#include "private_run.h"

static int tracefs;
static char *name, *path;

static void need_tracefs(void)
{
	if (tracefs >= 0 && faccessat(tracefs, "instances", W_OK, 0) == 0)
		return;
	print_message("no tracefs to write to here\n");
	skip();
}

static bool exists(void)
{
	struct stat st;

	return fstatat(tracefs, path, &st, 0) == 0;
}

static struct undo *open_journal(void)
{
	struct undo *undo;
	struct err err = { .text = "" };

	if (undo_open("instance", &undo, &err))
		fail_msg("%s", err.text);
	return undo;
}

static struct trace_instance *make(struct undo *undo)
{
	struct trace_instance *instance;
	struct err err = { .text = "" };

	if (trace_instance_make(&instance, tracefs, name, undo, &err))
		fail_msg("%s", err.text);
	return instance;
}

static void made_and_removed(void **state)
{
	struct trace_instance *instance, *second;
	struct err err = { .text = "" };
	struct undo *undo;

	(void)state;
	need_tracefs();
	undo = open_journal();
	instance = make(undo);
	assert_true(exists());
	assert_int_equal(undo_count_open(undo), 1);
	/* with an event on */
	assert_int_equal(files_write_value_at(trace_instance_fd(instance), "set_event",
					      "sched:sched_process_hang"), 0);
	/* one that is there already is nobody's to take */
	assert_true(trace_instance_make(&second, tracefs, name, undo, &err) < 0);
	assert_non_null(strstr(err.text, name));
	assert_int_equal(trace_instance_remove(instance, &err), 0);
	assert_false(exists());
	assert_int_equal(undo_count_open(undo), 0);
	assert_int_equal(trace_instance_remove(NULL, &err), 0);
	undo_close(undo);
}

static uint64_t kib_of(int fd)
{
	char text[64];

	assert_int_equal(tracefs_read(fd, "buffer_size_kb", text, sizeof(text)), 0);
	return strtoull(text, NULL, 10);
}

/* That the global one is not left too small is seen on kernels before 6.7 that have just booted. */
static void its_buffer_has_the_size_and_the_global_one_keeps_its(void **state)
{
	struct trace_instance *instance;
	struct err err = { .text = "" };
	struct undo *undo;
	uint64_t before;

	(void)state;
	need_tracefs();
	before = kib_of(tracefs);
	undo = open_journal();
	instance = make(undo);
	assert_int_equal(trace_instance_resize(instance, 100, &err), 0);
	assert_in_range(kib_of(trace_instance_fd(instance)), 100, 108); /* whole pages */
	assert_in_range(kib_of(tracefs), before, before + 8);
	assert_int_equal(trace_instance_remove(instance, &err), 0);
	undo_close(undo);
}

/* As a killed session leaves it: the owner of the journal is a child that ends. */
static int leave_one(void *arg)
{
	(void)arg;
	make(open_journal());
	return 0;
}

static void clean_removes_that_of_a_dead_session(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	pid_t owner;

	(void)state;
	need_tracefs();
	owner = start_owner(leave_one, NULL);
	assert_true(owner > 0);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_string_equal(said.s, ""); /* it lives */
	assert_true(exists());
	kill_owner(owner);
	assert_int_equal(clean_and_listen(true, &said), 0);
	assert_non_null(strstr(said.s, "would be removed"));
	assert_true(exists());
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_non_null(strstr(said.s, name));
	assert_non_null(strstr(said.s, "removed"));
	assert_false(exists());
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_string_equal(said.s, "");
}

static void one_made_anew_is_left_alone(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	pid_t owner;

	(void)state;
	need_tracefs();
	owner = start_owner(leave_one, NULL);
	assert_true(owner > 0);
	kill_owner(owner);
	assert_int_equal(unlinkat(tracefs, path, AT_REMOVEDIR), 0);
	assert_int_equal(mkdirat(tracefs, path, 0700), 0);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_true(exists());
	assert_int_equal(unlinkat(tracefs, path, AT_REMOVEDIR), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_and_removed),
		cmocka_unit_test(its_buffer_has_the_size_and_the_global_one_keeps_its),
		cmocka_unit_test(clean_removes_that_of_a_dead_session),
		cmocka_unit_test(one_made_anew_is_left_alone),
	};
	int rc;

	tracefs = tracefs_open(NULL);
	if (private_run(MS_PRIVATE))
		return 1;
	name = xasprintf("brunt-test-%d", (int)getpid());
	path = xasprintf("instances/%s", name);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	free(name);
	free(path);
	private_run_end();
	return rc;
}
