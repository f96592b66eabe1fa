// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/trace_instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"

struct trace_instance {
	int tracefs; /* the caller's */
	int fd;
	char *path; /* below tracefs */
	struct undo *undo;
	unsigned int entry;
};

static int note(struct trace_instance *instance, struct err *err)
{
	struct stat st;

	instance->fd = openat(instance->tracefs, instance->path,
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (instance->fd < 0 || fstat(instance->fd, &st) < 0)
		return err_sys(err, errno, "tracefs: %s", instance->path);
	return undo_note(instance->undo, instance->entry,
			 json_pack("{s:I}", "inode", (json_int_t)st.st_ino), err);
}

int trace_instance_make(struct trace_instance **out, int tracefs, const char *name,
			struct undo *undo, struct err *err)
{
	struct trace_instance *instance = xcalloc(1, sizeof(*instance));
	int rc;

	*instance = (struct trace_instance){ .tracefs = tracefs, .fd = -1, .undo = undo,
					     .path = xasprintf("instances/%s", name) };
	rc = undo_intend(undo, "trace-instance", json_pack("{s:s}", "name", name),
			 &instance->entry, err);
	if (!rc && mkdirat(tracefs, instance->path, 0700) < 0) {
		rc = err_sys(err, errno, "tracefs: making %s", instance->path);
		undo_undone(undo, instance->entry);
	} else if (!rc) {
		rc = note(instance, err);
		if (rc) {
			trace_instance_remove(instance, NULL);
			return rc;
		}
	}
	if (rc) {
		free(instance->path);
		free(instance);
		return rc;
	}
	*out = instance;
	return 0;
}

int trace_instance_fd(const struct trace_instance *instance)
{
	return instance->fd;
}

int trace_instance_remove(struct trace_instance *instance, struct err *err)
{
	int rc = 0;

	if (!instance)
		return 0;
	close_fd(&instance->fd);
	if (unlinkat(instance->tracefs, instance->path, AT_REMOVEDIR) < 0 && errno != ENOENT)
		rc = err_sys(err, errno, "tracefs: removing %s", instance->path);
	else
		undo_undone(instance->undo, instance->entry);
	free(instance->path);
	free(instance);
	return rc;
}
