// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/guard_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fork_each.h"
#include "base/xalloc.h"
#include "machine/guard_candidate.h"
#include "machine/limits.h"

#define READ_NS (30 * NS_PER_S)
#define READ_EACH_NS (1 * NS_PER_S)
#define BLOCK 4096

/* Two ways to one disk would count its work twice; of a way that nobody named it has no part. */
static void compare(struct guard_candidate *c, const struct guard_candidate *before,
		    size_t nbefore)
{
	for (size_t i = 0; i < nbefore; i++) {
		const struct guarded *other = &before[i].guarded;

		if (!other->device.name)
			continue;
		if (other->device.number == c->guarded.device.number)
			return guard_candidate_find(c, GUARD_TWICE, before[i].shown);
		if (c->guarded.id && other->id && !strcmp(c->guarded.id, other->id))
			return guard_candidate_find(c, GUARD_SAME_WWID, before[i].shown);
	}
}

static void identify(struct guard_candidate *c, const struct guard_candidate *before,
		     size_t nbefore)
{
	if (!guard_candidate_name(c) || !guard_candidate_describe(c))
		return;
	compare(c, before, nbefore);
	if (c->finding.reason != GUARD_FIT)
		return;
	c->guarded.fd = open(c->guarded.device.path, O_RDONLY | O_CLOEXEC);
	if (c->guarded.fd < 0)
		guard_candidate_find(c, GUARD_UNREADABLE, strerror(errno));
}

/*
 * In a child: does it answer? Blocks that it cannot read are no reason: that a disk has such is
 * what the run is to tell.
 */
static int read_block(void *arg, size_t i, void *result, struct err *err)
{
	const struct guard_candidate *c = &((const struct guard_candidate *)arg)[i];
	char block[BLOCK];

	(void)result;
	if (c->finding.reason == GUARD_FIT && pread(c->guarded.fd, block, sizeof(block), 0) < 0)
		err_sys(err, errno, "%s", c->shown); /* told to nobody */
	return 0;
}

static int read_blocks(struct guard_candidate *candidates, size_t n, struct err *err)
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
			guard_candidate_find(&candidates[i], GUARD_HUNG, results.errs[i].text);
	fork_each_release(&results);
	return 0;
}

int guard_read_devices(const struct words *names, struct guarded *out, struct words *lines,
		       struct err *err)
{
	auto_free char *what = xasprintf("%zu disks", names->n);
	struct guard_candidate *candidates;
	int rc = limits_raise_files(names->n, what, err);

	if (rc)
		return rc;
	candidates = guard_candidates_new(names);
	for (size_t i = 0; i < names->n; i++)
		identify(&candidates[i], candidates, i);
	rc = read_blocks(candidates, names->n, err);
	if (!rc)
		rc = guard_candidates_refuse(candidates, names->n, lines, err);
	guard_candidates_end(candidates, names->n, rc ? NULL : out);
	return rc;
}
