// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/traced_devices.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/files.h"
#include "base/xalloc.h"

#define CLASS "/sys/class/block"
#define DISABLERS 16
#define NAME_BYTES 64 /* of a path below CLASS: names have 31 bytes at most */

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = ((const struct traced_device *)a)->number;
	uint32_t y = ((const struct traced_device *)b)->number;

	return (x > y) - (x < y);
}

struct traced_devices *traced_devices_new(const struct target *target)
{
	struct traced_devices *devices = xcalloc(1, sizeof(*devices));
	const struct target_device *device;
	size_t room = target->ndevices ? target->ndevices : 1;

	devices->n = target->ndevices;
	devices->v = xcalloc(room, sizeof(*devices->v));
	devices->numbers = xcalloc(room, sizeof(*devices->numbers));
	for (size_t i = 0; i < devices->n; i++) {
		device = &target->devices[i];
		devices->v[i] = (struct traced_device){
			.name = device->name,
			.path = device->path,
			.number = (uint32_t)major(device->number) << 20 | minor(device->number),
			.diskseq = device->diskseq,
			.fd = -1,
		};
	}
	qsort(devices->v, devices->n, sizeof(*devices->v), compare_numbers);
	for (size_t i = 0; i < devices->n; i++)
		devices->numbers[i] = devices->v[i].number;
	return devices;
}

void traced_devices_free(struct traced_devices *devices)
{
	if (!devices)
		return;
	free(devices->numbers);
	free(devices->v);
	free(devices);
}

struct traced_device *traced_devices_find(struct traced_devices *devices, uint32_t number)
{
	const struct traced_device key = { .number = number };

	return bsearch(&key, devices->v, devices->n, sizeof(*devices->v), compare_numbers);
}

static void class_path(char out[NAME_BYTES + sizeof(CLASS)], const char *device, const char *file)
{
	snprintf(out, NAME_BYTES + sizeof(CLASS), CLASS "/%s/%s", device, file);
}

/* 1 or 0; a negative errno where the device has no trace at all. */
static int read_enable(const char *device)
{
	char path[NAME_BYTES + sizeof(CLASS)], text[16];
	int rc;

	class_path(path, device, "trace/enable");
	rc = files_read_line_at(AT_FDCWD, path, text, sizeof(text));
	return rc ? rc : strcmp(text, "0") != 0;
}

static int write_trace(const char *device, const char *file, const char *value)
{
	char path[NAME_BYTES + sizeof(CLASS)];

	class_path(path, device, file);
	return files_write_value_at(AT_FDCWD, path, value);
}

static int in_use(const char *device, struct err *err)
{
	return err_set(err, EBUSY, "%s is traced already, perhaps by a blktrace that runs or was "
		       "killed (to clear: blktrace -d /dev/%s -k, or echo 0 >" CLASS
		       "/%s/trace/enable)", device, device, device);
}

int traced_devices_check_others(struct err *err)
{
	DIR *folder = opendir(CLASS);
	struct dirent *entry;
	int rc = 0;

	if (!folder)
		return err_sys(err, errno, CLASS);
	while (!rc && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && read_enable(entry->d_name) > 0)
			rc = in_use(entry->d_name, err);
	closedir(folder);
	return rc;
}

int traced_devices_check_free(const struct traced_devices *devices, struct err *err)
{
	int rc;

	for (size_t i = 0; i < devices->n; i++) {
		rc = read_enable(devices->v[i].name);
		if (rc > 0)
			return in_use(devices->v[i].name, err);
		if (rc < 0)
			return err_sys(err, -rc, CLASS "/%s/trace/enable", devices->v[i].name);
	}
	return 0;
}

static int enable_one(struct traced_device *device, struct undo *undo, const char *act_mask,
		      struct err *err)
{
	json_t *details;
	int rc = read_enable(device->name);

