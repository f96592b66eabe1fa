// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/xalloc.h"
#include "workloads/storm_crew.h"

/*
 * Workers whose mkfs is a shell's words and whose device is no block device, so that no cycle
 * gets beyond mount; all of this needs no rights.
 */
static char folder[64];
static char *environment[] = { (char *)"PATH=/usr/bin:/bin", NULL };

struct scene {
	struct storm_crew crew;
	struct storm_job job;
	struct storm_task tasks[2];
	char *argvs[2][4];
	char uuids[2][40];
	char points[2][80];
};

static void set_scene(struct scene *scene, const char *words)
{
	struct err err;

	assert_int_equal(storm_crew_init(&scene->crew, 2, NULL, &err), 0);
	scene->job = (struct storm_job){
		.gate = scene->crew.gate,
		.barrier = scene->crew.barrier,
		.repeat = 2,
		.mkfs_path = "/bin/sh",
		.envp = environment,
		.fs = "ext3",
		.mount_ns = -1,
	};
	for (size_t i = 0; i < 2; i++) {
		strcpy(scene->uuids[i], "01234567-89ab-4cde-800f-000000000000");
		snprintf(scene->points[i], sizeof(scene->points[i]), "%s/point%zu", folder, i);
		scene->argvs[i][0] = (char *)"sh";
		scene->argvs[i][1] = (char *)"-c";
		scene->argvs[i][2] = (char *)words;
		scene->argvs[i][3] = NULL;
		scene->tasks[i] = (struct storm_task){
			.device = i ? "/dev/null" : "/dev/zero",
			.mount_point = scene->points[i],
			.mkfs_argv = scene->argvs[i],
			.uuid = scene->uuids[i],
			.record = &scene->crew.records[i],
		};
	}
}

static void start_scene(struct scene *scene, const char *words)
{
	struct err err;

	set_scene(scene, words);
	if (storm_crew_start(&scene->crew, &scene->job, 0, scene->tasks, &err))
		fail_msg("%s", err.text);
	assert_true(scene->crew.processes.pgid > 0);
	assert_int_not_equal(scene->crew.processes.pgid, getpgrp());
	assert_int_equal(getpgid(scene->crew.processes.members[1].pid), scene->crew.processes.pgid);
}

