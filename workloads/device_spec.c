// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/device_spec.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/memory.h"

#define MIB (1024 * 1024ULL)
#define MAX_DEVICES 4096
#define NAMED_MAX 16 /* of which a line tells */
#define MIN_SIZE (64 * 1024ULL)
#define MAX_SIZE (1ULL << 44) /* 16 TiB: what ext3 reaches with blocks of 4 KiB */

static const char form[] = "loop:N:SIZE, loop:N:SIZE:DIR or zram:N:SIZE, as loop:10:1G";
static const char disk_form[] = "loop:N:SIZE[:DIR] or zram:N:SIZE, as loop:10:1G, or devices, as "
				"sda+sdb, nvme?n1, a WWID or @FILE";

void device_spec_release(struct device_spec *devices)
{
	free(devices->folder);
	words_release(&devices->names);
	*devices = (struct device_spec){ 0 };
}

/* The next field up to a colon; *text moves behind it, or becomes NULL at the end. */
static char *take_field(const char **text)
{
	const char *end = strchrnul(*text, ':');
	char *field = xstrndup(*text, (size_t)(end - *text));

	*text = *end ? end + 1 : NULL;
	return field;
}

static int parse_count(const char *text, const char *field, size_t *out, struct err *err)
{
	uint64_t count;

	if (units_parse_u64(field, &count) || count < 1 || count > MAX_DEVICES)
		return err_usage(err, "devices=%s: '%s' is no number of devices (1 to %d); give %s",
				 text, field, MAX_DEVICES, form);
	*out = (size_t)count;
	return 0;
}

static int parse_size(const char *text, const char *field, uint64_t *out, struct err *err)
{
	uint64_t size;

	if (units_parse_size(field, &size))
		return err_usage(err, "devices=%s: '%s' is no size; give %s", text, field, form);
	if (size < MIN_SIZE || size > MAX_SIZE)
		return err_usage(err, "devices=%s: a device has 64k to 16T", text);
	if (size % 4096)
		return err_usage(err, "devices=%s: the size must be a multiple of 4096", text);
	*out = size;
	return 0;
}

/*
 * "sda", "/dev/sda", "cciss/c0d0", "naa.5000c500": a path may hold anything, a name no colon or
 * blank.
 */
static bool is_disk_name(const char *name)
{
	if (!*name || !strcmp(name, "loop") || !strcmp(name, "zram"))
		return false;
	if (*name == '@')
		return name[1] != '\0';
	return *name == '/' ? name[1] != '\0' : !name[strcspn(name, ": \t\n")];
}

static int parse_disks(const char *text, struct device_spec *out, struct err *err)
{
	struct device_spec devices = { .names = WORDS_INIT };

	words_split_at(text, '+', &devices.names);
	devices.count = devices.names.n;
	for (size_t i = 0; i < devices.names.n; i++) {
		if (is_disk_name(devices.names.v[i]))
			continue;
		err_usage(err, "devices=%s: '%s' names no device; give %s", text,
			  devices.names.v[i], disk_form);
		device_spec_release(&devices);
		return -EINVAL;
	}
	if (!devices.count || devices.count > MAX_DEVICES) {
		device_spec_release(&devices);
		return err_usage(err, "devices=%s: give %s", text, disk_form);
	}
	*out = devices;
	return 0;
}

int device_spec_parse(const char *text, struct device_spec *out, struct err *err)
{
	struct device_spec devices = { 0 };
	auto_free char *count = NULL, *size = NULL;
	const char *rest;
	int rc;

	devices.zram = strncmp(text, "zram:", 5) == 0;
	if (!devices.zram && strncmp(text, "loop:", 5) != 0)
		return parse_disks(text, out, err);
	rest = text + strlen("loop:");
	count = take_field(&rest);
	rc = parse_count(text, count, &devices.count, err);
	if (rc)
		return rc;
	if (!rest)
		return err_usage(err, "devices=%s: the size is missing; give %s", text, form);
	size = take_field(&rest);
	rc = parse_size(text, size, &devices.size, err);
	if (rc)
		return rc;
	if (rest && devices.zram)
		return err_usage(err, "devices=%s: zram is in memory and takes no folder", text);
	if (rest && !*rest)
		return err_usage(err, "devices=%s: the folder is empty; give %s", text, form);
	devices.folder = rest ? xstrdup(rest) : NULL;
	*out = devices;
	return 0;
}

/* "@list" and "./sda", which lead elsewhere from another folder; a name stays one. */
static char *absolute_disks(const char *text)
{
	auto_words struct words names = WORDS_INIT;
	auto_buf struct buf out = BUF_INIT;

	words_split_at(text, '+', &names);
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.v[i];
		bool list = *name == '@';
		auto_free char *path = list || strchr(name, '/') ? files_absolute(name + list) :
								   xstrdup(name);

		buf_addf(&out, "%s%s", i ? "+" : "", list ? "@" : "");
		for (const char *p = path; *p; p++)
			buf_addf(&out, "%s%c", *p == '+' ? "\\" : "", *p);
	}
	return xstrdup(out.len ? out.s : "");
}

