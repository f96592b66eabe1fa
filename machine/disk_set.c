// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_set.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fork_each.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_undo.h"

struct disk {
	struct guarded guarded;
	unsigned int entry; /* in the journal */
	size_t users;	    /* sets */
	bool touched;	    /* something may have been written to it */
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
	int rc = disk_undo_intend(site->undo, &guarded->device, site->session, &disk->entry, err);

	if (rc) {
		free(disk);
		guarded_release(guarded);
		return rc;
	}
	disk->guarded = *guarded;
	disk->next = held;
	held = disk;
	return 0;
}

/* Lets the guard look at those that are not held yet, and holds them. */
static int take_fresh(const struct words *names, const struct disk_site *site, struct err *err)
{
	auto_words struct words fresh = WORDS_INIT;
	auto_free struct guarded *guarded = NULL;
	int rc;

	for (size_t i = 0; i < names->n; i++)
		if (!find_held(names->v[i]))
			words_add(&fresh, names->v[i]);
	guarded = xcalloc(fresh.n, sizeof(*guarded));
	rc = guard_devices(&fresh, site->consent, guarded, NULL, err);
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

int disk_set_take(struct disk_set *set, const struct words *names, const struct disk_site *site,
		  struct err *err)
{
	int rc = take_fresh(names, site, err);

	memset(set, 0, sizeof(*set));
	if (rc) {
		drop_unused(site->undo);
		return rc;
	}
	set->devices = xcalloc(names->n, sizeof(*set->devices));
	set->disks = xcalloc(names->n, sizeof(struct disk *));
	set->session = xstrdup(site->session);
	set->undo = site->undo;
	for (; set->count < names->n; set->count++) {
		struct disk *disk = find_held(names->v[set->count]);

		if (!disk) {
			rc = err_set(err, ENODEV, "%s has just gone", names->v[set->count]);
			break;
		}
		disk->users++;
		set->disks[set->count] = disk;
		set->devices[set->count] = disk->guarded.device;
	}
	if (rc) {
		disk_set_release(set);
		drop_unused(site->undo);
	}
	return rc;
}

struct wiping {
	const struct disk_set *set;
	bool mark;
};

/* In a child. The end of the session wipes no more than its beginning found. */
static int wipe(void *arg, size_t i, void *result, struct err *err)
{
	const struct wiping *wiping = arg;

	(void)result;
	return disk_undo_wipe(&wiping->set->devices[i], wiping->set->session, wiping->mark, true,
			      err);
}

static int flush(void *arg, size_t i, void *result, struct err *err)
{
	const struct disk_set *set = arg;

	(void)result;
	if (ioctl(set->disks[i]->guarded.fd, BLKFLSBUF, 0) < 0)
		return err_sys(err, errno, "flushing %s", set->devices[i].path);
	return 0;
}

/* All at once; the first error with the disk's name. */
static int on_each(const struct disk_set *set, size_t count,
		   int (*work)(void *arg, size_t i, void *result, struct err *err), void *arg,
		   struct err *err)
{
	const struct fork_each each = {
		.count = count,
		.work = work,
		.arg = arg,
		.timeout_ns = disk_undo_timeout_ns(count),
	};
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

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
	struct wiping wiping = { .set = set, .mark = true };

	for (size_t i = 0; i < set->count; i++)
		set->disks[i]->touched = true;
	return on_each(set, set->count, wipe, &wiping, err);
}

int disk_set_flush_cache(struct disk_set *set, struct err *err)
{
	return on_each(set, set->count, flush, set, err);
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

void disk_set_release(struct disk_set *set)
{
	size_t n = find_last_used(set);
	struct wiping wiping = { .set = set };
	const struct fork_each each = {
		.count = n,
		.work = wipe,
		.arg = &wiping,
		.timeout_ns = disk_undo_timeout_ns(n),
	};
	struct fork_results results = { 0 };
	bool wiped = fork_each(&each, &results, NULL) == 0;

	for (size_t i = 0; i < set->count; i++) {
		struct disk *disk = set->disks[i];

		if (disk->users)
			continue;
		if (i >= n || (wiped && !results.codes[i]))
			undo_undone(set->undo, disk->entry);
		drop(disk);
	}
	fork_each_release(&results);
	free(set->devices);
	free(set->disks);
	free(set->session);
	memset(set, 0, sizeof(*set));
}
