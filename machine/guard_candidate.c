// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/guard_candidate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"
#include "machine/guard_lock.h"

#define MIN_SIZE (64 * 1024)
#define SECTOR 512

void guarded_release(struct guarded *guarded)
{
	close_fd(&guarded->fd);
	guard_lock_drop(guarded->disk);
	free(guarded->id);
	free((char *)guarded->device.name);
	free((char *)guarded->device.path);
	*guarded = (struct guarded){ .fd = -1 };
}

struct guard_candidate *guard_candidates_new(const struct words *names)
{
	struct guard_candidate *candidates = xcalloc(names->n, sizeof(*candidates));

	for (size_t i = 0; i < names->n; i++) {
		candidates[i].guarded.fd = -1;
		candidates[i].shown = block_device_path(names->v[i]);
	}
	return candidates;
}

void guard_candidates_end(struct guard_candidate *candidates, size_t n, struct guarded *out)
{
	for (size_t i = 0; i < n; i++) {
		if (out)
			out[i] = candidates[i].guarded;
		else
			guarded_release(&candidates[i].guarded);
		free(candidates[i].shown);
		free(candidates[i].whole);
	}
	free(candidates);
}

void guard_candidate_find(struct guard_candidate *c, enum guard_reason reason, const char *detail)
{
	c->finding.reason = reason;
	snprintf(c->finding.detail, sizeof(c->finding.detail), "%.150s", detail);
}

bool guard_candidate_name(struct guard_candidate *c)
{
	struct target_device *device = &c->guarded.device;
	int rc = block_device_number(c->shown, &device->number);
	char *is;

	if (rc == -ENOTBLK)
		guard_candidate_find(c, GUARD_NOT_BLOCK, "");
	else if (rc)
		guard_candidate_find(c, GUARD_MISSING, strerror(-rc));
	else if (block_device_name(device->number, &is))
		guard_candidate_find(c, GUARD_MISSING, "the kernel knows no such number");
	else
		device->name = is;
	if (!device->name)
		return false;
	c->whole = disk_identity_whole(device->name);
	return true;
}

bool guard_candidate_describe(struct guard_candidate *c)
{
	struct target_device *device = &c->guarded.device;

	device->path = block_device_node(device->number, device->name, c->shown);
	if (!device->path) {
		guard_candidate_find(c, GUARD_MISSING, "it has just gone");
		return false;
	}
	device->diskseq = disk_identity_diskseq(device->name);
	device->size = block_device_value(device->name, "size", 0) * SECTOR;
	c->guarded.id = disk_identity(device->name);
	if (device->size >= MIN_SIZE)
		return true;
	guard_candidate_find(c, GUARD_EMPTY, device->size ? "is smaller than 64 KiB" :
							    "has no size (no medium?)");
	return false;
}

int guard_candidates_refuse(const struct guard_candidate *candidates, size_t n,
			    struct words *lines, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	size_t unfit = 0;

	for (size_t i = 0; i < n; i++) {
		auto_free char *line = NULL;

		if (candidates[i].finding.reason == GUARD_FIT)
			continue;
		line = guard_line(candidates[i].shown, &candidates[i].finding);
		buf_addf(&text, "%s%s", unfit++ ? "; " : "", line);
		if (lines)
			words_add(lines, line);
	}
	if (!unfit)
		return 0;
	if (n == 1)
		return err_refused(err, "%s", text.s);
	return err_refused(err, "%zu of %zu devices refused, none was touched: %s", unfit, n,
			   text.s);
}
