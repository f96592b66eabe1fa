// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_set.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fork_each.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_memory.h"
#include "machine/disk_names.h"
#include "machine/disk_undo.h"

struct disk {
	struct guarded guarded;
	unsigned int entry; /* in the journal */
	size_t users;	    /* sets */
	bool touched;	    /* something may have been written to it */
	bool leave;
	struct disk *next;
};

static struct disk *held; /* by this process */

static struct disk *find_held(const char *name)
{
	auto_free char *path = block_device_path(name);
	dev_t number;

	if (block_device_number(path, &number))
		return NULL;
	for (struct disk *disk = held; disk; disk = disk->next)
		if (disk->guarded.device.number == number)
			return disk;
	return NULL;
}

static void drop(struct disk *disk)
{
	struct disk **p = &held;

	while (*p != disk)
		p = &(*p)->next;
	*p = disk->next;
	guarded_release(&disk->guarded);
	free(disk);
}

static int hold(struct guarded *guarded, const struct disk_site *site, struct err *err)
{
	struct disk *disk = xcalloc(1, sizeof(*disk));
	int rc = disk_undo_intend(site->undo, &guarded->device, guarded->id, site->session,
				  &disk->entry, err);

	if (rc) {
		free(disk);
		guarded_release(guarded);
		return rc;
	}
	disk->guarded = *guarded;
	disk->leave = site->leave;
	disk->next = held;
	held = disk;
	return 0;
}

/* Lets the guard look at those that are not held yet, and holds them. */
static int take_fresh(const struct words *names, const struct disk_site *site, struct err *err)
{
	auto_words struct words fresh = WORDS_INIT;
	auto_free struct guarded *guarded = NULL;
	const struct guard_request request = {
		.names = &fresh, .consent = site->consent, .shared_ok = site->shared_ok,
	};
	int rc;

	for (size_t i = 0; i < names->n; i++)
		if (!find_held(names->v[i]))
			words_add(&fresh, names->v[i]);
	guarded = xcalloc(fresh.n, sizeof(*guarded));
	rc = guard_devices(&request, guarded, NULL, err);
	for (size_t i = 0; !rc && i < fresh.n; i++) {
		rc = hold(&guarded[i], site, err);
		for (size_t left = i + 1; rc && left < fresh.n; left++)
			guarded_release(&guarded[left]);
	}
	return rc;
}

/* After a failure: what no set has taken was held for nothing. */
static void drop_unused(struct undo *undo)
{
	struct disk *next;

	for (struct disk *disk = held; disk; disk = next) {
		next = disk->next;
		if (disk->users)
			continue;
		undo_undone(undo, disk->entry);
		drop(disk);
	}
}

int disk_set_check_reset(const struct target_device *devices, size_t count, enum disk_reset reset,
			 struct err *err)
{
	for (size_t i = 0; reset == DISK_RESET_DISCARD && i < count; i++)
		if (!block_device_queue_value(devices[i].name, "discard_max_bytes", 0))
			return err_usage(err, "reset=discard: %s cannot discard; reset=zero, or "
					 "reset=none", devices[i].path);
	return 0;
}

static int add_disk(struct disk_set *set, const char *name, struct err *err)
{
	struct disk *disk = find_held(name);

	if (!disk)
		return err_set(err, ENODEV, "%s has just gone", name);
	disk->users++;
	set->disks[set->count] = disk;
	set->devices[set->count++] = disk->guarded.device;
	return 0;
}

int disk_set_take(struct disk_set *set, const struct words *names, const struct disk_site *site,
		  struct err *err)
{
	auto_words struct words expanded = WORDS_INIT;
	int rc;

	memset(set, 0, sizeof(*set));
	rc = disk_names_expand(names, true, &expanded, err);
	if (!rc)
		rc = take_fresh(&expanded, site, err);
	if (rc) {
		drop_unused(site->undo);
		return rc;
	}
	set->devices = xcalloc(expanded.n, sizeof(*set->devices));
	set->disks = xcalloc(expanded.n, sizeof(struct disk *));
	set->session = xstrdup(site->session);
	set->undo = site->undo;
	set->reset = site->reset;
	for (size_t i = 0; !rc && i < expanded.n; i++)
		rc = add_disk(set, expanded.v[i], err);
	if (!rc)
		rc = disk_set_check_reset(set->devices, set->count, set->reset, err);
	if (rc) {
		disk_set_release(set);
		drop_unused(site->undo);
	}
	return rc;
}

const char *disk_set_overwritten(const struct disk_set *set, size_t i)
{
	const struct disk_content *content = &set->disks[i]->guarded.content;

	return content->kind == DISK_SIGNATURE || content->kind == DISK_DATA ? content->words : "";
}

const char *disk_set_id(const struct disk_set *set, size_t i)
{
	return set->disks[i]->guarded.id;
}

static uint64_t largest(const struct disk_set *set)
{
	uint64_t size = 0;

	for (size_t i = 0; i < set->count; i++)
		size = set->devices[i].size > size ? set->devices[i].size : size;
	return size;
}

