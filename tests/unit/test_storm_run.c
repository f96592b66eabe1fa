// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "assert_double.h"
#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "machine/mountinfo.h"
#include "private_run.h"
#include "workloads/workload.h"

/* Whole storms on small loop devices, hook by hook as the session calls them. */
extern const struct workload workload_storm;
static const struct workload *const storm = &workload_storm;

struct session {
	struct undo *undo;
	void *state;
	char folder[64]; /* of the run */
	struct run *run;
	struct run_context context;
	struct target target;
};

static void need_root(void)
{
	const char *why = storm->unavailable();
	auto_buf struct buf text = BUF_INIT;
	struct keys none = KEYS_INIT;
	struct err err;

	if (!why && storm->check(&none, NULL, &text, &err) < 0 && err.status == EXIT_MISSING)
		why = err.text;
	if (!why)
		return;
	print_message("storm cannot run here: %s\n", why);
	skip();
}

/* "fs=ext2", ... ended by NULL */
static void start(struct session *session, const char *const *settings)
{
	struct workload_site site = { .session = "storm-test", .set_path = "/nowhere" };
	auto_keys struct keys keys = KEYS_INIT;
	auto_buf struct buf text = BUF_INIT;
	struct err err = { .text = "" };

	need_root();
	keys_set(&keys, "devices", "loop:2:32M");
	keys_set(&keys, "fill", "1M");
	for (; settings && *settings; settings++) {
		auto_free char *name = xstrndup(*settings, strcspn(*settings, "="));

		keys_set(&keys, name, strchr(*settings, '=') + 1);
	}
	memset(session, 0, sizeof(*session));
	strcpy(session->folder, "/tmp/brunt-test-XXXXXX");
	assert_non_null(mkdtemp(session->folder));
	if (keys_check(&keys, storm->keys, "storm", &err) || storm->check(&keys, NULL, &text, &err) ||
	    undo_open("storm-test", &session->undo, &err))
		fail_msg("%s", err.text);
	site.undo = session->undo;
	if (storm->setup(&keys, &site, &session->state, &err))
		fail_msg("%s", err.text);
}

static void make_ready(struct session *session)
{
	struct err err;

	session->run = run_new();
	session->context = (struct run_context){
		.run = session->run,
		.folder = session->folder,
		.folder_fd = open(session->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.number = 1,
		.idle_rate = 0,
	};
	if (storm->prepare(session->state, &session->context, &session->target, &err))
		fail_msg("prepare: %s", err.text);
}

static void run_on(struct session *session)
{
	struct err err;

	if (storm->execute(session->state, &session->context, &err))
		fail_msg("execute: %s", err.text);
	if (storm->settle(session->state, &session->context, &err))
		fail_msg("settle: %s", err.text);
	if (storm->verify(session->state, &session->context, &err))
		fail_msg("verify: %s", err.text);
	storm->cleanup(session->state, &session->context);
	close(session->context.folder_fd);
}

static void check_ok(struct session *session)
{
	if (run_status(session->run) != RUN_OK)
		fail_msg("%s", run_reason(session->run));
	run_free(session->run);
}

static void run_well(struct session *session)
{
	make_ready(session);
	run_on(session);
	check_ok(session);
}

/* Nothing may be left: no bound device, no mount, no journal. */
static void end(struct session *session)
{
	auto_mountinfo struct mountinfo mounts = MOUNTINFO_INIT;
	auto_free char *journals = undo_folder();
	struct err err;

	storm->teardown(session->state);
	undo_close(session->undo);
	assert_false(files_exists(journals));
	assert_int_equal(mountinfo_read(&mounts, &err), 0);
	for (size_t i = 0; i < mounts.n; i++)
		assert_null(strstr(mounts.v[i].target, "storm-test"));
	assert_int_equal(rmdir(session->folder), 0);
}

static void a_run_gives_all_metrics(void **state)
{
	static const char *const settings[] = { "fs=ext4", "repeat=3", NULL };
	struct session session;
	double real;

	(void)state;
	start(&session, settings);
	make_ready(&session);
	assert_int_equal(session.target.ndevices, 2);
	assert_true(session.target.pgid > 0);
	run_on(&session);
	assert_int_equal(run_status(session.run), RUN_OK);
	real = run_value(session.run, "real");
	assert_true(real > 0);
	for (const struct metric_spec *spec = storm->metrics; spec->name; spec++)
		assert_true(run_value(session.run, spec->name) >= 0);
	/* each device's phases follow one another, inside the whole */
	assert_true(run_value(session.run, "mkfs.dev.mean") +
		    run_value(session.run, "mount.dev.mean") +
		    run_value(session.run, "fill.dev.mean") +
		    run_value(session.run, "umount.dev.mean") <= real);
	assert_true(run_value(session.run, "mkfs.real") < real);
	run_free(session.run);
	end(&session);
}

static void each_way_works(void **state)
{
	static const char *const ways[][4] = {
		{ "fs=ext2", "cache=warm" },
		{ "fs=ext3", "fill=0", "block_size=1024" },
		{ "mount_method=program", "mount_options=noatime+data=ordered" },
		{ "mount_ns=host", "discard=yes" },
		{ "lazy=yes", "fs=ext4", "devices=loop:2:32M:/tmp" },
	};
	struct session session;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		start(&session, ways[i]);
		run_well(&session);
		run_well(&session);
		end(&session);
	}
}

