// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * LOOP_CTL_GET_FREE is not used: it adds a device when none is free, before the journal could say
 * so, and two programs get the same answer. Instead the numbers are tried upwards: those that
 * exist and are not bound first, those that do not exist are added. Whoever comes between makes
 * LOOP_CONFIGURE fail with EBUSY, and the next number is tried.
 */
#include "machine/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/limits.h"
#include "machine/loop_backing.h"
#include "machine/loop_node.h"

#define ADDED_SPARE 64 /* nodes that others may snatch from us before we stop adding */
#define RELEASE_TIMEOUT_NS (5 * NS_PER_S)

struct maker {
	struct loop_set *set;
	const struct loop_spec *spec;
	int control;
	unsigned int next; /* number to try */
};

/* 0: number exists now, whoever added it. */
static int add_node(struct maker *maker, unsigned int number, struct err *err)
{
	struct loop_set *set = maker->set;
	unsigned int entry;
	int rc;

	if (set->nadded >= maker->spec->count + ADDED_SPARE)
		return err_set(err, EAGAIN, "others take the loop devices that we add");
	rc = undo_intend(set->undo, "loop-node",
			 json_pack("{s:I, s:s}", "number", (json_int_t)number, "token", set->token),
			 &entry, err);
	if (rc)
		return rc;
	if (ioctl(maker->control, LOOP_CTL_ADD, (long)number) < 0) {
		rc = errno == EEXIST ? 0 : err_sys(err, errno, "adding loop%u", number);
		undo_undone(set->undo, entry);
		return rc;
	}
	GROW(set->added, set->nadded, set->added_cap);
	set->added[set->nadded++] = (struct loop_added){ .number = number, .entry = entry };
	return 0;
}

static int next_number(struct maker *maker, unsigned int *number, struct err *err)
{
	for (; maker->next < LOOP_NODE_MAX; maker->next++) {
		if (loop_node_bound(maker->next))
			continue;
		*number = maker->next++;
		return loop_node_exists(*number) ? 0 : add_node(maker, *number, err);
	}
	return err_missing(err, "no free loop device");
}

/* A descriptor; -EBUSY: not this number. */
static int open_device(const char *path, unsigned int number, struct err *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), rc;

	if (fd < 0 && errno == ENXIO)
		return -EBUSY; /* just being removed */
	if (fd < 0 && errno == ENOENT)
		return loop_node_exists(number)
			       ? err_missing(err, "the kernel has loop%u, but there is no %s",
					     number, path)
			       : -EBUSY;
	if (fd < 0)
		return err_missing(err, "%s: %s", path, strerror(errno));
	rc = block_device_lock(fd);
	if (!rc)
		return fd;
	close(fd);
	return rc == -EBUSY ? rc : err_sys(err, -rc, "locking %s", path);
}

static int configure(const struct maker *maker, int fd, size_t i, const char *path, struct err *err)
{
	const struct loop_set *set = maker->set;
	struct loop_config config = {
		.fd = (__u32)set->backing_fds[i],
		.block_size = maker->spec->block_size,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR,
	};

	if (!loop_backing_in_memory(set->backing_fds[i]))
		config.info.lo_flags |= LO_FLAGS_DIRECT_IO;
	snprintf((char *)config.info.lo_file_name, sizeof(config.info.lo_file_name), "%s:%zu",
		 set->token, i);
	if (ioctl(fd, LOOP_CONFIGURE, &config) == 0)
		return 0;
	if (errno == EBUSY || errno == ENXIO)
		return -EBUSY;
	if (errno == EINVAL || errno == ENOTTY)
		return err_missing(err, "%s: LOOP_CONFIGURE (Linux 5.8), blocks of %u: %s", path,
				   maker->spec->block_size, strerror(errno));
	return err_sys(err, errno, "%s: LOOP_CONFIGURE", path);
}

static int describe(const struct maker *maker, int fd, unsigned int number, char *path,
		    struct target_device *device, struct err *err)
{
	struct stat st;
	uint64_t size;

