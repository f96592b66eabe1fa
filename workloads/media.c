// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/media.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"
#include "machine/disk_transport.h"

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
		.shared_ok = devices->shared_ok,
		.leave = devices->leave,
		.reset = devices->reset,
	};
	int rc = disk_set_take(&media->disks, &devices->names, &disk_site, err);

	if (rc)
		return rc;
	media->devices = media->disks.devices;
	media->count = media->disks.count;
	return 0;
}

static int make_zrams(struct media *media, const struct device_spec *devices,
		      const struct workload_site *site, struct err *err)
{
	int rc = zram_set_make(&media->zrams, devices->count, devices->size, site->undo, err);

	if (rc)
		return rc;
	media->devices = media->zrams.devices;
	media->count = media->zrams.count;
	return 0;
}

int media_make(struct media *media, const struct device_spec *devices,
		     const struct workload_site *site, struct err *err)
{
	*media = (struct media){
		.named = devices->names.n > 0, .zram = devices->zram, .reset = devices->reset,
	};
	if (media->named)
		return take_disks(media, devices, site, err);
	return media->zram ? make_zrams(media, devices, site, err) :
			     make_loops(media, devices, site, err);
}

int media_read_keys(const struct keys *keys, const struct key_spec *specs,
		    struct device_spec *devices, struct err *err)
{
	static const char *const of_disks[] = { "reset", "leave", "shared" };
	const char *reset = keys_text(keys, specs, "reset");

	for (size_t i = 0; !devices->names.n && i < ARRAY_SIZE(of_disks); i++)
		if (keys_get(keys, of_disks[i]))
			return err_usage(err, "%s= is for disks that devices= names; what brunt "
					 "makes is emptied before each run and removed at the end",
					 of_disks[i]);
	devices->leave = keys_bool(keys, specs, "leave");
	devices->shared_ok = !strcmp(keys_text(keys, specs, "shared"), "ok");
	devices->reset = !strcmp(reset, "discard") ? DISK_RESET_DISCARD :
			 !strcmp(reset, "zero")	   ? DISK_RESET_ZERO :
						     DISK_RESET_NONE;
	return 0;
}

int media_reset(struct media *media, struct err *err)
{
	if (media->named)
		return disk_set_reset(&media->disks, err);
	return media->zram ? zram_set_discard(&media->zrams, err) :
			     loop_set_discard(&media->loops, err);
}

int media_flush_cache(struct media *media, struct err *err)
{
	if (media->named)
		return disk_set_flush_cache(&media->disks, err);
	return media->zram ? zram_set_flush_cache(&media->zrams, err) :
			     loop_set_flush_cache(&media->loops, err);
}

int media_sync(struct media *media, struct err *err)
{
	return media->named || media->zram ? 0 : loop_set_sync_backing(&media->loops, err);
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

static void describe_zram(const struct zram_set *zrams, const char *name, json_t *out)
{
	json_object_set_new(out, "compression", json_text(zrams->algorithm));
	json_object_set_new(out, "block_size",
			    json_integer((json_int_t)block_device_queue_value(
				    name, "logical_block_size", SECTOR)));
}

static const char *reset_name(enum disk_reset reset)
{
	static const char *const names[] = { "none", "discard", "zero" };

	return names[reset];
}

static void describe_identity(const struct media *media, size_t i, json_t *out)
{
	const struct target_device *device = &media->devices[i];
	auto_free char *serial = disk_identity_serial(device->name);
	const char *overwritten = disk_set_overwritten(&media->disks, i);

	json_object_set_new(out, "id", json_text(disk_set_id(&media->disks, i)));
	json_object_set_new(out, "serial", json_text(serial));
	json_object_set_new(out, "transport", json_text(disk_transport(device->name)));
	json_object_set_new(out, "diskseq", json_integer((json_int_t)device->diskseq));
	json_object_set_new(out, "reset", json_text(reset_name(media->reset)));
	json_object_set_new(out, "overwritten", json_text(*overwritten ? overwritten : NULL));
}

static void describe_disk(const struct target_device *device, json_t *out)
{
	auto_free char *driver = block_device_driver(device);
	auto_free char *scheduler = block_device_scheduler(device->name);
	auto_free char *whole = disk_identity_whole(device->name);
	char model[128];

	json_object_set_new(out, "driver", json_text(driver));
	if (block_device_attribute(whole ? whole : device->name, "device/model", model,
				   sizeof(model)) == 0) {
		for (size_t n = strlen(model); n && model[n - 1] == ' '; n--)
			model[n - 1] = '\0';
		json_object_set_new(out, "model", json_text(model));
	}
	json_object_set_new(out, "block_size",
			    json_integer((json_int_t)block_device_queue_value(
				    device->name, "logical_block_size", SECTOR)));
	json_object_set_new(out, "physical_block_size",
			    json_integer((json_int_t)block_device_queue_value(
				    device->name, "physical_block_size", SECTOR)));
	json_object_set_new(out, "rotational",
			    json_boolean(block_device_queue_value(
				    device->name, "rotational", 0)));
	if (scheduler)
		json_object_set_new(out, "scheduler", json_text(scheduler));
	if (whole)
		json_object_set_new(out, "partition_of", json_text(whole));
}

json_t *media_describe(const struct media *media)
{
	json_t *devices = json_array(), *device;
	int node;

	for (size_t i = 0; i < media->count; i++) {
		device = json_object();
		node = disk_identity_node(media->devices[i].name);
		json_object_set_new(device, "name", json_text(media->devices[i].name));
		json_object_set_new(device, "size_bytes",
				    json_integer((json_int_t)media->devices[i].size));
		json_object_set_new(device, "numa_node", node < 0 ? json_null() :
								    json_integer(node));
		if (media->named) {
			describe_disk(&media->devices[i], device);
			if (media->disks.count) /* else they are only read (io_media.h) */
				describe_identity(media, i, device);
		} else if (media->zram) {
			describe_zram(&media->zrams, media->devices[i].name, device);
		} else {
			describe_loop(&media->loops, device);
		}
		json_array_append_new(devices, device);
	}
	return devices;
}

json_t *media_found(const struct media *media)
{
	auto_buf struct buf disks = BUF_INIT;

	if (!media->named)
		return json_null();
	for (size_t i = 0; i < media->count; i++) {
		const char *id = disk_set_id(&media->disks, i);

		buf_addf(&disks, "%s%s", i ? " " : "", id ? id : media->devices[i].name);
	}
	return json_pack("{s:o}", "disks", json_text(disks.s));
}

void media_tell(const struct media *media, struct buf *out)
{
	bool one_size = true;

	buf_addf(out, "%zu %s%s", media->count,
		 media->named ? "disk" : media->zram ? "zram device" : "loop device",
		 media->count == 1 ? "" : "s");
	for (size_t i = 1; i < media->count; i++)
		one_size &= media->devices[i].size == media->devices[0].size;
	if (one_size) {
		buf_add(out, " of ");
		units_add_size(out, media->devices[0].size);
	}
	if (!media->named) {
		if (!media->zram && media->loops.backing_fs)
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
	else if (media->zram)
		zram_set_release(&media->zrams);
	else
		loop_set_release(&media->loops);
	*media = (struct media){ .named = false };
}
