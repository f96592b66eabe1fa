// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISK_SET_H
#define BRUNT_MACHINE_DISK_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/words.h"
#include "machine/guard.h"
#include "machine/target.h"
#include "machine/undo.h"

/*
 * Disks that the user named and that the guard let pass, held with an flock for as long as they
 * are ours. All sets of a process that name the same disk share it: the guard looks at it for the
 * first one, and the last one wipes it, so that it passes again. Each stands in the undo journal
 * on disk from before the first write to after that.
 *
 * Whatever does IO is done by children, a disk each: one that hangs costs a deadline, not us.
 */
struct disk_set {
	struct target_device *devices; /* count of them */
	size_t count;
	/* implementation's own */
	struct disk **disks;
	char *session;
	struct undo *undo;
	enum disk_reset reset;
};

struct disk_site {
	const char *session; /* id */
	struct undo *undo;
	const struct guard_consent *consent;
	bool shared_ok;	     /* see struct guard_request */
	bool leave;	     /* at the end what the last run made stays, and is remembered */
	enum disk_reset reset;
};

/* Can these disks do what reset says? A usage error. */
int disk_set_check_reset(const struct target_device *devices, size_t count, enum disk_reset reset,
			 struct err *err);

/*
 * names as the user wrote them (machine/disk_names.h). Errors as guard_devices(), and -EINVAL where
 * a disk cannot do what reset says; on failure nothing is left.
 */
int disk_set_take(struct disk_set *set, const struct words *names, const struct disk_site *site,
		  struct err *err);

/*
 * The same state for each run: both ends zeroed, what is between as reset says, nothing of it in
 * the page cache.
 */
int disk_set_reset(struct disk_set *set, struct err *err);

/* Drops the disks' page cache (BLKFLSBUF). */
int disk_set_flush_cache(struct disk_set *set, struct err *err);

/* What the guard found on disk i, and may go: "" where there was nothing, or what was ours. */
const char *disk_set_overwritten(const struct disk_set *set, size_t i);

/* What names disk i for good; NULL: nothing. */
const char *disk_set_id(const struct disk_set *set, size_t i);

/*
 * What cannot be wiped (it hangs, or is still in use) stays in the journal, and so does what
 * bears something of others by now, which is left alone. An empty set is fine.
 */
void disk_set_release(struct disk_set *set);

#endif
