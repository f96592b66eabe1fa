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
#include "machine/disk_content.h"
#include "machine/guard_use.h"

#define READ_NS (30 * NS_PER_S)
#define READ_EACH_NS (1 * NS_PER_S)
#define MIN_SIZE (64 * 1024)

/* What is known of one device while it is looked at. */
struct candidate {
	struct guarded guarded;
	struct guard_finding finding;
	char *shown; /* the path as messages show it */
};

int guard_consent_add(struct guard_consent *consent, const char *word, struct err *err)
{
	auto_free char *path = block_device_path(word);
	auto_free char *name = NULL;
	dev_t number;
	int rc = block_device_number(path, &number);

	if (rc == -ENOTBLK)
		return err_usage(err, "--destroy %s: it is no block device", word);
	if (rc)
		return err_usage(err, "--destroy %s: %s", word, strerror(-rc));
	GROW(consent->v, consent->n, consent->cap);
	consent->v[consent->n++] = (struct guard_consented){
		.number = number,
		.diskseq = block_device_name(number, &name) == 0 ?
				   block_device_value(name, "diskseq", 0) :
				   0,
	};
	return 0;
}

void guard_consent_release(struct guard_consent *consent)
{
	free(consent->v);
	*consent = (struct guard_consent)GUARD_CONSENT_INIT;
}

static bool has_consent(const struct guard_consent *consent, const struct target_device *device)
{
	for (size_t i = 0; consent && i < consent->n; i++)
		if (consent->v[i].number == device->number &&
		    consent->v[i].diskseq == device->diskseq)
			return true;
	return false;
}

void guarded_release(struct guarded *guarded)
{
	close_fd(&guarded->fd);
	free((char *)guarded->device.name);
	free((char *)guarded->device.path);
	*guarded = (struct guarded){ .fd = -1 };
}

static void find(struct candidate *c, enum guard_reason reason, const char *detail)
{
	c->finding.reason = reason;
	snprintf(c->finding.detail, sizeof(c->finding.detail), "%.150s", detail);
}

/* What can be seen without opening it. */
static void identify(struct candidate *c, const struct candidate *before, size_t nbefore,
		     const struct guard_users *users)
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
	device->diskseq = block_device_value(name, "diskseq", 0);
	device->size = block_device_value(name, "size", 0) * 512;
	guard_users_find(users, device->number, name, &c->finding);
	if (c->finding.reason != GUARD_FIT)
		return;
	if (device->size < MIN_SIZE)
		find(c, GUARD_EMPTY, device->size ? "is smaller than 64 KiB" :
						    "has no size (no medium?)");
	else if (block_device_value(name, "ro", 0))
		find(c, GUARD_READ_ONLY, "");
}

/* Opens it and keeps udev away from it. */
static void hold(struct candidate *c)
{
	int rc;

	c->guarded.fd = open(c->guarded.device.path, O_RDONLY | O_CLOEXEC);
	if (c->guarded.fd < 0)
		return find(c, GUARD_UNREADABLE, strerror(errno));
	rc = block_device_lock(c->guarded.fd);
	if (rc)
		find(c, rc == -EBUSY ? GUARD_LOCKED : GUARD_UNREADABLE, strerror(-rc));
}

/* In a child: what is on it. */
static int read_content(void *arg, size_t i, void *result, struct err *err)
{
	const struct candidate *c = &((const struct candidate *)arg)[i];
	const struct target_device *device = &c->guarded.device;
	struct guard_finding *out = result;
	struct disk_content content;
	int fd, rc;

	if (c->finding.reason != GUARD_FIT)
		return 0;
	fd = block_device_open_free(device->path, O_RDONLY, err);
	rc = fd < 0 ? fd : disk_content_read(fd, device->size, NULL, &content, err);
	if (rc) {
		out->reason = rc == -EBUSY ? GUARD_BUSY : GUARD_UNREADABLE;
		snprintf(out->detail, sizeof(out->detail), "%.150s", err->text);
	} else if (content.kind != DISK_BLANK) {
		out->reason = content.kind == DISK_DATA ? GUARD_DATA : GUARD_SIGNATURE;
		snprintf(out->detail, sizeof(out->detail), "%s", content.words);
	}
	return 0;
}

