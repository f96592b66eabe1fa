// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_LIMITS_H
#define BRUNT_MACHINE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Is there enough for many devices, before the first is made? Status 77 naming what is short. */

/*
 * So many open files, beside those that are open now: raises the soft limit as far as the hard one
 * goes. what: "1000 disks".
 */
int limits_raise_files(uint64_t need, const char *what, struct err *err);

/* So many more processes: the kernel's pid_max and threads-max, and pids.max of our cgroups. */
int limits_check_processes(uint64_t need, const char *what, struct err *err);

/* So many bytes of memory for them; a tenth of what is available stays free. */
int limits_check_memory(uint64_t need, const char *what, struct err *err);

#endif
