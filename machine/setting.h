// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_SETTING_H
#define BRUNT_MACHINE_SETTING_H

#include <stdbool.h>

#include "base/err.h"
#include "machine/target.h"
#include "machine/undo.h"

/*
 * State that a configuration applies before each of its runs and that is restored after it:
 * "sysctl.vm.dirty_ratio", "queue.scheduler", "env.NAME". One const struct a family, in a file of
 * its own, and one line in settings.def.
 */

struct setting {
	const char *name, *summary; /* the part before the first dot */

	bool needs_devices; /* is set on block devices: refuse a workload that has none */

	/* Plan time: can this be set here? No side effects. key is what follows the dot. */
	int (*check)(const char *key, const char *value, struct err *err);

	/* NULL for env, which the session hands to the children instead. */
	int (*apply)(const char *key, const char *value, const struct target *target,
		     struct undo *undo, void **applied, struct err *err);
	/* Puts the old value back and frees. */
	int (*restore)(void *applied, struct undo *undo, struct err *err);
};

extern const struct setting *const settings[]; /* ended by NULL */

/* The family of "sysctl.vm.swappiness"; *key then points to "vm.swappiness". */
const struct setting *setting_find(const char *full_name, const char **key);

#endif
