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

/* One journal of a session; that on disk is made when it is first needed. */
struct journal {
	int folder, fd; /* -1: not made */
	bool torn;	/* the last write ended inside a line */
};

struct undo {
	struct journal journals[UNDO_PLACES];
	char *name; /* of the files */
	char boot_id[40];
	struct change {
		bool open;
		enum undo_place place;
	} *changes; /* by id, from 1 */
	size_t n, cap;
};

static int create(const struct undo *undo, struct journal *journal, enum undo_place place,
		  struct err *err)
{
	/* A cleaner may remove the empty file or folder just then: once more. */
	for (int tries = 0; tries < 100; tries++) {
		journal->folder = undo_folder_open(place, true, err);
		if (journal->folder < 0 && journal->folder != -ENOENT)
			return journal->folder;
		if (journal->folder < 0)
			continue;
		journal->fd = undo_folder_create(journal->folder, undo->name, err);
		if (journal->fd >= 0)
			return 0;
		close_fd(&journal->folder);
		if (journal->fd != -ENOENT)
			return journal->fd;
	}
	return -ENOENT;
}

/* One write(2), so that a line is there whole or, when we die in it, torn and alone. */
static int write_line(struct undo *undo, enum undo_place place, const json_t *line,
		      struct err *err)
{
	struct journal *journal = &undo->journals[place];
	auto_buf struct buf text = BUF_INIT;
	ssize_t n;

	if (journal->torn)
		buf_addc(&text, '\n');
	json_write(&text, line, 0);
	buf_addc(&text, '\n');
	do
		n = write(journal->fd, text.s, text.len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_sys(err, errno, "undo journal %s", undo->name);
	journal->torn = (size_t)n < text.len;
	if (journal->torn)
		return err_sys(err, ENOSPC, "undo journal %s", undo->name);
	if (place == UNDO_DISK && fdatasync(journal->fd) < 0)
		return err_sys(err, errno, "syncing undo journal %s", undo->name);
	return 0;
}

static int write_owner(struct undo *undo, enum undo_place place, struct err *err)
{
	auto_json json_t *line = NULL;
	uint64_t ticks = 0;

	process_start_ticks(getpid(), &ticks);
	line = json_pack("{s:I, s:I, s:s}", "owner", (json_int_t)getpid(), "start_ticks",
			 (json_int_t)ticks, "boot_id", undo->boot_id);
	return write_line(undo, place, line, err);
}

static void close_journal(struct journal *journal)
{
	close_fd(&journal->fd);
	close_fd(&journal->folder);
}

static int make_journal(struct undo *undo, enum undo_place place, struct err *err)
{
	struct journal *journal = &undo->journals[place];
	int rc;

	if (journal->fd >= 0)
		return 0;
	rc = create(undo, journal, place, err);
	if (!rc)
		rc = write_owner(undo, place, err);
	if (!rc && place == UNDO_DISK && fsync(journal->folder) < 0)
		rc = err_sys(err, errno, "syncing the folder of undo journals");
	if (!rc)
		return 0;
	if (journal->fd >= 0)
		unlinkat(journal->folder, undo->name, 0);
	close_journal(journal);
	return rc;
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
	undo->changes = xcalloc(undo->cap, sizeof(*undo->changes));
	for (size_t i = 0; i < UNDO_PLACES; i++)
		undo->journals[i] = (struct journal){ .folder = -1, .fd = -1 };
	rc = undo_boot_id(undo->boot_id, err);
	if (!rc)
		rc = make_journal(undo, UNDO_RUN, err);
	if (rc) {
		free(undo->changes);
		free(undo->name);
		free(undo);
		return rc;
	}
	*out = undo;
	return 0;
}

/* Takes both over. */
static int write_with_details(struct undo *undo, enum undo_place place, json_t *line,
			      json_t *details, struct err *err)
{
	int rc;

	/* json_pack() has no other way to say so. */
	if (!line || !details)
		rc = err_sys(err, EILSEQ, "undo journal %s: a name or value", undo->name);
	else if (json_object_update_missing(line, details) < 0)
		rc = err_sys(err, ENOMEM, "undo journal %s", undo->name);
	else
		rc = write_line(undo, place, line, err);
	json_decref(line);
	json_decref(details);
	return rc;
}

/* Others than root have one folder of journals only. */
static enum undo_place place_of(const char *kind)
{
	for (const struct undo_kind *k = undo_kinds; k->name && geteuid() == 0; k++)
		if (!strcmp(k->name, kind) && k->on_disk)
			return UNDO_DISK;
	return UNDO_RUN;
}

int undo_intend(struct undo *undo, const char *kind, json_t *details, unsigned int *id,
		struct err *err)
{
	enum undo_place place = place_of(kind);
	json_t *line;
	int rc = make_journal(undo, place, err);

	if (rc) {
		json_decref(details);
		return rc;
	}
	line = json_pack("{s:I, s:s, s:s}", "id", (json_int_t)undo->n, "kind", kind, "boot_id",
			 undo->boot_id);
	rc = write_with_details(undo, place, line, details, err);
	if (rc)
		return rc;
	GROW(undo->changes, undo->n, undo->cap);
	undo->changes[undo->n] = (struct change){ .open = true, .place = place };
	*id = (unsigned int)undo->n++;
	return 0;
}

int undo_note(struct undo *undo, unsigned int id, json_t *details, struct err *err)
{
	enum undo_place place = id < undo->n ? undo->changes[id].place : UNDO_RUN;

	return write_with_details(undo, place, json_pack("{s:I}", "note", (json_int_t)id),
				  details, err);
}

void undo_undone(struct undo *undo, unsigned int id)
{
	json_t *line;

	if (id >= undo->n || !undo->changes[id].open)
		return;
	undo->changes[id].open = false;
	/* Where this cannot be written, a cleaner looks at the change and finds it undone. */
	line = json_pack("{s:I}", "undone", (json_int_t)id);
	write_line(undo, undo->changes[id].place, line, NULL);
	json_decref(line);
}

static size_t count_open(const struct undo *undo, enum undo_place place)
{
	size_t open = 0;

	for (size_t i = 1; i < undo->n; i++)
		open += undo->changes[i].open && undo->changes[i].place == place;
	return open;
}

size_t undo_count_open(const struct undo *undo)
{
	return count_open(undo, UNDO_RUN) + count_open(undo, UNDO_DISK);
}

void undo_close(struct undo *undo)
{
	if (!undo)
		return;
	for (size_t place = 0; place < UNDO_PLACES; place++) {
		struct journal *journal = &undo->journals[place];

		if (journal->fd < 0)
			continue;
		if (!count_open(undo, place)) {
			unlinkat(journal->folder, undo->name, 0);
			undo_folder_remove(place);
		}
		close_journal(journal);
	}
	free(undo->changes);
	free(undo->name);
	free(undo);
}
