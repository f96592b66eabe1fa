// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_LOOP_NODE_H
#define BRUNT_MACHINE_LOOP_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* The numbers of loop devices: which are there, which are bound, adding and removing them. */

#define LOOP_NODE_MAX (1u << 20) /* numbers of minor devices */

/* /dev/loop-control; -ENOENT with status 77 where loop devices cannot be had. */
int loop_control_open(struct err *err);

bool loop_node_exists(unsigned int number);
bool loop_node_bound(unsigned int number); /* also while it is being unbound */

/* A line of /sys/block/loopNUMBER/NAME as a number; 0: not there. */
uint64_t loop_node_attribute(unsigned int number, const char *name);

/*
 * Removes a device that we added. token is what lo_file_name of our devices begins with, before
 * a colon. A device that udev looks at, or that is being unbound, is waited for until end_ns
 * (CLOCK_MONOTONIC). 0; -ENODEV: there is none; -EADDRINUSE: bound by somebody else, so it is
 * theirs now; -EBUSY: still bound by us or held open; another negative errno.
 */
int loop_node_remove(int control, unsigned int number, const char *token, int64_t end_ns);

#endif
