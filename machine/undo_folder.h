// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_UNDO_FOLDER_H
#define BRUNT_MACHINE_UNDO_FOLDER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/words.h"

/* The folders of undo journals and the locks in them, for undo.c and undo_clean.c. */

#define UNDO_JOURNAL_SUFFIX ".journal"

/* Where a journal lies: with what goes with the kernel, or with what a reboot leaves as it is. */
enum undo_place { UNDO_RUN, UNDO_DISK, UNDO_PLACES };

/*
 * Makes the folder where wanted. A descriptor; -ENOENT: there is none (only root has one on
 * disk); refused: not ours.
 */
int undo_folder_open(enum undo_place place, bool make, struct err *err);

/* Removes the folder if nothing is in it. */
void undo_folder_remove(enum undo_place place);

/* The names of the journals in it, living and dead. */
int undo_folder_list(int folder, struct words *names);

/* A new journal, locked; -EEXIST: the session has one. */
int undo_folder_create(int folder, const char *name, struct err *err);

/* A dead session's journal, locked; -EBUSY: it is locked, -ENOENT: it has just gone. */
int undo_folder_take(int folder, const char *name);

/*
 * Children of a session hold its lock as well, so that a journal may be locked for a moment
 * although the owner, which the first line names, was killed. True where that cannot be told.
 */
bool undo_folder_owner_lives(int folder, const char *name);

/* The same as undo_folder_take(), but waits for such children; -ETIMEDOUT: they do not die. */
int undo_folder_take_dead(int folder, const char *name);

/* This boot's name, as the kernel drew it. */
int undo_boot_id(char out[40], struct err *err);

#endif
