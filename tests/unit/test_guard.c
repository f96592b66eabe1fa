// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/process.h"
#include "base/xalloc.h"
#include "loop_disk.h"
#include "machine/disk_content.h"
#include "machine/disk_set.h"
#include "machine/guard.h"
#include "private_run.h"

#define MIB (1 << 20)
#define SIZE (16 * MIB)
#define SESSION "20260101T000000-host-0001"

static struct loop_disk disks[3];
static struct guard_consent consent;

static int make_disks(void **state)
{
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++) {
		if (geteuid() != 0 || !loop_disk_make(&disks[i], SIZE)) {
			while (i)
				loop_disk_end(&disks[--i]);
			disks[0].fd = -1;
			return 0;
		}
		if (guard_consent_add(&consent, disks[i].path, &err))
			return -1;
	}
	return 0;
}

static int end_disks(void **state)
{
	(void)state;
	if (disks[0].fd >= 0)
		for (size_t i = 0; i < ARRAY_SIZE(disks); i++)
			loop_disk_end(&disks[i]);
	guard_consent_release(&consent);
	return 0;
}

static void need_disks(void)
{
	if (disks[0].fd >= 0)
		return;
	print_message("no loop devices can be made: not root, or no loop driver\n");
	skip();
}

static void put(const struct loop_disk *disk, off_t offset, char byte)
{
	assert_int_equal(pwrite(disk->fd, &byte, 1, offset), 1);
	assert_int_equal(fsync(disk->fd), 0);
}

static void make_fs(const struct loop_disk *disk, const char *const *options)
{
	const char *argv[16] = { "mke2fs", "-q", "-F" };
	auto_buf struct buf said = BUF_INIT;
	struct err err;
	int status, n = 3;

	while (options && *options)
		argv[n++] = *options++;
	argv[n] = disk->path;
	if (process_capture(argv, &said, &status, &err) || status)
		fail_msg("mke2fs: %s", said.s ? said.s : err.text);
}

/* All devices, as names ended by NULL; the lines of the unfit ones. */
static int look(struct words *lines, const struct guard_consent *given, struct err *err,
		const char *const *names)
{
	auto_words struct words words = WORDS_INIT;
	struct guarded guarded[4];
	int rc;

	while (*names)
		words_add(&words, *names++);
	rc = guard_devices(&(struct guard_request){ .names = &words, .consent = given }, guarded,
			   lines, err);
	for (size_t i = 0; !rc && i < words.n; i++)
		guarded_release(&guarded[i]);
	return rc;
}

#define LOOK(lines, given, err, ...) \
	look(lines, given, err, (const char *const[]){ __VA_ARGS__, NULL })

static void assert_refused(const char *name, const char *reason)
{
	auto_words struct words lines = WORDS_INIT;
	struct err err = { .text = "" };

	assert_int_equal(LOOK(&lines, &consent, &err, name), -EPERM);
	assert_int_equal(err.status, EXIT_REFUSED);
	assert_int_equal(lines.n, 1);
	if (!strstr(lines.v[0], reason) || !strstr(err.text, reason))
		fail_msg("'%s' does not say '%s'", lines.v[0], reason);
}

static void assert_fit(const struct loop_disk *disk)
{
	struct err err = { .text = "" };

	if (LOOK(NULL, &consent, &err, disk->path))
		fail_msg("%s", err.text);
}

static void blank_disks_are_fit_under_each_of_their_names(void **state)
{
	auto_free char *link = xasprintf("%s/link", private_folder);
	struct err err = { .text = "" };

	(void)state;
	need_disks();
	assert_int_equal(symlink(disks[1].path, link), 0);
	if (LOOK(NULL, &consent, &err, loop_disk_name(&disks[0]), link, disks[2].path))
		fail_msg("%s", err.text);
	assert_int_equal(unlink(link), 0);
}

