// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fork_each.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_content.h"
#include "machine/undo_folder.h"

#define WIPE_NS (30 * NS_PER_S)
#define WIPE_EACH_NS (1 * NS_PER_S)

int64_t disk_undo_timeout_ns(size_t n)
{
	return WIPE_NS + (int64_t)n * WIPE_EACH_NS;
}

int disk_undo_intend(struct undo *undo, const struct target_device *device, const char *session,
		     unsigned int *id, struct err *err)
{
	char number[32];

	snprintf(number, sizeof(number), "%u:%u", major(device->number), minor(device->number));
	return undo_intend(undo, "disk",
			   json_pack("{s:s, s:s, s:s, s:I, s:I, s:s}", "path", device->path,
				     "name", device->name, "number", number, "size",
				     (json_int_t)device->size, "diskseq",
				     (json_int_t)device->diskseq, "session", session),
			   id, err);
}

int disk_undo_wipe(const struct target_device *device, const char *session, bool mark, bool trust,
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
	rc = trust ? disk_content_probe(fd, session, &content, err) :
		     disk_content_read(fd, device->size, session, &content, err);
	if (!rc && (content.kind == DISK_SIGNATURE || content.kind == DISK_DATA))
		rc = err_set(err, EPERM, "%s holds %s, which is not ours", device->path,
			     content.words);
	else if (!rc)
		rc = disk_content_wipe(fd, device->size, mark ? session : NULL, err);
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
	return wiping->dry ? 0 : disk_undo_wipe(wiping->device, wiping->session, false, false, err);
}

static int wipe_in_child(const struct wiping *wiping, enum found *found, struct err *err)
{
	const struct fork_each each = {
		.count = 1,
		.work = wipe_one,
		.arg = (void *)wiping,
		.result_size = sizeof(*found),
		.timeout_ns = disk_undo_timeout_ns(1),
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

int disk_undo(const json_t *entry, bool dry, char **did, struct err *err)
{
	struct target_device device;
	struct wiping wiping = { .device = &device, .dry = dry };
	enum found found = FOUND_NOTHING;
	struct err why = { .text = "" };
	char boot_id[40];
	int rc;

	if (!read_entry(entry, &device))
		return err_set(err, EINVAL, "a journal entry of the kind disk lacks what "
			       "identifies it");
	wiping.session = json_get_text(entry, "session", "");
	/* Another boot counts and numbers disks anew; what is on it says whether it is the one. */
	if (undo_boot_id(boot_id, NULL) ||
	    strcmp(json_get_text(entry, "boot_id", ""), boot_id) != 0) {
		device.diskseq = 0;
		block_device_number(device.path, &device.number);
	}
	if (block_device_check_same(&device, &why)) {
		*did = xasprintf("%s: left alone", why.text);
		return 0;
	}
	rc = wipe_in_child(&wiping, &found, &why);
	if (rc == -EPERM) {
		*did = xasprintf("%s: left alone", why.text);
		return 0;
	}
	if (rc) {
		*err = why;
		return rc;
	}
	if (found == FOUND_OURS)
		*did = xasprintf("%s %s", device.path, dry ? "would be wiped" : "wiped");
	return 0;
}
