// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_TUNE_H
#define BRUNT_MACHINE_TUNE_H

#include <jansson.h>
#include <stddef.h>

#include "machine/kernel_value.h"
#include "machine/undo.h"

/*
 * What `brunt check` names and can be set, for a session: the governor performance, no turbo, no
 * NMI watchdog, no NUMA balancing. The journal knows the old values.
 */
struct tune {
	struct kernel_value *v;
	json_t *changes; /* array of {path, old, new}; NULL: nothing was asked for */
	size_t n, cap;
};

/* What this machine does not have is left out; what it refuses is told, and the rest is set. */
void tune_apply(struct tune *tune, struct undo *undo, void (*tell)(const char *text));

/* Last first; what cannot be restored is told and stays in the journal. Releases tune. */
void tune_restore(struct tune *tune, struct undo *undo, void (*tell)(const char *text));

#endif
