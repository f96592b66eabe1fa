// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/trace_instance.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/tracefs.h"

struct trace_instance {
	int tracefs; /* the caller's */
	int fd;
	char *path; /* below tracefs */
	struct undo *undo;
	unsigned int entry;
};

/* True while nobody has used the global buffer; then out is the size of its first use. */
static bool is_unused(int tracefs, char *out, size_t size)
{
	char line[64];

	return !files_read_line_at(tracefs, "buffer_size_kb", line, sizeof(line)) &&
	       strstr(line, "(expanded: ") && !tracefs_read(tracefs, "buffer_size_kb", out, size);
}

int trace_instance_resize(struct trace_instance *instance, uint64_t kib, struct err *err)
{
	char first[32], still[32], size[32];
	bool unused = is_unused(instance->tracefs, first, sizeof(first));
	int rc;

	snprintf(size, sizeof(size), "%" PRIu64, kib);
	rc = files_write_value_at(instance->fd, "buffer_size_kb", size);
	if (unused && !is_unused(instance->tracefs, still, sizeof(still)))
		files_write_value_at(instance->tracefs, "buffer_size_kb", first);
	if (rc == -ENOMEM)
		return err_missing(err, "no memory for %s KiB of trace buffer a CPU", size);
	return rc ? err_sys(err, -rc, "tracefs: writing %s to buffer_size_kb", size) : 0;
}

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
