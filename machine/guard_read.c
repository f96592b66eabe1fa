// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/guard_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fork_each.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"
#include "machine/limits.h"

#define READ_NS (30 * NS_PER_S)
#define READ_EACH_NS (1 * NS_PER_S)
#define BLOCK 4096
#define MIN_SIZE (64 * 1024)

struct candidate {
	struct guarded guarded;
	struct guard_finding finding;
	char *shown; /* the path as messages show it */
};

static void find(struct candidate *c, enum guard_reason reason, const char *detail)
{
	c->finding.reason = reason;
	snprintf(c->finding.detail, sizeof(c->finding.detail), "%.150s", detail);
}

static void identify(struct candidate *c, const struct candidate *before, size_t nbefore)
{
	struct target_device *device = &c->guarded.device;
	int rc = block_device_number(c->shown, &device->number);
	char *name;

	if (rc == -ENOTBLK)
		return find(c, GUARD_NOT_BLOCK, "");
	if (rc || block_device_name(device->number, &name))
		return find(c, GUARD_MISSING, rc ? strerror(-rc) : "the kernel knows no such number");
	device->name = name;
	for (size_t i = 0; i < nbefore; i++)
		if (before[i].guarded.device.name &&
		    before[i].guarded.device.number == device->number)
			return find(c, GUARD_TWICE, before[i].shown);
	device->path = block_device_node(device->number, name, c->shown);
	if (!device->path)
		return find(c, GUARD_MISSING, "it has just gone");
	device->diskseq = disk_identity_diskseq(name);
	device->size = block_device_value(name, "size", 0) * 512;
	if (device->size < MIN_SIZE)
		return find(c, GUARD_EMPTY, device->size ? "is smaller than 64 KiB" :
							   "has no size (no medium?)");
	c->guarded.fd = open(device->path, O_RDONLY | O_CLOEXEC);
	if (c->guarded.fd < 0)
		find(c, GUARD_UNREADABLE, strerror(errno));
}

/*
 * In a child: does it answer? Blocks that it cannot read are no reason: that a disk has such is
 * what the run is to tell.
 */
static int read_block(void *arg, size_t i, void *result, struct err *err)
{
	const struct candidate *c = &((const struct candidate *)arg)[i];
	char block[BLOCK];

	(void)result;
	if (c->finding.reason == GUARD_FIT && pread(c->guarded.fd, block, sizeof(block), 0) < 0)
		err_sys(err, errno, "%s", c->shown); /* told to nobody */
	return 0;
}

static int read_blocks(struct candidate *candidates, size_t n, struct err *err)
{
	const struct fork_each each = {
		.count = n,
		.work = read_block,
		.arg = candidates,
		.timeout_ns = READ_NS + (int64_t)n * READ_EACH_NS,
	};
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (candidates[i].finding.reason == GUARD_FIT && results.codes[i])
			find(&candidates[i], GUARD_HUNG, results.errs[i].text);
	fork_each_release(&results);
	return 0;
}

static int refuse(const struct candidate *candidates, size_t n, struct words *lines,
		  struct err *err)
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
	return n == 1 ? err_refused(err, "%s", text.s) :
			err_refused(err, "%zu of %zu devices refused: %s", unfit, n, text.s);
}

int guard_read_devices(const struct words *names, struct guarded *out, struct words *lines,
		       struct err *err)
{
	struct candidate *candidates;
	char what[32];
	int rc;

	snprintf(what, sizeof(what), "%zu disks", names->n);
	rc = limits_raise_files(names->n, what, err);
	if (rc)
		return rc;
	candidates = xcalloc(names->n, sizeof(*candidates));
	for (size_t i = 0; i < names->n; i++) {
		candidates[i].guarded.fd = -1;
		candidates[i].shown = block_device_path(names->v[i]);
		identify(&candidates[i], candidates, i);
	}
	rc = read_blocks(candidates, names->n, err);
	if (!rc)
		rc = refuse(candidates, names->n, lines, err);
	for (size_t i = 0; i < names->n; i++) {
		if (rc)
			guarded_release(&candidates[i].guarded);
		else
			out[i] = candidates[i].guarded;
		free(candidates[i].shown);
	}
	free(candidates);
	return rc;
}
