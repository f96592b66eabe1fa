// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/traced.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"
#include "machine/disks.h"

static void add(struct traced *traced, dev_t number)
{
	struct target_device *device;
	char *name;

	for (size_t i = 0; i < traced->n; i++)
		if (traced->v[i].number == number)
			return;
	if (block_device_name(number, &name))
		return;
	traced->v = xreallocarray(traced->v, traced->n + 1, sizeof(*traced->v));
	device = &traced->v[traced->n++];
	*device = (struct target_device){
		.name = name,
		.path = block_device_path(name),
		.number = number,
		.size = block_device_value(name, "size", 0) * 512,
		.diskseq = disk_identity_diskseq(name),
	};
}

/* How many there are. */
static size_t add_backing(struct traced *traced, const struct target_device *device)
{
	auto_disks struct disks disks = DISKS_INIT;
	size_t found = 0;

	disks_add_device(&disks, device->number);
	for (size_t i = 0; i < disks.n; i++) {
		if (disks.v[i] == device->number)
			continue;
		add(traced, disks.v[i]);
		found++;
	}
	return found;
}

static size_t add_paths(struct traced *traced, const struct target_device *device)
{
	auto_free char *path = xasprintf("/sys/class/block/%s/slaves", device->name);
	DIR *folder = opendir(path);
	const struct dirent *entry;
	unsigned int numbers[2];
	size_t found = 0;
	char line[32];

	if (!folder)
		return 0;
	while ((entry = readdir(folder))) {
		if (*entry->d_name == '.' ||
		    block_device_attribute(entry->d_name, "dev", line, sizeof(line)) ||
		    sscanf(line, "%u:%u", &numbers[0], &numbers[1]) != 2)
			continue;
		add(traced, makedev(numbers[0], numbers[1]));
		found++;
	}
	closedir(folder);
	return found;
}

int traced_find(struct traced *traced, const char *what, const struct target_device *devices,
		size_t count, struct err *err)
{
	bool paths = !strcmp(what, "paths");

	*traced = (struct traced){ NULL, 0 };
	if (!strcmp(what, "devices"))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (paths ? add_paths(traced, &devices[i]) : add_backing(traced, &devices[i]))
			continue;
		traced_release(traced);
		return err_usage(err, "trace=%s: %s %s; trace=devices", what, devices[i].name,
				 paths ? "is made of no other devices" :
					 "lies on no other disk that can be seen");
	}
	return 0;
}

void traced_release(struct traced *traced)
{
	for (size_t i = 0; i < traced->n; i++) {
		free((char *)traced->v[i].name);
		free((char *)traced->v[i].path);
	}
	free(traced->v);
	*traced = (struct traced){ NULL, 0 };
}

json_t *traced_describe(const struct traced *traced)
{
	json_t *names;

	if (!traced->v)
		return json_null();
	names = json_array();
	for (size_t i = 0; i < traced->n; i++)
		json_array_append_new(names, json_text(traced->v[i].name));
	return names;
}
