// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_CAPTURE_FOLDER_H
#define BRUNT_TRACERS_CAPTURE_FOLDER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/words.h"
#include "machine/undo.h"
#include "results/run.h"

/*
 * The folder that blktrace(8) writes the files DEVICE.blktrace.CPU of one run to: runs/<n>/trace
 * in the set, or one of its own in the folder that the user names. Unless its files are to be
 * kept where they are, it stands in the journal (kind "trace-folder").
 */
struct capture_folder {
	char *path;
	int fd; /* -1: not made */
	struct undo *undo;
	unsigned int entry;
	bool noted;
};

#define CAPTURE_FOLDER_INIT { .fd = -1 }

/* output: the user's folder, NULL: the set. keep: the files will stay in the set. */
int capture_folder_make(struct capture_folder *folder, const char *output, const char *session,
			bool keep, const struct run_context *context, struct undo *undo,
			struct err *err);

/* The names of the files in it. */
int capture_folder_list(const struct capture_folder *folder, struct words *names);

/* Brings the files into runs/<n>/trace, where they are not there yet. */
int capture_folder_keep(struct capture_folder *folder, const struct run_context *context,
			struct err *err);

/* Removes it with its files, and frees. Fine when it was not made. */
int capture_folder_remove(struct capture_folder *folder, struct err *err);

/* Frees alone: the files stay. */
void capture_folder_release(struct capture_folder *folder);

#endif
