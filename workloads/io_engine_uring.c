// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A ring a worker. What helps and the kernel lets us have is taken: registered files, buffers
 * that stay mapped, completions run by the waiting thread itself (DEFER_TASKRUN, Linux 6.1).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "workloads/io_engine.h"

#define MAX_DEPTH 32768		   /* of the kernel, a ring */
#define MAX_BUFFER (1ULL << 30)	   /* one registered buffer; of the kernel */
#define MAX_BUFFERS 1024
#define POLL_NS (100 * 1000)

struct uring {
	struct io_uring ring;
	const int *files;
	unsigned char *arena;
	bool nop, fixed_buffers, registered_files;
	bool defer, coop, sqpoll, iopoll;
};

static int refused(int error, struct err *err)
{
	char line[32] = "";

	if (error == ENOSYS)
		return err_missing(err, "the kernel has no io_uring (CONFIG_IO_URING, Linux 5.1), "
				   "or a container refuses it: engine=libaio");
	files_read_line_at(AT_FDCWD, "/proc/sys/kernel/io_uring_disabled", line, sizeof(line));
	if (error == EPERM && (line[0] == '1' || line[0] == '2'))
		return err_missing(err, "io_uring is off: kernel.io_uring_disabled is %s: sysctl -w "
				   "kernel.io_uring_disabled=0, or engine=libaio", line);
	if (error == EPERM)
		return err_missing(err, "io_uring is refused (seccomp of a container?): let it be "
				   "allowed, or engine=libaio");
	if (error == ENOMEM)
		return err_missing(err, "io_uring gets no memory: ulimit -l (locked memory) may be "
				   "too small for its rings: raise it, lower iodepth, or "
				   "engine=libaio");
	return err_sys(err, error, "io_uring");
}

static int uring_check(struct err *err)
{
	struct io_uring ring;
	int rc = io_uring_queue_init(1, &ring, 0);

	if (rc)
		return refused(-rc, err);
	io_uring_queue_exit(&ring);
	return 0;
}

/* The newest flags first; an older kernel knows fewer and says EINVAL. */
static int make_ring(struct uring *uring, const struct io_engine_setup *setup)
{
	static const struct {
		unsigned int flags;
		bool defer, coop;
	} tries[] = {
		{ IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, true, false },
		{ IORING_SETUP_COOP_TASKRUN, false, true },
		{ 0, false, false },
	};
	int rc = -EINVAL;

	for (size_t i = setup->sqpoll ? ARRAY_SIZE(tries) - 1 : 0;
	     rc == -EINVAL && i < ARRAY_SIZE(tries); i++) {
		struct io_uring_params params = { .flags = tries[i].flags };

		if (setup->sqpoll) {
			params.flags |= IORING_SETUP_SQPOLL;
			params.sq_thread_idle = 1000; /* ms */
		}
		if (setup->iopoll)
			params.flags |= IORING_SETUP_IOPOLL;
		rc = io_uring_queue_init_params(setup->depth, &uring->ring, &params);
		uring->defer = tries[i].defer;
		uring->coop = tries[i].coop;
	}
	return rc;
}

/*
 * The arena as few large pieces: a unit's piece follows from its address. No buffer straddles
 * two, since its stride is a power of two.
 */
static int register_buffers(struct uring *uring, const struct io_engine_setup *setup)
{
	struct iovec pieces[MAX_BUFFERS];
	unsigned int n = 0;

	for (size_t at = 0; at < setup->arena_size; at += MAX_BUFFER) {
		size_t left = setup->arena_size - at;

		if (n == MAX_BUFFERS)
			return -E2BIG;
		pieces[n++] = (struct iovec){
			.iov_base = setup->arena + at,
			.iov_len = left < MAX_BUFFER ? left : MAX_BUFFER,
		};
	}
	return n ? io_uring_register_buffers(&uring->ring, pieces, n) : -EINVAL;
}

static int no_buffers(int error, size_t size, struct err *err)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (error == ENOMEM)
		return err_missing(err, "fixedbufs=yes needs %zu KiB of locked memory a worker, "
				   "ulimit -l is %" PRIu64 " KiB: raise it, or fixedbufs=no",
				   size >> 10, (uint64_t)limit.rlim_cur >> 10);
	return err_sys(err, error, "registering buffers (fixedbufs=yes)");
}

static int register_all(struct uring *uring, const struct io_engine_setup *setup, struct err *err)
{
	int rc;

	if (setup->registered_files != IO_NO) {
		rc = io_uring_register_files(&uring->ring, setup->files, setup->nfiles);
		uring->registered_files = rc == 0;
		if (rc && setup->registered_files == IO_YES)
			return err_sys(err, -rc, "registering files (registerfiles=yes)");
	}
	if (setup->fixed_buffers != IO_NO) {
		rc = register_buffers(uring, setup);
		uring->fixed_buffers = rc == 0;
		if (rc && setup->fixed_buffers == IO_YES)
			return no_buffers(-rc, setup->arena_size, err);
	}
	return 0;
}

static void uring_close(void *state)
{
	struct uring *uring = state;

	io_uring_queue_exit(&uring->ring);
	free(uring);
}

static int open_ring(const struct io_engine_setup *setup, bool nop, void **state, struct err *err)
{
	struct uring *uring;
	int rc;

	if (setup->depth > MAX_DEPTH)
		return err_usage(err, "io_uring holds %u IOs a worker, not %u: more workers, or "
				 "less of iodepth or devices", MAX_DEPTH, setup->depth);
	uring = xcalloc(1, sizeof(*uring));
	uring->files = setup->files;
	uring->arena = setup->arena;
	uring->nop = nop;
	uring->sqpoll = setup->sqpoll;
	uring->iopoll = setup->iopoll;
	rc = make_ring(uring, setup);
	if (rc) {
		free(uring);
		return refused(-rc, err);
	}
	rc = nop ? 0 : register_all(uring, setup, err);
	if (rc) {
		uring_close(uring);
		return rc;
	}
	*state = uring;
	return 0;
}

