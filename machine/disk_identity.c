// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_identity.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/sha256.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/block_device.h"

#define MACHINE_DIGITS 16

/* Transports behind which another host may have the same disk. */
static const char *const shared_transports[] = {
	"fc", "iscsi", "srp", "tcp", "rdma", "nvme-fc", "nbd", "rbd", "drbd", "aoe",
};

/* "a  b " to "a_b"; NULL where nothing is left. */
static char *tidy(const char *text)
{
	char *out = xcalloc(1, strlen(text) + 1), *p = out;

	for (; *text; text++) {
		if (isgraph((unsigned char)*text))
			*p++ = *text;
		else if (p > out && p[-1] != '_')
			*p++ = '_';
	}
	while (p > out && p[-1] == '_')
		*--p = '\0';
	if (*out)
		return out;
	free(out);
	return NULL;
}

/* An attribute, tidied, behind a word; NULL where there is none. */
static char *attribute(const char *name, const char *path, const char *before)
{
	auto_free char *value = NULL;
	char line[512];

	if (block_device_attribute(name, path, line, sizeof(line)))
		return NULL;
	value = tidy(line);
	return value ? xasprintf("%s%s", before, value) : NULL;
}

char *disk_identity_whole(const char *name)
{
	auto_free char *path = xasprintf("/sys/class/block/%s", name);
	auto_free char *resolved = NULL;
	char line[32], *slash;

	if (block_device_attribute(name, "partition", line, sizeof(line)))
		return NULL;
	resolved = realpath(path, NULL);
	slash = resolved ? strrchr(resolved, '/') : NULL;
	if (!slash)
		return NULL;
	*slash = '\0';
	slash = strrchr(resolved, '/');
	return slash ? xstrdup(slash + 1) : NULL;
}

uint64_t disk_identity_diskseq(const char *name)
{
	auto_free char *whole = disk_identity_whole(name);

	return block_device_value(whole ? whole : name, "diskseq", 0);
}

static char *identity_of_whole(const char *name)
{
	static const struct {
		const char *path, *before;
	} sources[] = {
		{ "wwid", "" },		     /* NVMe */
		{ "device/wwid", "" },	     /* SCSI */
		{ "dm/uuid", "dm-uuid-" },
		{ "md/uuid", "md-uuid-" },
		{ "serial", "virtio-" },
		{ "device/cid", "mmc-" },
	};
	char *id = NULL;

	for (size_t i = 0; !id && i < ARRAY_SIZE(sources); i++)
		id = attribute(name, sources[i].path, sources[i].before);
	return id;
}

char *disk_identity(const char *name)
{
	auto_free char *whole = disk_identity_whole(name);
	auto_free char *id = identity_of_whole(whole ? whole : name);

	if (!id || !whole)
		return id ? xstrdup(id) : NULL;
	return xasprintf("%s-part@%llu", id,
			 (unsigned long long)block_device_value(name, "start", 0));
}

/* Vital product data of SCSI: a header of 4 bytes, the serial behind it. */
static char *scsi_serial(const char *name)
{
	auto_free char *path = xasprintf("/sys/class/block/%s/device/vpd_pg80", name);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char page[256] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, page, sizeof(page) - 1);

	return n > 4 ? tidy(page + 4) : NULL;
}

char *disk_identity_serial(const char *name)
{
	auto_free char *whole = disk_identity_whole(name);
	const char *disk = whole ? whole : name;
	char *serial = attribute(disk, "serial", "");

	if (!serial)
		serial = attribute(disk, "device/serial", "");
	return serial ? serial : scsi_serial(disk);
}

static char *sysfs_path(const char *name)
{
	auto_free char *path = xasprintf("/sys/class/block/%s", name);

	return realpath(path, NULL);
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

static const char *nvme_transport(const char *name)
{
	static const char *const known[] = { "pcie", "tcp", "rdma", "loop" };
	char line[32];

	if (block_device_attribute(name, "device/transport", line, sizeof(line)))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(line, known[i]))
			return known[i];
	return !strcmp(line, "fc") ? "nvme-fc" : NULL;
}

static const char *transport_by_name(const char *name)
{
	static const struct {
		const char *begin, *transport;
	} names[] = {
		{ "rbd", "rbd" }, { "nbd", "nbd" }, { "drbd", "drbd" }, { "etherd!", "aoe" },
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

const char *disk_identity_transport(const char *name)
{
	auto_free char *whole = disk_identity_whole(name);
	const char *disk = whole ? whole : name, *transport = transport_by_name(disk);
	auto_free char *path = sysfs_path(disk);

	if (!transport)
		transport = nvme_transport(disk);
	if (!transport && path)
		transport = scsi_transport(path);
	return transport || !path ? transport : transport_by_path(path);
}

bool disk_identity_is_shared(const char *transport)
{
	for (size_t i = 0; transport && i < ARRAY_SIZE(shared_transports); i++)
		if (!strcmp(shared_transports[i], transport))
			return true;
	return false;
}

/* The nearest device above it that knows. */
int disk_identity_node(const char *name)
{
	auto_free char *path = sysfs_path(name);
	char line[16], *end;
	long node;

	while (path && strlen(path) > strlen("/sys/devices")) {
		auto_free char *file = xasprintf("%s/numa_node", path);

		if (files_read_line_at(AT_FDCWD, file, line, sizeof(line)) == 0) {
			node = strtol(line, &end, 10);
			return end > line && !*end && node >= 0 && node < INT_MAX ? (int)node : -1;
		}
		*strrchr(path, '/') = '\0';
	}
	return -1;
}

const char *disk_identity_machine(void)
{
	static char hex[SHA256_HEX_SIZE];
	static const char purpose[] = "brunt: disks of ";
	struct sha256_ctx sha;
	char id[64];

	hex[0] = '\0';
	if (files_read_line_at(AT_FDCWD, "/etc/machine-id", id, sizeof(id)) || strlen(id) < 16)
		return hex;
	sha256_init(&sha);
	sha256_update(&sha, strlen(purpose), (const uint8_t *)purpose);
	sha256_update(&sha, strlen(id), (const uint8_t *)id);
	sha256_finish(&sha, hex);
	hex[MACHINE_DIGITS] = '\0';
	return hex;
}
