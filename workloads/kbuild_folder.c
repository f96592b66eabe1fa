// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/kbuild_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/xalloc.h"

void kbuild_folder_init(struct kbuild_folder *folder, const char *parent, struct undo *undo)
{
	*folder = (struct kbuild_folder){ .path = files_join(parent, "brunt-kbuild"),
					  .undo = undo };
}

void kbuild_folder_release(struct kbuild_folder *folder)
{
	free(folder->path);
	folder->path = NULL;
}

int kbuild_folder_check(const struct kbuild_folder *folder, struct err *err)
{
	struct stat st;

	if (lstat(folder->path, &st) == 0)
		return err_set(err, EEXIST, "%s is there already: brunt clean removes what a "
					    "killed run left; or give dir=", folder->path);
	return 0;
}

int kbuild_folder_make(struct kbuild_folder *folder, struct err *err)
{
	struct stat st;
	int rc = kbuild_folder_check(folder, err);

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

int kbuild_folder_remove(struct kbuild_folder *folder, struct err *err)
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