static void two_storms_share_a_session(void **state)
{
	struct workload_site site = { .session = "storm-test", .set_path = "/nowhere" };
	static const char *const settings[] = { "mount_ns=private", NULL };
	struct session session, other;
	auto_keys struct keys keys = KEYS_INIT;
	struct err err;

	(void)state;
	start(&session, settings);
	other = session;
	site.undo = session.undo;
	keys_set(&keys, "devices", "loop:1:16M");
	keys_set(&keys, "fill", "1M");
	if (storm->setup(&keys, &site, &other.state, &err))
		fail_msg("%s", err.text);
	run_well(&session);
	run_well(&other);
	run_well(&session);
	storm->teardown(other.state);
	end(&session);
}

static void what_is_prepared_can_be_dropped(void **state)
{
	struct session session;

	(void)state;
	start(&session, NULL);
	make_ready(&session);
	storm->cleanup(session.state, &session.context);
	close(session.context.folder_fd);
	run_free(session.run);
	run_well(&session);
	end(&session);
}

/* The device's number stands in the UUID; all but the trial has a device's path. */
static const char broken_mkfs[] =
	"#!/bin/sh\n"
	"case \"$*\" in *-0001????????\\ *)\n"
	"	echo 'mke2fs 1.47.0 (5-Feb-2023)'; echo; echo 'it is worn out.'; exit 1;;\n"
	"esac\n"
	"PATH=$BRUNT_TEST_PATH exec mke2fs \"$@\"\n";

static void a_device_that_fails_is_named(void **state)
{
	auto_free char *folder = xasprintf("%s/bin", private_folder);
	auto_free char *program = files_join(folder, "mke2fs");
	auto_free char *before = xasprintf("%s:/usr/sbin:/sbin", getenv("PATH"));
	auto_free char *path = xasprintf("%s:%s", folder, before);
	auto_free char *reason = NULL;
	auto_free char *log = NULL;
	struct session session;
	struct err err;

	(void)state;
	mkdir(folder, 0700);
	assert_int_equal(files_replace(program, broken_mkfs, strlen(broken_mkfs), &err), 0);
	assert_int_equal(chmod(program, 0700), 0);
	setenv("BRUNT_TEST_PATH", before, 1);
	setenv("PATH", path, 1);
	start(&session, NULL);
	make_ready(&session);
	run_on(&session);
	setenv("PATH", before, 1);
	unlink(program);
	rmdir(folder);

	assert_int_equal(run_status(session.run), RUN_FAILED);
	reason = xasprintf("%s: mkfs: exit status 1: it is worn out",
			   session.target.devices[1].name);
	assert_string_equal(run_reason(session.run), reason);
	assert_nan(run_value(session.run, "real"));
	log = xasprintf("%s/%s-mkfs.txt", session.folder, session.target.devices[1].name);
	assert_int_equal(unlink(log), 0);
	run_free(session.run);
	end(&session);
}

static void options_that_mkfs_refuses_end_the_plan(void **state)
{
	auto_keys struct keys keys = KEYS_INIT;
	auto_buf struct buf text = BUF_INIT;
	struct err err;

	(void)state;
	need_root();
	keys_set(&keys, "mkfs_options", "-O bogus");
	assert_true(storm->check(&keys, NULL, &text, &err) < 0);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_non_null(strstr(err.text, "bogus"));
	keys_set(&keys, "mkfs_options", "");
	keys_set(&keys, "devices", "loop:1:1M");
	keys_set(&keys, "fill", "0");
	assert_true(storm->check(&keys, NULL, &text, &err) < 0);
	assert_non_null(strstr(err.text, "no room for the journal"));
	keys_set(&keys, "devices", "loop:1:16M");
	keys_set(&keys, "fill", "16M");
	assert_true(storm->check(&keys, NULL, &text, &err) < 0);
	assert_non_null(strstr(err.text, "does not fit"));
	keys_set(&keys, "min_run", "1s");
	keys_set(&keys, "repeat", "2");
	assert_true(storm->check(&keys, NULL, &text, &err) < 0);
	assert_non_null(strstr(err.text, "exclude each other"));
	assert_int_equal(text.len, 0);
}