static void end_scene(struct scene *scene)
{
	storm_crew_release(&scene->crew);
	for (size_t i = 0; i < 2; i++)
		rmdir(scene->points[i]);
	/* every child was waited for */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void nothing_starts_before_the_release(void **state)
{
	auto_free char *mark = files_join(folder, "mark");
	auto_free char *words = xasprintf("echo > %s; exit 3", mark);
	struct scene scene;

	(void)state;
	start_scene(&scene, words);
	clock_sleep_ns(20 * NS_PER_MS);
	assert_false(files_exists(mark));
	assert_int_equal(storm_crew_run(&scene.crew, 60 * NS_PER_S), 0);
	assert_int_equal(unlink(mark), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_true(scene.tasks[i].record->wake_ns >= scene.crew.start_ns);
		assert_true(scene.tasks[i].record->failure.failed);
		assert_int_equal(scene.tasks[i].record->failure.phase, STORM_MKFS);
		assert_int_equal(WEXITSTATUS(scene.tasks[i].record->failure.wait_status), 3);
		assert_true(scene.tasks[i].record->times[STORM_MKFS].cpu_ns > 0);
		assert_int_equal(scene.crew.processes.members[i].pid, 0);
	}
	assert_int_equal(scene.crew.processes.pgid, 0);
	end_scene(&scene);
}

static void a_device_that_is_another_one_now_gets_no_mkfs(void **state)
{
	auto_free char *mark = files_join(folder, "mark");
	auto_free char *words = xasprintf("echo > %s", mark);
	struct scene scene;
	struct err err;

	(void)state;
	set_scene(&scene, words);
	scene.tasks[0].number = makedev(7, 0); /* and the path leads to something else */
	scene.tasks[1].number = makedev(7, 1);
	assert_int_equal(storm_crew_start(&scene.crew, &scene.job, 0, scene.tasks, &err), 0);
	assert_int_equal(storm_crew_run(&scene.crew, 60 * NS_PER_S), 0);
	assert_false(files_exists(mark));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(scene.tasks[i].record->failure.error, ESTALE);
	end_scene(&scene);
}

static void the_words_of_the_last_try_are_kept(void **state)
{
	struct scene scene;

	(void)state;
	start_scene(&scene, "echo first; echo second >&2; kill -9 $$");
	assert_int_equal(storm_crew_run(&scene.crew, 60 * NS_PER_S), 0);
	assert_string_equal(scene.tasks[1].record->words, "first\nsecond\n");
	assert_int_equal(WTERMSIG(scene.tasks[1].record->failure.wait_status), SIGKILL);
	end_scene(&scene);
}

static void a_busy_device_is_tried_again(void **state)
{
	auto_free char *words = xasprintf("test -d %s/busy$PPID || { mkdir %s/busy$PPID; echo it "
					  "is apparently in use by the system; exit 1; }; "
					  "rmdir %s/busy$PPID; echo done", folder, folder, folder);
	struct scene scene;

	(void)state;
	start_scene(&scene, words);
	assert_int_equal(storm_crew_run(&scene.crew, 60 * NS_PER_S), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(scene.tasks[i].record->retries, 1);
		assert_true(scene.tasks[i].record->retry_ns > 0);
		assert_true(scene.tasks[i].record->retry_ns <=
			    scene.tasks[i].record->times[STORM_MKFS].sum_ns);
		/* mkfs worked then, and the mount of what is no block device did not */
		assert_int_equal(scene.tasks[i].record->failure.phase, STORM_MOUNT);
		assert_string_equal(scene.tasks[i].record->words, "");
	}
	end_scene(&scene);
}

static void a_missing_program_is_an_error_number(void **state)
{
	struct scene scene;
	struct err err;

	(void)state;
	set_scene(&scene, "");
	scene.job.mkfs_path = "/nowhere/mke2fs";
	assert_int_equal(storm_crew_start(&scene.crew, &scene.job, 0, scene.tasks, &err), 0);
	assert_int_equal(storm_crew_run(&scene.crew, 60 * NS_PER_S), 0);
	assert_int_equal(scene.tasks[0].record->failure.error, ENOENT);
	end_scene(&scene);
}

static void who_cannot_get_ready_says_so(void **state)
{
	struct scene scene;
	struct err err;

	(void)state;
	set_scene(&scene, "exit 3");
	scene.tasks[0].mount_point = "/proc/nowhere/point";
	assert_int_equal(storm_crew_start(&scene.crew, &scene.job, 0, scene.tasks, &err), 0);
	assert_int_equal(storm_crew_run(&scene.crew, 60 * NS_PER_S), 0);
	assert_true(scene.tasks[0].record->failure.failed);
	assert_true(scene.tasks[0].record->failure.preparing);
	assert_int_equal(scene.tasks[0].record->failure.error, ENOENT);
	assert_false(scene.tasks[1].record->failure.preparing);
	end_scene(&scene);
}

static void hanging_workers_are_named_and_ended(void **state)
{
	auto_buf struct buf hanging = BUF_INIT;
	struct scene scene;

	(void)state;
	start_scene(&scene, "exec sleep 1000");
	assert_int_equal(storm_crew_run(&scene.crew, 100 * NS_PER_MS), -ETIMEDOUT);
	storm_crew_add_hanging(&scene.crew, scene.tasks, &hanging);
	assert_non_null(strstr(hanging.s, "/dev/zero: mkfs: pid "));
	assert_non_null(strstr(hanging.s, "/dev/null: mkfs: pid "));
	assert_non_null(strstr(hanging.s, " in state "));
	assert_true(storm_crew_stop(&scene.crew));
	end_scene(&scene);
}

static void who_ignores_sigterm_is_killed(void **state)
{
	struct scene scene;
	struct err err;

	(void)state;
	start_scene(&scene, "trap '' TERM; while :; do sleep 1000; done");
	assert_int_equal(storm_crew_run(&scene.crew, 100 * NS_PER_MS), -ETIMEDOUT);
	assert_true(storm_crew_stop(&scene.crew));
	/* a crew can be used again */
	scene.argvs[0][2] = scene.argvs[1][2] = (char *)"exit 4";
	assert_int_equal(storm_crew_start(&scene.crew, &scene.job, 0, scene.tasks, &err), 0);
	assert_int_equal(storm_crew_run(&scene.crew, 60 * NS_PER_S), 0);
	assert_int_equal(WEXITSTATUS(scene.tasks[0].record->failure.wait_status), 4);
	end_scene(&scene);
}

static void workers_at_the_gate_go_home(void **state)
{
	struct scene scene;

	(void)state;
	start_scene(&scene, "exit 0");
	assert_true(storm_crew_stop(&scene.crew));
	assert_int_equal(scene.tasks[0].record->wake_ns, 0);
	assert_int_equal(WTERMSIG(scene.crew.processes.members[0].status), 0);
	end_scene(&scene);
}

/* The last one: an interrupt stays. */
static void an_interrupt_ends_the_wait(void **state)
{
	struct scene scene;
	struct err err;

	(void)state;
	assert_int_equal(interrupt_init(), 0);
	start_scene(&scene, "exec sleep 1000");
	raise(SIGINT);
	assert_int_equal(storm_crew_run(&scene.crew, 600 * NS_PER_S), -EINTR);
	assert_true(storm_crew_stop(&scene.crew));
	assert_int_equal(storm_crew_start(&scene.crew, &scene.job, 0, scene.tasks, &err), -EINTR);
	assert_int_equal(interrupt_count(), 1); /* ending the workers was none */
	end_scene(&scene);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/brunt-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_starts_before_the_release),
		cmocka_unit_test(a_device_that_is_another_one_now_gets_no_mkfs),
		cmocka_unit_test(the_words_of_the_last_try_are_kept),
		cmocka_unit_test(a_busy_device_is_tried_again),
		cmocka_unit_test(a_missing_program_is_an_error_number),
		cmocka_unit_test(who_cannot_get_ready_says_so),
		cmocka_unit_test(hanging_workers_are_named_and_ended),
		cmocka_unit_test(who_ignores_sigterm_is_killed),
		cmocka_unit_test(workers_at_the_gate_go_home),
		cmocka_unit_test(an_interrupt_ends_the_wait),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