static void what_is_guarded_is_the_disk_and_locked(void **state)
{
	auto_words struct words names = WORDS_INIT;
	auto_free char *link = xasprintf("%s/link", private_folder);
	struct guarded guarded;
	struct err err;
	struct stat st;
	int fd;

	(void)state;
	need_disks();
	assert_int_equal(symlink(disks[0].path, link), 0);
	words_add(&names, link);
	assert_int_equal(guard_devices(&(struct guard_request){ .names = &names,
								.consent = &consent },
				       &guarded, NULL, &err), 0);
	assert_string_equal(guarded.device.path, disks[0].path); /* not the link, which may move */
	assert_string_equal(guarded.device.name, loop_disk_name(&disks[0]));
	assert_true(guarded.device.size == SIZE);
	assert_int_equal(stat(disks[0].path, &st), 0);
	assert_true(guarded.device.number == st.st_rdev);
	fd = open(disks[0].path, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), -1);
	guarded_release(&guarded);
	assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), 0);
	close(fd);
	assert_int_equal(unlink(link), 0);
}

static void without_consent_for_the_very_disk_it_is_refused(void **state)
{
	struct guard_consent other = GUARD_CONSENT_INIT;
	auto_words struct words lines = WORDS_INIT;
	struct err err;

	(void)state;
	need_disks();
	assert_int_equal(guard_consent_add(&other, disks[1].path, &err), 0);
	assert_int_equal(LOOK(&lines, &other, &err, disks[0].path), -EPERM);
	assert_int_equal(LOOK(&lines, NULL, &err, disks[1].path), -EPERM);
	assert_int_equal(lines.n, 2);
	assert_non_null(strstr(lines.v[0], "--destroy /dev/loop"));
	assert_int_equal(LOOK(NULL, &other, &err, disks[1].path), 0);
	other.v[0].diskseq++; /* another disk under the old number */
	assert_int_equal(LOOK(NULL, &other, &err, disks[1].path), -EPERM);
	guard_consent_release(&other);
	assert_int_equal(guard_consent_add(&other, "/dev/null", &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	assert_int_equal(guard_consent_add(&other, "no-such-disk", &err), -EINVAL);
	assert_int_equal(other.n, 0);
}

static void what_is_no_disk_is_refused(void **state)
{
	(void)state;
	need_disks();
	assert_refused("/dev/null", "no block device");
	assert_refused("/etc/passwd", "no block device");
	assert_refused("/dev/no-such-disk", "No such file");
	assert_refused("no-such-disk", "No such file");
}

static void the_same_disk_twice_is_refused(void **state)
{
	auto_free char *link = xasprintf("%s/link", private_folder);
	auto_words struct words lines = WORDS_INIT;
	struct err err;

	(void)state;
	need_disks();
	assert_int_equal(symlink(disks[0].path, link), 0);
	assert_int_equal(LOOK(&lines, &consent, &err, disks[0].path, disks[1].path, link), -EPERM);
	assert_int_equal(lines.n, 1);
	assert_non_null(strstr(lines.v[0], "same device as /dev/loop"));
	assert_int_equal(unlink(link), 0);
}

static void a_mounted_disk_is_refused_with_the_place(void **state)
{
	auto_free char *at = xasprintf("%s/at", private_folder);

	(void)state;
	need_disks();
	make_fs(&disks[0], NULL);
	assert_int_equal(mkdir(at, 0700), 0);
	assert_int_equal(mount(disks[0].path, at, "ext2", 0, NULL), 0);
	assert_refused(disks[0].path, at);
	assert_int_equal(umount(at), 0);
	assert_int_equal(rmdir(at), 0);
}

static void somebody_who_has_it_exclusively_or_locked_is_in_the_way(void **state)
{
	int fd;

	(void)state;
	need_disks();
	fd = open(disks[0].path, O_RDONLY | O_EXCL);
	assert_true(fd >= 0);
	assert_refused(disks[0].path, "open exclusively");
	close(fd);
	fd = open(disks[0].path, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	assert_refused(disks[0].path, "holds a lock");
	close(fd);
	assert_fit(&disks[0]);
}

static void a_read_only_disk_is_refused(void **state)
{
	int on = 1, off = 0;

	(void)state;
	need_disks();
	assert_int_equal(ioctl(disks[0].fd, BLKROSET, &on), 0);
	assert_refused(disks[0].path, "read-only");
	assert_int_equal(ioctl(disks[0].fd, BLKROSET, &off), 0);
	assert_fit(&disks[0]);
}

static void a_disk_that_a_loop_device_lies_on_is_refused(void **state)
{
	struct loop_disk above;

	(void)state;
	need_disks();
	assert_true(loop_disk_over(&above, open(disks[0].path, O_RDWR | O_CLOEXEC), 4096, 0));
	assert_refused(disks[0].path, "is what loop");
	assert_refused(disks[0].path, loop_disk_name(&above));
	assert_fit(&disks[1]);
	loop_disk_end(&above);
	assert_fit(&disks[0]);
}

static void of_two_loop_devices_over_the_same_bytes_none_is_fit(void **state)
{
	struct guard_consent both = GUARD_CONSENT_INIT;
	struct loop_disk above, left, right;
	struct err err = { .text = "" };
	int memory = memfd_create("brunt-test-halves", MFD_CLOEXEC);

	(void)state;
	need_disks();
	assert_true(loop_disk_over(&above, dup(disks[0].memory), SIZE - MIB, MIB));
	assert_refused(disks[0].path, "lies on the same bytes as loop");
	loop_disk_end(&above);
	assert_fit(&disks[0]);
	/* halves of one file */
	assert_int_equal(ftruncate(memory, SIZE), 0);
	assert_true(loop_disk_over(&left, dup(memory), 0, SIZE / 2));
	assert_true(loop_disk_over(&right, memory, SIZE / 2, 0));
	assert_int_equal(guard_consent_add(&both, left.path, &err), 0);
	assert_int_equal(guard_consent_add(&both, right.path, &err), 0);
	if (LOOK(NULL, &both, &err, left.path, right.path))
		fail_msg("%s", err.text);
	guard_consent_release(&both);
	loop_disk_end(&left);
	loop_disk_end(&right);
}

static void a_survey_is_in_nobodys_way(void **state)
{
	auto_words struct words names = WORDS_INIT;
	struct guard_finding findings[3];
	struct err err = { .text = "" };
	int fd;

	(void)state;
	need_disks();
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++)
		words_add(&names, disks[i].path);
	fd = open(disks[1].path, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_SH), 0); /* as udev does, for a moment */
	assert_int_equal(flock(disks[2].fd, LOCK_EX), 0);
	assert_int_equal(guard_survey(&names, findings, &err), 0);
	assert_int_equal(findings[0].reason, GUARD_FIT);
	assert_int_equal(findings[1].reason, GUARD_FIT);
	assert_int_equal(findings[2].reason, GUARD_LOCKED);
	close(fd);
	assert_int_equal(flock(disks[2].fd, LOCK_UN), 0);
}

static void signatures_are_named(void **state)
{
	static const char *const labelled[] = { "-t", "ext4", "-L", "family photos", NULL };
	const char signature[2] = { 0x55, (char)0xaa };
	const char partition[16] = { [4] = (char)0x83, [8] = 8, [12] = 16 };

	(void)state;
	need_disks();
	make_fs(&disks[0], labelled);
	assert_refused(disks[0].path, "holds ext4 labelled 'family photos'");
	assert_int_equal(pwrite(disks[1].fd, signature, 2, 510), 2);
	assert_int_equal(pwrite(disks[1].fd, partition, 16, 446), 16);
	assert_int_equal(fsync(disks[1].fd), 0);
	assert_refused(disks[1].path, "a partition table (dos)");
}

static void a_byte_of_data_is_found_at_both_ends(void **state)
{
	(void)state;
	need_disks();
	put(&disks[0], 0, 'x');
	assert_refused(disks[0].path, "data at byte 1:");
	put(&disks[0], 0, 0);
	put(&disks[0], 4 * MIB - 1, 'x');
	assert_refused(disks[0].path, "data at byte 4194303");
	put(&disks[0], 4 * MIB - 1, 0);
	put(&disks[0], SIZE - 4 * MIB, 'x');
	assert_refused(disks[0].path, "data at byte 12582912");
	put(&disks[0], SIZE - 4 * MIB, 0);
	put(&disks[0], SIZE - 1, 'x');
	assert_refused(disks[0].path, "data at byte 16777215");
	put(&disks[0], SIZE - 1, 0);
	assert_fit(&disks[0]);
}

static void any_constant_fill_is_blank(void **state)
{
	auto_free char *bytes = xmalloc(SIZE);

	(void)state;
	need_disks();
	memset(bytes, 0xff, SIZE);
	assert_int_equal(pwrite(disks[0].fd, bytes, SIZE, 0), SIZE);
	assert_int_equal(fsync(disks[0].fd), 0);
	assert_fit(&disks[0]);
	memset(bytes + SIZE - MIB, 0, MIB);
	assert_int_equal(pwrite(disks[0].fd, bytes, SIZE, 0), SIZE);
	assert_int_equal(fsync(disks[0].fd), 0);
	assert_refused(disks[0].path, "data at byte");
}

static void all_unfit_ones_are_told_and_none_is_touched(void **state)
{
	auto_words struct words lines = WORDS_INIT;
	struct err err;
	struct stat st;

	(void)state;
	need_disks();
	put(&disks[0], 7, 'x');
	put(&disks[2], 7, 'x');
	assert_int_equal(LOOK(&lines, &consent, &err, disks[0].path, disks[1].path, disks[2].path),
			 -EPERM);
	assert_int_equal(lines.n, 2);
	assert_non_null(strstr(err.text, "2 of 3 devices refused"));
	assert_non_null(strstr(err.text, disks[0].path));
	assert_non_null(strstr(err.text, disks[2].path));
	assert_null(strstr(err.text, disks[1].path));
	assert_int_equal(fstat(disks[1].memory, &st), 0);
	assert_int_equal(st.st_blocks, 0);
}

static enum disk_kind kind_of(const struct loop_disk *disk, const char *session)
{
	struct disk_content content;
	struct err err = { .text = "" };

	if (disk_content_read(disk->fd, SIZE, session, &content, &err))
		fail_msg("%s", err.text);
	return content.kind;
}

static void token_and_mark_say_whose_a_disk_is(void **state)
{
	uint64_t token = disk_token(SESSION);
	auto_free char *uuid = xasprintf("%08x-%04x-4001-8002-000300000004",
					 (unsigned int)(token >> 16),
					 (unsigned int)(token & 0xffff));
	const char *const ours[] = { "-U", uuid, NULL };
	struct err err = { .text = "" };

	(void)state;
	need_disks();
	assert_true(token < 1ULL << 48);
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_BLANK);
	make_fs(&disks[0], ours);
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_OURS);
	assert_int_equal(kind_of(&disks[0], "20260101T000000-host-0002"), DISK_SIGNATURE);
	assert_int_equal(kind_of(&disks[0], NULL), DISK_SIGNATURE);
	assert_int_equal(disk_content_wipe(disks[0].fd, SIZE, SESSION, &err), 0);
	put(&disks[0], 5000, 'x'); /* mkfs was killed before it wrote the superblock */
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_OURS);
	assert_int_equal(kind_of(&disks[0], "20260101T000000-host-0002"), DISK_DATA);
	make_fs(&disks[0], NULL); /* somebody else's, with our mark still there */
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_SIGNATURE);
	assert_int_equal(disk_content_wipe(disks[0].fd, SIZE, NULL, &err), 0);
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_BLANK);
}

