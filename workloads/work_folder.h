// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_WORK_FOLDER_H
#define BRUNT_WORKLOADS_WORK_FOLDER_H

#include <stdbool.h>

#include "base/err.h"
#include "machine/undo.h"

/*
 * A folder of a run: fresh for each one, always of the same path, since that can stand in what is
 * made there. The journal knows it while it is there.
 */
struct work_folder {
	char *path;
	struct undo *undo;
	unsigned int entry;
	bool made;
};

/* parent/name; nothing is made yet. */
void work_folder_init(struct work_folder *folder, const char *parent, const char *name,
		      struct undo *undo);
void work_folder_release(struct work_folder *folder);

/* -EEXIST where a killed run left one; so does making it. */
int work_folder_check(const struct work_folder *folder, struct err *err);
int work_folder_make(struct work_folder *folder, struct err *err);

/* Nothing where none was made; what cannot be removed stays in the journal. */
int work_folder_remove(struct work_folder *folder, struct err *err);

#endif
