// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/relay_traces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "machine/relay.h"

int relay_traces_announce(struct traced_devices *devices, struct undo *undo, struct err *err)
{
	struct traced_device *device;
	int rc;

	for (size_t i = 0; i < devices->n; i++) {
		device = &devices->v[i];
		rc = undo_intend(undo, "blk-trace",
				 json_pack("{s:s, s:I, s:b}", "device", device->name, "diskseq",
					   (json_int_t)device->diskseq, "relay", 1),
				 &device->entry, err);
		if (rc)
			return rc;
		device->announced = true;
	}
	return 0;
}

static bool is_ours(const struct traced_device *device, int debugfs)
{
	uint64_t inode;

	return device->relay && relay_inode(debugfs, device->name, &inode) == 0 &&
	       inode == device->relay;
}

/* 0 once the process has the file of each CPU of each device open. */
static int look_at_files(const struct traced_devices *devices, int debugfs, pid_t pid)
{
	auto_free const char **names = xcalloc(devices->n ? devices->n : 1, sizeof(*names));
	struct relay_files files;
	int rc;

	for (size_t i = 0; i < devices->n; i++)
		names[i] = devices->v[i].name;
	if (relay_files_list(debugfs, names, devices->n, &files))
		return -EAGAIN;
	rc = relay_files_open_in(&files, pid) == files.n ? 0 : -EAGAIN;
	relay_files_release(&files);
	return rc;
}

static int note(struct traced_device *device, int debugfs, struct undo *undo, struct err *err)
{
	uint64_t inode;
	int rc;

	if (device->relay)
		return 0;
	rc = relay_inode(debugfs, device->name, &inode);
	if (rc)
		return -EAGAIN;
	device->fd = open(device->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (device->fd < 0)
		return err_sys(err, errno, "%s", device->path);
	device->relay = inode;
	return undo_note(undo, device->entry, json_pack("{s:I}", "inode", (json_int_t)inode), err);
}

int relay_traces_look(struct traced_devices *devices, int debugfs, pid_t pid, struct undo *undo,
		      struct err *err)
{
	struct traced_device *device;
	int rc = look_at_files(devices, debugfs, pid);

	for (size_t i = 0; !rc && i < devices->n; i++)
		rc = note(&devices->v[i], debugfs, undo, err);
	/*
	 * Its own start comes a moment later. Only a trace that runs can be stopped, and a stop
	 * of one that does not run yet changes nothing.
	 */
	for (size_t i = 0; !rc && i < devices->n; i++) {
		device = &devices->v[i];
		if (device->enabled)
			continue;
		rc = relay_stop(device->fd);
		if (rc == -EINVAL)
			return -EAGAIN;
		if (rc)
			return err_sys(err, -rc, "BLKTRACESTOP of %s", device->name);
		device->enabled = true;
	}
	return rc;
}

int relay_traces_start(struct traced_devices *devices, struct err *err)
{
	int rc;

	for (size_t i = 0; i < devices->n; i++) {
		rc = relay_start(devices->v[i].fd);
		if (rc)
			return err_sys(err, -rc, "BLKTRACESTART of %s", devices->v[i].name);
	}
	return 0;
}

void relay_traces_stop(struct traced_devices *devices, int debugfs,
		       const struct traced_device **off)
{
	const struct traced_device *device;

	*off = NULL;
	for (size_t i = 0; i < devices->n; i++) {
		device = &devices->v[i];
		if ((!is_ours(device, debugfs) || relay_stop(device->fd)) && !*off)
			*off = device;
	}
}

const struct traced_device *relay_traces_first_foreign(const struct traced_devices *devices,
						       int debugfs)
{
	for (size_t i = 0; i < devices->n; i++)
		if (!is_ours(&devices->v[i], debugfs))
			return &devices->v[i];
	return NULL;
}

int relay_traces_dropped(const struct traced_devices *devices, int debugfs, uint64_t *records,
			 struct err *err)
{
	uint64_t sum = 0, one;
	int rc;

	for (size_t i = 0; i < devices->n; i++) {
		rc = relay_dropped(debugfs, devices->v[i].name, &one);
		if (rc)
			return err_sys(err, -rc, "debugfs: block/%s/dropped", devices->v[i].name);
		sum += one;
	}
	*records = sum;
	return 0;
}

/*
 * Of a trace that was never seen whole: the process made it after we found the device without
 * one, unless somebody else was quicker, who has it open then. Nobody may: our process is dead.
 */
static bool is_orphan(const struct traced_device *device, int debugfs)
{
	struct relay_files files;
	bool used;

	if (relay_files_list(debugfs, &device->name, 1, &files))
		return false;
	used = relay_files_in_use(&files);
	relay_files_release(&files);
	return !used;
}

static int clear_one(struct traced_device *device, int debugfs, struct err *err)
{
	int rc;

	if (device->relay ? !is_ours(device, debugfs) : !is_orphan(device, debugfs))
		return 0;
	rc = relay_teardown(device->name);
	if (rc && rc != -ENOENT && rc != -ENODEV)
		return err_sys(err, -rc, "the trace of %s cannot be ended", device->name);
	return 0;
}

int relay_traces_clear(struct traced_devices *devices, int debugfs, struct undo *undo,
		       struct err *err)
{
	struct traced_device *device;
	int rc = 0, one;

	for (size_t i = 0; i < devices->n; i++) {
		device = &devices->v[i];
		close_fd(&device->fd);
		if (!device->announced)
			continue;
		one = clear_one(device, debugfs, rc ? NULL : err);
		if (!one)
			undo_undone(undo, device->entry);
		device->announced = device->enabled = false;
		rc = rc ? rc : one;
	}
	return rc;
}
