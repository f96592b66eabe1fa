// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_POOL_H
#define BRUNT_BASE_POOL_H

#include <stddef.h>

/*
 * Work that waits in the kernel rather than computes, done by several threads: job(arg, i) once
 * for each i below n, in no order; all are done on return. Signals stay the main thread's. A job
 * must not fork: children die with the thread that made them.
 */
enum { POOL_THREADS = 16 };
void pool_run(void (*job)(void *arg, size_t i), void *arg, size_t n);

#endif
