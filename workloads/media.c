// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/media.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/block_device.h"

#define SECTOR 512
#define NAMED_MAX 10

static int make_loops(struct media *media, const struct device_spec *devices,
		      const struct workload_site *site, struct err *err)
{
	const struct loop_spec spec = {
		.count = devices->count,
		.size = devices->size,
		.folder = devices->folder,
		.block_size = SECTOR,
	};
	auto_free char *token = xasprintf("brunt:%s", site->session);
	int rc = loop_set_make(&media->loops, &spec, site->undo, token, err);

	if (rc)
		return rc;
	media->devices = media->loops.devices;
	media->count = media->loops.count;
	return 0;
}

static int take_disks(struct media *media, const struct device_spec *devices,
		      const struct workload_site *site, struct err *err)
{
	const struct disk_site disk_site = {
		.session = site->session,
		.undo = site->undo,
		.consent = site->consent,
	};
	int rc = disk_set_take(&media->disks, &devices->names, &disk_site, err);

	if (rc)
		return rc;
	media->devices = media->disks.devices;
	media->count = media->disks.count;
	return 0;
}

int media_make(struct media *media, const struct device_spec *devices,
		     const struct workload_site *site, struct err *err)
{
	*media = (struct media){ .named = devices->names.n > 0 };
	return media->named ? take_disks(media, devices, site, err) :
			      make_loops(media, devices, site, err);
}

int media_reset(struct media *media, struct err *err)
{
	return media->named ? disk_set_reset(&media->disks, err) :
			      loop_set_discard(&media->loops, err);
}

int media_flush_cache(struct media *media, struct err *err)
{
	return media->named ? disk_set_flush_cache(&media->disks, err) :
			      loop_set_flush_cache(&media->loops, err);
}

int media_sync(struct media *media, struct err *err)
{
	return media->named ? 0 : loop_set_sync_backing(&media->loops, err);
}

int media_check_free(const struct media *media, size_t i, struct err *err)
{
	int rc = media->named ? block_device_check_same(&media->devices[i], err) : 0;

	return rc ? rc : block_device_check_free(media->devices[i].path, err);
}

static void describe_loop(const struct loop_set *loops, json_t *out)
{
	json_object_set_new(out, "backing_fs", json_text(loops->backing_fs));
	json_object_set_new(out, "direct_io", json_boolean(loops->direct_io));
	json_object_set_new(out, "block_size", json_integer(loops->block_size));
}

/* "mq-deadline" of "none [mq-deadline]" */
static void add_scheduler(const char *name, json_t *out)
{
	char line[256], *word;

	if (block_device_attribute(name, "queue/scheduler", line, sizeof(line)))
		return;
	word = strchr(line, '[');
	if (word)
		word[strcspn(word, "]")] = '\0';
	json_object_set_new(out, "scheduler", json_text(word ? word + 1 : line));
}

static void describe_disk(const struct target_device *device, json_t *out)
{
	auto_free char *driver = block_device_driver(device);
	char model[128];

	json_object_set_new(out, "driver", json_text(driver));
	if (block_device_attribute(device->name, "device/model", model, sizeof(model)) == 0) {
		for (size_t n = strlen(model); n && model[n - 1] == ' '; n--)
			model[n - 1] = '\0';
		json_object_set_new(out, "model", json_text(model));
	}
	json_object_set_new(out, "block_size",
			    json_integer((json_int_t)block_device_value(
				    device->name, "queue/logical_block_size", SECTOR)));
	json_object_set_new(out, "physical_block_size",
			    json_integer((json_int_t)block_device_value(
				    device->name, "queue/physical_block_size", SECTOR)));
	json_object_set_new(out, "rotational",
			    json_boolean(block_device_value(device->name, "queue/rotational", 0)));
	add_scheduler(device->name, out);
}

json_t *media_describe(const struct media *media)
{
	json_t *devices = json_array(), *device;

	for (size_t i = 0; i < media->count; i++) {
		device = json_object();
		json_object_set_new(device, "name", json_text(media->devices[i].name));
		json_object_set_new(device, "size_bytes",
				    json_integer((json_int_t)media->devices[i].size));
		if (media->named)
			describe_disk(&media->devices[i], device);
		else
			describe_loop(&media->loops, device);
		json_array_append_new(devices, device);
	}
	return devices;
}

void media_tell(const struct media *media, struct buf *out)
{
	bool one_size = true;

	buf_addf(out, "%zu %s%s", media->count, media->named ? "disk" : "loop device",
		 media->count == 1 ? "" : "s");
	for (size_t i = 1; i < media->count; i++)
		one_size &= media->devices[i].size == media->devices[0].size;
	if (one_size) {
		buf_add(out, " of ");
		units_add_size(out, media->devices[0].size);
	}
	if (!media->named) {
		if (media->loops.backing_fs)
			buf_addf(out, " (%s)", media->loops.backing_fs);
		return;
	}
	for (size_t i = 0; i < media->count && i < NAMED_MAX; i++)
		buf_addf(out, "%s%s", i ? " " : " (", media->devices[i].name);
	buf_add(out, media->count > NAMED_MAX ? " ...)" : ")");
}

void media_release(struct media *media)
{
	if (media->named)
		disk_set_release(&media->disks);
	else
		loop_set_release(&media->loops);
	*media = (struct media){ .named = false };
}
