// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_ZRAM_H
#define BRUNT_MACHINE_ZRAM_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/target.h"
#include "machine/undo.h"

/*
 * RAM disks of our own by zram, which holds what is written compressed. Each is added for us, so
 * that none of others is touched, stands in the undo journal (kind "zram" {number, diskseq}), and is
 * removed at the end. The kernel does not undo them when we die. While the set lives it holds an
 * flock on each, which keeps udev away.
 */
struct zram_set {
	struct target_device *devices; /* count of them */
	int *fds;		       /* O_RDWR descriptors, in the same order */
	size_t count;
	char *algorithm; /* of compression; NULL: unknown */
	/* implementation's own */
	unsigned int *entries; /* in the journal */
	struct undo *undo;
};

/* size in bytes, a multiple of 4096. Status 77 where the kernel has no zram. */
int zram_set_make(struct zram_set *set, size_t count, uint64_t size, struct undo *undo,
		  struct err *err);

/* Gives the memory back: everything discarded, nothing in the page cache. */
int zram_set_discard(struct zram_set *set, struct err *err);

/* Drops the devices' page cache (BLKFLSBUF). */
int zram_set_flush_cache(struct zram_set *set, struct err *err);

/* What cannot be removed within seconds stays in the journal. An empty set is fine. */
void zram_set_release(struct zram_set *set);

/* As struct undo_kind has it. */
int zram_undo(const json_t *entry, bool dry, char **did, struct err *err);

#endif
