// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_PLACE_H
#define BRUNT_WORKLOADS_STORM_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "machine/target.h"
#include "machine/undo.h"

/*
 * Where a storm mounts: the session's own mount namespace, which the kernel drops with everything
 * in it when we die, or a folder of the host's namespace, with the mounts in the undo journal.
 * All storms of a session share the one namespace, made for the first and dropped with the last;
 * they run one after the other.
 */
struct storm_place {
	bool host;
	int mount_ns;	/* descriptor, not this place's own; -1: the host's */
	char *folder;
	char **points;	/* "FOLDER/loop3", a device each */
	bool abandoned;	/* set by the owner: a device hangs, so do not unmount; the journal has it */
	size_t count;

	/* implementation's own */
	bool is_user;	/* of the shared namespace */
	unsigned int generation; /* of the namespace that points are in */
	struct undo *undo;
	unsigned int folder_entry, *entries;
	size_t nentries;
};

/* session names the folder in the host's namespace. */
int storm_place_open(struct storm_place *place, bool host, const char *session,
		     const struct target_device *devices, size_t count, struct undo *undo,
		     struct err *err);

/*
 * Before each run: mount_ns, folder and points as they are now, since a renewal for another
 * storm may have changed them.
 */
int storm_place_refresh(struct storm_place *place, struct err *err);

/*
 * After a run that did not end by itself: nothing may stay mounted. Devices become free a
 * moment later.
 */
int storm_place_renew(struct storm_place *place, struct err *err);

/* Unmounts what still is, removes the folder. Fine on a zeroed or closed place. */
void storm_place_close(struct storm_place *place);

#endif
