// SPDX-License-Identifier: GPL-3.0-or-later
/* What lmbench has no columns for. */
#include <errno.h>
#include <liburing.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/memory.h"
#include "workloads/micro/partner.h"

static int nothing_open(const struct micro_site *site, int variant, void **state, struct err *err)
{
	(void)site;
	(void)variant;
	(void)state;
	(void)err;
	return 0;
}

/* ---- futex ---- */

static int futex_wake_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	uint32_t word = 0;

	(void)state;
	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		if (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) < 0)
			return -errno;
	});
	return 0;
}

const struct micro_ops micro_futex_wake = { nothing_open, futex_wake_batch, NULL };

/* ---- epoll ---- */

enum { WATCHED = 100 };

struct epoll_state {
	int epoll, watched[WATCHED];
};

static void epoll_close(void *p)
{
	struct epoll_state *state = p;

	close_fd(&state->epoll);
	for (size_t i = 0; i < WATCHED; i++)
		close_fd(&state->watched[i]);
	free(state);
}

/* Level-triggered: the ready one stays ready. */
static int watch_all(struct epoll_state *state, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN };

	state->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (state->epoll < 0)
		return micro_no_descriptor(err, errno, "epoll_create1");
	for (unsigned int i = 0; i < WATCHED; i++) {
		state->watched[i] = eventfd(i == 0, EFD_CLOEXEC);
		if (state->watched[i] < 0)
			return micro_no_descriptor(err, errno, "eventfd");
		if (epoll_ctl(state->epoll, EPOLL_CTL_ADD, state->watched[i], &event) < 0)
			return err_sys(err, errno, "epoll_ctl");
	}
	return 0;
}

static int epoll_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct epoll_state *state = xcalloc(1, sizeof(*state));
	int rc;

	(void)site;
	(void)variant;
	state->epoll = -1;
	for (size_t i = 0; i < WATCHED; i++)
		state->watched[i] = -1;
	rc = watch_all(state, err);
	if (rc) {
		epoll_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int epoll_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct epoll_state *state = p;
	struct epoll_event events[WATCHED];

	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		if (epoll_wait(state->epoll, events, WATCHED, 0) != 1)
			return -EIO;
	});
	return 0;
}

const struct micro_ops micro_epoll_wait = { epoll_open, epoll_batch, epoll_close };

/* ---- io_uring ---- */

static void uring_close(void *p)
{
	struct io_uring *ring = p;

	io_uring_queue_exit(ring);
	free(ring);
}

static int uring_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct io_uring *ring = xcalloc(1, sizeof(*ring));
	int rc = io_uring_queue_init(8, ring, 0);

	(void)site;
	(void)variant;
	if (rc < 0) {
		free(ring);
		return err_sys(err, -rc, "io_uring is refused (kernel.io_uring_disabled, seccomp)");
	}
	*ret = ring;
	return 0;
}

static int submit_nop(struct io_uring *ring)
{
	struct io_uring_sqe *entry = io_uring_get_sqe(ring);
	struct io_uring_cqe *completion;
	int rc;

	if (!entry)
		return -EBUSY;
	io_uring_prep_nop(entry);
	rc = io_uring_submit_and_wait(ring, 1);
	if (rc >= 0)
		rc = io_uring_wait_cqe(ring, &completion);
	if (rc < 0)
		return rc;
	rc = completion->res;
	io_uring_cqe_seen(ring, completion);
	return rc;
}

static int uring_batch(void *ring, uint64_t n, struct micro_sample *sample)
{
	int rc;

	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		rc = submit_nop(ring);
		if (rc)
			return rc;
	});
	return 0;
}

const struct micro_ops micro_uring_nop = { uring_open, uring_batch, uring_close };

/* ---- clocks ---- */

static int clock_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	int *state = xmalloc(sizeof(*state));

	(void)site;
	(void)err;
	*state = variant;
	*ret = state;
	return 0;
}

static int clock_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	struct timespec ts;

	sample->n = n;
	if (*(const int *)state == CLOCK_VDSO)
		MICRO_REPEAT(sample->ns, n, clock_gettime(CLOCK_MONOTONIC, &ts));
	else
		MICRO_REPEAT(sample->ns, n, syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts));
	return 0;
}

const struct micro_ops micro_clock = { clock_open, clock_batch, NULL };

/* ---- memory ---- */

static int mmap_munmap_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	size_t size = 4 * (size_t)sysconf(_SC_PAGESIZE);
	void *map;

	(void)state;
	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED || munmap(map, size) < 0)
			return -errno;
	});
	return 0;
}

const struct micro_ops micro_mmap_munmap = { nothing_open, mmap_munmap_batch, NULL };

/* ---- threads ---- */

static void *end_at_once(void *arg)
{
	return arg;
}

static int thread_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	pthread_t thread;
	int rc;

	(void)state;
	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		rc = pthread_create(&thread, NULL, end_at_once, NULL);
		if (rc)
			return -rc;
		pthread_join(thread, NULL);
	});
	return 0;
}

const struct micro_ops micro_thread = { nothing_open, thread_batch, NULL };

/* ---- random numbers ---- */

static int getrandom_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	char bytes[16];

	(void)state;
	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		if (syscall(SYS_getrandom, bytes, sizeof(bytes), 0) != sizeof(bytes))
			return -EIO;
	});
	return 0;
}

const struct micro_ops micro_getrandom = { nothing_open, getrandom_batch, NULL };