/* As a copy of the mount in another namespace does. */
static void a_device_that_stays_busy_makes_the_run_invalid(void **state)
{
	struct session session;
	struct err err;
	int fd;

	(void)state;
	start(&session, NULL);
	make_ready(&session);
	assert_int_equal(storm->execute(session.state, &session.context, &err), 0);
	fd = open(session.target.devices[1].path, O_RDONLY | O_EXCL | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(storm->verify(session.state, &session.context, &err), 0);
	close(fd);
	storm->cleanup(session.state, &session.context);
	close(session.context.folder_fd);
	assert_int_equal(run_status(session.run), RUN_INVALID);
	assert_non_null(strstr(run_reason(session.run), session.target.devices[1].name));
	assert_non_null(strstr(run_reason(session.run), "umount unmounted nothing"));
	run_free(session.run);
	run_well(&session); /* and the next one is fine again */
	end(&session);
}

/* What another run left there, or anybody wrote, is not taken for this run's work. */
static void a_device_that_was_changed_makes_the_run_invalid(void **state)
{
	static const char zeroes[4096];
	struct session session;
	struct err err;
	int fd;

	(void)state;
	start(&session, NULL);
	make_ready(&session);
	assert_int_equal(storm->execute(session.state, &session.context, &err), 0);
	fd = open(session.target.devices[0].path, O_WRONLY | O_SYNC | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, zeroes, sizeof(zeroes), 0), sizeof(zeroes));
	close(fd);
	assert_int_equal(storm->verify(session.state, &session.context, &err), 0);
	storm->cleanup(session.state, &session.context);
	close(session.context.folder_fd);
	assert_int_equal(run_status(session.run), RUN_INVALID);
	assert_non_null(strstr(run_reason(session.run), session.target.devices[0].name));
	run_free(session.run);
	end(&session);
}

static void a_worker_that_dies_fails_the_run(void **state)
{
	static const char *const settings[] = { "mount_ns=host", "repeat=1000000", NULL };
	struct session session;

	(void)state;
	start(&session, settings);
	make_ready(&session);
	kill(-session.target.pgid, SIGKILL);
	run_on(&session);
	assert_int_equal(run_status(session.run), RUN_FAILED);
	assert_non_null(strstr(run_reason(session.run), "signal 9"));
	run_free(session.run);
	make_ready(&session);
	storm->cleanup(session.state, &session.context);
	close(session.context.folder_fd);
	run_free(session.run);
	end(&session);
}

static void min_run_chooses_repeat(void **state)
{
	static const char *const settings[] = { "min_run=10s", NULL };
	static const struct metric_spec real = { .name = "real", .unit = "s" };
	auto_keys struct keys chosen = KEYS_INIT;
	struct run *warmup = run_new();
	struct session session;
	struct err err;

	(void)state;
	start(&session, settings);
	assert_true(storm->calibrate(session.state, warmup, &chosen, &err) < 0);
	assert_int_equal(chosen.n, 0);
	run_metric(warmup, &real, 3.0);
	assert_int_equal(storm->calibrate(session.state, warmup, &chosen, &err), 0);
	assert_string_equal(keys_get(&chosen, "repeat"), "4");
	run_free(warmup);
	end(&session);
}

static void facts_are_on_record(void **state)
{
	auto_json json_t *facts = NULL;
	const json_t *device;
	struct session session;

	(void)state;
	start(&session, NULL);
	facts = storm->describe(session.state);
	assert_int_equal(json_array_size(json_object_get(facts, "devices")), 2);
	device = json_array_get(json_object_get(facts, "devices"), 0);
	assert_string_equal(json_get_text(device, "backing_fs", ""), "tmpfs");
	assert_int_equal(json_get_int(device, "size_bytes", 0), 32 << 20);
	assert_int_equal(json_get_int(device, "block_size", 0), 512);
	assert_non_null(strstr(json_get_text(facts, "mke2fs", ""), "mke2fs"));
	end(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_gives_all_metrics),
		cmocka_unit_test(each_way_works),
		cmocka_unit_test(two_storms_share_a_session),
		cmocka_unit_test(what_is_prepared_can_be_dropped),
		cmocka_unit_test(a_device_that_fails_is_named),
		cmocka_unit_test(options_that_mkfs_refuses_end_the_plan),
		cmocka_unit_test(a_device_that_stays_busy_makes_the_run_invalid),
		cmocka_unit_test(a_device_that_was_changed_makes_the_run_invalid),
		cmocka_unit_test(a_worker_that_dies_fails_the_run),
		cmocka_unit_test(min_run_chooses_repeat),
		cmocka_unit_test(facts_are_on_record),
	};
	int rc;

	if (private_run(MS_PRIVATE))
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	private_run_end();
	return rc;
}
