// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_transport.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"

#define DEPTH_MAX 16 /* of devices on devices */

/* Transports behind which another host may have the same disk. */
static const char *const shared_transports[] = {
	"fc", "iscsi", "srp", "tcp", "rdma", "nvme-fc", "nbd", "rnbd", "rbd", "drbd",
	"aoe",
};

static bool is_shared(const char *transport)
{
	for (size_t i = 0; transport && i < ARRAY_SIZE(shared_transports); i++)
		if (!strcmp(shared_transports[i], transport))
			return true;
	return false;
}

/* By what the host adapter of a SCSI disk is. */
static const char *scsi_transport(const char *path)
{
	static const char *const classes[] = { "iscsi", "fc", "srp", "sas", "spi" };
	const char *host = path;
	unsigned int number;

	while ((host = strstr(host, "/host"))) {
		host += strlen("/host");
		if (sscanf(host, "%u", &number) != 1)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
			auto_free char *class = xasprintf("/sys/class/%s_host/host%u", classes[i],
							  number);

			if (files_exists(class))
				return classes[i];
		}
		break;
	}
	return NULL;
}

/* As sysfs has it of a controller; NULL: unknown. */
static const char *controller_transport(const char *name, const char *controller)
{
	static const char *const known[] = { "pcie", "tcp", "rdma", "loop" };
	auto_free char *file = xasprintf("device/%s%stransport", controller, *controller ? "/" : "");
	char line[32];

	if (block_device_attribute(name, file, line, sizeof(line)))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(line, known[i]))
			return known[i];
	return !strcmp(line, "fc") ? "nvme-fc" : NULL;
}

/* With multipath of the kernel's own a disk belongs to a subsystem of several controllers. */
static const char *nvme_transport(const char *name)
{
	auto_free char *path = xasprintf("/sys/class/block/%s/device", name);
	const char *transport = controller_transport(name, ""), *other;
	DIR *folder = transport ? NULL : opendir(path);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		if (strncmp(entry->d_name, "nvme", 4) != 0)
			continue;
		other = controller_transport(name, entry->d_name);
		if (other && (!transport || is_shared(other)))
			transport = other;
	}
	if (folder)
		closedir(folder);
	return transport;
}

static const char *transport_by_name(const char *name)
{
	static const struct {
		const char *begin, *transport;
	} names[] = {
		{ "rbd", "rbd" }, { "nbd", "nbd" }, { "rnbd", "rnbd" }, { "drbd", "drbd" },
		{ "etherd!", "aoe" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(name, names[i].begin, strlen(names[i].begin)))
			return names[i].transport;
	return NULL;
}

static const char *transport_by_path(const char *path)
{
	static const struct {
		const char *part, *transport;
	} parts[] = {
		{ "/usb", "usb" }, { "/ata", "sata" }, { "/virtio", "virtio" },
		{ "/mmc", "mmc" }, { "/vbd-", "xen" }, { "/pseudo", "pseudo" },
		{ "/virtual/", "virtual" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(path, parts[i].part))
			return parts[i].transport;
	return NULL;
}

const char *disk_transport(const char *name)
{
	auto_free char *whole = disk_identity_whole(name);
	const char *disk = whole ? whole : name, *transport = transport_by_name(disk);
	auto_free char *link = xasprintf("/sys/class/block/%s", disk);
	auto_free char *path = realpath(link, NULL);

	if (!transport)
		transport = nvme_transport(disk);
	if (!transport && path)
		transport = scsi_transport(path);
	return transport || !path ? transport : transport_by_path(path);
}

static const char *shared_below(const char *name, int depth);

static const char *shared_slave(const char *disk, int depth)
{
	auto_free char *path = xasprintf("/sys/class/block/%s/slaves", disk);
	const struct dirent *entry;
	const char *shared = NULL;
	DIR *folder = opendir(path);

	while (folder && !shared && (entry = readdir(folder)))
		if (*entry->d_name != '.')
			shared = shared_below(entry->d_name, depth + 1);
	if (folder)
		closedir(folder);
	return shared;
}

/* What a loop device lies on, where that is a disk. */
static const char *shared_backing(const char *disk, int depth)
{
	auto_free char *name = NULL;
	char path[4096];
	dev_t number;

	if (block_device_attribute(disk, "loop/backing_file", path, sizeof(path)) ||
	    block_device_number(path, &number) || block_device_name(number, &name))
		return NULL;
	return shared_below(name, depth + 1);
}

static const char *shared_below(const char *name, int depth)
{
	auto_free char *whole = disk_identity_whole(name);
	const char *disk = whole ? whole : name;
	const char *transport = disk_transport(disk), *below;

	if (is_shared(transport) || depth > DEPTH_MAX)
		return is_shared(transport) ? transport : NULL;
	below = shared_slave(disk, depth);
	return below ? below : shared_backing(disk, depth);
}

const char *disk_transport_shared(const char *name)
{
	return shared_below(name, 0);
}