static int read_contents(struct candidate *candidates, size_t n, struct err *err)
{
	const struct fork_each each = {
		.count = n,
		.work = read_content,
		.arg = candidates,
		.result_size = sizeof(struct guard_finding),
		.timeout_ns = READ_NS + (int64_t)n * READ_EACH_NS,
	};
	const struct guard_finding *findings;
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

	if (rc)
		return rc;
	findings = (const struct guard_finding *)(const void *)results.results;
	for (size_t i = 0; i < n; i++) {
		if (candidates[i].finding.reason != GUARD_FIT)
			continue;
		if (results.codes[i])
			find(&candidates[i], results.codes[i] == -ETIMEDOUT ? GUARD_HUNG :
									     GUARD_UNREADABLE,
			     results.errs[i].text);
		else
			candidates[i].finding = findings[i];
	}
	fork_each_release(&results);
	return 0;
}

char *guard_line(const char *path, const struct guard_finding *finding)
{
	const char *detail = finding->detail;

	switch (finding->reason) {
	case GUARD_FIT:
		return xasprintf("%s is fit", path);
	case GUARD_MISSING:
		return xasprintf("%s: %s; lsblk shows what there is", path, detail);
	case GUARD_NOT_BLOCK:
		return xasprintf("%s is no block device", path);
	case GUARD_TWICE:
		return xasprintf("%s is the same device as %s: name it once", path, detail);
	case GUARD_EMPTY:
		return xasprintf("%s %s", path, detail);
	case GUARD_MOUNTED:
		return xasprintf("%s: %s: unmount it first", path, detail);
	case GUARD_SWAP:
		return xasprintf("%s: %s: swapoff first", path, detail);
	case GUARD_HELD:
		return xasprintf("%s: %s: take that down first, or name it instead", path, detail);
	case GUARD_PARTITION:
		return xasprintf("%s %s: only whole devices can be used", path, detail);
	case GUARD_PARTITIONED:
		return xasprintf("%s %s: where all of it may go, wipefs -a %s", path, detail, path);
	case GUARD_READ_ONLY:
		return xasprintf("%s is read-only: blockdev --setrw %s", path, path);
	case GUARD_LOCKED:
		return xasprintf("%s: somebody holds a lock on it: see fuser %s", path, path);
	case GUARD_BUSY:
		return xasprintf("%s: somebody has it open exclusively, or mounted in another "
				 "mount namespace: see fuser %s, lsblk %s", path, path, path);
	case GUARD_UNREADABLE:
		return xasprintf("%s cannot be read: %s: see dmesg", path, detail);
	case GUARD_HUNG:
		return xasprintf("%s does not answer (%s): see dmesg", path, detail);
	case GUARD_SIGNATURE:
		return xasprintf("%s holds %s: where all of it may go, wipefs -a %s && "
				 "blkdiscard -z %s", path, detail, path, path);
	case GUARD_DATA:
		return xasprintf("%s holds %s: where all of it may go, blkdiscard -z %s", path,
				 detail, path);
	case GUARD_NO_CONSENT:
		return xasprintf("%s: all of it would be lost: where it may be, --destroy %s", path,
				 path);
	}
	return xasprintf("%s: refused", path);
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

static int look(struct candidate *candidates, const struct words *names,
		const struct guard_consent *consent, const struct guard_users *users,
		struct err *err)
{
	int rc;

	for (size_t i = 0; i < names->n; i++) {
		candidates[i].shown = block_device_path(names->v[i]);
		identify(&candidates[i], candidates, i, users);
		if (candidates[i].finding.reason == GUARD_FIT)
			hold(&candidates[i]);
	}
	rc = read_contents(candidates, names->n, err);
	for (size_t i = 0; !rc && i < names->n; i++)
		if (candidates[i].finding.reason == GUARD_FIT &&
		    !has_consent(consent, &candidates[i].guarded.device))
			find(&candidates[i], GUARD_NO_CONSENT, "");
	return rc;
}

int guard_devices(const struct words *names, const struct guard_consent *consent,
		  struct guarded *out, struct words *lines, struct err *err)
{
	struct candidate *candidates = xcalloc(names->n, sizeof(*candidates));
	struct guard_users users;
	int rc = guard_users_read(&users, err);

	for (size_t i = 0; i < names->n; i++)
		candidates[i].guarded.fd = -1;
	if (!rc) {
		rc = look(candidates, names, consent, &users, err);
		guard_users_release(&users);
	}
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