	if (rc > 0)
		return in_use(device->name, err);
	if (rc < 0)
		return err_sys(err, -rc, CLASS "/%s/trace/enable", device->name);
	details = json_pack("{s:s, s:I}", "device", device->name, "diskseq",
			    (json_int_t)device->diskseq);
	rc = undo_intend(undo, "blk-trace", details, &device->entry, err);
	if (rc)
		return rc;
	/* Writing a mask starts the trace; with `enable` first, it would run without one. */
	rc = act_mask ? write_trace(device->name, "trace/act_mask", act_mask) :
			write_trace(device->name, "trace/enable", "1");
	if (!rc) {
		device->enabled = true;
		return 0;
	}
	undo_undone(undo, device->entry);
	if (rc == -EBUSY)
		return in_use(device->name, err);
	return err_sys(err, -rc, "starting the trace of %s", device->name);
}

int traced_devices_enable(struct traced_devices *devices, struct undo *undo,
			  const char *act_mask, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < devices->n; i++)
		rc = enable_one(&devices->v[i], undo, act_mask, err);
	return rc;
}

const struct traced_device *traced_devices_first_off(const struct traced_devices *devices)
{
	for (size_t i = 0; i < devices->n; i++)
		if (devices->v[i].enabled && read_enable(devices->v[i].name) == 0)
			return &devices->v[i];
	return NULL;
}

struct disabling {
	struct traced_devices *devices;
	_Atomic size_t next;
};

static void *disable_some(void *arg)
{
	struct disabling *disabling = arg;
	struct traced_device *device;
	size_t i;
	int rc;

	while ((i = atomic_fetch_add(&disabling->next, 1)) < disabling->devices->n) {
		device = &disabling->devices->v[i];
		if (!device->enabled)
			continue;
		rc = write_trace(device->name, "trace/enable", "0");
		if (!rc || rc == -ENOENT || rc == -ENODEV)
			device->enabled = false;
	}
	return NULL;
}

static void disable_in_parallel(struct disabling *disabling)
{
	pthread_t threads[DISABLERS];
	size_t started = 0;
	sigset_t all, old;

	/* Signals are for the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (started < DISABLERS && started + 1 < disabling->devices->n &&
	       pthread_create(&threads[started], NULL, disable_some, disabling) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	disable_some(disabling);
	while (started)
		pthread_join(threads[--started], NULL);
}

int traced_devices_disable(struct traced_devices *devices, struct undo *undo, struct err *err)
{
	struct disabling disabling = { .devices = devices };
	struct traced_device *device;
	bool *was = xcalloc(devices->n ? devices->n : 1, sizeof(*was));
	int rc = 0;

	for (size_t i = 0; i < devices->n; i++)
		was[i] = devices->v[i].enabled;
	disable_in_parallel(&disabling);
	for (size_t i = 0; i < devices->n; i++) {
		device = &devices->v[i];
		if (was[i] && !device->enabled)
			undo_undone(undo, device->entry);
		else if (device->enabled && !rc)
			rc = err_set(err, EIO, "the trace of %s cannot be ended", device->name);
	}
	free(was);
	return rc;
}

/* Fields 1, 5 and 12 of the stat file: finished reads, writes, discards. */
static uint64_t count_io(const char *device)
{
	char path[NAME_BYTES + sizeof(CLASS)], text[256];
	uint64_t sum = 0, value;
	char *p = text;

	class_path(path, device, "stat");
	if (files_read_line_at(AT_FDCWD, path, text, sizeof(text)))
		return 0;
	for (int field = 1; field <= 12; field++) {
		value = strtoull(p, &p, 10);
		if (field == 1 || field == 5 || field == 12)
			sum += value;
	}
	return sum;
}

void traced_devices_count_before(struct traced_devices *devices)
{
	for (size_t i = 0; i < devices->n; i++)
		devices->v[i].io_before = count_io(devices->v[i].name);
}

void traced_devices_count_after(struct traced_devices *devices)
{
	for (size_t i = 0; i < devices->n; i++)
		devices->v[i].io_after = count_io(devices->v[i].name);
}
