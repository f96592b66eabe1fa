// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_EXCLUSIVE_H
#define BRUNT_MACHINE_EXCLUSIVE_H

#include <sys/types.h>

/*
 * One measurement at a time on a machine: two would measure each other. The mark is an abstract
 * socket, which the kernel drops when its owner dies and which every user sees.
 */

/* A descriptor to keep, or -EADDRINUSE with the owner's pid (0: unknown) in *owner. */
int exclusive_take(pid_t *owner);

#endif
