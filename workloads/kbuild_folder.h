// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_KBUILD_FOLDER_H
#define BRUNT_WORKLOADS_KBUILD_FOLDER_H

#include <stdbool.h>

#include "base/err.h"
#include "machine/undo.h"

/*
 * The build folder: fresh for each run, always of the same path, since that stands in what is
 * built. The journal knows it while it is there.
 */
struct kbuild_folder {
	char *path; /* DIR/brunt-kbuild */
	struct undo *undo;
	unsigned int entry;
	bool made;
};

void kbuild_folder_init(struct kbuild_folder *folder, const char *parent, struct undo *undo);
void kbuild_folder_release(struct kbuild_folder *folder);

/* -EEXIST where a killed run left one; so does making it. */
int kbuild_folder_check(const struct kbuild_folder *folder, struct err *err);
int kbuild_folder_make(struct kbuild_folder *folder, struct err *err);

/* Nothing where none was made; what cannot be removed stays in the journal. */
int kbuild_folder_remove(struct kbuild_folder *folder, struct err *err);

#endif
