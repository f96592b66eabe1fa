// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_FORK_EACH_H
#define BRUNT_BASE_FORK_EACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Work that may hang in the kernel for good, as all IO of a device that does not answer: done by
 * a child process an item, all at once, so that whoever waits can turn away.
 */
struct fork_each {
	size_t count;
	/*
	 * In the child. result points to result_size bytes, zeroed, that the caller reads later.
	 * 0 or a negative errno with text in err.
	 */
	int (*work)(void *arg, size_t i, void *result, struct err *err);
	void *arg;
	size_t result_size; /* bytes; 0: none */
	int64_t timeout_ns; /* for all of them */
	bool interruptible; /* an interrupt (base/interrupt.h) ends it: for what takes long */
};

/* What became of the items; released by fork_each_release(). */
struct fork_results {
	size_t count;
	int *codes;	/* what work returned; -ETIMEDOUT: it hangs; -ECHILD: it died */
	struct err *errs;
	char *results;	/* shared with children that hang: do not trust theirs */
	/* implementation's own */
	void *map;
	size_t map_size;
};

/*
 * 0 when all children were started, whatever became of them; -EINTR where an interrupt ended it.
 * Children that are not done then, or in time, get SIGKILL and are left to themselves: they keep
 * what they have open until they die.
 * To be called by the main thread only (PR_SET_PDEATHSIG).
 */
int fork_each(const struct fork_each *each, struct fork_results *out, struct err *err);
void fork_each_release(struct fork_results *results);

/* The first code that is not 0, with its text in err; 0: all went well. */
int fork_each_first(const struct fork_results *results, struct err *err);

#endif