static struct undo *journal(void)
{
	struct undo *undo;
	struct err err = { .text = "" };

	if (undo_open(SESSION, &undo, &err))
		fail_msg("%s", err.text);
	return undo;
}

static void take(struct disk_set *set, struct undo *undo, const char *const *names)
{
	const struct disk_site site = { .session = SESSION, .undo = undo, .consent = &consent };
	auto_words struct words words = WORDS_INIT;
	struct err err = { .text = "" };

	while (*names)
		words_add(&words, *names++);
	if (disk_set_take(set, &words, &site, &err))
		fail_msg("%s", err.text);
}

static void sets_share_disks_and_the_last_one_wipes(void **state)
{
	struct disk_set both, one;
	struct undo *undo = journal();
	struct err err = { .text = "" };

	(void)state;
	need_disks();
	take(&both, undo, (const char *const[]){ disks[0].path, disks[1].path, NULL });
	assert_int_equal(undo_count_open(undo), 2);
	assert_int_equal(access("/var/lib/brunt/" SESSION ".journal", F_OK), 0);
	assert_int_equal(disk_set_reset(&both, &err), 0);
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_OURS);
	/* not blank, and no matter: it is ours already */
	take(&one, undo, (const char *const[]){ loop_disk_name(&disks[0]), NULL });
	assert_int_equal(disk_set_flush_cache(&one, &err), 0);
	disk_set_release(&both);
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_OURS);
	assert_int_equal(kind_of(&disks[1], SESSION), DISK_BLANK);
	assert_int_equal(undo_count_open(undo), 1);
	disk_set_release(&one);
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_BLANK);
	assert_int_equal(undo_count_open(undo), 0);
	undo_close(undo);
	assert_int_equal(access("/var/lib/brunt", F_OK), -1);
}

