// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/undo_folder.h"

struct undo {
	int folder, fd;
	char *name; /* of the file */
	char boot_id[40];
	bool torn;  /* the last write ended inside a line */
	bool *open; /* by id, from 1 */
	size_t n, cap;
};

static int create(struct undo *undo, struct err *err)
{
	/* A cleaner may remove the empty file or folder just then: once more. */
	for (int tries = 0; tries < 100; tries++) {
		undo->folder = undo_folder_open(true, err);
		if (undo->folder < 0 && undo->folder != -ENOENT)
			return undo->folder;
		if (undo->folder < 0)
			continue;
		undo->fd = undo_folder_create(undo->folder, undo->name, err);
		if (undo->fd >= 0)
			return 0;
		close_fd(&undo->folder);
		if (undo->fd != -ENOENT)
			return undo->fd;
	}
	return -ENOENT;
}

/* One write(2), so that a line is there whole or, when we die in it, torn and alone. */
static int write_line(struct undo *undo, const json_t *line, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	ssize_t n;

	if (undo->torn)
		buf_addc(&text, '\n');
	json_write(&text, line, 0);
	buf_addc(&text, '\n');
	do
		n = write(undo->fd, text.s, text.len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(err, errno, "undo journal %s", undo->name);
	undo->torn = (size_t)n < text.len;
	if (undo->torn)
		return err_sys(err, ENOSPC, "undo journal %s", undo->name);
	return 0;
}

static int write_owner(struct undo *undo, struct err *err)
{
	auto_json json_t *line = NULL;
	uint64_t ticks = 0;

	process_start_ticks(getpid(), &ticks);
	line = json_pack("{s:I, s:I}", "owner", (json_int_t)getpid(), "start_ticks",
			 (json_int_t)ticks);
	return write_line(undo, line, err);
}

int undo_open(const char *session, struct undo **out, struct err *err)
{
	struct undo *undo;
	int rc;

	if (!*session || *session == '.' || strchr(session, '/'))
		return err_set(err, EINVAL, "'%s' cannot name an undo journal", session);
	undo = xcalloc(1, sizeof(*undo));
	undo->name = xasprintf("%s" UNDO_JOURNAL_SUFFIX, session);
	undo->n = 1;
	undo->cap = 16;
	undo->open = xcalloc(undo->cap, sizeof(*undo->open));
	undo->folder = undo->fd = -1;
	rc = undo_boot_id(undo->boot_id, err);
	if (!rc)
		rc = create(undo, err);
	if (!rc)
		rc = write_owner(undo, err);
	if (rc) {
		if (undo->fd >= 0)
			unlinkat(undo->folder, undo->name, 0);
		close_fd(&undo->fd);
		close_fd(&undo->folder);
		free(undo->open);
		free(undo->name);
		free(undo);
		return rc;
	}
	*out = undo;
	return 0;
}

/* Takes both over. */
static int write_with_details(struct undo *undo, json_t *line, json_t *details, struct err *err)
{
	int rc;

	/* json_pack() has no other way to say so. */
	if (!line || !details)
		rc = err_sys(err, EILSEQ, "undo journal %s: a name or value", undo->name);
	else if (json_object_update_missing(line, details) < 0)
		rc = err_sys(err, ENOMEM, "undo journal %s", undo->name);
	else
		rc = write_line(undo, line, err);
	json_decref(line);
	json_decref(details);
	return rc;
}

int undo_intend(struct undo *undo, const char *kind, json_t *details, unsigned int *id,
		struct err *err)
{
	json_t *line = json_pack("{s:I, s:s, s:s}", "id", (json_int_t)undo->n, "kind", kind,
				 "boot_id", undo->boot_id);
	int rc = write_with_details(undo, line, details, err);

	if (rc)
		return rc;
	GROW(undo->open, undo->n, undo->cap);
	undo->open[undo->n] = true;
	*id = (unsigned int)undo->n++;
	return 0;
}

int undo_note(struct undo *undo, unsigned int id, json_t *details, struct err *err)
{
	return write_with_details(undo, json_pack("{s:I}", "note", (json_int_t)id), details, err);
}

void undo_undone(struct undo *undo, unsigned int id)
{
	json_t *line;

	if (id >= undo->n || !undo->open[id])
		return;
	undo->open[id] = false;
	/* Where this cannot be written, a cleaner looks at the change and finds it undone. */
	line = json_pack("{s:I}", "undone", (json_int_t)id);
	write_line(undo, line, NULL);
	json_decref(line);
}

void undo_close(struct undo *undo)
{
	bool all_undone = true;

	if (!undo)
		return;
	for (size_t i = 1; i < undo->n; i++)
		all_undone = all_undone && !undo->open[i];
	if (all_undone) {
		unlinkat(undo->folder, undo->name, 0);
		undo_folder_remove();
	}
	close(undo->fd);
	close(undo->folder);
	free(undo->open);
	free(undo->name);
	free(undo);
}
