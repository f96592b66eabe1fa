// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISK_CONTENT_H
#define BRUNT_MACHINE_DISK_CONTENT_H

#include <stdint.h>

#include "base/err.h"

/*
 * What a disk bears: nothing, something of a session of ours, or something of others. All of it
 * reads from the device and may hang with it: to be called in a child (base/fork_each.h).
 */
#define DISK_EDGE (4ULL << 20) /* bytes at both ends that are looked at, and zeroed */
#define DISK_SPREAD 64	       /* blocks of 4 KiB between them, likewise */

/*
 * The first 48 bits of the UUID of each file system that a session makes on a disk: from the
 * SHA-256 of its id. The rest tells run, device and cycle (workloads/storm_uuid.h).
 */
uint64_t disk_token(const char *session);

enum disk_kind {
	DISK_BLANK,	/* no signature; edges and spread blocks full of one and the same byte */
	DISK_OURS,	/* a file system with the session's token, or its mark and no signature */
	DISK_SIGNATURE, /* of a file system, RAID, partition table ...: words say which */
	DISK_DATA,	/* bytes that no probe knows: words say where */
};

struct disk_content {
	enum disk_kind kind;
	char words[128];
};

/* Signatures alone: DISK_BLANK where there is none, whatever else is on it. */
int disk_content_probe(int fd, const char *session, struct disk_content *out, struct err *err);

/*
 * fd is of a block device or a file of size bytes. session NULL: nothing is ours. libblkid
 * looks for signatures; what is ambiguous to it is one.
 */
int disk_content_read(int fd, uint64_t size, const char *session, struct disk_content *out,
		      struct err *err);

/*
 * Zeroes what disk_content_read() looks at, and what file systems keep a second superblock in that
 * is elsewhere, brings that to the disk and drops the device's page cache. With a session
 * its mark stays behind, a line near the end that a file system hardly ever overwrites at once:
 * after a kill in the middle of mkfs it is all that says whose the disk is.
 */
int disk_content_wipe(int fd, uint64_t size, const char *session, struct err *err);

/* How a disk comes to the same state before each run; both ends and the mark as above. */
enum disk_reset {
	DISK_RESET_NONE,    /* no more than that */
	DISK_RESET_DISCARD, /* all that is between is discarded (trimmed) */
	DISK_RESET_ZERO,    /* it is zeroed, by the device itself where it can */
};

/* What is between the ends; nothing on a disk that has nothing there. */
int disk_content_clear(int fd, uint64_t size, enum disk_reset reset, struct err *err);

#endif
