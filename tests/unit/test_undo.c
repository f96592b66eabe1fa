// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "private_run.h"

static char *journal_path(const char *session)
{
	auto_free char *folder = undo_folder();

	return xasprintf("%s/%s.journal", folder, session);
}

static bool journal_exists(const char *session)
{
	auto_free char *path = journal_path(session);

	return files_exists(path);
}

static bool folder_exists(void)
{
	auto_free char *folder = undo_folder();

	return files_exists(folder);
}

static char *value_path(const char *name)
{
	return files_join(private_folder, name);
}

static void write_value(const char *name, const char *text)
{
	auto_free char *path = value_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void assert_value(const char *name, const char *expected)
{
	auto_free char *path = value_path(name);
	char line[64];

	assert_int_equal(files_read_line_at(AT_FDCWD, path, line, sizeof(line)), 0);
	assert_string_equal(line, expected);
}

static void remove_value(const char *name)
{
	auto_free char *path = value_path(name);

	assert_int_equal(unlink(path), 0);
}

/* Writes the file as well, so that in the end it reads as set. Also in children: no asserts. */
static int intend_value(struct undo *undo, const char *name, const char *old, const char *now)
{
	auto_free char *path = value_path(name);
	unsigned int id;

	if (undo_intend(undo, "value",
			json_pack("{s:s, s:s, s:s}", "path", path, "old", old, "new", now), &id,
			NULL))
		return -1;
	return files_write_value_at(AT_FDCWD, path, now);
}

/* A journal as a dead session left it. */
static void write_journal(const char *session, const char *text)
{
	auto_free char *folder = undo_folder(), *path = journal_path(session);
	int fd;

	mkdir(folder, 0700);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void boot_id(char out[40])
{
	assert_int_equal(files_read_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", out, 40),
			 0);
}

/* What the session does itself leaves no journal. */
static void test_life(void **state)
{
	struct undo *undo;
	unsigned int a, b, c;
	struct err err;

	(void)state;
	assert_int_equal(undo_open("life", &undo, &err), 0);
	assert_true(journal_exists("life"));
	assert_int_equal(undo_intend(undo, "folder", json_pack("{s:s}", "path", "/nowhere"), &a,
				     &err), 0);
	assert_int_equal(undo_intend(undo, "folder", json_object(), &b, &err), 0);
	assert_int_equal(undo_intend(undo, "folder", json_pack("{s:s}", "path", "\xff"), &c, &err),
			 -EILSEQ);
	assert_int_not_equal(a, b);
	undo_undone(undo, a);
	undo_undone(undo, b);
	undo_undone(undo, b);
	undo_close(undo);
	assert_false(journal_exists("life"));
	assert_false(folder_exists());
	undo_close(NULL);
}

static void test_one_journal_a_session(void **state)
{
	struct undo *undo, *second;
	struct err err;

	(void)state;
	assert_int_equal(undo_open("one", &undo, &err), 0);
	assert_int_equal(undo_open("one", &second, &err), -EEXIST);
	assert_int_equal(undo_open("../one", &second, &err), -EINVAL);
	assert_int_equal(undo_open("", &second, &err), -EINVAL);
	undo_close(undo);
}

/* What is open at the end stays for `clean`. */
static void test_open_entries_stay(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	struct undo *undo;
	struct err err;

	(void)state;
	write_value("v", "10\n");
	assert_int_equal(undo_open("stay", &undo, &err), 0);
	assert_int_equal(intend_value(undo, "v", "10", "20"), 0);
	undo_close(undo);
	assert_true(journal_exists("stay"));
	assert_int_equal(undo_count_dead(), 1);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_value("v", "10");
	assert_false(folder_exists());
	remove_value("v");
}

static int own_two_values(void *arg)
{
	struct undo *undo;

	(void)arg;
	if (undo_open("killed", &undo, NULL))
		return -1;
	return intend_value(undo, "v", "10", "20") || intend_value(undo, "w", "10", "20");
}

static void test_living_then_killed(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	pid_t pid;

	(void)state;
	write_value("v", "10\n");
	write_value("w", "10\n");
	pid = start_owner(own_two_values, NULL);
	assert_int_not_equal(pid, 0);
	assert_int_equal(undo_count_dead(), 0);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_string_equal(said.s, "");
	assert_value("v", "20");
	assert_true(journal_exists("killed"));

	kill_owner(pid);
	assert_int_equal(undo_count_dead(), 1);
	write_value("w", "30\n"); /* by somebody else */
	assert_int_equal(clean_and_listen(true, &said), 0);
	assert_non_null(strstr(said.s, "would be restored to '10'"));
	assert_value("v", "20");
	assert_true(journal_exists("killed"));

	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_value("v", "10");
	assert_value("w", "30");
	assert_non_null(strstr(said.s, "reads '30', not '20' as we set it: left alone"));
	assert_false(journal_exists("killed"));
	assert_int_equal(undo_count_dead(), 0);
	remove_value("v");
	remove_value("w");
}

static void test_last_first(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	struct undo *undo;
	struct err err;

	(void)state;
	write_value("v", "10\n");
	assert_int_equal(undo_open("order", &undo, &err), 0);
	assert_int_equal(intend_value(undo, "v", "10", "20"), 0);
	assert_int_equal(intend_value(undo, "v", "20", "30"), 0);
	undo_close(undo);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_value("v", "10");
	remove_value("v");
}

/*
 * A torn end, and an entry that cannot be undone: the rest is undone once, the journal stays, and
 * what the cleaner adds does not become part of the torn line.
 */
static void test_torn_and_unknown(void **state)
{
	auto_free char *v = value_path("v"), *text = NULL;
	auto_buf struct buf said = BUF_INIT;
	char boot[40];

	(void)state;
	boot_id(boot);
	write_value("v", "20\n");
	text = xasprintf("{\"id\":1,\"kind\":\"value\",\"boot_id\":\"%s\",\"path\":\"%s\","
			 "\"old\":\"10\",\"new\":\"20\"}\n"
			 "{\"id\":2,\"kind\":\"of tomorrow\",\"boot_id\":\"%s\"}\n"
			 "{\"id\":3,\"kind\":\"val", boot, v, boot);
	write_journal("torn", text);
	assert_int_equal(clean_and_listen(false, &said), 1);
	assert_non_null(strstr(said.s, "line 3 is torn"));
	assert_non_null(strstr(said.s, "of tomorrow"));
	assert_value("v", "10");

	write_value("v", "20\n"); /* somebody's own wish now */
	assert_int_equal(clean_and_listen(false, &said), 1);
	assert_value("v", "20");
	assert_true(journal_exists("torn"));
	write_journal("torn", "");
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_false(folder_exists());
	remove_value("v");
}

/* Of another boot only files are left. */
static void test_other_boot(void **state)
{
	auto_free char *v = value_path("v"), *folder = value_path("brunt-folder"), *text = NULL;
	auto_buf struct buf said = BUF_INIT;

	(void)state;
	write_value("v", "20\n");
	assert_int_equal(mkdir(folder, 0700), 0);
	text = xasprintf("{\"id\":1,\"kind\":\"value\",\"boot_id\":\"another\",\"path\":\"%s\","
			 "\"old\":\"10\",\"new\":\"20\"}\n"
			 "{\"id\":2,\"kind\":\"folder\",\"boot_id\":\"another\",\"path\":\"%s\"}\n",
			 v, folder);
	write_journal("boot", text);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_value("v", "20");
	assert_false(files_exists(folder));
	assert_false(folder_exists());
	remove_value("v");
}

/* A cleaner that runs beside never takes a journal from a session that is just opening it. */
static void test_open_beside_cleaner(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	struct undo *undo;
	struct err err = { .text = "" };
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 0; i < 20000; i++)
			if (clean_and_listen(false, &said))
				_exit(1);
		_exit(0);
	}
	for (int i = 0; i < 20000; i++) {
		if (undo_open("beside", &undo, &err))
			fail_msg("%s", err.text);
		assert_true(journal_exists("beside"));
		undo_close(undo);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Whoever can write there could make us do things. */
static void test_folder_of_others(void **state)
{
	auto_free char *folder = undo_folder();
	struct undo *undo;
	struct err err;

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	assert_int_equal(undo_open("others", &undo, &err), -EPERM);
	assert_int_equal(err.status, EXIT_REFUSED);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(symlink("/tmp", folder), 0);
	assert_true(undo_open("others", &undo, &err) < 0);
	assert_int_equal(unlink(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_one_journal_a_session),
		cmocka_unit_test(test_open_entries_stay),
		cmocka_unit_test(test_living_then_killed),
		cmocka_unit_test(test_last_first),
		cmocka_unit_test(test_torn_and_unknown),
		cmocka_unit_test(test_other_boot),
		cmocka_unit_test(test_open_beside_cleaner),
		cmocka_unit_test(test_folder_of_others),
	};
	int failed;

	if (private_run(MS_PRIVATE))
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	private_run_end();
	return failed;
}
