// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/tune.h"

#include <glob.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/xalloc.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

static const struct {
	const char *pattern, *value;
} wanted[] = {
	{ CPU_FOLDER "/cpu[0-9]*/cpufreq/scaling_governor", "performance" },
	{ CPU_FOLDER "/intel_pstate/no_turbo", "1" },
	{ CPU_FOLDER "/cpufreq/boost", "0" },
	{ "/proc/sys/kernel/nmi_watchdog", "0" },
	{ "/proc/sys/kernel/numa_balancing", "0" },
};

static void set_one(struct tune *tune, const char *path, const char *wish, struct undo *undo,
		    void (*tell)(const char *text))
{
	const struct kernel_value_spec spec = { .path = path };
	struct kernel_value value = { 0 };
	auto_free char *words = NULL;
	struct err err = { 0 };

	if (kernel_value_set(&value, &spec, wish, undo, &err)) {
		words = xasprintf("--tune: %s", err.text);
		tell(words);
		return;
	}
	if (value.old)
		json_array_append_new(tune->changes,
				      json_pack("{s:s,s:o,s:s}", "path", path, "old",
						json_text(value.old), "new", wish));
	GROW(tune->v, tune->n, tune->cap);
	tune->v[tune->n++] = value;
}

void tune_apply(struct tune *tune, struct undo *undo, void (*tell)(const char *text))
{
	*tune = (struct tune){ .changes = json_array() };
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		glob_t found;

		if (glob(wanted[i].pattern, 0, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++)
			set_one(tune, found.gl_pathv[k], wanted[i].value, undo, tell);
		globfree(&found);
	}
	if (!tune->n)
		tell("--tune: nothing was set: this machine shows no governor, turbo or watchdog");
}

void tune_restore(struct tune *tune, struct undo *undo, void (*tell)(const char *text))
{
	while (tune->n) {
		struct err err = { 0 };

		if (kernel_value_restore(&tune->v[--tune->n], undo, &err)) {
			auto_free char *words = xasprintf("--tune: %s", err.text);

			tell(words);
		}
	}
	free(tune->v);
	json_decref(tune->changes);
	*tune = (struct tune){ 0 };
}
