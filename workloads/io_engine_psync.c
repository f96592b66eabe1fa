// SPDX-License-Identifier: GPL-3.0-or-later
/* pread, pwrite, fdatasync: one at a time. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "workloads/io_engine.h"

struct psync {
	const int *files;
	struct io_unit *unit;
	int64_t result;
	bool done;
};

static int psync_open(const struct io_engine_setup *setup, void **state, struct err *err)
{
	struct psync *psync;

	if (setup->depth != 1)
		return err_set(err, EINVAL, "psync has one IO in flight");
	psync = xcalloc(1, sizeof(*psync));
	psync->files = setup->files;
	*state = psync;
	return 0;
}

static void psync_queue(void *state, struct io_unit *unit)
{
	struct psync *psync = state;

	psync->unit = unit;
	psync->done = false;
}

static int64_t work(int fd, const struct io_unit *unit)
{
	ssize_t n;

	switch (unit->op) {
	case IO_READ:
		n = pread(fd, unit->buffer, unit->length, (off_t)unit->offset);
		break;
	case IO_WRITE:
		n = pwrite(fd, unit->buffer, unit->length, (off_t)unit->offset);
		break;
	default:
		n = fdatasync(fd);
		break;
	}
	return n < 0 ? -errno : n;
}

static int psync_submit(void *state)
{
	struct psync *psync = state;

	if (!psync->unit || psync->done)
		return 0;
	psync->result = work(psync->files[psync->unit->file], psync->unit);
	psync->done = true;
	return 1;
}

static int psync_reap(void *state, unsigned int min, int64_t timeout_ns, struct io_done *done,
		      unsigned int max)
{
	struct psync *psync = state;

	(void)min;
	(void)timeout_ns;
	(void)max;
	if (!psync->done)
		return 0;
	done[0] = (struct io_done){ psync->unit, psync->result };
	psync->done = false;
	psync->unit = NULL;
	return 1;
}

const struct io_engine io_engine_psync = {
	.name = "psync",
	.summary = "pread and pwrite, a process a job",
	.synchronous = true,
	.open = psync_open,
	.close = free,
	.queue = psync_queue,
	.submit = psync_submit,
	.reap = psync_reap,
};
