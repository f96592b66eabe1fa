// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/work_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/xalloc.h"

void work_folder_init(struct work_folder *folder, const char *parent, const char *name,
		      struct undo *undo)
{
	*folder = (struct work_folder){ .path = files_join(parent, name), .undo = undo };
}

void work_folder_release(struct work_folder *folder)
{
	free(folder->path);
	folder->path = NULL;
}

int work_folder_check(const struct work_folder *folder, struct err *err)
{
	struct stat st;

	if (lstat(folder->path, &st) == 0)
		return err_set(err, EEXIST, "%s is there already: brunt clean removes what a "
					    "killed run left; or give dir=", folder->path);
	return 0;
}

int work_folder_make(struct work_folder *folder, struct err *err)
{
	struct stat st;
	int rc = work_folder_check(folder, err);

	if (rc)
		return rc;
	rc = undo_intend(folder->undo, "tree", json_pack("{s:s}", "path", folder->path),
			 &folder->entry, err);
	if (rc)
		return rc;
	if (mkdir(folder->path, 0755) < 0 || lstat(folder->path, &st) < 0) {
		rc = err_sys(err, errno, "%s", folder->path);
		undo_undone(folder->undo, folder->entry);
		return rc;
	}
	folder->made = true;
	return undo_note(folder->undo, folder->entry,
			 json_pack("{s:I,s:I}", "inode", (json_int_t)st.st_ino, "device",
				   (json_int_t)st.st_dev), err);
}

int work_folder_remove(struct work_folder *folder, struct err *err)
{
	int rc;

	if (!folder->made)
		return 0;
	folder->made = false;
	rc = files_remove_tree(folder->path, err);
	if (!rc)
		undo_undone(folder->undo, folder->entry);
	return rc;
}
