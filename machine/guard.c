// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Consent is asked for last: who is told that --destroy is missing knows that nothing else
 * stands in the way.
 */
#include "machine/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fork_each.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"
#include "machine/disk_memory.h"
#include "machine/guard_lock.h"
#include "machine/guard_use.h"
#include "machine/limits.h"

#define READ_NS (30 * NS_PER_S)
#define READ_EACH_NS (1 * NS_PER_S)
#define MIN_SIZE (64 * 1024)

/* What is known of one device while it is looked at. */
struct candidate {
	struct guarded guarded;
	struct guard_finding finding;
	char *shown; /* the path as messages show it */
	char *whole; /* the disk that it is a partition of; NULL: it is a whole one */
	bool overwrite; /* what is on it may go, too */
};

/* All of them. */
struct looking {
	struct candidate *v;
	size_t n;
	const struct guard_request *request;
	struct guard_users users;
};

void guarded_release(struct guarded *guarded)
{
	close_fd(&guarded->fd);
	guard_lock_drop(guarded->disk);
	free(guarded->id);
	free((char *)guarded->device.name);
	free((char *)guarded->device.path);
	*guarded = (struct guarded){ .fd = -1 };
}

static void find(struct candidate *c, enum guard_reason reason, const char *detail)
{
	c->finding.reason = reason;
	snprintf(c->finding.detail, sizeof(c->finding.detail), "%.150s", detail);
}

/* Names and number; false: the reason why there are none is found. */
static bool name(struct candidate *c)
{
	struct target_device *device = &c->guarded.device;
	int rc = block_device_number(c->shown, &device->number);
	char *is;

	if (rc == -ENOTBLK)
		find(c, GUARD_NOT_BLOCK, "");
	else if (rc)
		find(c, GUARD_MISSING, strerror(-rc));
	else if (block_device_name(device->number, &is))
		find(c, GUARD_MISSING, "the kernel knows no such number");
	else
		device->name = is;
	return device->name != NULL;
}

/* Is one of those before the same, or the disk of this partition, or the other way round? */
static void compare(struct candidate *c, const struct candidate *before, size_t nbefore)
{
	for (size_t i = 0; i < nbefore && c->finding.reason == GUARD_FIT; i++) {
		const struct candidate *other = &before[i];

		if (!other->guarded.device.name)
			continue;
		if (other->guarded.device.number == c->guarded.device.number)
			find(c, GUARD_TWICE, other->shown);
		else if ((c->whole && !strcmp(c->whole, other->guarded.device.name)) ||
			 (other->whole && !strcmp(other->whole, c->guarded.device.name)))
			find(c, GUARD_OVERLAPS, other->shown);
	}
}

static void describe(struct candidate *c)
{
	struct target_device *device = &c->guarded.device;

	device->diskseq = disk_identity_diskseq(device->name);
	device->size = block_device_value(device->name, "size", 0) * 512;
	c->guarded.id = disk_identity(device->name);
}

/* What can be seen without opening it. */
static void identify(struct looking *looking, size_t i)
{
	struct candidate *c = &looking->v[i];
	const struct guard_request *request = looking->request;
	struct target_device *device = &c->guarded.device;
	const char *transport, *twin;

	if (!name(c))
		return;
	c->whole = disk_identity_whole(device->name);
	compare(c, looking->v, i);
	if (c->finding.reason != GUARD_FIT)
		return;
	device->path = block_device_node(device->number, device->name, c->shown);
	if (!device->path)
		return find(c, GUARD_MISSING, "it has just gone");
	describe(c);
	c->overwrite = request->consent && request->consent->overwrite &&
		       guard_consent_covers(request->consent, device, c->guarded.id, true);
	guard_users_find(&looking->users, device->number, device->name, &c->finding);
	if (c->finding.reason == GUARD_PARTITIONED && c->overwrite)
		c->finding.reason = GUARD_FIT;
	if (c->finding.reason != GUARD_FIT)
		return;
	transport = disk_identity_transport(device->name);
	twin = guard_users_twin(&looking->users, c->whole ? c->whole : device->name);
	if (device->size < MIN_SIZE)
		find(c, GUARD_EMPTY, device->size ? "is smaller than 64 KiB" :
						    "has no size (no medium?)");
	else if (block_device_value(device->name, "ro", 0))
		find(c, GUARD_READ_ONLY, "");
	else if (twin)
		find(c, GUARD_SAME_WWID, twin);
	else if (!request->shared_ok && disk_identity_is_shared(transport))
		find(c, GUARD_SHARED, transport);
}

/* Opens it and keeps udev away from it. */
static void hold(struct candidate *c)
{
	int rc;

	c->guarded.fd = open(c->guarded.device.path, O_RDONLY | O_CLOEXEC);
	if (c->guarded.fd < 0)
		return find(c, GUARD_UNREADABLE, strerror(errno));
	rc = c->whole ? guard_lock_take(c->whole, &c->guarded.disk) :
			block_device_lock(c->guarded.fd);
	if (rc)
		find(c, rc == -EBUSY ? GUARD_LOCKED : GUARD_UNREADABLE, strerror(-rc));
}

/* What a child found out. */
struct contents {
	struct guard_finding finding;
	struct disk_content content;
};

