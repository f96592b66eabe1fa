// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_COMM_NAMES_H
#define BRUNT_TRACERS_COMM_NAMES_H

#include <stdint.h>

/*
 * Command names of the pids in a trace: what the kernel noted while it traced (saved_cmdlines of
 * tracefs, the last 128 or more), else /proc/PID/comm of those that still live.
 */
struct comm_names;

struct comm_names *comm_names_read(int tracefs); /* without saved_cmdlines: of /proc alone */
void comm_names_free(struct comm_names *names);

/* NULL where it is not known; valid until the next call. */
const char *comm_names_get(struct comm_names *names, uint32_t pid);

#endif