char *device_spec_absolute(const char *text)
{
	const char *folder = text;
	auto_free char *absolute = NULL;

	if (strncmp(text, "loop:", 5) != 0)
		return strncmp(text, "zram:", 5) ? absolute_disks(text) : xstrdup(text);
	for (int colons = 0; folder && colons < 3; colons++) {
		folder = strchr(folder, ':');
		folder = folder ? folder + 1 : NULL;
	}
	if (!folder)
		return xstrdup(text);
	absolute = files_absolute(folder);
	return xasprintf("%.*s%s", (int)(folder - text), text, absolute);
}

int device_spec_check(const char *text, struct err *err)
{
	struct device_spec devices;
	int rc = device_spec_parse(text, &devices, err);

	if (!rc)
		device_spec_release(&devices);
	return rc;
}

static void add_devices(const struct device_spec *devices, struct buf *out)
{
	buf_addf(out, "%zu device%s of ", devices->count, devices->count == 1 ? "" : "s");
	units_add_size(out, devices->size);
	buf_add(out, devices->count == 1 ? " needs " : " need ");
}

int device_spec_check_amount(const struct device_spec *devices, uint64_t need_each,
			       uint64_t available, struct err *err)
{
	uint64_t need = need_each * devices->count;
	auto_buf struct buf text = BUF_INIT;

	if (!available || need <= available)
		return 0;
	add_devices(devices, &text);
	units_add_size(&text, need);
	if (devices->folder)
		buf_addf(&text, " in %s, ", devices->folder);
	else
		buf_add(&text, " of memory, ");
	units_add_size(&text, available >= MIB ? available / MIB * MIB : available);
	buf_add(&text, " are available; fewer or smaller devices, or ");
	buf_add(&text, devices->folder ? "another DIR" : "loop:N:SIZE:DIR");
	return err_missing(err, "%s", text.s);
}

/* A tenth of the memory stays free: the page cache of what runs lives there too. */
static uint64_t usable_memory(void)
{
	uint64_t available = memory_available();

	return available - available / 10;
}

static int check_folder(const struct device_spec *devices, uint64_t need_each, struct err *err)
{
	struct device_spec memory = *devices;
	struct stat st;
	struct statfs fs;
	uint64_t available;
	int rc;

	if (stat(devices->folder, &st) < 0)
		return err_usage(err, "devices: %s: %s", devices->folder, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_usage(err, "devices: %s is no folder", devices->folder);
	if (access(devices->folder, W_OK | X_OK) < 0)
		return err_sys(err, errno, "devices: writing in %s", devices->folder);
	if (statfs(devices->folder, &fs) < 0)
		return err_sys(err, errno, "devices: %s", devices->folder);
	available = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	/* 0 is unknown to the check, but a full disk knows it well. */
	rc = device_spec_check_amount(devices, need_each, available ? available : 1, err);
	if (rc || (fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC))
		return rc;
	memory.folder = NULL;
	return device_spec_check_amount(&memory, need_each, usable_memory(), err);
}

int device_spec_check_room(const struct device_spec *devices, uint64_t need_each,
			     struct err *err)
{
	if (devices->folder)
		return check_folder(devices, need_each, err);
	return device_spec_check_amount(devices, need_each, usable_memory(), err);
}

void device_spec_describe_disks(const struct guarded *guarded, size_t count, struct buf *out)
{
	buf_addf(out, "%zu disk%s (", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < count && i < NAMED_MAX; i++) {
		buf_addf(out, "%s%s ", i ? ", " : "", guarded[i].device.name);
		units_add_size(out, guarded[i].device.size);
	}
	buf_add(out, count > NAMED_MAX ? ", ...), all that is on them is lost" :
					 "), all that is on them is lost");
	for (size_t i = 0; i < count; i++)
		if (guarded[i].content.kind == DISK_SIGNATURE || guarded[i].content.kind == DISK_DATA)
			buf_addf(out, "\n%s: %s will be overwritten", guarded[i].device.path,
				 guarded[i].content.words);
}

void device_spec_describe(const struct device_spec *devices, uint64_t need_each,
			    struct buf *out)
{
	buf_addf(out, "%zu %s device%s of ", devices->count, devices->zram ? "zram" : "loop",
		 devices->count == 1 ? "" : "s");
	units_add_size(out, devices->size);
	if (!devices->zram)
		buf_addf(out, " (%s)", devices->folder ? devices->folder : "tmpfs");
	buf_add(out, devices->zram ? ", need up to " : ", need ");
	units_add_size(out, need_each * devices->count);
}
