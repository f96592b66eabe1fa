// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/barrier.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_LIMIT UINT32_MAX

/* Not FUTEX_PRIVATE_FLAG: the waiters are other processes. */
static void sleep_while(uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void wake(uint32_t *word, int n)
{
	syscall(SYS_futex, word, FUTEX_WAKE, n, NULL, NULL, 0);
}

struct barrier *barrier_new(void)
{
	struct barrier *barrier = mmap(NULL, sizeof(*barrier), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return barrier == MAP_FAILED ? NULL : barrier;
}

void barrier_free(struct barrier *barrier)
{
	if (barrier)
		munmap(barrier, sizeof(*barrier));
}

void barrier_reset(struct barrier *barrier, uint32_t members, uint32_t turns)
{
	__atomic_store_n(&barrier->state, (uint64_t)members << 32, __ATOMIC_SEQ_CST);
	__atomic_store_n(&barrier->turns, turns ? turns : NO_LIMIT, __ATOMIC_SEQ_CST);
}

/*
 * Members fall by less, comers grow by more. True where that made both equal: then the comers are
 * 0 again, and all may go on.
 */
static bool change(struct barrier *barrier, uint32_t less, uint32_t more)
{
	uint64_t is = __atomic_load_n(&barrier->state, __ATOMIC_SEQ_CST), becomes;
	bool all;

	do {
		uint32_t members = (uint32_t)(is >> 32) - less, come = (uint32_t)is + more;

		all = members == come;
		becomes = (uint64_t)members << 32 | (all ? 0 : come);
	} while (!__atomic_compare_exchange_n(&barrier->state, &is, becomes, false,
					      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return all;
}

static void let_go(struct barrier *barrier)
{
	__atomic_add_fetch(&barrier->generation, 1, __ATOMIC_SEQ_CST);
	wake(&barrier->generation, INT_MAX);
}

void barrier_wait(struct barrier *barrier)
{
	/* Read before: it changes only when all have come. */
	uint32_t generation = __atomic_load_n(&barrier->generation, __ATOMIC_SEQ_CST);

	if (change(barrier, 0, 1)) {
		let_go(barrier);
		return;
	}
	while (__atomic_load_n(&barrier->generation, __ATOMIC_SEQ_CST) == generation)
		sleep_while(&barrier->generation, generation);
}

void barrier_resign(struct barrier *barrier)
{
	if (change(barrier, 1, 0))
		let_go(barrier);
}

void barrier_take_turn(struct barrier *barrier)
{
	uint32_t free = __atomic_load_n(&barrier->turns, __ATOMIC_SEQ_CST);

	while (free != NO_LIMIT) {
		if (!free) {
			sleep_while(&barrier->turns, 0);
			free = __atomic_load_n(&barrier->turns, __ATOMIC_SEQ_CST);
		} else if (__atomic_compare_exchange_n(&barrier->turns, &free, free - 1, false,
						       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			return;
		}
	}
}

void barrier_end_turn(struct barrier *barrier)
{
	if (__atomic_load_n(&barrier->turns, __ATOMIC_SEQ_CST) == NO_LIMIT)
		return;
	__atomic_add_fetch(&barrier->turns, 1, __ATOMIC_SEQ_CST);
	wake(&barrier->turns, 1);
}