/* A file system of a session before that was left on purpose? */
static int find_left(int fd, const struct guarded *guarded, struct disk_content *content,
		     struct err *err)
{
	auto_words struct words sessions = WORDS_INIT;
	int rc = 0;

	disk_memory_sessions(&guarded->device, guarded->id, &sessions);
	for (size_t i = 0; !rc && i < sessions.n && content->kind == DISK_SIGNATURE; i++)
		rc = disk_content_probe(fd, sessions.v[i], content, err);
	return rc;
}

/* In a child: what is on it. */
static int read_content(void *arg, size_t i, void *result, struct err *err)
{
	const struct candidate *c = &((const struct candidate *)arg)[i];
	const struct target_device *device = &c->guarded.device;
	struct contents *out = result;
	struct guard_finding *finding = &out->finding;
	int fd, rc;

	if (c->finding.reason != GUARD_FIT)
		return 0;
	fd = block_device_open_free(device->path, O_RDONLY, err);
	rc = fd < 0 ? fd : disk_content_read(fd, device->size, NULL, &out->content, err);
	if (!rc && out->content.kind == DISK_SIGNATURE)
		rc = find_left(fd, &c->guarded, &out->content, err);
	if (rc) {
		finding->reason = rc == -EBUSY ? GUARD_BUSY : GUARD_UNREADABLE;
		snprintf(finding->detail, sizeof(finding->detail), "%.150s", err->text);
	} else if (!c->overwrite && out->content.kind != DISK_BLANK &&
		   out->content.kind != DISK_OURS) {
		finding->reason = out->content.kind == DISK_DATA ? GUARD_DATA : GUARD_SIGNATURE;
		snprintf(finding->detail, sizeof(finding->detail), "%s", out->content.words);
	}
	return 0;
}

static int read_contents(struct candidate *candidates, size_t n, struct err *err)
{
	const struct fork_each each = {
		.count = n,
		.work = read_content,
		.arg = candidates,
		.result_size = sizeof(struct contents),
		.timeout_ns = READ_NS + (int64_t)n * READ_EACH_NS,
	};
	const struct contents *contents;
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

	if (rc)
		return rc;
	contents = (const struct contents *)(const void *)results.results;
	for (size_t i = 0; i < n; i++) {
		if (candidates[i].finding.reason != GUARD_FIT)
			continue;
		if (results.codes[i])
			find(&candidates[i], results.codes[i] == -ETIMEDOUT ? GUARD_HUNG :
									     GUARD_UNREADABLE,
			     results.errs[i].text);
		else
			candidates[i].finding = contents[i].finding;
		candidates[i].guarded.content = contents[i].content;
	}
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
	if (n == 1)
		return err_refused(err, "%s", text.s);
	return err_refused(err, "%zu of %zu devices refused, none was touched: %s", unfit, n,
			   text.s);
}

/* Everything but consent; ended by release() whatever it returns. */
static int look(struct looking *looking, const struct guard_request *request, struct err *err)
{
	const struct words *names = request->names;
	auto_free char *what = xasprintf("%zu devices", names->n);
	int rc;

	*looking = (struct looking){ .request = request, .n = names->n };
	looking->v = xcalloc(names->n, sizeof(*looking->v));
	for (size_t i = 0; i < names->n; i++) {
		looking->v[i].guarded.fd = -1;
		looking->v[i].shown = block_device_path(names->v[i]);
	}
	rc = limits_raise_files((uint64_t)names->n * 2, what, err);
	if (!rc)
		rc = guard_users_read(&looking->users, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < names->n; i++) {
		identify(looking, i);
		if (looking->v[i].finding.reason == GUARD_FIT)
			hold(&looking->v[i]);
	}
	guard_users_release(&looking->users);
	return read_contents(looking->v, names->n, err);
}

/* out NULL: the devices are let go. */
static void release(struct looking *looking, struct guarded *out)
{
	for (size_t i = 0; i < looking->n; i++) {
		if (out)
			out[i] = looking->v[i].guarded;
		else
			guarded_release(&looking->v[i].guarded);
		free(looking->v[i].shown);
		free(looking->v[i].whole);
	}
	free(looking->v);
}

static void ask(struct looking *looking)
{
	for (size_t i = 0; i < looking->n; i++) {
		struct candidate *c = &looking->v[i];

		if (c->finding.reason == GUARD_FIT &&
		    !guard_consent_covers(looking->request->consent, &c->guarded.device,
					  c->guarded.id, false))
			find(c, GUARD_NO_CONSENT, "");
	}
}

int guard_devices(const struct guard_request *request, struct guarded *out, struct words *lines,
		  struct err *err)
{
	struct looking looking;
	int rc = look(&looking, request, err);

	if (!rc) {
		ask(&looking);
		rc = refuse(looking.v, looking.n, lines, err);
	}
	release(&looking, rc ? NULL : out);
	return rc;
}

int guard_survey(const struct words *names, struct guard_finding *findings, struct err *err)
{
	const struct guard_request request = { .names = names };
	struct looking looking;
	int rc = look(&looking, &request, err);

	for (size_t i = 0; !rc && i < names->n; i++)
		findings[i] = looking.v[i].finding;
	release(&looking, NULL);
	return rc;
}