	if (fstat(fd, &st) < 0 || ioctl(fd, BLKGETSIZE64, &size) < 0)
		return err_sys(err, errno, "%s", path);
	if (size != maker->spec->size)
		return err_set(err, EIO, "%s has %llu bytes, not %llu", path,
			       (unsigned long long)size, (unsigned long long)maker->spec->size);
	*device = (struct target_device){
		.name = xasprintf("loop%u", number),
		.path = path,
		.number = st.st_rdev,
		.size = size,
		.diskseq = loop_node_attribute(number, "diskseq"),
	};
	return 0;
}

/* Binds backing file i to this device; -EBUSY: somebody else has it. */
static int bind_device(struct maker *maker, size_t i, unsigned int number, struct err *err)
{
	auto_free char *path = xasprintf("/dev/loop%u", number);
	int fd = open_device(path, number, err), rc;

	if (fd < 0)
		return fd;
	rc = configure(maker, fd, i, path, err);
	if (!rc)
		rc = describe(maker, fd, number, path, &maker->set->devices[i], err);
	if (rc) {
		close(fd);
		return rc;
	}
	path = NULL; /* is the device's now */
	maker->set->fds[i] = fd;
	return 0;
}

static int make_one(struct maker *maker, size_t i, struct err *err)
{
	struct loop_set *set = maker->set;
	unsigned int number = 0;
	char name[128];
	int rc;

	snprintf(name, sizeof(name), "%s:%zu", set->token, i);
	set->backing_fds[i] = loop_backing_open(maker->spec->folder, maker->spec->size, name, err);
	if (set->backing_fds[i] < 0)
		return set->backing_fds[i];
	do {
		rc = next_number(maker, &number, err);
		if (!rc)
			rc = bind_device(maker, i, number, err);
	} while (rc == -EBUSY);
	if (rc)
		close_fd(&set->backing_fds[i]);
	return rc;
}

static void note_backing(struct loop_set *set)
{
	unsigned int number = 0;

	set->backing_fs = loop_backing_fs(set->backing_fds[0]);
	/* The kernel falls back to buffered IO without a word. */
	set->direct_io = sscanf(set->devices[0].name, "loop%u", &number) == 1 &&
			 loop_node_attribute(number, "loop/dio") == 1;
}

int loop_set_make(struct loop_set *set, const struct loop_spec *spec, struct undo *undo,
		  const char *token, struct err *err)
{
	struct maker maker = { .set = set, .spec = spec };
	auto_free char *what = NULL;
	auto_close int control = -1;
	int rc;

	memset(set, 0, sizeof(*set));
	if (!spec->count || !spec->size || !spec->block_size || spec->size % spec->block_size)
		return err_set(err, EINVAL, "loop devices: the size is no multiple of the block");
	what = xasprintf("%zu loop devices", spec->count);
	rc = limits_raise_files((uint64_t)spec->count * 2, what, err);
	if (rc)
		return rc;
	control = maker.control = loop_control_open(err);
	if (control < 0)
		return control;
	set->devices = xcalloc(spec->count, sizeof(*set->devices));
	set->fds = xcalloc(spec->count, sizeof(*set->fds));
	set->backing_fds = xcalloc(spec->count, sizeof(*set->backing_fds));
	set->block_size = spec->block_size;
	set->token = xstrdup(token);
	set->undo = undo;
	while (!rc && set->count < spec->count) {
		rc = make_one(&maker, set->count, err);
		set->count += !rc;
	}
	if (rc)
		loop_set_release(set);
	else
		note_backing(set);
	return rc;
}

int loop_set_flush_cache(struct loop_set *set, struct err *err)
{
	for (size_t i = 0; i < set->count; i++)
		if (ioctl(set->fds[i], BLKFLSBUF, 0) < 0)
			return err_sys(err, errno, "flushing %s", set->devices[i].path);
	return 0;
}

