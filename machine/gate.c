// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/gate.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"

enum { GATE_CLOSED, GATE_OPEN, GATE_GIVEN_UP };

/* Not FUTEX_PRIVATE_FLAG: the waiters are other processes. */
static void wake_all(struct gate *gate)
{
	syscall(SYS_futex, &gate->open, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

struct gate *gate_new(void)
{
	struct gate *gate = mmap(NULL, sizeof(*gate), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return gate == MAP_FAILED ? NULL : gate;
}

void gate_free(struct gate *gate)
{
	if (gate)
		munmap(gate, sizeof(*gate));
}

void gate_reset(struct gate *gate)
{
	gate->opened_ns = 0;
	__atomic_store_n(&gate->ready, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&gate->open, GATE_CLOSED, __ATOMIC_SEQ_CST);
}

int gate_wait(struct gate *gate)
{
	uint32_t state;

	__atomic_add_fetch(&gate->ready, 1, __ATOMIC_SEQ_CST);
	while ((state = __atomic_load_n(&gate->open, __ATOMIC_SEQ_CST)) == GATE_CLOSED)
		syscall(SYS_futex, &gate->open, FUTEX_WAIT, GATE_CLOSED, NULL, NULL, 0);
	return state == GATE_OPEN ? 0 : -ECANCELED;
}

static bool has_ended(idtype_t who, id_t id)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(who, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

int gate_wait_ready(struct gate *gate, uint32_t count, idtype_t who, id_t id, int64_t timeout_ns)
{
	int64_t end = clock_mono_ns() + timeout_ns;

	for (;;) {
		if (interrupt_count()) /* also where all are ready: nothing may begin then */
			return -EINTR;
		if (__atomic_load_n(&gate->ready, __ATOMIC_SEQ_CST) >= count)
			return 0;
		if (has_ended(who, id))
			return -ECHILD;
		if (clock_mono_ns() >= end)
			return -ETIMEDOUT;
		clock_sleep_ns(NS_PER_MS);
	}
}

int64_t gate_open(struct gate *gate)
{
	gate->opened_ns = clock_mono_ns();
	__atomic_store_n(&gate->open, GATE_OPEN, __ATOMIC_SEQ_CST);
	wake_all(gate);
	return gate->opened_ns;
}

void gate_give_up(struct gate *gate)
{
	__atomic_store_n(&gate->open, GATE_GIVEN_UP, __ATOMIC_SEQ_CST);
	wake_all(gate);
}
