// SPDX-License-Identifier: GPL-3.0-or-later
/* Writing what others measured: many lines at once, of runs that left no files. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "results/set_parts.h"

enum { PIECE = 1 << 20 };

/* ---- sessions ---- */

/* Highest number at the head of a session's name; -EEXIST where one is of the same source. */
static int look_through(struct set *set, const json_t *sessions, unsigned long *last,
			struct err *err)
{
	struct set_data data;
	const char *id;
	json_t *old, *session;
	size_t i;
	int rc = set_read(set->path, &data, err);

	*last = 0;
	if (rc)
		return rc;
	json_object_foreach(data.sessions, id, old) {
		const char *sum = json_get_text(set_imported(old), "sha256", NULL);
		unsigned long number = strtoul(id, NULL, 10);

		if (number > *last && number < 1000000000)
			*last = number;
		json_array_foreach(sessions, i, session) {
			const json_t *imported = set_imported(session);

			if (!rc && sum && !strcmp(sum, json_get_text(imported, "sha256", "")))
				rc = err_set(err, EEXIST, "%s: is in %s already (session %s)",
					     json_get_text(imported, "source", ""), set->path,
					     id);
		}
	}
	set_data_release(&data);
	return rc;
}

/* "0012-6.1-rc2": what stands in file names everywhere. */
static char *make_id(unsigned long number, const char *label)
{
	auto_buf struct buf id = BUF_INIT;

	buf_addf(&id, "%04lu", number);
	for (size_t i = 0; i < 40 && label[i]; i++) {
		bool plain = isalnum((unsigned char)label[i]) || strchr("._-", label[i]);

		if (!i && plain)
			buf_addc(&id, '-');
		if (plain)
			buf_addc(&id, label[i]);
		else if (id.s[id.len - 1] != '-')
			buf_addc(&id, '-');
	}
	return buf_steal(&id);
}

static int write_sessions(struct set *set, json_t *sessions, unsigned long last, struct err *err)
{
	json_t *session;
	size_t i;
	int rc = 0;

	json_array_foreach(sessions, i, session) {
		auto_free char *id = make_id(last + 1 + i, json_get_text(session, "label", ""));

		if (rc)
			break;
		json_object_set_new(session, "schema", json_string(SET_SCHEMA));
		json_object_set_new(session, "id", json_text(id));
		rc = set_write_session(set, id, session, err);
	}
	return rc;
}

static void name_session(json_t *line, const json_t *sessions)
{
	size_t index = (size_t)json_get_int(line, "session", 0);

	json_object_set(line, "session", json_object_get(json_array_get(sessions, index), "id"));
	json_object_set_new(line, "schema", json_string(SET_SCHEMA));
}

/* ---- lines ---- */

static int write_piece(int fd, struct buf *text, const char *path, const char *name,
		       struct err *err)
{
	int rc = files_write_all(fd, text->s, text->len);

	buf_clear(text);
	return rc ? err_sys(err, -rc, "%s/%s", path, name) : 0;
}

static int write_lines(int fd, const json_t *lines, const char *path, const char *name,
		       struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	json_t *line;
	size_t i;
	int rc = 0;

	if (!set_ends_in_newline(fd))
		buf_addc(&text, '\n');
	json_array_foreach(lines, i, line) {
		json_write(&text, line, 0);
		buf_addc(&text, '\n');
		if (!rc && text.len > PIECE)
			rc = write_piece(fd, &text, path, name, err);
	}
	if (!rc && text.len)
		rc = write_piece(fd, &text, path, name, err);
	if (!rc && fdatasync(fd) < 0)
		rc = err_sys(err, errno, "%s/%s", path, name);
	return rc;
}

/* A number is free when no line has it and no folder either. */
static int number_runs(struct set *set, json_t *runs, const json_t *sessions, struct err *err)
{
	int rc = set_see_appended(set, err);
	json_t *line;
	size_t i;

	json_array_foreach(runs, i, line) {
		bool taken = true;

		while (!rc && taken) {
			auto_free char *folder = NULL;

			if (set->last_run == UINT32_MAX)
				return err_set(err, EOVERFLOW, "%s: no run number is left",
					       set->path);
			folder = set_run_folder(set, ++set->last_run);
			taken = files_exists(folder);
		}
		name_session(line, sessions);
		json_object_set_new(line, "event", json_string("end"));
		json_object_set_new(line, "run", json_integer(set->last_run));
	}
	return rc;
}

static int write_summaries(struct set *set, json_t *summaries, const json_t *sessions,
			   struct err *err)
{
	json_t *line;
	int fd, rc;
	size_t i;

	if (!json_array_size(summaries))
		return 0;
	json_array_foreach(summaries, i, line)
		name_session(line, sessions);
	rc = set_open_file(set->path, "summaries.jsonl", O_RDWR | O_APPEND, &fd, err);
	if (rc)
		return rc;
	rc = write_lines(fd, summaries, set->path, "summaries.jsonl", err);
	close(fd);
	return rc;
}

/* ---- all of it or nothing ---- */

/* How long the files of lines are; -1: not there. */
struct lengths {
	off_t runs, summaries;
};

static int read_lengths(struct set *set, struct lengths *out, struct err *err)
{
	auto_free char *summaries = files_join(set->path, "summaries.jsonl");
	struct stat st;

	if (fstat(set->runs_fd, &st) < 0)
		return err_sys(err, errno, "%s/runs.jsonl", set->path);
	out->runs = st.st_size;
	out->summaries = stat(summaries, &st) < 0 ? -1 : st.st_size;
	return 0;
}

/*
 * Half an import would be compared as if it were all, and the other half never come, since its
 * source is there already. Under the lock what stands behind the old ends is ours.
 */
static void take_back(struct set *set, const struct lengths *old, const json_t *sessions)
{
	auto_free char *summaries = files_join(set->path, "summaries.jsonl");
	json_t *session;
	size_t i;

	if (ftruncate(set->runs_fd, old->runs) < 0)
		return; /* then the sessions of its lines have to stay */
	if (old->summaries < 0)
		unlink(summaries);
	else if (truncate(summaries, old->summaries) < 0)
		return;
	json_array_foreach(sessions, i, session) {
		const char *id = json_get_text(session, "id", NULL);
		auto_free char *path = NULL;

		if (!id)
			continue;
		path = xasprintf("%s/sessions/%s.json", set->path, id);
		unlink(path);
	}
}

int set_import(struct set *set, json_t *sessions, json_t *runs, json_t *summaries,
	       struct err *err)
{
	struct lengths old = { .summaries = -1 };
	unsigned long last = 0;
	int rc = set_lock(set, err);

	if (rc)
		return rc;
	rc = read_lengths(set, &old, err);
	if (!rc)
		rc = look_through(set, sessions, &last, err);
	if (rc) {
		set_unlock(set);
		return rc;
	}
	rc = write_sessions(set, sessions, last, err);
	if (!rc)
		rc = number_runs(set, runs, sessions, err);
	if (!rc)
		rc = write_lines(set->runs_fd, runs, set->path, "runs.jsonl", err);
	if (!rc)
		rc = write_summaries(set, summaries, sessions, err);
	if (rc)
		take_back(set, &old, sessions);
	set_unlock(set);
	return rc;
}
