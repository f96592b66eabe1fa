// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISK_UNDO_H
#define BRUNT_MACHINE_DISK_UNDO_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "machine/target.h"
#include "machine/undo.h"

/*
 * Disks in the undo journal: kind "disk" {path, name, number, size, diskseq, session}. They are
 * named by path and size and, during the boot of the session, by number and diskseq; and what is on
 * them must be the session's (machine/disk_content.h), or nothing is written.
 */

/* The entry, before anything is written to it. */
int disk_undo_intend(struct undo *undo, const struct target_device *device, const char *session,
		     unsigned int *id, struct err *err);

/* As struct undo_kind has it. */
int disk_undo(const json_t *entry, bool dry, char **did, struct err *err);

/*
 * In a child: wipes a disk that was ours, if what is on it is ours or no signature of others.
 * mark: leaves the session's mark. trust: bytes that no probe knows are ours, as nobody else had
 * the disk meanwhile. -EPERM: it bears something of others.
 */
int disk_undo_wipe(const struct target_device *device, const char *session, bool mark, bool trust,
		   struct err *err);

/* How long wiping n disks at once may take. */
int64_t disk_undo_timeout_ns(size_t n);

#endif
