// SPDX-License-Identifier: GPL-3.0-or-later
/* Files made and deleted in the folder, and the mapping of a large one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/partner.h"
#include "workloads/micro/site.h"

enum { FILES_AT_ONCE = 1000, BYTES_MOST = 10 << 10, NAME_SPACE = 16 };

/* ---- made and deleted ---- */

struct files_state {
	int folder;
	size_t bytes;
	char (*names)[NAME_SPACE]; /* FILES_AT_ONCE, so that none is made in the timed part */
	char content[BYTES_MOST];
	char *path;
};

static void files_close(void *p)
{
	struct files_state *state = p;

	close_fd(&state->folder);
	rmdir(state->path);
	free(state->path);
	free(state->names);
	free(state);
}

static int files_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	static unsigned int folders;
	struct files_state *state;
	int rc;

	if (!site->folder)
		return err_set(err, ENOENT, "%s", site->folder_reason);
	state = xcalloc(1, sizeof(*state));
	state->bytes = (size_t)variant << 10;
	memset(state->content, 0x5a, sizeof(state->content));
	state->path = xasprintf("%s/files-%u", site->folder, ++folders);
	state->names = xcalloc(FILES_AT_ONCE, sizeof(*state->names));
	for (unsigned int i = 0; i < FILES_AT_ONCE; i++)
		snprintf(state->names[i], sizeof(*state->names), "f%u", i);
	state->folder = mkdir(state->path, 0700) < 0 ?
				-1 : open(state->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (state->folder < 0) {
		rc = micro_no_descriptor(err, errno, state->path);
		files_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int create_one(const struct files_state *state, const char *name)
{
	int fd = openat(state->folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t written = 0;
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (state->bytes)
		written = write(fd, state->content, state->bytes);
	if (written != (ssize_t)state->bytes)
		rc = written < 0 ? -errno : -ENOSPC;
	close(fd);
	return rc;
}

/* So many at a time: all of them are made, then all are deleted. */
static int make_and_delete(struct files_state *state, uint64_t n, int64_t *create_ns,
			   int64_t *delete_ns)
{
	int rc = 0;

	for (uint64_t left = n; left;) {
		uint64_t now = left < FILES_AT_ONCE ? left : FILES_AT_ONCE;

		MICRO_REPEAT(*create_ns, now, {
			rc = create_one(state, state->names[i_]);
			if (rc)
				break;
		});
		MICRO_REPEAT(*delete_ns, now,
			     if (unlinkat(state->folder, state->names[i_], 0) < 0 && !rc)
				     rc = -errno);
		if (rc)
			return rc;
		left -= now;
	}
	return 0;
}

static int file_create_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	int64_t untimed_ns = 0;

	sample->n = n;
	return make_and_delete(state, n, &sample->ns, &untimed_ns);
}

static int file_delete_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	int64_t untimed_ns = 0;

	sample->n = n;
	return make_and_delete(state, n, &untimed_ns, &sample->ns);
}

const struct micro_ops micro_file_create = { files_open, file_create_batch, files_close };
const struct micro_ops micro_file_delete = { files_open, file_delete_batch, files_close };

/* ---- mapped ---- */

enum { MAPPED_PART = 10, TOUCH_EACH = 16 << 10 };

struct mapped_state {
	int fd;
	size_t size;
};

static void mapped_close(void *p)
{
	struct mapped_state *state = p;

	close_fd(&state->fd);
	free(state);
}

static int mapped_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct mapped_state *state;
	auto_free char *path = NULL;

	(void)variant;
	if (!site->folder)
		return err_set(err, ENOENT, "%s", site->folder_reason);
	path = files_join(site->folder, MICRO_REREAD_FILE);
	state = xcalloc(1, sizeof(*state));
	state->size = site->memory;
	state->fd = open(path, O_RDWR | O_CLOEXEC);
	if (state->fd < 0) {
		int rc = micro_no_descriptor(err, errno, path);

		mapped_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int map_once(const struct mapped_state *state)
{
	char *map = mmap(NULL, state->size, PROT_READ | PROT_WRITE, MAP_SHARED, state->fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	for (size_t at = 0; at < state->size / MAPPED_PART; at += TOUCH_EACH)
		*(volatile char *)(map + at) = 0x5a;
	return munmap(map, state->size) < 0 ? -errno : 0;
}

static int mapped_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	int rc;

	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		rc = map_once(state);
		if (rc)
			return rc;
	});
	return 0;
}

const struct micro_ops micro_mmap_file = { mapped_open, mapped_batch, mapped_close };
