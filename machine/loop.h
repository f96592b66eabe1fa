// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_LOOP_H
#define BRUNT_MACHINE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/target.h"
#include "machine/undo.h"

/*
 * Loop devices of our own over unlinked backing files. The kernel undoes them when we die: the
 * files have no name, the devices LO_FLAGS_AUTOCLEAR and a descriptor that only we hold.
 * Device nodes (/dev/loopN) that we had to add stand in the undo journal and are removed.
 * While the set lives it holds an flock on each whole device, which keeps udev away.
 */
struct loop_spec {
	size_t count;
	uint64_t size;		 /* bytes of each, a multiple of block_size */
	const char *folder;	 /* where the backing files live; NULL: memory (tmpfs by memfd) */
	unsigned int block_size; /* logical, 512 or 4096 */
};

struct loop_added {
	unsigned int number, entry; /* of the node, and in the journal */
};

struct loop_set {
	struct target_device *devices; /* count of them */
	int *fds;		       /* O_RDWR descriptors, in the same order */
	int *backing_fds;
	size_t count;
	char *backing_fs; /* "tmpfs", "ext4", ...: the file system under the backing files */
	bool direct_io;	  /* the loop driver reads and writes the backing files directly */
	unsigned int block_size;
	/* implementation's own */
	struct loop_added *added;
	size_t nadded, added_cap;
	char *token;
	struct undo *undo;
};

/*
 * token names us in lo_file_name, which gets TOKEN:INDEX: "brunt:SESSION". Raises the soft limit
 * of open files where needed. On failure nothing is left. -ENOENT with status 77 where loop
 * devices cannot be had.
 */
int loop_set_make(struct loop_set *set, const struct loop_spec *spec, struct undo *undo,
		  const char *token, struct err *err);

/* Every backing file to one hole and every page cache page of the device dropped. */
int loop_set_discard(struct loop_set *set, struct err *err);

/* Drops the device's page cache (BLKFLSBUF). */
int loop_set_flush_cache(struct loop_set *set, struct err *err);

/* Writes out what the backing files hold (fdatasync), where they are on a disk. */
int loop_set_sync_backing(struct loop_set *set, struct err *err);

/*
 * Unbinds, waits until each device is really free, removes added nodes in parallel. What cannot
 * be removed within seconds stays in the journal. An empty set is fine.
 */
void loop_set_release(struct loop_set *set);

#endif
