// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISK_MEMORY_H
#define BRUNT_MACHINE_DISK_MEMORY_H

#include "base/err.h"
#include "base/words.h"
#include "machine/target.h"

/*
 * Disks on which a session of this machine left file systems of its own (leave=yes): they need no
 * further word to be overwritten. In /var/lib/brunt/disks, a line of JSON each {id, name,
 * size_bytes, session}, synced; the file goes with its last line. id as machine/disk_identity.h has
 * it, may be NULL.
 */
int disk_memory_add(const struct target_device *device, const char *id, const char *session,
		    struct err *err);

/* The sessions whose UUIDs may be on it; disk_token() tells. */
void disk_memory_sessions(const struct target_device *device, const char *id, struct words *out);

/* It was wiped. */
void disk_memory_forget(const struct target_device *device, const char *id);

#endif
