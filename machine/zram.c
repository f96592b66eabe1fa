// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reading hot_add makes a device and tells its number, the lowest that is free: that is what the
 * journal expects before. What it really was, and its diskseq, is noted behind.
 */
#include "machine/zram.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/block_device.h"

#define CONTROL "/sys/class/zram-control/"
#define REMOVE_TIMEOUT_NS (5 * NS_PER_S)
#define REMOVE_EACH_NS (20 * NS_PER_MS)
#define NODE_TIMEOUT_NS (2 * NS_PER_S)


static bool exists(unsigned int number)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/block/zram%u", number);
	return files_exists(path);
}

static int add_device(struct zram_set *set, size_t i, unsigned int *number, struct err *err)
{
	char line[32];
	uint64_t value;
	int rc;

	for (*number = 0; exists(*number);)
		++*number;
	rc = undo_intend(set->undo, "zram", json_pack("{s:I}", "number", (json_int_t)*number),
			 &set->entries[i], err);
	if (rc)
		return rc;
	rc = files_read_line_at(AT_FDCWD, CONTROL "hot_add", line, sizeof(line));
	if (!rc)
		rc = units_parse_u64(line, &value);
	if (rc) {
		undo_undone(set->undo, set->entries[i]);
		return err_sys(err, -rc, "adding a zram device");
	}
	*number = (unsigned int)value;
	return 0;
}

/* devtmpfs has it at once; a /dev of another kind a moment later. */
static int open_device(const char *path, struct err *err)
{
	int64_t end = clock_mono_ns() + NODE_TIMEOUT_NS;
	int fd, rc;

	while ((fd = open(path, O_RDWR | O_CLOEXEC)) < 0) {
		if (errno != ENOENT || clock_mono_ns() >= end)
			return err_missing(err, "%s: %s", path, strerror(errno));
		clock_sleep_ns(10 * NS_PER_MS);
	}
	rc = block_device_lock(fd);
	if (!rc)
		return fd;
	close(fd);
	return err_sys(err, -rc, "locking %s", path);
}

static int set_size(const char *name, uint64_t size, struct err *err)
{
	auto_free char *path = xasprintf("/sys/block/%s/disksize", name);
	char text[32];
	int rc;

	snprintf(text, sizeof(text), "%" PRIu64, size);
	rc = files_write_value_at(AT_FDCWD, path, text);
	return rc ? err_sys(err, -rc, "%s", path) : 0;
}

static int describe(struct zram_set *set, size_t i, uint64_t size, struct err *err)
{
	struct target_device *device = &set->devices[i];
	struct stat st;
	uint64_t is;

	if (fstat(set->fds[i], &st) < 0 || ioctl(set->fds[i], BLKGETSIZE64, &is) < 0)
		return err_sys(err, errno, "%s", device->path);
	if (is != size)
		return err_set(err, EIO, "%s has %" PRIu64 " bytes, not %" PRIu64, device->path, is,
			       size);
	device->number = st.st_rdev;
	device->size = size;
	return 0;
}

static int make_one(struct zram_set *set, size_t i, uint64_t size, struct err *err)
{
	struct target_device *device = &set->devices[i];
	unsigned int number;
	int rc = add_device(set, i, &number, err);

	if (rc)
		return rc;
	set->count++;
	device->name = xasprintf("zram%u", number);
	device->path = xasprintf("/dev/zram%u", number);
	device->diskseq = block_device_value(device->name, "diskseq", 0);
	rc = undo_note(set->undo, set->entries[i],
		       json_pack("{s:I, s:I}", "number", (json_int_t)number, "diskseq",
				 (json_int_t)device->diskseq),
		       err);
	if (!rc)
		rc = set_size(device->name, size, err);
	if (!rc)
		set->fds[i] = open_device(device->path, err);
	if (!rc && set->fds[i] < 0)
		rc = set->fds[i];
	return rc ? rc : describe(set, i, size, err);
}

/* "lzo-rle" of "lzo [lzo-rle] lz4" */
static char *read_algorithm(const char *name)
{
	char line[256], *word;

	if (block_device_attribute(name, "comp_algorithm", line, sizeof(line)))
		return NULL;
	word = strchr(line, '[');
	if (!word)
		return xstrdup(line);
	word[strcspn(word, "]")] = '\0';
	return xstrdup(word + 1);
}

int zram_set_make(struct zram_set *set, size_t count, uint64_t size, struct undo *undo,
		  struct err *err)
{
	int rc = 0;

