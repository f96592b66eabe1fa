// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_undo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fork_each.h"
#include "base/json.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/btrfs_device.h"
#include "machine/disk_identity.h"
#include "machine/disk_names.h"
#include "machine/undo_folder.h"

#define WIPE_NS (30 * NS_PER_S)
#define WIPE_EACH_NS (1 * NS_PER_S)
#define ZERO_RATE (20ULL << 20) /* bytes a second that the slowest disk still zeroes */
#define DISCARD_RATE (1ULL << 30)
#define SECTOR 512

int64_t disk_undo_timeout_ns(size_t n, uint64_t size, enum disk_reset reset)
{
	int64_t ns = WIPE_NS + (int64_t)n * WIPE_EACH_NS;

	if (reset == DISK_RESET_ZERO)
		ns += (int64_t)(size / ZERO_RATE) * NS_PER_S;
	else if (reset == DISK_RESET_DISCARD)
		ns += (int64_t)(size / DISCARD_RATE) * NS_PER_S;
	return ns;
}

int disk_undo_intend(struct undo *undo, const struct target_device *device, const char *id,
		     const char *session, unsigned int *entry, struct err *err)
{
	char number[32];

	snprintf(number, sizeof(number), "%u:%u", major(device->number), minor(device->number));
	return undo_intend(undo, "disk",
			   json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:s}", "path", device->path,
				     "name", device->name, "number", number, "size",
				     (json_int_t)device->size, "diskseq",
				     (json_int_t)device->diskseq, "wwid", json_text(id), "session",
				     session),
			   entry, err);
}

static bool may_go(const struct disk_content *content, const struct disk_content *known)
{
	if (content->kind == DISK_BLANK || content->kind == DISK_OURS)
		return true;
	return known && known->kind != DISK_BLANK && !strcmp(known->words, content->words);
}

static int wipe_open(int fd, const struct target_device *device, const struct disk_wipe *wipe,
		     struct err *err)
{
	int rc = disk_content_wipe(fd, device->size, wipe->mark ? wipe->session : NULL, err);

	if (!rc)
		rc = disk_content_clear(fd, device->size, wipe->reset, err);
	/* The kernel may know partitions of what was overwritten; not each time, as udev hears of it. */
	if (!rc && wipe->known && wipe->known->kind == DISK_SIGNATURE &&
	    ioctl(fd, BLKRRPART, 0) < 0 && errno == EBUSY)
		rc = err_set(err, EBUSY, "its partitions are in use");
	return rc;
}

int disk_undo_wipe(const struct target_device *device, const struct disk_wipe *wipe,
		   struct err *err)
{
	struct disk_content content;
	auto_close int fd = -1;
	int rc = block_device_check_same(device, err);

	if (rc)
		return rc;
	fd = block_device_open_free(device->path, O_RDWR, err);
	if (fd < 0)
		return fd;
	rc = wipe->trust ? disk_content_probe(fd, wipe->session, &content, err) :
			   disk_content_read(fd, device->size, wipe->session, &content, err);
	if (!rc && !may_go(&content, wipe->known))
		rc = err_set(err, EPERM, "%s holds %s, which is not ours", device->path,
			     content.words);
	else if (!rc)
		rc = wipe_open(fd, device, wipe, err);
	if (!rc && !strncmp(content.words, "btrfs", 5))
		btrfs_device_forget(device->path);
	return rc == 0 || rc == -EPERM ? rc : err_context(err, rc, "%s", device->path);
}

struct wiping {
	const struct target_device *device;
	const char *session;
	bool dry;
};

enum found { FOUND_NOTHING, FOUND_OURS };

static int wipe_one(void *arg, size_t i, void *result, struct err *err)
{
	const struct wiping *wiping = arg;
	const struct disk_wipe wipe = { .session = wiping->session };
	enum found *found = result;
	struct disk_content content;
	auto_close int fd = -1;
	int rc;

	(void)i;
	fd = block_device_open_free(wiping->device->path, O_RDONLY, err);
	if (fd < 0)
		return fd;
	rc = disk_content_read(fd, wiping->device->size, wiping->session, &content, err);
	close_fd(&fd);
	if (rc)
		return err_context(err, rc, "%s", wiping->device->path);
	*found = content.kind == DISK_BLANK ? FOUND_NOTHING : FOUND_OURS;
	if (content.kind == DISK_BLANK)
		return 0;
	if (content.kind != DISK_OURS)
		return err_set(err, EPERM, "%s holds %s, which does not say that it is ours",
			       wiping->device->path, content.words);
	return wiping->dry ? 0 : disk_undo_wipe(wiping->device, &wipe, err);
}

static int wipe_in_child(const struct wiping *wiping, enum found *found, struct err *err)
{
	const struct fork_each each = {
		.count = 1,
		.work = wipe_one,
		.arg = (void *)wiping,
		.result_size = sizeof(*found),
		.timeout_ns = disk_undo_timeout_ns(1, 0, DISK_RESET_NONE),
	};
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

	if (rc)
		return rc;
	rc = fork_each_first(&results, err);
	if (rc == -ETIMEDOUT)
		rc = err_context(err, rc, "%s", wiping->device->path);
	else
		memcpy(found, results.results, sizeof(*found));
	fork_each_release(&results);
	return rc;
}