static void what_others_put_there_meanwhile_is_left_alone(void **state)
{
	struct undo *undo = journal();
	struct disk_set set;
	struct err err = { .text = "" };

	(void)state;
	need_disks();
	take(&set, undo, (const char *const[]){ disks[0].path, NULL });
	assert_int_equal(disk_set_reset(&set, &err), 0);
	make_fs(&disks[0], NULL);
	assert_int_equal(disk_set_reset(&set, &err), -EPERM);
	assert_non_null(strstr(err.text, "which is not ours"));
	disk_set_release(&set);
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_SIGNATURE);
	assert_int_equal(undo_count_open(undo), 1);
	undo_close(undo);
}

static int hold_a_disk(void *arg)
{
	struct disk_set set;
	struct err err;

	take(&set, journal(), (const char *const[]){ ((struct loop_disk *)arg)->path, NULL });
	return disk_set_reset(&set, &err);
}

static void clean_wipes_what_a_killed_session_left(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	pid_t owner;

	(void)state;
	need_disks();
	assert_int_equal(clean_and_listen(false, &said), 0); /* of the tests before */
	owner = start_owner(hold_a_disk, &disks[0]);
	assert_true(owner > 0);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_int_equal(said.len, 0); /* it lives */
	kill_owner(owner);
	put(&disks[0], 5000, 'x');
	assert_int_equal(undo_count_dead(), 1);
	assert_int_equal(clean_and_listen(true, &said), 0);
	assert_non_null(strstr(said.s, "would be wiped"));
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_OURS);
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_non_null(strstr(said.s, " wiped"));
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_BLANK);
	assert_int_equal(undo_count_dead(), 0);
}