/*
 * In a child, before a run. What the guard saw and let pass may go once, before the first. The lock
 * is ours since then, so signatures are looked for again, and bytes are not read once more.
 */
static int wipe_before(void *arg, size_t i, void *result, struct err *err)
{
	const struct disk_set *set = arg;
	const struct disk *disk = set->disks[i];
	const struct disk_wipe wipe = {
		.session = set->session,
		.mark = true,
		.trust = true,
		.known = disk->touched ? NULL : &disk->guarded.content,
		.reset = set->reset,
	};

	(void)result;
	return disk_undo_wipe(&set->devices[i], &wipe, err);
}

static int flush(void *arg, size_t i, void *result, struct err *err)
{
	const struct disk_set *set = arg;

	(void)result;
	if (ioctl(set->disks[i]->guarded.fd, BLKFLSBUF, 0) < 0)
		return err_sys(err, errno, "flushing %s", set->devices[i].path);
	return 0;
}

/* All at once; the first error with the disk's name. codes: of each; NULL: short work. */
static int on_each(const struct disk_set *set,
		   int (*work)(void *arg, size_t i, void *result, struct err *err), int *codes,
		   struct err *err)
{
	const struct fork_each each = {
		.count = set->count,
		.work = work,
		.arg = (void *)set,
		.timeout_ns = disk_undo_timeout_ns(set->count, largest(set), set->reset),
		.interruptible = codes != NULL, /* zeroing a large disk takes hours */
	};
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

	if (!rc && codes && set->count)
		memcpy(codes, results.codes, set->count * sizeof(*codes));
	for (size_t i = 0; !rc && i < results.count; i++) {
		rc = results.codes[i];
		if (rc && err)
			*err = results.errs[i];
		if (rc == -ETIMEDOUT || rc == -ECHILD)
			rc = err_context(err, rc, "%s", set->devices[i].path);
	}
	fork_each_release(&results);
	return rc;
}

int disk_set_reset(struct disk_set *set, struct err *err)
{
	auto_free int *codes = xcalloc(set->count, sizeof(*codes));
	int rc = on_each(set, wipe_before, codes, err);

	/* One that refused has written nothing: it bears something of others, or is another. */
	for (size_t i = 0; i < set->count; i++)
		set->disks[i]->touched |= codes[i] != -EPERM && codes[i] != -ENODEV;
	return rc;
}

int disk_set_flush_cache(struct disk_set *set, struct err *err)
{
	return on_each(set, flush, NULL, err);
}

/* Moves those that are to be wiped to the front; returns how many. */
static size_t find_last_used(struct disk_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->count; i++) {
		struct disk *disk = set->disks[i];
		struct target_device device = set->devices[i];

		if (--disk->users || !disk->touched)
			continue;
		set->disks[i] = set->disks[n];
		set->devices[i] = set->devices[n];
		set->disks[n] = disk;
		set->devices[n++] = device;
	}
	return n;
}

enum ended { ENDED_WIPED, ENDED_LEFT };

/* In a child, at the end: what is left is a file system of ours, or nothing. */
static int end(void *arg, size_t i, void *result, struct err *err)
{
	const struct disk_set *set = arg;
	const struct target_device *device = &set->devices[i];
	const struct disk_wipe wipe = { .session = set->session, .trust = true };
	enum ended *ended = result;
	struct disk_content content;
	auto_close int fd = -1;

	if (set->disks[i]->leave && block_device_check_same(device, err) == 0)
		fd = block_device_open_free(device->path, O_RDONLY, err);
	if (fd >= 0 && disk_content_probe(fd, set->session, &content, err) == 0 &&
	    content.kind == DISK_OURS) {
		*ended = ENDED_LEFT;
		return 0;
	}
	close_fd(&fd);
	return disk_undo_wipe(device, &wipe, err);
}

static void note_end(struct disk_set *set, size_t i, enum ended ended)
{
	const struct guarded *guarded = &set->disks[i]->guarded;

	if (ended == ENDED_LEFT &&
	    disk_memory_add(&guarded->device, guarded->id, set->session, NULL))
		return; /* it stays in the journal */
	if (ended == ENDED_WIPED)
		disk_memory_forget(&guarded->device, guarded->id);
	undo_undone(set->undo, set->disks[i]->entry);
}

void disk_set_release(struct disk_set *set)
{
	size_t n = find_last_used(set);
	const struct fork_each each = {
		.count = n,
		.work = end,
		.arg = set,
		.result_size = sizeof(enum ended),
		.timeout_ns = disk_undo_timeout_ns(n, 0, DISK_RESET_NONE),
	};
	struct fork_results results = { 0 };
	bool ended = fork_each(&each, &results, NULL) == 0;

	for (size_t i = 0; i < set->count; i++) {
		struct disk *disk = set->disks[i];

		if (disk->users)
			continue;
		if (i >= n)
			undo_undone(set->undo, disk->entry);
		else if (ended && !results.codes[i])
			note_end(set, i, ((const enum ended *)(const void *)results.results)[i]);
		drop(disk);
	}
	fork_each_release(&results);
	free(set->devices);
	free(set->disks);
	free(set->session);
	memset(set, 0, sizeof(*set));
}
