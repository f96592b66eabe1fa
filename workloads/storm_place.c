// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/fork_each.h"
#include "base/xalloc.h"
#include "machine/mount_ns.h"

#define UMOUNT_TRIES 100
#define UMOUNT_NS (10 * NS_PER_S)
#define UMOUNT_EACH_NS (100 * NS_PER_MS)
#define DROP_TRIES 1000 /* some 10 s */

static struct {
	int fd;
	char folder[64];
	size_t users;
	unsigned int generation; /* counts how often it was made */
} shared = { .fd = -1 };

/* Names the points below folder, in place of those that were. */
static void set_folder(struct storm_place *place, const char *folder)
{
	char *point;

	for (size_t i = 0; i < place->count; i++) {
		point = files_join(folder, strrchr(place->points[i], '/') + 1);
		free(place->points[i]);
		place->points[i] = point;
	}
	free(place->folder);
	place->folder = xstrdup(folder);
}

int storm_place_refresh(struct storm_place *place, struct err *err)
{
	if (place->host)
		return 0;
	if (shared.fd < 0) {
		shared.fd = mount_ns_new(shared.folder, err);
		if (shared.fd < 0)
			return shared.fd;
		shared.generation++;
	}
	place->mount_ns = shared.fd;
	if (place->generation != shared.generation)
		set_folder(place, shared.folder);
	place->generation = shared.generation;
	return 0;
}

static int open_private(struct storm_place *place, struct err *err)
{
	place->is_user = true;
	shared.users++;
	return storm_place_refresh(place, err);
}

/*
 * The last one that holds the namespace unmounts what is in it, and may hang there for as long as
 * a device does: that is to be a child.
 */
static void drop_namespace(void)
{
	int pipes[2], status;
	char byte;
	pid_t pid;

	if (shared.fd < 0)
		return;
	if (pipe2(pipes, O_CLOEXEC) < 0) {
		close_fd(&shared.fd);
		return;
	}
	pid = fork();
	if (pid == 0) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) != 0);
	}
	close_fd(&shared.fd);
	close(pipes[0]);
	close(pipes[1]);
	for (int tries = 0; pid > 0 && tries < DROP_TRIES; tries++) {
		if (waitpid(pid, &status, WNOHANG) != 0)
			return;
		clock_sleep_ns(tries < 50 ? NS_PER_MS : 10 * NS_PER_MS);
	}
}

static void close_private(struct storm_place *place)
{
	if (place->is_user && !--shared.users)
		drop_namespace();
	place->is_user = false;
}

/* A folder that was not there before: of two storms in one session each has its own. */
static int make_folder(struct storm_place *place, const char *session, struct err *err)
{
	auto_free char *base = undo_folder();
	auto_free char *path = NULL;
	int rc;

	for (unsigned int i = 1; i < 1000; i++) {
		free(path);
		path = i == 1 ? xasprintf("%s/mnt-%s", base, session) :
				xasprintf("%s/mnt-%s-%u", base, session, i);
		if (files_exists(path))
			continue;
		rc = undo_intend(place->undo, "folder", json_pack("{s:s}", "path", path),
				 &place->folder_entry, err);
		if (rc)
			return rc;
		rc = files_make_dirs(path, err);
		if (rc) {
			undo_undone(place->undo, place->folder_entry);
			return rc;
		}
		set_folder(place, path);
		return 0;
	}
	return err_set(err, EEXIST, "%s: too many folders of this session", base);
}

static int open_host(struct storm_place *place, const char *session,
		     const struct target_device *devices, struct err *err)
{
	int rc = make_folder(place, session, err);

	place->entries = xcalloc(place->count, sizeof(*place->entries));
	for (size_t i = 0; !rc && i < place->count; i++) {
		rc = undo_intend(place->undo, "mount",
				 json_pack("{s:s, s:s}", "target", place->points[i], "source",
					   devices[i].path),
				 &place->entries[i], err);
		if (!rc)
			place->nentries++;
	}
	return rc;
}

int storm_place_open(struct storm_place *place, bool host, const char *session,
		     const struct target_device *devices, size_t count, struct undo *undo,
		     struct err *err)
{
	int rc;

	*place = (struct storm_place){
		.mount_ns = -1, .host = host, .count = count, .undo = undo,
	};
	place->points = xcalloc(count, sizeof(*place->points));
	for (size_t i = 0; i < count; i++)
		place->points[i] = xasprintf("/%s", devices[i].name);
	if (host)
		rc = open_host(place, session, devices, err);
	else
		rc = open_private(place, err);
	if (rc)
		storm_place_close(place);
	return rc;
}

/* In a child: unmounts what is mounted at the point; 0 when nothing is. */
static int unmount_point(void *arg, size_t i, void *result, struct err *err)
{
	const char *point = ((const struct storm_place *)arg)->points[i];

	(void)result;
	for (int tries = 0; tries < UMOUNT_TRIES; tries++) {
		if (umount2(point, UMOUNT_NOFOLLOW) == 0 || errno == EINVAL || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		clock_sleep_ns(10 * NS_PER_MS);
	}
	return err_sys(err, errno, "unmounting %s", point);
}

/* All at once, in children: a device that hangs holds its own for good. */
static int unmount_points(struct storm_place *place, struct fork_results *results,
			  struct err *err)
{
	const struct fork_each each = {
		.count = place->count,
		.work = unmount_point,
		.arg = place,
		.timeout_ns = UMOUNT_NS + (int64_t)place->count * UMOUNT_EACH_NS,
	};

	return fork_each(&each, results, err);
}

int storm_place_renew(struct storm_place *place, struct err *err)
{
	struct fork_results results;
	int rc;

	if (!place->host) {
		drop_namespace();
		return storm_place_refresh(place, err);
	}
	rc = unmount_points(place, &results, err);
	if (rc)
		return rc;
	rc = fork_each_first(&results, err);
	fork_each_release(&results);
	return rc;
}

/* What stays mounted stays in the journal, for `brunt clean`. */
static void close_host(struct storm_place *place)
{
	struct fork_results results = { 0 };
	bool tried = !place->abandoned && unmount_points(place, &results, NULL) == 0;

	for (size_t i = 0; i < place->count; i++) {
		if (i < place->nentries && (!tried || results.codes[i]))
			continue;
		rmdir(place->points[i]);
		if (i < place->nentries)
			undo_undone(place->undo, place->entries[i]);
	}
	fork_each_release(&results);
	if (rmdir(place->folder) == 0 || errno == ENOENT)
		undo_undone(place->undo, place->folder_entry);
}

void storm_place_close(struct storm_place *place)
{
	if (!place->points)
		return;
	close_private(place);
	if (place->host && place->folder)
		close_host(place);
	for (size_t i = 0; i < place->count; i++)
		free(place->points[i]);
	free(place->points);
	free(place->folder);
	free(place->entries);
	*place = (struct storm_place){ .mount_ns = -1 };
}
