// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_EVIDENCE_H
#define BRUNT_MACHINE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Signs that a run was disturbed, which no metric shows: looked at before and after it. What
 * cannot be seen here is unknown and no sign.
 */
struct evidence {
	int64_t running;    /* tasks that ran or wanted to just before, without us; -1: unknown */
	int64_t throttled;  /* how often CPUs were slowed for heat; -1: unknown */
	int64_t max_khz;    /* of the fastest CPU when the work had just ended; -1: unknown */
	size_t warnings;    /* of the kernel, at level warning or worse */
	char first_warning[160];

	int kmsg; /* of the looks themselves */
	int64_t throttled_before;
};

void evidence_begin(struct evidence *evidence);
void evidence_worked(struct evidence *evidence); /* right after the work */
void evidence_end(struct evidence *evidence);

/*
 * One record of /dev/kmsg: the message of a kernel warning, which ends at *len; NULL: it is from a
 * program, or less than a warning.
 */
const char *evidence_kernel_warning(const char *record, size_t *len);

#endif
