// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <libaio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "workloads/io_engine.h"

struct aio {
	io_context_t context;
	const int *files;
	struct iocb *iocbs;   /* depth of them, by unit */
	struct iocb **queued; /* a ring, so that what the kernel did not take stays in order */
	unsigned int first, nqueued;
	struct io_event *events; /* depth of them */
	unsigned int depth;
};

static int read_number(const char *path, uint64_t *out)
{
	char line[64];

	return files_read_line_at(AT_FDCWD, path, line, sizeof(line)) ||
	       units_parse_u64(line, out);
}

/* How many events all of the machine may have in flight; somebody may have some already. */
static int aio_check_depth(uint64_t depth, struct err *err)
{
	uint64_t most, used;

	if (read_number("/proc/sys/fs/aio-max-nr", &most) ||
	    read_number("/proc/sys/fs/aio-nr", &used))
		return 0; /* io_setup will tell */
	if (depth <= most && used <= most - depth)
		return 0;
	return err_missing(err, "libaio with %" PRIu64 " in flight: fs.aio-max-nr is %" PRIu64
			   ", of which %" PRIu64 " are in use: sysctl -w fs.aio-max-nr=%" PRIu64
			   ", or less of iodepth or devices, or engine=io_uring", depth, most, used,
			   used + depth);
}

static void aio_close(void *state)
{
	struct aio *aio = state;

	if (aio->context)
		io_destroy(aio->context);
	free(aio->iocbs);
	free(aio->queued);
	free(aio->events);
	free(aio);
}

static int aio_open(const struct io_engine_setup *setup, void **state, struct err *err)
{
	struct aio *aio = xcalloc(1, sizeof(*aio));
	int rc;

	aio->files = setup->files;
	aio->depth = setup->depth;
	aio->iocbs = xcalloc(setup->depth, sizeof(*aio->iocbs));
	aio->queued = xcalloc(setup->depth, sizeof(*aio->queued));
	aio->events = xcalloc(setup->depth, sizeof(*aio->events));
	rc = io_setup((int)setup->depth, &aio->context);
	if (rc) {
		aio->context = NULL;
		aio_close(aio);
		if (rc == -ENOSYS)
			return err_missing(err, "the kernel has no libaio (CONFIG_AIO)");
		if (rc == -EAGAIN && !aio_check_depth(setup->depth, err))
			return err_missing(err, "io_setup of %u: fs.aio-max-nr is used up",
					   setup->depth);
		return rc == -EAGAIN ? -ENOENT : err_sys(err, -rc, "io_setup of %u", setup->depth);
	}
	*state = aio;
	return 0;
}

static int aio_check(struct err *err)
{
	io_context_t context = NULL;
	int rc = io_setup(1, &context);

	if (!rc)
		io_destroy(context);
	if (rc == -ENOSYS)
		return err_missing(err, "the kernel has no libaio (CONFIG_AIO)");
	return 0; /* EAGAIN: check_depth names the limit */
}

static void aio_queue(void *state, struct io_unit *unit)
{
	struct aio *aio = state;
	struct iocb *iocb = &aio->iocbs[unit->index];
	unsigned int at = aio->first + aio->nqueued++;
	int fd = aio->files[unit->file];

	switch (unit->op) {
	case IO_READ:
		io_prep_pread(iocb, fd, unit->buffer, unit->length, (long long)unit->offset);
		break;
	case IO_WRITE:
		io_prep_pwrite(iocb, fd, unit->buffer, unit->length, (long long)unit->offset);
		break;
	default:
		io_prep_fdsync(iocb, fd);
		break;
	}
	iocb->data = unit;
	aio->queued[at < aio->depth ? at : at - aio->depth] = iocb;
}

static int aio_submit(void *state)
{
	struct aio *aio = state;
	unsigned int taken = 0, run;
	int rc;

	while (aio->nqueued) {
		run = aio->depth - aio->first; /* up to the end of the ring */
		run = run < aio->nqueued ? run : aio->nqueued;
		rc = io_submit(aio->context, run, &aio->queued[aio->first]);
		if (rc == -EINTR)
			continue;
		if (rc <= 0)
			return taken || rc == -EAGAIN ? (int)taken : rc;
		taken += (unsigned int)rc;
		aio->nqueued -= (unsigned int)rc;
		aio->first = (aio->first + (unsigned int)rc) % aio->depth;
	}
	return (int)taken;
}

static int get_events(struct aio *aio, unsigned int min, unsigned int max, int64_t timeout_ns)
{
	struct timespec ts = { .tv_sec = timeout_ns / NS_PER_S, .tv_nsec = timeout_ns % NS_PER_S };
	int n;

	do
		n = io_getevents(aio->context, min, max, aio->events, timeout_ns < 0 ? NULL : &ts);
	while (n == -EINTR && timeout_ns < 0);
	return n == -EINTR ? 0 : n;
}

static int aio_reap(void *state, unsigned int min, int64_t timeout_ns, struct io_done *done,
		    unsigned int max)
{
	struct aio *aio = state;
	int n = get_events(aio, min, max < aio->depth ? max : aio->depth, min ? timeout_ns : 0);

	for (int i = 0; i < n; i++)
		done[i] = (struct io_done){ aio->events[i].data, (int64_t)aio->events[i].res };
	return n;
}

const struct io_engine io_engine_aio = {
	.name = "libaio",
	.summary = "asynchronous IO of Linux, io_submit and io_getevents",
	.check = aio_check,
	.check_depth = aio_check_depth,
	.open = aio_open,
	.close = aio_close,
	.queue = aio_queue,
	.submit = aio_submit,
	.reap = aio_reap,
};
