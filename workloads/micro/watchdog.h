// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_WATCHDOG_H
#define BRUNT_WORKLOADS_MICRO_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Of the process that measures: what waits for a partner that does not answer must not wait for
 * ever. Once the time is over, SIGALRM interrupts system calls that block, again each second, and
 * who would go on after EINTR asks micro_watchdog_is_over(). Costs a system call a batch and
 * nothing while it is timed.
 */

/* From now on; once more: anew. 0: never. */
void micro_watchdog_set(int64_t ns);
bool micro_watchdog_is_over(void);

#endif
