// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/capture_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/words.h"
#include "base/xalloc.h"

static int intend(struct capture_folder *folder, struct err *err)
{
	int rc = undo_intend(folder->undo, "trace-folder",
			     json_pack("{s:s}", "path", folder->path), &folder->entry, err);

	folder->noted = !rc;
	return rc;
}

static int make(struct capture_folder *folder, struct err *err)
{
	struct stat st;

	if (mkdir(folder->path, 0755) < 0)
		return err_sys(err, errno, "%s", folder->path);
	folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->fd < 0 || fstat(folder->fd, &st) < 0)
		return err_sys(err, errno, "%s", folder->path);
	files_give_to_sudo_user(folder->path);
	if (!folder->noted)
		return 0;
	return undo_note(folder->undo, folder->entry,
			 json_pack("{s:I}", "inode", (json_int_t)st.st_ino), err);
}

int capture_folder_make(struct capture_folder *folder, const char *output, const char *session,
			bool keep, const struct run_context *context, struct undo *undo,
			struct err *err)
{
	auto_free char *relative = NULL;
	int rc = 0;

	*folder = (struct capture_folder){ .fd = -1, .undo = undo };
	relative = output ? xasprintf("%s/brunt-%s-%u", output, session, context->number) :
			    files_join(context->folder, "trace");
	/* The journal, and the program, may look from another folder. */
	if (*relative == '/') {
		folder->path = xstrdup(relative);
	} else {
		auto_free char *here = getcwd(NULL, 0);

		if (!here)
			return err_sys(err, errno, "the current folder");
		folder->path = files_join(here, relative);
	}
	if (!keep || output)
		rc = intend(folder, err);
	return rc ? rc : make(folder, err);
}

int capture_folder_list(const struct capture_folder *folder, struct words *names)
{
	int copy = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	if (!list) {
		close_fd(&copy);
		return -errno;
	}
	while ((entry = readdir(list)))
		if (strstr(entry->d_name, ".blktrace."))
			words_add(names, entry->d_name);
	closedir(list);
	return 0;
}

static int copy_bytes(int from, int to)
{
	ssize_t n;

	do
		n = sendfile(to, from, NULL, 1 << 24);
	while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

static int move_file(int from, int to, const char *name)
{
	auto_close int in = -1, out = -1;
	int rc;

	if (renameat(from, name, to, name) == 0)
		return 0;
	if (errno != EXDEV)
		return -errno;
	in = openat(from, name, O_RDONLY | O_CLOEXEC);
	out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (in < 0 || out < 0)
		return -errno;
	rc = copy_bytes(in, out);
	if (!rc)
		unlinkat(from, name, 0);
	return rc;
}

static int open_target(const struct run_context *context, struct err *err)
{
	auto_free char *path = files_join(context->folder, "trace");
	int fd;

	if (mkdirat(context->folder_fd, "trace", 0755) < 0 && errno != EEXIST)
		return err_sys(err, errno, "%s", path);
	fd = openat(context->folder_fd, "trace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	files_give_to_sudo_user(path);
	return fd;
}

int capture_folder_keep(struct capture_folder *folder, const struct run_context *context,
			struct err *err)
{
	auto_words struct words names = WORDS_INIT;
	auto_close int target = open_target(context, err);
	int rc = capture_folder_list(folder, &names);

	if (target < 0)
		return target;
	if (rc)
		return err_sys(err, -rc, "%s", folder->path);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *path = NULL;

		rc = folder->noted ? move_file(folder->fd, target, names.v[i]) : 0;
		if (rc)
			return err_sys(err, -rc, "keeping %s/%s", folder->path, names.v[i]);
		path = xasprintf("%s/trace/%s", context->folder, names.v[i]);
		files_give_to_sudo_user(path);
	}
	return 0;
}

int capture_folder_remove(struct capture_folder *folder, struct err *err)
{
	auto_words struct words names = WORDS_INIT;
	int rc = 0;

	if (folder->fd >= 0) {
		capture_folder_list(folder, &names);
		for (size_t i = 0; i < names.n; i++)
			unlinkat(folder->fd, names.v[i], 0);
		if (rmdir(folder->path) < 0 && errno != ENOENT)
			rc = err_sys(err, errno, "%s", folder->path);
	}
	if (!rc && folder->noted)
		undo_undone(folder->undo, folder->entry);
	capture_folder_release(folder);
	return rc;
}

void capture_folder_release(struct capture_folder *folder)
{
	close_fd(&folder->fd);
	free(folder->path);
	*folder = (struct capture_folder)CAPTURE_FOLDER_INIT;
}