static int uring_open(const struct io_engine_setup *setup, void **state, struct err *err)
{
	return open_ring(setup, false, state, err);
}

static int nop_open(const struct io_engine_setup *setup, void **state, struct err *err)
{
	return open_ring(setup, true, state, err);
}

static void prepare_transfer(const struct uring *uring, const struct io_unit *unit, int fd,
			     struct io_uring_sqe *sqe)
{
	int piece = (int)((uint64_t)(unit->buffer - uring->arena) / MAX_BUFFER);

	if (unit->op == IO_READ && uring->fixed_buffers)
		io_uring_prep_read_fixed(sqe, fd, unit->buffer, unit->length, unit->offset, piece);
	else if (unit->op == IO_READ)
		io_uring_prep_read(sqe, fd, unit->buffer, unit->length, unit->offset);
	else if (uring->fixed_buffers)
		io_uring_prep_write_fixed(sqe, fd, unit->buffer, unit->length, unit->offset, piece);
	else
		io_uring_prep_write(sqe, fd, unit->buffer, unit->length, unit->offset);
}

static void uring_queue(void *state, struct io_unit *unit)
{
	struct uring *uring = state;
	/* never NULL: as many entries as units, and all are handed over by each submit */
	struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring);
	int fd = uring->registered_files ? (int)unit->file : uring->files[unit->file];

	if (uring->nop)
		io_uring_prep_nop(sqe);
	else if (unit->op == IO_SYNC)
		io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
	else
		prepare_transfer(uring, unit, fd, sqe);
	if (uring->registered_files && !uring->nop)
		sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(sqe, unit);
}

static int uring_submit(void *state)
{
	struct uring *uring = state;
	int rc = uring->defer ? io_uring_submit_and_get_events(&uring->ring) :
				io_uring_submit(&uring->ring);

	/* the completion queue is full, or memory is short: take completions first */
	return rc == -EBUSY || rc == -EAGAIN || rc == -EINTR ? 0 : rc;
}

static int wait_for(struct uring *uring, unsigned int n, int64_t timeout_ns)
{
	struct __kernel_timespec ts = {
		.tv_sec = timeout_ns / NS_PER_S,
		.tv_nsec = timeout_ns % NS_PER_S,
	};
	struct io_uring_cqe *cqe;
	int rc;

	if (timeout_ns >= 0 && !(uring->ring.features & IORING_FEAT_EXT_ARG)) {
		/* before Linux 5.11 liburing would put a request of its own into the ring */
		clock_sleep_ns(timeout_ns < POLL_NS ? timeout_ns : POLL_NS);
		return 0;
	}
	do
		rc = timeout_ns < 0 ? io_uring_wait_cqe_nr(&uring->ring, &cqe, n) :
				      io_uring_wait_cqes(&uring->ring, &cqe, n, &ts, NULL);
	while (rc == -EINTR && timeout_ns < 0);
	return rc == -ETIME || rc == -EINTR || rc == -EAGAIN ? 0 : rc;
}

/* What is in the queue of completions. It cannot overflow: it has more places than units. */
static unsigned int take(struct uring *uring, struct io_done *done, unsigned int max)
{
	struct io_uring_cqe *cqe;
	unsigned int head, n = 0;

	io_uring_for_each_cqe(&uring->ring, head, cqe) {
		struct io_unit *unit = io_uring_cqe_get_data(cqe);

		if (n == max)
			break;
		done[n].unit = unit;
		done[n++].result = uring->nop ? (int64_t)unit->length : cqe->res;
	}
	io_uring_cq_advance(&uring->ring, n);
	return n;
}

static int uring_reap(void *state, unsigned int min, int64_t timeout_ns, struct io_done *done,
		      unsigned int max)
{
	struct uring *uring = state;
	unsigned int n = take(uring, done, max);
	int rc;

	if (n >= min)
		return (int)n;
	rc = wait_for(uring, min - n, timeout_ns);
	return rc ? rc : (int)(n + take(uring, done + n, max - n));
}

static void uring_describe(const void *state, char *out, size_t size)
{
	const struct uring *uring = state;

	snprintf(out, size, "%s%s%s%s%s%s", uring->fixed_buffers ? "fixedbufs " : "",
		 uring->registered_files ? "registerfiles " : "",
		 uring->defer ? "defer_taskrun " : "", uring->coop ? "coop_taskrun " : "",
		 uring->sqpoll ? "sqthread_poll " : "", uring->iopoll ? "hipri " : "");
	if (*out)
		out[strlen(out) - 1] = '\0';
}

const struct io_engine io_engine_uring = {
	.name = "io_uring",
	.summary = "a ring a worker, with registered files and fixed buffers where they can be had",
	.check = uring_check,
	.open = uring_open,
	.close = uring_close,
	.queue = uring_queue,
	.submit = uring_submit,
	.reap = uring_reap,
	.describe = uring_describe,
};

const struct io_engine io_engine_nop = {
	.name = "nop",
	.summary = "requests that do nothing through io_uring: what storm and ring cost",
	.touches_nothing = true,
	.check = uring_check,
	.open = nop_open,
	.close = uring_close,
	.queue = uring_queue,
	.submit = uring_submit,
	.reap = uring_reap,
	.describe = uring_describe,
};
