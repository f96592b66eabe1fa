// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Consent is asked for last: who is told that --destroy is missing knows that nothing else
 * stands in the way.
 */
#include "machine/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fork_each.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_memory.h"
#include "machine/disk_transport.h"
#include "machine/guard_candidate.h"
#include "machine/guard_lock.h"
#include "machine/guard_use.h"
#include "machine/limits.h"

#define READ_NS (30 * NS_PER_S)
#define READ_EACH_NS (1 * NS_PER_S)
#define LOCK_NS (1 * NS_PER_S)

/* All of them. */
struct looking {
	struct guard_candidate *v;
	size_t n;
	const struct guard_request *request;
	struct guard_users users;
	bool survey;	 /* each for itself, and none is kept from anybody meanwhile */
	int64_t lock_ns; /* until when locks are waited for, of all together */
};

/* Is one of those before the same, or the disk of this partition, or the other way round? */
static void compare(struct guard_candidate *c, const struct guard_candidate *before,
		    size_t nbefore)
{
	for (size_t i = 0; i < nbefore && c->finding.reason == GUARD_FIT; i++) {
		const struct guard_candidate *other = &before[i];

		if (!other->guarded.device.name)
			continue;
		if (other->guarded.device.number == c->guarded.device.number)
			guard_candidate_find(c, GUARD_TWICE, other->shown);
		else if ((c->whole && !strcmp(c->whole, other->guarded.device.name)) ||
			 (other->whole && !strcmp(other->whole, c->guarded.device.name)))
			guard_candidate_find(c, GUARD_OVERLAPS, other->shown);
	}
}

/* What can be seen without opening it. */
static void identify(struct looking *looking, size_t i)
{
	struct guard_candidate *c = &looking->v[i];
	const struct guard_request *request = looking->request;
	const struct target_device *device = &c->guarded.device;
	const char *shared, *twin;

	if (!guard_candidate_name(c))
		return;
	if (!looking->survey)
		compare(c, looking->v, i);
	if (c->finding.reason != GUARD_FIT || !guard_candidate_describe(c))
		return;
	c->overwrite = request->consent && request->consent->overwrite &&
		       guard_consent_covers(request->consent, device, c->guarded.id, true);
	guard_users_find(&looking->users, device->number, device->name, &c->finding);
	if (c->finding.reason == GUARD_PARTITIONED && c->overwrite)
		c->finding.reason = GUARD_FIT;
	if (c->finding.reason != GUARD_FIT)
		return;
	shared = disk_transport_shared(device->name);
	twin = guard_users_twin(&looking->users, c->whole ? c->whole : device->name);
	if (block_device_value(device->name, "ro", 0))
		guard_candidate_find(c, GUARD_READ_ONLY, "");
	else if (twin)
		guard_candidate_find(c, GUARD_SAME_WWID, twin);
	else if (!request->shared_ok && shared)
		guard_candidate_find(c, GUARD_SHARED, shared);
}

/* Opens it and keeps udev away from it. */
static void hold(struct looking *looking, struct guard_candidate *c)
{
	int rc;

	c->guarded.fd = open(c->guarded.device.path, O_RDONLY | O_CLOEXEC);
	if (c->guarded.fd < 0)
		return guard_candidate_find(c, GUARD_UNREADABLE, strerror(errno));
	rc = c->whole ? guard_lock_take(c->whole, looking->lock_ns, &c->guarded.disk) :
			block_device_lock_until(c->guarded.fd, looking->lock_ns);
	if (rc)
		guard_candidate_find(c, rc == -EBUSY ? GUARD_LOCKED : GUARD_UNREADABLE,
				     strerror(-rc));
}

