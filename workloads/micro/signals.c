// SPDX-License-Identifier: GPL-3.0-or-later
/* Signals to oneself, and faults that become one. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "workloads/micro/bench.h"

static void on_signal(int number)
{
	(void)number;
}

static int install(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	return sigaction(SIGUSR1, &action, NULL) < 0 ? -errno : 0;
}

static int signal_open(const struct micro_site *site, int variant, void **state, struct err *err)
{
	(void)site;
	(void)variant;
	(void)state;
	return install() ? err_sys(err, errno, "sigaction") : 0;
}

static int sig_install_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	struct sigaction action = { .sa_handler = on_signal }, old;

	(void)state;
	sample->n = n;
	MICRO_REPEAT(sample->ns, n, if (sigaction(SIGUSR1, &action, &old) < 0) return -errno);
	return 0;
}

const struct micro_ops micro_sig_install = { signal_open, sig_install_batch, NULL };

/* The handler runs before kill returns, since the signal is for the caller. */
static int sig_handle_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	pid_t self = getpid();

	(void)state;
	sample->n = n;
	MICRO_REPEAT(sample->ns, n, if (kill(self, SIGUSR1) < 0) return -errno);
	MICRO_REPEAT(sample->minus_ns, n, if (kill(self, 0) < 0) return -errno);
	return 0;
}

const struct micro_ops micro_sig_handle = { signal_open, sig_handle_batch, NULL };

/* ---- a write to a page that cannot be written ---- */

static uint64_t faults_left;
static sigjmp_buf behind_faults;

/* Where it returns, the write is tried again and faults again. */
static void on_fault(int number)
{
	(void)number;
	if (!--faults_left)
		siglongjmp(behind_faults, 1);
}

static int prot_fault_open(const struct micro_site *site, int variant, void **ret,
			   struct err *err)
{
	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)site;
	(void)variant;
	if (page == MAP_FAILED || install())
		return err_sys(err, errno, "a page");
	*(volatile char *)page; /* it is there, so that the fault is for its protection */
	*ret = page;
	return 0;
}

static void prot_fault_close(void *page)
{
	munmap(page, (size_t)sysconf(_SC_PAGESIZE));
}

static int prot_fault_batch(void *page, uint64_t n, struct micro_sample *sample)
{
	struct sigaction action = { .sa_handler = on_fault }, old;
	volatile int64_t start_ns;
	struct micro_sample handled = { 0 };
	int rc;

	sigaction(SIGSEGV, &action, &old);
	faults_left = n;
	start_ns = clock_mono_ns();
	if (!sigsetjmp(behind_faults, 1))
		*(volatile char *)page = 1;
	sample->ns = clock_mono_ns() - start_ns;
	sigaction(SIGSEGV, &old, NULL);
	rc = sig_handle_batch(NULL, n, &handled);
	sample->n = n;
	sample->minus_ns = handled.ns - handled.minus_ns;
	return rc;
}

const struct micro_ops micro_prot_fault = { prot_fault_open, prot_fault_batch, prot_fault_close };
