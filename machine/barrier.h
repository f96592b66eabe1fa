// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_BARRIER_H
#define BRUNT_MACHINE_BARRIER_H

#include <stdint.h>

/*
 * For processes that go on together, in memory that they share: each waits until all have come.
 * One that goes no further resigns, so that nobody waits for it. And turns: at most so many at
 * work at a time.
 */
struct barrier {
	uint64_t state;	     /* members and those that have come, in 32 bits each */
	uint32_t generation; /* futex */
	uint32_t turns;	     /* futex: that are free; UINT32_MAX: no limit */
};

/* In a mapping shared with the children that fork later; NULL without memory. */
struct barrier *barrier_new(void);
void barrier_free(struct barrier *barrier);

/* For a new run, when nobody is in it. turns 0: no limit. */
void barrier_reset(struct barrier *barrier, uint32_t members, uint32_t turns);

void barrier_wait(struct barrier *barrier);
void barrier_resign(struct barrier *barrier);

void barrier_take_turn(struct barrier *barrier);
void barrier_end_turn(struct barrier *barrier);

#endif