static void clean_leaves_data_alone_that_may_be_of_others(void **state)
{
	auto_buf struct buf said = BUF_INIT;
	auto_free char *zeroes = xcalloc(1, SIZE);
	pid_t owner;

	(void)state;
	need_disks();
	owner = start_owner(hold_a_disk, &disks[0]);
	assert_true(owner > 0);
	kill_owner(owner);
	assert_int_equal(pwrite(disks[0].fd, zeroes, SIZE, 0), SIZE); /* the mark, too */
	put(&disks[0], 5000, 'x');
	assert_int_equal(clean_and_listen(false, &said), 0);
	assert_non_null(strstr(said.s, "data at byte 5000, which does not say that it is ours: left"));
	assert_int_equal(kind_of(&disks[0], SESSION), DISK_DATA);
	assert_int_equal(undo_count_dead(), 0);
}

#define DISK_TEST(f) cmocka_unit_test_setup_teardown(f, make_disks, end_disks)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_TEST(blank_disks_are_fit_under_each_of_their_names),
		DISK_TEST(what_is_guarded_is_the_disk_and_locked),
		DISK_TEST(without_consent_for_the_very_disk_it_is_refused),
		DISK_TEST(what_is_no_disk_is_refused),
		DISK_TEST(the_same_disk_twice_is_refused),
		DISK_TEST(a_mounted_disk_is_refused_with_the_place),
		DISK_TEST(somebody_who_has_it_exclusively_or_locked_is_in_the_way),
		DISK_TEST(a_read_only_disk_is_refused),
		DISK_TEST(a_disk_that_a_loop_device_lies_on_is_refused),
		DISK_TEST(of_two_loop_devices_over_the_same_bytes_none_is_fit),
		DISK_TEST(a_survey_is_in_nobodys_way),
		DISK_TEST(signatures_are_named),
		DISK_TEST(a_byte_of_data_is_found_at_both_ends),
		DISK_TEST(any_constant_fill_is_blank),
		DISK_TEST(all_unfit_ones_are_told_and_none_is_touched),
		DISK_TEST(token_and_mark_say_whose_a_disk_is),
		DISK_TEST(sets_share_disks_and_the_last_one_wipes),
		DISK_TEST(what_others_put_there_meanwhile_is_left_alone),
		DISK_TEST(clean_wipes_what_a_killed_session_left),
		DISK_TEST(clean_leaves_data_alone_that_may_be_of_others),
	};
	int failed;

	if (private_run(MS_PRIVATE))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	private_run_end();
	return failed;
}
