// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_ENVIRONMENT_H
#define BRUNT_MACHINE_ENVIRONMENT_H

#include <jansson.h>

#include "base/words.h"

/*
 * What machine and kernel this is: a flat map of dotted keys ("kernel.release", "cpu.model",
 * "memory.total_bytes", "tool.mke2fs") to strings, numbers and booleans; what cannot be read is
 * null, so that every machine has the same keys, but for those of what there can be several of
 * ("mount./", "queue.sda.scheduler", "sysctl.*", "mitigation.*"). uptime_s, load1 and cpu.mhz
 * differ at each reading. Takes some 30 ms and runs `mke2fs -V` and the like: for the main thread only.
 * Belongs to the caller.
 */
json_t *environment_read(void);

/*
 * Adds the file systems that these folders are on, wherever they are mounted, with the queues of
 * their devices: "mount.TARGET" and "queue.DISK.*" as of those that are always there.
 */
void environment_add_places(json_t *map, const struct words *folders);

/* The boot's id, "" where there is none; the host's name. Static memory. */
const char *environment_boot_id(void);
const char *environment_host(void);

#endif
