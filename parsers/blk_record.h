// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_BLK_RECORD_H
#define BRUNT_PARSERS_BLK_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A record of a block trace: struct blk_io_trace (version 7, 48 bytes) and blk_io_trace2
 * (version 8, 64 bytes) of linux/blktrace_api.h, each followed by pdu_len bytes without any
 * alignment. A file is in the byte order of the machine that wrote it; the magic says which.
 *
 *	   v7  v8                            v7  v8
 *	    0   0  u32 magic                 32  28  u32 pid
 *	    4   4  u32 sequence              36  40  u32 device (major << 20 | minor)
 *	    8   8  u64 time, ns              40  44  u32 cpu
 *	   16  16  u64 sector, 512 bytes     44  48  u16 error
 *	   24  24  u32 bytes                 46  50  u16 pdu_len
 *	   28  32  u32 action (v8: u64)          52  12 bytes of padding
 */
#define BLK_RECORD_MAGIC 0x65617400u /* with the version in the low byte */
#define BLK_RECORD_HEADER_MAX 64

/* The low byte of an action; bit 8 says that the pdu starts with a 64-bit cgroup id. */
enum blk_action {
	BLK_ACTION_QUEUE = 1,
	BLK_ACTION_BACK_MERGE,
	BLK_ACTION_FRONT_MERGE,
	BLK_ACTION_GET_REQUEST,
	BLK_ACTION_SLEEP_REQUEST,
	BLK_ACTION_REQUEUE,
	BLK_ACTION_ISSUE,
	BLK_ACTION_COMPLETE,
	BLK_ACTION_PLUG,
	BLK_ACTION_UNPLUG,
	BLK_ACTION_UNPLUG_TIMER,
	BLK_ACTION_INSERT,
	BLK_ACTION_SPLIT,
	BLK_ACTION_BOUNCE,
	BLK_ACTION_REMAP,
	BLK_ACTION_ABORT,
	BLK_ACTION_DRIVER_DATA,
	BLK_ACTION_ZONE_PLUG,	/* this and the next: version 8 only */
	BLK_ACTION_ZONE_UNPLUG,
};
#define BLK_ACTION_CGROUP 0x100u

/* The low byte of an action of category BLK_CATEGORY_NOTIFY. */
enum blk_notify {
	BLK_NOTIFY_PROCESS = 0,	  /* pdu: the command name of pid */
	BLK_NOTIFY_TIMESTAMP = 1, /* pdu: u32 seconds, u32 nanoseconds of the wall clock */
	BLK_NOTIFY_MESSAGE = 2,	  /* pdu: text of a driver or scheduler */
};

/* Categories: action >> 16. Those above 16 bits are of version 8 only. */
enum blk_category {
	BLK_CATEGORY_READ = 1 << 0,
	BLK_CATEGORY_WRITE = 1 << 1,
	BLK_CATEGORY_FLUSH = 1 << 2,
	BLK_CATEGORY_SYNC = 1 << 3,
	BLK_CATEGORY_QUEUE = 1 << 4,
	BLK_CATEGORY_REQUEUE = 1 << 5,
	BLK_CATEGORY_ISSUE = 1 << 6,
	BLK_CATEGORY_COMPLETE = 1 << 7,
	BLK_CATEGORY_FS = 1 << 8,
	BLK_CATEGORY_PC = 1 << 9,
	BLK_CATEGORY_NOTIFY = 1 << 10,
	BLK_CATEGORY_AHEAD = 1 << 11,
	BLK_CATEGORY_META = 1 << 12,
	BLK_CATEGORY_DISCARD = 1 << 13,
	BLK_CATEGORY_DRIVER_DATA = 1 << 14,
	BLK_CATEGORY_FUA = 1 << 15,
};
#define BLK_CATEGORY_SHIFT 16

struct blk_record {
	uint64_t time;	 /* ns */
	uint64_t sector; /* of 512 bytes */
	uint64_t action; /* code, cgroup bit, categories */
	uint32_t sequence, bytes, pid, device, cpu;
	uint16_t error, pdu_len;
	unsigned int version;	   /* 7 or 8 */
	bool swapped;		   /* was in the byte order that is not ours */
	const unsigned char *pdu;  /* pdu_len bytes inside what was decoded, never swapped */
};

/* Bytes of the header of a version; 0 for versions that are not known. */
size_t blk_record_header_size(unsigned int version);

/*
 * Decodes what starts at bytes. *size gets header and pdu together. Returns 0, -EBADMSG without
 * a magic (of a known version), -EAGAIN where len ends before the record does.
 */
int blk_record_decode(const void *bytes, size_t len, struct blk_record *record, size_t *size);

/*
 * The same for a record without a magic, in our byte order: sequence and time are taken as they
 * stand. -EBADMSG for an unknown version, -EAGAIN as above.
 */
int blk_record_decode_bare(const void *bytes, size_t len, unsigned int version,
			   struct blk_record *record, size_t *size);

/*
 * The offset of the first magic in either byte order at or after from; len where there is none.
 * For going on behind bytes that are no record.
 */
size_t blk_record_find(const void *bytes, size_t len, size_t from);

/*
 * Writes the header in our byte order; the pdu follows it as it is. Returns its size, 0 for a
 * version that is not known. Version 7 has no room for categories above 16 bits: cut off.
 */
size_t blk_record_encode(const struct blk_record *record, unsigned int version,
			 unsigned char out[BLK_RECORD_HEADER_MAX]);

/* The code of an action: enum blk_action, for notify records enum blk_notify. */
unsigned int blk_record_code(const struct blk_record *record);
bool blk_record_is_notify(const struct blk_record *record);

/* Could a kernel have written this action? (A code that exists, in a category that exists.) */
bool blk_record_action_valid(const struct blk_record *record);

/* "Q", "M", ... as blkparse prints them, "process" and the like for notify; NULL if unknown. */
const char *blk_record_action_name(const struct blk_record *record);

/*
 * The bit of a category by the name that sysfs takes in act_mask ("issue", "complete", "sync",
 * "fua"...); 0 if unknown.
 */
unsigned int blk_category_bit(const char *name, size_t len);

#endif
