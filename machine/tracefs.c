// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/tracefs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "machine/kernel_fs.h"

int tracefs_open(struct err *err)
{
	int fd = kernel_fs_open(&kernel_fs_tracefs);

	if (fd >= 0)
		return fd;
	if (fd == -ENODEV)
		return err_missing(err, "this kernel has no tracefs (CONFIG_TRACING)");
	if (fd == -EPERM || fd == -EACCES)
		return err_missing(err, "tracefs cannot be mounted: not permitted%s",
				   geteuid() ? "; it needs root" : "");
	return err_missing(err, "tracefs cannot be mounted: %s", strerror(-fd));
}

int tracefs_probe(const char *path, const char *missing, char *out, size_t size, struct err *err)
{
	int tracefs, rc;

	if (geteuid())
		return err_missing(err, "it needs root");
	tracefs = tracefs_open(err);
	if (tracefs < 0)
		return tracefs;
	rc = files_read_line_at(tracefs, path, out, size);
	if (!rc)
		return tracefs;
	close(tracefs);
	if (rc == -EPERM || rc == -EACCES)
		return err_missing(err, "this kernel is locked down: tracefs cannot be read");
	return err_missing(err, "%s", missing);
}

/* Leaves of text, in place, what is written to get the same value again. */
static void normalise(char *text)
{
	static const char expanded[] = "(expanded: ";
	char *from = strstr(text, expanded), *open_at = strchr(text, '[');
	size_t len;

	if (from) {
		from += sizeof(expanded) - 1;
		len = strcspn(from, ")");
	} else if (open_at && strchr(open_at, ']')) {
		from = open_at + 1;
		len = strcspn(from, "]");
	} else {
		return;
	}
	memmove(text, from, len);
	text[len] = '\0';
}

int tracefs_read(int tracefs, const char *path, char *out, size_t size)
{
	char line[256];
	int rc = files_read_line_at(tracefs, path, line, sizeof(line));

	if (rc)
		return rc;
	normalise(line);
	if (strlen(line) >= size)
		return -EOVERFLOW;
	strcpy(out, line);
	return 0;
}

static json_t *journal_details(const struct tracefs_value *value, const char *now)
{
	return json_pack("{s:s, s:s, s:s}", "path", value->path, "old", value->old, "new", now);
}

int tracefs_set(int tracefs, struct undo *undo, struct tracefs_value *value, const char *path,
		const char *now, struct err *err)
{
	struct tracefs_value fresh = { 0 };
	int rc;

	snprintf(fresh.path, sizeof(fresh.path), "%s", path);
	rc = tracefs_read(tracefs, path, fresh.old, sizeof(fresh.old));
	if (rc)
		return err_sys(err, -rc, "tracefs: reading %s", path);
	if (!strcmp(fresh.old, now)) {
		strcpy(fresh.now, fresh.old);
		*value = fresh;
		return 0;
	}
	rc = undo_intend(undo, "tracefs", journal_details(&fresh, now), &fresh.entry, err);
	if (rc)
		return rc;
	rc = files_write_value_at(tracefs, path, now);
	if (rc) {
		undo_undone(undo, fresh.entry);
		return err_sys(err, -rc, "tracefs: writing %s to %s", now, path);
	}
	fresh.set = true;
	if (tracefs_read(tracefs, path, fresh.now, sizeof(fresh.now)))
		snprintf(fresh.now, sizeof(fresh.now), "%s", now);
	*value = fresh; /* set: it must be restored, even if the note below fails */
	if (strcmp(fresh.now, now) != 0)
		return undo_note(undo, fresh.entry, json_pack("{s:s}", "reads", fresh.now), err);
	return 0;
}

int tracefs_restore(int tracefs, struct undo *undo, struct tracefs_value *value, struct err *err)
{
	char reads[64];
	int rc;

	if (!value->set)
		return 0;
	rc = tracefs_read(tracefs, value->path, reads, sizeof(reads));
	if (!rc && !strcmp(reads, value->now))
		rc = files_write_value_at(tracefs, value->path, value->old);
	else if (!rc && strcmp(reads, value->old) != 0)
		rc = -EUSERS;
	if (rc && rc != -EUSERS)
		return err_sys(err, -rc, "tracefs: restoring %s to %s", value->path, value->old);
	value->set = false;
	undo_undone(undo, value->entry);
	if (rc)
		return err_set(err, EBUSY, "tracefs: %s reads %s, which somebody else wrote: left",
			       value->path, reads);
	return 0;
}
