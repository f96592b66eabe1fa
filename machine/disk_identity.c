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