/* Into a device whose strings are the entry's; false: something is missing. */
static bool read_entry(const json_t *entry, struct target_device *device)
{
	unsigned int numbers[2];

	*device = (struct target_device){
		.name = json_get_text(entry, "name", NULL),
		.path = json_get_text(entry, "path", NULL),
		.size = (uint64_t)json_get_int(entry, "size", 0),
		.diskseq = (uint64_t)json_get_int(entry, "diskseq", 0),
	};
	if (sscanf(json_get_text(entry, "number", ""), "%u:%u", &numbers[0], &numbers[1]) != 2)
		return false;
	device->number = makedev(numbers[0], numbers[1]);
	return device->name && !strchr(device->name, '/') && device->path &&
	       *device->path == '/' && device->size && json_get_text(entry, "session", NULL);
}

static int undo_one(const json_t *entry, const struct target_device *device, bool dry, char **did,
		    struct err *err)
{
	struct wiping wiping = {
		.device = device, .dry = dry, .session = json_get_text(entry, "session", ""),
	};
	enum found found = FOUND_NOTHING;
	struct err why = { .text = "" };
	int rc = block_device_check_same(device, &why);

	if (!rc)
		rc = wipe_in_child(&wiping, &found, &why);
	if (rc == -EPERM || rc == -ENODEV) {
		*did = xasprintf("%s: left alone", why.text);
		return 0;
	}
	if (rc) {
		*err = why;
		return rc;
	}
	if (found == FOUND_OURS)
		*did = xasprintf("%s %s", device->path, dry ? "would be wiped" : "wiped");
	return 0;
}

static bool same_id(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Devices that may be the one that is not where it was: of its identity and size. Names and paths
 * are new; they belong to the caller.
 */
static size_t find_again(const json_t *entry, const struct target_device *old,
			 struct target_device **out)
{
	const char *id = json_get_text(entry, "wwid", NULL);
	auto_words struct words names = WORDS_INIT;
	size_t n = 0, cap = 0;

	*out = NULL;
	if (disk_names_all(&names, NULL))
		return 0;
	for (size_t i = 0; i < names.n; i++) {
		struct target_device device = *old;
		auto_free char *is = NULL;

		if (block_device_value(names.v[i], "size", 0) * SECTOR != old->size)
			continue;
		is = disk_identity(names.v[i]);
		if (!same_id(id, is))
			continue;
		device.path = block_device_path(names.v[i]);
		if (block_device_number(device.path, &device.number)) {
			free((char *)device.path);
			continue;
		}
		device.name = xstrdup(names.v[i]);
		device.diskseq = 0;
		GROW(*out, n, cap);
		(*out)[n++] = device;
	}
	return n;
}

/* What has no identity is where its content is; of what is elsewhere only the old path's is told. */
static int undo_by_content(const json_t *entry, const struct target_device *found, size_t n,
			   bool dry, char **did, struct err *err)
{
	const char *old_path = json_get_text(entry, "path", "");
	int failed = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_old = !strcmp(found[i].path, old_path);
		struct err why = { .text = "" };
		char *says = NULL;
		int rc = undo_one(entry, &found[i], dry, &says, &why);

		if (!rc && says && !strstr(says, "left alone")) {
			free(*did);
			*did = says;
			return 0;
		}
		if (rc && is_old && err)
			*err = why;
		failed = is_old ? rc : failed;
		if (is_old)
			*did = says;
		else
			free(says);
	}
	return failed;
}

static int undo_by_id(const json_t *entry, const struct target_device *found, size_t n, bool dry,
		      char **did, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		free(*did);
		*did = NULL;
		rc = undo_one(entry, &found[i], dry, did, err);
	}
	return rc;
}

/* The boot of the session, and nobody has taken the disk away since. */
static bool is_where_it_was(const json_t *entry, const struct target_device *device)
{
	char boot_id[40];

	if (undo_boot_id(boot_id, NULL) ||
	    strcmp(json_get_text(entry, "boot_id", ""), boot_id) != 0)
		return false;
	return !json_get_text(entry, "wwid", NULL) || !block_device_check_same(device, NULL);
}

int disk_undo(const json_t *entry, bool dry, char **did, struct err *err)
{
	struct target_device device, *found;
	size_t n;
	int rc;

	if (!read_entry(entry, &device))
		return err_set(err, EINVAL, "a journal entry of the kind disk lacks what "
			       "identifies it");
	if (is_where_it_was(entry, &device))
		return undo_one(entry, &device, dry, did, err);
	n = find_again(entry, &device, &found);
	rc = json_get_text(entry, "wwid", NULL) ? undo_by_id(entry, found, n, dry, did, err) :
						undo_by_content(entry, found, n, dry, did, err);
	for (size_t i = 0; i < n; i++) {
		free((char *)found[i].name);
		free((char *)found[i].path);
	}
	free(found);
	if (!n)
		*did = xasprintf("%s is not there any more: left alone", device.path);
	return rc;
}
