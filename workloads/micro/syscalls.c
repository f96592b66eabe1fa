// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls that do next to nothing, and look-ups of files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/partner.h"
#include "workloads/micro/site.h"

/* ---- getppid, read, write ---- */

struct null_state {
	int variant, zero, null;
};

static void null_close(void *p)
{
	struct null_state *state = p;

	close_fd(&state->zero);
	close_fd(&state->null);
	free(state);
}

static int null_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct null_state *state = xcalloc(1, sizeof(*state));
	int rc;

	(void)site;
	state->variant = variant;
	state->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	state->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (state->zero < 0 || state->null < 0) {
		rc = micro_no_descriptor(err, errno, "/dev/zero and /dev/null");
		null_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int syscall_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct null_state *state = p;
	char byte = 0;

	sample->n = n;
	if (state->variant == SYSCALL_NULL)
		MICRO_REPEAT(sample->ns, n, syscall(SYS_getppid));
	else if (state->variant == SYSCALL_READ)
		MICRO_REPEAT(sample->ns, n, if (read(state->zero, &byte, 1) != 1) return -EIO);
	else
		MICRO_REPEAT(sample->ns, n, if (write(state->null, &byte, 1) != 1) return -EIO);
	return 0;
}

const struct micro_ops micro_syscall = { null_open, syscall_batch, null_close };

/* n of each: the mean of both. */
static int null_io_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct null_state *state = p;
	char byte = 0;

	sample->n = 2 * n;
	MICRO_REPEAT(sample->ns, n, if (read(state->zero, &byte, 1) != 1) return -EIO);
	MICRO_REPEAT(sample->ns, n, if (write(state->null, &byte, 1) != 1) return -EIO);
	return 0;
}

const struct micro_ops micro_null_io = { null_open, null_io_batch, null_close };

/* ---- files ---- */

struct file_state {
	int variant, fd;
	char *path;
};

static void file_close(void *p)
{
	struct file_state *state = p;

	close_fd(&state->fd);
	free(state->path);
	free(state);
}

static int file_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct file_state *state;
	int rc;

	if (!site->folder)
		return err_set(err, ENOENT, "%s", site->folder_reason);
	state = xcalloc(1, sizeof(*state));
	state->variant = variant;
	state->path = files_join(site->folder, MICRO_SMALL_FILE);
	state->fd = open(state->path, O_RDONLY | O_CLOEXEC);
	if (state->fd < 0) {
		rc = micro_no_descriptor(err, errno, state->path);
		file_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int stat_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct file_state *state = p;
	struct stat st;

	sample->n = n;
	if (state->variant == STAT_PATH)
		MICRO_REPEAT(sample->ns, n, if (stat(state->path, &st) < 0) return -errno);
	else
		MICRO_REPEAT(sample->ns, n, if (fstat(state->fd, &st) < 0) return -errno);
	return 0;
}

static int open_close_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct file_state *state = p;
	int fd;

	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		fd = open(state->path, O_RDONLY);
		if (fd < 0 || close(fd) < 0)
			return -errno;
	});
	return 0;
}

const struct micro_ops micro_stat = { file_open, stat_batch, file_close };
const struct micro_ops micro_open_close = { file_open, open_close_batch, file_close };

/* ---- select ---- */

/*
 * Its time hangs on the highest descriptor, and that must not hang on what else is measured: each
 * variant has numbers of its own, above the few that are open by then.
 */
enum { SELECTED = 100, FIRST_SELECTED = 64 };

struct select_state {
	int fds[SELECTED], peers[SELECTED], max;
	fd_set set;
};

static void select_close(void *p)
{
	struct select_state *state = p;

	for (size_t i = 0; i < SELECTED; i++) {
		close_fd(&state->fds[i]);
		close_fd(&state->peers[i]);
	}
	free(state);
}

static int open_one(const struct micro_site *site, int variant, int *fd, int *peer,
		    struct err *err)
{
	auto_free char *path = NULL;

	if (variant == SELECT_TCP || variant == SELECT_TCP_DUP)
		return micro_connect_pair(fd, peer, err);
	if (!site->folder)
		return err_set(err, ENOENT, "%s", site->folder_reason);
	path = files_join(site->folder, MICRO_SMALL_FILE);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? micro_no_descriptor(err, errno, path) : 0;
}

static int duplicate(int from, int lowest, int *fd, struct err *err)
{
	*fd = fcntl(from, F_DUPFD_CLOEXEC, lowest);
	if (*fd < 0)
		return micro_no_descriptor(err, errno == EINVAL ? EMFILE : errno, "dup");
	if (*fd >= FD_SETSIZE)
		return err_set(err, EMFILE, "more than %d descriptors are open", FD_SETSIZE);
	return 0;
}

static int move(int lowest, int *fd, struct err *err)
{
	int from = *fd;
	int rc = from < 0 ? 0 : duplicate(from, lowest, fd, err);

	close_fd(&from);
	return rc;
}

static int open_selected(const struct micro_site *site, int variant, struct select_state *state,
			 size_t i, struct err *err)
{
	int lowest = FIRST_SELECTED + variant * SELECTED;
	int rc;

	if (i && (variant == SELECT_FILE_DUP || variant == SELECT_TCP_DUP))
		return duplicate(state->fds[0], lowest, &state->fds[i], err);
	rc = open_one(site, variant, &state->fds[i], &state->peers[i], err);
	if (!rc)
		rc = move(lowest, &state->fds[i], err);
	return rc ? rc : move(FIRST_SELECTED + SELECT_VARIANTS * SELECTED, &state->peers[i], err);
}

static int select_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct select_state *state = xcalloc(1, sizeof(*state));
	int rc = 0;

	for (size_t i = 0; i < SELECTED; i++)
		state->fds[i] = state->peers[i] = -1;
	for (size_t i = 0; i < SELECTED && !rc; i++) {
		rc = open_selected(site, variant, state, i, err);
		if (rc)
			break;
		FD_SET(state->fds[i], &state->set);
		state->max = state->fds[i] > state->max ? state->fds[i] : state->max;
	}
	if (rc) {
		select_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

/* The set is copied as select writes to it; that is timed, too. */
static int select_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct select_state *state = p;
	struct timeval none = { 0 };
	fd_set set;

	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		set = state->set;
		if (select(state->max + 1, NULL, &set, NULL, &none) != SELECTED)
			return -EIO;
	});
	return 0;
}

const struct micro_ops micro_select = { select_open, select_batch, select_close };
