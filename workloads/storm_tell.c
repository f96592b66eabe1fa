// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_tell.h"

#include <string.h>

#include "base/units.h"
#include "base/xalloc.h"
#include "workloads/storm_run.h"

#define NAMED_MAX 10

/* "10 loop devices of 1 GiB (tmpfs)", "2 disks of 8 GiB (sda sdb)" */
static void tell_devices(const struct storm *storm, struct buf *out)
{
	const struct storm_media *media = &storm->media;
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

/* Keys that the words have not: as they were given. */
static void tell_others(const struct keys *keys, struct buf *out)
{
	static const char *const told[] = { "devices", "fs", "repeat", "min_run", "cache", "phases" };

	for (size_t i = 0; i < keys->n; i++) {
		bool is_told = false;

		for (size_t k = 0; k < ARRAY_SIZE(told); k++)
			is_told |= !strcmp(keys->v[i].name, told[k]);
		if (!is_told)
			buf_addf(out, ", %s=%s", keys->v[i].name, keys->v[i].value);
	}
}

void storm_tell(const void *state, const struct keys *keys, struct buf *out)
{
	const struct storm *storm = state;
	const struct storm_options *options = &storm->options;
	bool found = keys_get(keys, "min_run") && keys_get(keys, "repeat");

	tell_devices(storm, out);
	buf_addf(out, ", %s, %u cycle%s%s, %s, %s", options->fs, options->repeat,
		 options->repeat == 1 ? "" : "s", found ? " (found in the warm-up)" : "",
		 keys_text(keys, storm_keys, "phases"), keys_text(keys, storm_keys, "cache"));
	tell_others(keys, out);
}
