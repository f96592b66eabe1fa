// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_tell.h"

#include <string.h>

#include "base/xalloc.h"
#include "workloads/storm_run.h"

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

	media_tell(&storm->media, out);
	buf_addf(out, ", %s, %u cycle%s%s, %s, %s", options->fs, options->repeat,
		 options->repeat == 1 ? "" : "s", found ? " (found in the warm-up)" : "",
		 keys_text(keys, storm_keys, "phases"), keys_text(keys, storm_keys, "cache"));
	tell_others(keys, out);
}
