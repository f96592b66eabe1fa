// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISK_UNDO_H
#define BRUNT_MACHINE_DISK_UNDO_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "machine/disk_content.h"
#include "machine/target.h"
#include "machine/undo.h"

/*
 * Disks in the undo journal: kind "disk" {path, name, number, size, diskseq, wwid, session}. During
 * the boot of the session they are found by number and diskseq; in another one, or where that is
 * another disk by now, by what names them for good (machine/disk_identity.h), wherever they are
 * then; what nothing names, in another boot by size, the old path first. And what is on them must
 * be the session's (machine/disk_content.h), or nothing is written.
 */

/* The entry, before anything is written to it. id may be NULL. */
int disk_undo_intend(struct undo *undo, const struct target_device *device, const char *id,
		     const char *session, unsigned int *entry, struct err *err);

/* As struct undo_kind has it. */
int disk_undo(const json_t *entry, bool dry, char **did, struct err *err);

struct disk_wipe {
	const char *session;
	bool mark;  /* leaves the session's mark */
	bool trust; /* bytes that no probe knows are ours, as nobody else had the disk meanwhile */
	const struct disk_content *known; /* what may be lost besides; NULL: nothing */
	enum disk_reset reset;
};

/*
 * In a child: wipes a disk that was ours, if what is on it is ours, known, or no signature of
 * others. -EPERM: it bears something of others. -ENODEV: it is another disk now.
 */
int disk_undo_wipe(const struct target_device *device, const struct disk_wipe *wipe,
		   struct err *err);

/* How long wiping n disks at once may take, the largest of size bytes. */
int64_t disk_undo_timeout_ns(size_t n, uint64_t size, enum disk_reset reset);

#endif