	memset(set, 0, sizeof(*set));
	if (!files_exists(CONTROL "hot_add"))
		return err_missing(err, "no zram here (module zram, CONFIG_ZRAM)");
	set->devices = xcalloc(count, sizeof(*set->devices));
	set->entries = xcalloc(count, sizeof(*set->entries));
	set->fds = xcalloc(count, sizeof(*set->fds));
	for (size_t i = 0; i < count; i++)
		set->fds[i] = -1;
	set->undo = undo;
	for (size_t i = 0; !rc && i < count; i++)
		rc = make_one(set, i, size, err);
	if (rc)
		zram_set_release(set);
	else
		set->algorithm = read_algorithm(set->devices[0].name);
	return rc;
}

int zram_set_flush_cache(struct zram_set *set, struct err *err)
{
	for (size_t i = 0; i < set->count; i++)
		if (ioctl(set->fds[i], BLKFLSBUF, 0) < 0)
			return err_sys(err, errno, "flushing %s", set->devices[i].path);
	return 0;
}

int zram_set_discard(struct zram_set *set, struct err *err)
{
	for (size_t i = 0; i < set->count; i++) {
		uint64_t range[2] = { 0, set->devices[i].size };
		int rc = block_device_check_free(set->devices[i].path, err);

		if (rc)
			return rc;
		if (ioctl(set->fds[i], BLKDISCARD, range) < 0)
			return err_sys(err, errno, "discarding %s", set->devices[i].path);
	}
	return zram_set_flush_cache(set, err);
}

/* -EBUSY: it is still open; 0 also where it is gone. */
static int remove_device(unsigned int number, int64_t end_ns)
{
	char text[16];
	int rc;

	snprintf(text, sizeof(text), "%u", number);
	while ((rc = files_write_value_at(AT_FDCWD, CONTROL "hot_remove", text)) == -EBUSY &&
	       clock_mono_ns() < end_ns)
		clock_sleep_ns(5 * NS_PER_MS);
	return rc == -ENODEV || !exists(number) ? 0 : rc;
}

struct release {
	struct zram_set *set;
	int64_t end_ns;
	bool *gone;
};

static void remove_one(void *arg, size_t i)
{
	const struct release *release = arg;
	struct zram_set *set = release->set;
	unsigned int number;

	close_fd(&set->fds[i]);
	release->gone[i] = sscanf(set->devices[i].name, "zram%u", &number) == 1 &&
			   remove_device(number, release->end_ns) == 0;
}

void zram_set_release(struct zram_set *set)
{
	auto_free bool *gone = xcalloc(set->count, sizeof(*gone));
	struct release release = { .set = set, .gone = gone };

	release.end_ns = clock_mono_ns() + REMOVE_TIMEOUT_NS + (int64_t)set->count * REMOVE_EACH_NS;
	pool_run(remove_one, &release, set->count);
	for (size_t i = 0; i < set->count; i++) {
		if (gone[i])
			undo_undone(set->undo, set->entries[i]);
		free((char *)set->devices[i].name);
		free((char *)set->devices[i].path);
	}
	free(set->devices);
	free(set->entries);
	free(set->fds);
	free(set->algorithm);
	memset(set, 0, sizeof(*set));
}

/*
 * Without a note we died between adding it and the note: it is ours if it was never used, and if
 * it is somebody's who has just added one nothing is in it that could be lost.
 */
static bool is_ours(const json_t *entry, const char *name)
{
	json_int_t diskseq = json_get_int(entry, "diskseq", 0);

	if (json_object_get(entry, "note")) /* a kernel without diskseq notes 0 */
		return !diskseq ||
		       (json_int_t)block_device_value(name, "diskseq", 0) == diskseq;
	return block_device_value(name, "disksize", 1) == 0;
}

int zram_undo(const json_t *entry, bool dry, char **did, struct err *err)
{
	json_int_t number = json_get_int(entry, "number", -1);
	auto_free char *name = xasprintf("zram%lld", (long long)number);
	int rc = 0;

	if (number < 0 || number > INT32_MAX)
		return err_set(err, EINVAL, "a journal entry of the kind zram lacks its number");
	if (!exists((unsigned int)number) || !is_ours(entry, name))
		return 0;
	if (!dry)
		rc = remove_device((unsigned int)number, clock_mono_ns() + REMOVE_TIMEOUT_NS);
	if (rc)
		return err_sys(err, -rc, "removing %s", name);
	*did = xasprintf("%s %s", name, dry ? "would be removed" : "removed");
	return 0;
}
