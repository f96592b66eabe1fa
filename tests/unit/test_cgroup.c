// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "machine/cgroup.h"
#include "private_run.h"

/* Where the group is, known from its descriptor. Belongs to the caller. */
static char *path_of(const struct cgroup *cgroup)
{
	char link[64], path[512];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", cgroup_procs_fd(cgroup));
	n = readlink(link, path, sizeof(path) - 1);
	assert_true(n > 0);
	path[n] = '\0';
	*strrchr(path, '/') = '\0';
	return xstrdup(path);
}

static char *unique_name(void)
{
	static int count;

	return xasprintf("brunt-test-%d-%d", (int)getpid(), ++count);
}

static struct cgroup *make_or_skip(struct undo *undo)
{
	auto_free char *name = unique_name();
	struct cgroup *cgroup;
	struct err err;
	int rc = cgroup_make(name, undo, &cgroup, &err);

	if (rc == -ENOTSUP) {
		print_message("no cgroup2 to write to here: %s\n", err.text);
		undo_close(undo);
		skip();
	}
	if (rc)
		fail_msg("%s", err.text);
	return cgroup;
}

/*
 * A child in the group, with a grandchild in a session of its own; it is told when they stand.
 * They let go of all descriptors, as a program that was executed would: the journal's lock is
 * one of them.
 */
static pid_t start_family(int procs, bool busy)
{
	int pipes[2];
	char byte;
	pid_t pid;

	if (pipe(pipes) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		alarm(60);
		if (write(procs, "0", 1) != 1 || dup2(pipes[1], STDIN_FILENO) < 0)
			_exit(1);
		closefrom(STDERR_FILENO + 1);
		if (fork() == 0) {
			setsid();
			alarm(60);
		}
		if (write(STDIN_FILENO, "x", 1) != 1)
			_exit(1);
		for (;;)
			if (!busy)
				pause();
	}
	for (int i = 0; i < 2; i++)
		if (read(pipes[0], &byte, 1) != 1)
			return -1;
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

static void test_kill_and_remove(void **state)
{
	int64_t user = -1, sys = -1, end = clock_mono_ns() + 30 * NS_PER_S;
	auto_free char *path = NULL, *below = NULL;
	struct cgroup *cgroup;
	struct undo *undo;
	struct err err;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(undo_open("cgroup", &undo, &err), 0);
	cgroup = make_or_skip(undo);
	path = path_of(cgroup);
	assert_false(cgroup_populated(cgroup));
	pid = start_family(cgroup_procs_fd(cgroup), true);
	assert_true(pid > 0);
	assert_true(cgroup_populated(cgroup));
	do
		assert_int_equal(cgroup_cpu_ns(cgroup, &user, &sys), 0);
	while (user + sys < NS_PER_MS && clock_mono_ns() < end);
	assert_true(user >= 0 && sys >= 0 && user + sys >= NS_PER_MS);

	below = files_join(path, "below"); /* by what was measured */
	assert_int_equal(mkdir(below, 0755), 0);
	cgroup_kill(cgroup);
	assert_false(cgroup_populated(cgroup));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	cgroup_remove(cgroup);
	assert_false(files_exists(path));
	cgroup_remove(NULL);
	undo_close(undo);
	assert_int_equal(undo_count_dead(), 0);
}

static void test_name_taken(void **state)
{
	auto_free char *path = NULL;
	struct cgroup *cgroup, *second;
	struct undo *undo;
	struct err err;

	(void)state;
	assert_int_equal(undo_open("cgroup", &undo, &err), 0);
	cgroup = make_or_skip(undo);
	path = path_of(cgroup);
	assert_int_equal(cgroup_make(strrchr(path, '/') + 1, undo, &second, &err), -EEXIST);
	assert_true(files_exists(path));
	cgroup_remove(cgroup);
	undo_close(undo);
}

struct owned {
	char *name;
	int told;
};

static int own_family(void *arg)
{
	const struct owned *owned = arg;
	auto_free char *path = NULL;
	struct cgroup *cgroup;
	struct undo *undo;

	if (undo_open("cgroup-killed", &undo, NULL) ||
	    cgroup_make(owned->name, undo, &cgroup, NULL) ||
	    start_family(cgroup_procs_fd(cgroup), false) < 0)
		return -1;
	path = path_of(cgroup);
	return write(owned->told, path, strlen(path)) == (ssize_t)strlen(path) ? 0 : -1;
}

/* Their parent is dead, they are not: `clean` kills them. */
static void test_killed_owner(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	struct owned owned;
	struct undo *undo;
	struct stat st;
	struct err err;
	char path[512], old_path[520];
	int pipes[2];
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(undo_open("cgroup", &undo, &err), 0);
	cgroup_remove(make_or_skip(undo));
	undo_close(undo);

	assert_int_equal(pipe(pipes), 0);
	owned = (struct owned){ .name = unique_name(), .told = pipes[1] };
	pid = start_owner(own_family, &owned);
	assert_int_not_equal(pid, 0);
	n = read(pipes[0], path, sizeof(path) - 1);
	assert_true(n > 0);
	path[n] = '\0';
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_int_equal(stat(path, &st), 0);

	kill_owner(pid);
	assert_int_equal(clean_and_listen(true, &said), 0);
	assert_non_null(strstr(said.s, path));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_int_equal(stat(path, &st), -1);
	snprintf(old_path, sizeof(old_path), "cgroup %s", path);
	assert_non_null(strstr(said.s, old_path));
	free(owned.name);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kill_and_remove),
		cmocka_unit_test(test_name_taken),
		cmocka_unit_test(test_killed_owner),
	};
	int failed;

	if (private_run(MS_PRIVATE))
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	private_run_end();
	return failed;
}
