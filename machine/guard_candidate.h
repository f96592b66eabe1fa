// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_GUARD_CANDIDATE_H
#define BRUNT_MACHINE_GUARD_CANDIDATE_H

#include "machine/guard.h"

/* For guard.c and guard_read.c: what is known of one device while it is looked at. */
struct guard_candidate {
	struct guarded guarded;
	struct guard_finding finding;
	char *shown; /* the path as messages show it */
	char *whole; /* the disk that it is a partition of; NULL: it is a whole one */
	bool overwrite; /* what is on it may go, too */
};

/* One for each name; the caller frees them by guard_candidates_end(). */
struct guard_candidate *guard_candidates_new(const struct words *names);

/* Hands the guarded over to out, or lets them go where that is NULL. */
void guard_candidates_end(struct guard_candidate *candidates, size_t n, struct guarded *out);

void guard_candidate_find(struct guard_candidate *candidate, enum guard_reason reason,
			  const char *detail);

/*
 * The two steps of finding out which device it is: number, the kernel's name and disk; then path,
 * size and identity. False: the reason why not is found.
 */
bool guard_candidate_name(struct guard_candidate *candidate);
bool guard_candidate_describe(struct guard_candidate *candidate);

/* -EPERM as guard_devices() has it where one is unfit. */
int guard_candidates_refuse(const struct guard_candidate *candidates, size_t n,
			    struct words *lines, struct err *err);

#endif
