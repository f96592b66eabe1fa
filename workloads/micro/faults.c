// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Page faults, counted by the kernel (ru_minflt): a fault of a file's page maps those around it,
 * so that pages touched and faults taken are not the same number.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/partner.h"
#include "workloads/micro/site.h"

enum { HUGE_PAGE = 2 << 20, HUGE_PAGES = 8, ANON_PAGES = 1024 };

static int64_t faults_taken(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_minflt;
}

/* ---- of a file ---- */

struct file_fault_state {
	int fd;
	size_t page, npages, *order; /* a random one, since read-ahead and neighbours would help */
};

static void file_fault_close(void *p)
{
	struct file_fault_state *state = p;

	close_fd(&state->fd);
	free(state->order);
	free(state);
}

static int file_fault_open(const struct micro_site *site, int variant, void **ret,
			   struct err *err)
{
	struct file_fault_state *state;
	auto_free char *path = NULL;

	(void)variant;
	if (!site->folder)
		return err_set(err, ENOENT, "%s", site->folder_reason);
	path = files_join(site->folder, MICRO_FAULT_FILE);
	state = xcalloc(1, sizeof(*state));
	state->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (state->fd < 0) {
		int rc = micro_no_descriptor(err, errno, path);

		file_fault_close(state);
		return rc;
	}
	state->page = (size_t)sysconf(_SC_PAGESIZE);
	state->npages = MICRO_FAULT_FILE_SIZE / state->page;
	state->order = micro_shuffled(state->npages);
	*ret = state;
	return 0;
}

/*
 * Maps the file anew for each pass over its pages; only touching them is timed. Whole passes: how
 * many neighbours are there already depends on how many pages were touched before.
 */
static int touch_file(struct file_fault_state *state, uint64_t n, int64_t *ns, uint64_t *touched,
		      uint64_t *faults)
{
	size_t size = state->npages * state->page;

	for (uint64_t done = 0; done < n; done += state->npages) {
		char *map = mmap(NULL, size, PROT_READ, MAP_SHARED, state->fd, 0);
		int64_t before;

		if (map == MAP_FAILED)
			return -errno;
		before = faults_taken();
		MICRO_REPEAT(*ns, state->npages,
			     *(volatile char *)(map + state->order[i_] * state->page));
		*faults += (uint64_t)(faults_taken() - before);
		munmap(map, size);
		*touched += state->npages;
	}
	return 0;
}

static int page_fault_file_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	uint64_t touched = 0;

	return touch_file(state, n, &sample->ns, &touched, &sample->n);
}

static int page_touch_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	uint64_t faults = 0;

	return touch_file(state, n, &sample->ns, &sample->n, &faults);
}

const struct micro_ops micro_page_fault_file = { file_fault_open, page_fault_file_batch,
						 file_fault_close };
const struct micro_ops micro_page_touch = { file_fault_open, page_touch_batch, file_fault_close };

/* ---- anonymous ---- */

struct anon_state {
	char *map, *start;
	size_t size, used, step;
};

static void anon_close(void *p)
{
	struct anon_state *state = p;

	munmap(state->map, state->size);
	free(state);
}

static int anon_open(size_t used, size_t step, int advice, void **ret, struct err *err)
{
	struct anon_state *state = xcalloc(1, sizeof(*state));
	size_t over;

	state->used = used;
	state->step = step;
	state->size = used + HUGE_PAGE;
	state->map = mmap(NULL, state->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	if (state->map == MAP_FAILED) {
		free(state);
		return err_sys(err, errno, "memory");
	}
	over = (size_t)state->map % HUGE_PAGE;
	state->start = state->map + (over ? HUGE_PAGE - over : 0);
	/* EINVAL: a kernel without huge pages, which has small ones for sure */
	if (madvise(state->start, used, advice) < 0 && advice == MADV_HUGEPAGE) {
		int rc = err_sys(err, errno, "huge pages");

		anon_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int small_open(const struct micro_site *site, int variant, void **state, struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)site;
	(void)variant;
	return anon_open(ANON_PAGES * page, page, MADV_NOHUGEPAGE, state, err);
}

/* Each touch of a step was to bring all of it: its last page is there, too. */
static bool are_whole(const struct anon_state *state, uint64_t steps)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char there = 0;

	for (uint64_t i = 0; i < steps; i++)
		if (mincore(state->start + (i + 1) * state->step - page, page, &there) < 0 ||
		    !(there & 1))
			return false;
	return true;
}

/*
 * The pages are given back untimed after each pass. A pass in which the kernel ran out of huge
 * pages and gave small ones does not count.
 */
static int touch_anon(struct anon_state *state, uint64_t n, struct micro_sample *sample)
{
	size_t steps = state->used / state->step;

	for (uint64_t left = n; left;) {
		uint64_t now = left < steps ? left : steps;
		int64_t before = faults_taken(), ns = 0;

		MICRO_REPEAT(ns, now, *(volatile char *)(state->start + i_ * state->step) = 1);
		if (are_whole(state, now)) {
			sample->ns += ns;
			sample->n += (uint64_t)(faults_taken() - before);
		}
		if (madvise(state->start, state->used, MADV_DONTNEED) < 0)
			return -errno;
		left -= now;
	}
	return sample->n ? 0 : -ENOMEM;
}

static int small_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	return touch_anon(state, n, sample);
}

const struct micro_ops micro_page_fault_anon = { small_open, small_batch, anon_close };

/* A touch of each small page tells: a huge page is one fault. */
static int64_t faults_of_huge_page(const struct anon_state *state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int64_t before = faults_taken();

	for (size_t at = 0; at < HUGE_PAGE; at += page)
		*(volatile char *)(state->start + at) = 1;
	return faults_taken() - before;
}

static int huge_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct anon_state *state;
	void *opened = NULL;
	int rc = anon_open(HUGE_PAGES * (size_t)HUGE_PAGE, HUGE_PAGE, MADV_HUGEPAGE, &opened, err);

	(void)site;
	(void)variant;
	if (rc)
		return rc;
	state = opened;
	if (faults_of_huge_page(state) != 1) {
		anon_close(state);
		return err_set(err, ENOTSUP, "memory was not given huge pages of 2 MiB "
					     "(transparent_hugepage/enabled, fragmentation)");
	}
	madvise(state->start, state->used, MADV_DONTNEED);
	*ret = state;
	return 0;
}

static int huge_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	return touch_anon(state, n, sample);
}

const struct micro_ops micro_page_fault_huge = { huge_open, huge_batch, anon_close };
