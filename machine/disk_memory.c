// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "machine/undo_folder.h"

#define PATH "/var/lib/brunt/disks"
#define LIMIT (16 << 20)

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* exactly: what nothing names for good by its name of now, too. */
static bool is_of(const json_t *line, const struct target_device *device, const char *id,
		  bool exactly)
{
	return same(json_get_text(line, "id", NULL), id) &&
	       json_get_int(line, "size_bytes", 0) == (json_int_t)device->size &&
	       (id || !exactly || !strcmp(json_get_text(line, "name", ""), device->name));
}

/* Calls each(arg, line) for all that can be read. */
static void each_line(void (*each)(void *arg, json_t *line), void *arg)
{
	auto_buf struct buf text = BUF_INIT;
	char *line, *save = NULL;
	json_t *value;

	if (files_read_at(AT_FDCWD, PATH, LIMIT, &text) || !text.len)
		return;
	for (line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (json_parse(line, strlen(line), PATH, &value, NULL))
			continue;
		each(arg, value);
		json_decref(value);
	}
}

/* Its folder, locked: two may end at once. */
static int take(bool make, struct err *err)
{
	int folder = undo_folder_open(UNDO_DISK, make, err);

	while (folder >= 0 && flock(folder, LOCK_EX) < 0 && errno == EINTR)
		;
	return folder;
}

struct filter {
	const struct target_device *device;
	const char *id;
	struct buf rest;
	bool any; /* one was left out */
};

static void keep_others(void *arg, json_t *line)
{
	struct filter *filter = arg;

	if (is_of(line, filter->device, filter->id, true)) {
		filter->any = true;
		return;
	}
	json_write(&filter->rest, line, 0);
	buf_addc(&filter->rest, '\n');
}

int disk_memory_add(const struct target_device *device, const char *id, const char *session,
		    struct err *err)
{
	auto_close int folder = take(true, err);
	struct filter filter = { .device = device, .id = id };
	json_t *line;
	int rc;

	if (folder < 0)
		return folder;
	each_line(keep_others, &filter);
	line = json_pack("{s:o, s:s, s:I, s:s}", "id", json_text(id), "name", device->name,
			 "size_bytes", (json_int_t)device->size, "session", session);
	json_write(&filter.rest, line, 0);
	buf_addc(&filter.rest, '\n');
	json_decref(line);
	rc = files_replace(PATH, filter.rest.s, filter.rest.len, err);
	buf_release(&filter.rest);
	return rc;
}

void disk_memory_forget(const struct target_device *device, const char *id)
{
	auto_close int folder = take(false, NULL);
	struct filter filter = { .device = device, .id = id };

	if (folder < 0)
		return;
	each_line(keep_others, &filter);
	if (filter.any && filter.rest.len)
		files_replace(PATH, filter.rest.s, filter.rest.len, NULL);
	else if (filter.any)
		unlink(PATH);
	buf_release(&filter.rest);
	undo_folder_remove(UNDO_DISK);
}

struct search {
	const struct target_device *device;
	const char *id;
	struct words *out;
};

static void add_session(void *arg, json_t *line)
{
	struct search *search = arg;

	if (is_of(line, search->device, search->id, false))
		words_add(search->out, json_get_text(line, "session", ""));
}

void disk_memory_sessions(const struct target_device *device, const char *id, struct words *out)
{
	struct search search = { .device = device, .id = id, .out = out };

	each_line(add_session, &search);
}
