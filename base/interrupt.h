// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_INTERRUPT_H
#define BRUNT_BASE_INTERRUPT_H

/*
 * SIGINT, SIGTERM and SIGHUP as something to look at: the first asks for an orderly stop. The
 * second ends the program in the handler: what was measured is on disk, the kernel undoes mounts,
 * devices and children, and the journal keeps the rest for `brunt clean`. The same signal once
 * more within 200 ms is the first one still. Waiting code polls interrupt_fd() beside what it waits
 * for.
 */
int interrupt_init(void);     /* once, by main, before the first child */
int interrupt_signal(void);   /* the first signal that came, 0: none */
int interrupt_count(void);    /* how many came so far */
int interrupt_fd(void);	      /* readable from the first one on; -1 before interrupt_init() */

/* Sleeps for ns nanoseconds or until an interrupt; -EINTR then. */
int interrupt_sleep_ns(long long ns);

#endif
