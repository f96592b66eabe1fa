// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/fork_each.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/xalloc.h"

#define PAUSE_NS (1 * NS_PER_MS)
#define KILL_NS (200 * NS_PER_MS) /* how long one that can die takes */

/* What a child leaves, in memory shared with it. */
struct slot {
	int code;
	bool done;
	struct err err;
};

struct children {
	const struct fork_each *each;
	struct slot *slots;
	char *results;
	pid_t *pids; /* 0: reaped, or never started */
};

static void run_child(const struct children *children, size_t i, pid_t parent)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	const struct fork_each *each = children->each;
	struct slot *slot = &children->slots[i];
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpgid(0, 0); /* Ctrl-C is for the parent */
	for (size_t s = 0; s < ARRAY_SIZE(signals); s++)
		signal(signals[s], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	slot->code = each->work(each->arg, i, children->results + i * each->result_size,
				&slot->err);
	slot->done = true;
	_exit(0);
}

static int start_all(struct children *children, struct err *err)
{
	const pid_t parent = getpid();
	sigset_t all, old;
	int rc = 0;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	for (size_t i = 0; !rc && i < children->each->count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			run_child(children, i, parent);
		if (pid < 0)
			rc = err_sys(err, errno, "starting process %zu of %zu", i + 1,
				     children->each->count);
		else
			children->pids[i] = pid;
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return rc;
}

/* True when none is left. */
static bool reap(struct children *children)
{
	bool all = true;

	for (size_t i = 0; i < children->each->count; i++) {
		if (!children->pids[i])
			continue;
		if (waitpid(children->pids[i], NULL, WNOHANG) == 0)
			all = false;
		else
			children->pids[i] = 0;
	}
	return all;
}

/* -ETIMEDOUT, or -EINTR where that may be. */
static int wait_until(struct children *children, int64_t end, bool interruptible)
{
	while (!reap(children)) {
		if (interruptible && interrupt_count())
			return -EINTR;
		if (clock_mono_ns() >= end)
			return -ETIMEDOUT;
		clock_sleep_ns(PAUSE_NS);
	}
	return 0;
}

/* hung: which have not ended by the deadline. */
static int wait_all(struct children *children, bool *hung, struct err *err)
{
	const struct fork_each *each = children->each;
	int rc = wait_until(children, clock_mono_ns() + each->timeout_ns, each->interruptible);

	if (rc == -EINTR)
		return err_set(err, EINTR, "interrupted");
	for (size_t i = 0; rc && i < each->count; i++)
		hung[i] = children->pids[i] != 0;
	return 0;
}

static void kill_all(struct children *children)
{
	for (size_t i = 0; i < children->each->count; i++)
		if (children->pids[i])
			kill(children->pids[i], SIGKILL);
	wait_until(children, clock_mono_ns() + KILL_NS, false);
}

static void collect(const struct children *children, const bool *hung, struct fork_results *out)
{
	for (size_t i = 0; i < out->count; i++) {
		const struct slot *slot = &children->slots[i];

		if (hung[i]) {
			out->codes[i] = -ETIMEDOUT;
			err_set(&out->errs[i], ETIMEDOUT, "no answer within %lld s",
				(long long)(children->each->timeout_ns / NS_PER_S));
		} else if (!slot->done) {
			out->codes[i] = -ECHILD;
			err_set(&out->errs[i], ECHILD, "the process that looked at it died");
		} else {
			out->codes[i] = slot->code;
			out->errs[i] = slot->err;
		}
	}
}

int fork_each(const struct fork_each *each, struct fork_results *out, struct err *err)
{
	size_t slots_size = (each->count * sizeof(struct slot) + 63) / 64 * 64;
	size_t size = slots_size + each->count * each->result_size;
	struct children children = { .each = each };
	struct fork_results results = { .count = each->count, .map_size = size };
	auto_free bool *hung = xcalloc(each->count, sizeof(*hung));
	auto_free pid_t *pids = xcalloc(each->count, sizeof(*pids));
	int rc;

	*out = (struct fork_results){ 0 };
	if (!each->count)
		return 0;
	results.map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results.map == MAP_FAILED)
		return err_sys(err, errno, "memory shared with %zu processes", each->count);
	children.slots = results.map;
	children.results = (char *)results.map + slots_size;
	children.pids = pids;
	rc = start_all(&children, err);
	if (!rc)
		rc = wait_all(&children, hung, err);
	kill_all(&children);
	results.codes = xcalloc(each->count, sizeof(*results.codes));
	results.errs = xcalloc(each->count, sizeof(*results.errs));
	results.results = children.results;
	collect(&children, hung, &results);
	if (rc)
		fork_each_release(&results);
	else
		*out = results;
	return rc;
}

void fork_each_release(struct fork_results *results)
{
	if (results->map)
		munmap(results->map, results->map_size);
	free(results->codes);
	free(results->errs);
	*results = (struct fork_results){ 0 };
}

int fork_each_first(const struct fork_results *results, struct err *err)
{
	for (size_t i = 0; i < results->count; i++) {
		if (!results->codes[i])
			continue;
		if (err)
			*err = results->errs[i];
		return results->codes[i];
	}
	return 0;
}