int loop_set_sync_backing(struct loop_set *set, struct err *err)
{
	for (size_t i = 0; i < set->count; i++)
		if (fdatasync(set->backing_fds[i]) < 0)
			return err_sys(err, errno, "syncing the backing file of %s",
				       set->devices[i].path);
	return 0;
}

static int discard_one(const struct loop_set *set, size_t i, struct err *err)
{
	const struct target_device *device = &set->devices[i];
	uint64_t range[2] = { 0, device->size };
	int backing = set->backing_fds[i], rc;

	rc = block_device_check_free(device->path, err);
	if (rc)
		return rc;
	if (ioctl(set->fds[i], BLKDISCARD, range) < 0 && errno != EOPNOTSUPP)
		return err_sys(err, errno, "discarding %s", device->path);
	if (!loop_backing_is_hole(backing)) {
		rc = loop_backing_punch(backing, device->size);
		if (rc)
			return err_sys(err, -rc, "emptying the backing file of %s", device->path);
	}
	if (ioctl(set->fds[i], BLKFLSBUF, 0) < 0)
		return err_sys(err, errno, "flushing %s", device->path);
	if (!loop_backing_is_hole(backing))
		return err_set(err, EIO, "the backing file of %s still holds data after a discard",
			       device->path);
	return 0;
}

int loop_set_discard(struct loop_set *set, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < set->count && !rc; i++)
		rc = discard_one(set, i, err);
	return rc;
}

/* What the threads that release devices share. */
struct release {
	struct loop_set *set;
	int control;
	int64_t end_ns;
	bool *gone; /* by added node */
};

static bool is_bound_as(const struct target_device *device)
{
	unsigned int number;

	if (sscanf(device->name, "loop%u", &number) != 1 || !loop_node_bound(number))
		return false;
	return loop_node_attribute(number, "diskseq") == device->diskseq;
}

/* The last close unbinds; it is over when sysfs no longer shows the backing file. */
static void unbind_one(void *arg, size_t i)
{
	const struct release *release = arg;
	struct loop_set *set = release->set;

	close_fd(&set->fds[i]);
	close_fd(&set->backing_fds[i]);
	while (is_bound_as(&set->devices[i]) && clock_mono_ns() < release->end_ns)
		clock_sleep_ns(2 * NS_PER_MS);
}

static void remove_one(void *arg, size_t i)
{
	const struct release *release = arg;
	const struct loop_set *set = release->set;
	int rc = loop_node_remove(release->control, set->added[i].number, set->token,
				  release->end_ns);

	/* Bound by somebody else: theirs now, nothing that `clean` could do. */
	release->gone[i] = !rc || rc == -ENODEV || rc == -EADDRINUSE;
}

static void remove_added(struct loop_set *set)
{
	auto_close int control = loop_control_open(NULL);
	auto_free bool *gone = xcalloc(set->nadded, sizeof(*gone));
	struct release release = { .set = set, .gone = gone, .control = control };

	release.end_ns = clock_mono_ns() + RELEASE_TIMEOUT_NS + (int64_t)set->nadded * 10 * NS_PER_MS;
	if (control >= 0)
		pool_run(remove_one, &release, set->nadded);
	for (size_t i = set->nadded; i-- > 0;)
		if (gone[i])
			undo_undone(set->undo, set->added[i].entry);
}

void loop_set_release(struct loop_set *set)
{
	struct release unbinding = { .set = set };

	unbinding.end_ns = clock_mono_ns() + RELEASE_TIMEOUT_NS + (int64_t)set->count * 10 * NS_PER_MS;
	pool_run(unbind_one, &unbinding, set->count);
	if (set->nadded)
		remove_added(set);
	for (size_t i = 0; i < set->count; i++) {
		free((char *)set->devices[i].name);
		free((char *)set->devices[i].path);
	}
	free(set->devices);
	free(set->fds);
	free(set->backing_fds);
	free(set->backing_fs);
	free(set->added);
	free(set->token);
	memset(set, 0, sizeof(*set));
}