/* Has somebody locked it? Not in the way of udev, which shares its lock, nor for long. */
static void look_at_lock(struct guard_candidate *c)
{
	auto_free char *disk = block_device_path(c->whole ? c->whole : c->guarded.device.path);
	auto_close int fd = open(disk, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		guard_candidate_find(c, GUARD_UNREADABLE, strerror(errno));
	else if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		guard_candidate_find(c, errno == EWOULDBLOCK ? GUARD_LOCKED : GUARD_UNREADABLE,
				     strerror(errno));
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

/* To be read: exclusively, but in a survey, which only tries that. */
static int open_to_read(const struct looking *looking, const char *path, struct err *err)
{
	int fd = block_device_open_free(path, O_RDONLY, err);

	if (fd < 0 || !looking->survey)
		return fd;
	close(fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	return fd;
}

/* In a child: what is on it. */
static int read_content(void *arg, size_t i, void *result, struct err *err)
{
	const struct looking *looking = arg;
	const struct guard_candidate *c = &looking->v[i];
	const struct target_device *device = &c->guarded.device;
	struct contents *out = result;
	struct guard_finding *finding = &out->finding;
	int fd, rc;

	if (c->finding.reason != GUARD_FIT)
		return 0;
	fd = open_to_read(looking, device->path, err);
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

static int read_contents(struct looking *looking, struct err *err)
{
	struct guard_candidate *candidates = looking->v;
	const struct fork_each each = {
		.count = looking->n,
		.work = read_content,
		.arg = looking,
		.result_size = sizeof(struct contents),
		.timeout_ns = READ_NS + (int64_t)looking->n * READ_EACH_NS,
	};
	const struct contents *contents;
	struct fork_results results;
	int rc = fork_each(&each, &results, err);

	if (rc)
		return rc;
	contents = (const struct contents *)(const void *)results.results;
	for (size_t i = 0; i < looking->n; i++) {
		if (candidates[i].finding.reason != GUARD_FIT)
			continue;
		if (results.codes[i])
			guard_candidate_find(&candidates[i],
					     results.codes[i] == -ETIMEDOUT ? GUARD_HUNG :
									      GUARD_UNREADABLE,
					     results.errs[i].text);
		else
			candidates[i].finding = contents[i].finding;
		candidates[i].guarded.content = contents[i].content;
	}
	fork_each_release(&results);
	return 0;
}

/* Everything but consent; ended by guard_candidates_end() whatever it returns. */
static int look(struct looking *looking, const struct guard_request *request, bool survey,
		struct err *err)
{
	const struct words *names = request->names;
	auto_free char *what = xasprintf("%zu devices", names->n);
	int rc;

	*looking = (struct looking){ .request = request, .n = names->n, .survey = survey };
	looking->v = guard_candidates_new(names);
	rc = limits_raise_files((uint64_t)names->n * 2, what, err);
	if (!rc)
		rc = guard_users_read(&looking->users, err);
	if (rc)
		return rc;
	looking->lock_ns = clock_mono_ns() + LOCK_NS;
	for (size_t i = 0; i < names->n; i++) {
		identify(looking, i);
		if (looking->v[i].finding.reason != GUARD_FIT)
			continue;
		if (survey)
			look_at_lock(&looking->v[i]);
		else
			hold(looking, &looking->v[i]);
	}
	guard_users_release(&looking->users);
	return read_contents(looking, err);
}

static void ask(struct looking *looking)
{
	for (size_t i = 0; i < looking->n; i++) {
		struct guard_candidate *c = &looking->v[i];

		if (c->finding.reason == GUARD_FIT &&
		    !guard_consent_covers(looking->request->consent, &c->guarded.device,
					  c->guarded.id, false))
			guard_candidate_find(c, GUARD_NO_CONSENT, "");
	}
}

int guard_devices(const struct guard_request *request, struct guarded *out, struct words *lines,
		  struct err *err)
{
	struct looking looking;
	int rc = look(&looking, request, false, err);

	if (!rc) {
		ask(&looking);
		rc = guard_candidates_refuse(looking.v, looking.n, lines, err);
	}
	guard_candidates_end(looking.v, looking.n, rc ? NULL : out);
	return rc;
}

int guard_survey(const struct words *names, struct guard_finding *findings, struct err *err)
{
	const struct guard_request request = { .names = names };
	struct looking looking;
	int rc = look(&looking, &request, true, err);

	for (size_t i = 0; !rc && i < names->n; i++)
		findings[i] = looking.v[i].finding;
	guard_candidates_end(looking.v, looking.n, NULL);
	return rc;
}
