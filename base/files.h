// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_FILES_H
#define BRUNT_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Whole files. dirfd as in openat(2): AT_FDCWD for the current folder. All return 0 or a
 * negative errno; those with an err say which file.
 */

/* Reads at most limit bytes (-EFBIG beyond it) behind what is in out. */
int files_read_at(int dirfd, const char *path, size_t limit, struct buf *out);

/* The first line of a small file (sysfs, procfs, tracefs), without its end; "" when empty. */
int files_read_line_at(int dirfd, const char *path, char *out, size_t size);

/* Writes a value in one write(2) to a file that exists: sysfs, procfs, tracefs. */
int files_write_value_at(int dirfd, const char *path, const char *value);

/*
 * Writes a new version beside the old one, syncs it and renames it over the old one. A symbolic
 * link stays one, a file keeps its mode, and what is no regular file is written to.
 */
int files_replace(const char *path, const void *bytes, size_t n, struct err *err);

/*
 * Brings a folder and all files in it to the disk; symbolic links are not followed. What has no
 * disk behind it, or is not there, is fine.
 */
int files_sync_tree(const char *path, struct err *err);

/* Writes all bytes, going on after short writes and EINTR. */
int files_write_all(int fd, const void *bytes, size_t n);

/* mkdir -p with mode 0755. Folders that exist are fine. */
int files_make_dirs(const char *path, struct err *err);

/*
 * rm -r of a folder: symbolic links are removed, not followed; nothing of another file system that
 * is mounted below is touched (-EXDEV). One that is not there is fine.
 */
int files_remove_tree(const char *path, struct err *err);

/* Gives a file or folder to the user that sudo was called by, where there is one. */
void files_give_to_sudo_user(const char *path);

/* "a/b" of "a" and "b"; belongs to the caller. */
char *files_join(const char *folder, const char *name);

/*
 * The same file from any folder: a relative path behind the current folder, without a leading "./";
 * symbolic links stay. An empty path stays empty. Belongs to the caller.
 */
char *files_absolute(const char *path);

bool files_exists(const char *path);

/* A file in memory (memfd) that nothing is executed from: a descriptor or a negative errno. */
int files_open_memory(const char *name);

#endif
