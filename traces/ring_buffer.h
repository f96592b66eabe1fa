// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACES_RING_BUFFER_H
#define BRUNT_TRACES_RING_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "parsers/blk_record.h"

/*
 * Block records out of raw pages of the kernel's trace ring buffer (per_cpu/cpuN/trace_pipe_raw
 * while `blk` is the current tracer). The pages are those of the running kernel: byte order and
 * size of long are taken from it.
 *
 * No format file describes the record, and its type number changes between kernels. It is the
 * type that no file of events/ftrace/ claims, below the highest that one does (trace.h lists
 * further types behind TRACE_BLK), and whose bytes are a block record of a device we know, with
 * an action that exists and a size that fits. The first eight bytes of the record (magic and
 * sequence) are overlaid by the common trace entry and `time` is not written: sequence is 0 here
 * and time is the ring buffer's, in the clock that trace_clock names.
 */
#define RING_TYPES 256

struct ring_format {
	size_t page_size;	   /* bytes that one read() of a whole page gives */
	size_t commit_size;	   /* of the page header: 4 or 8 */
	bool claimed[RING_TYPES];  /* types that a format file describes, and those above */
	unsigned int blk_type;	   /* 0: not found yet */
	unsigned int blk_version;  /* 7 or 8, known with blk_type */
};

/* Reads header_page and the format files of a tracefs folder. */
int ring_format_read(int tracefs, struct ring_format *format, struct err *err);

/* What was met so far. */
struct ring_counts {
	uint64_t pages;
	uint64_t blk;		/* block records */
	uint64_t other;		/* records of other types: markers, printk */
	uint64_t broken;	/* pages cut short or records that are not what their type says */
	uint64_t missed;	/* events that pages say are missing before them */
	bool missed_unknown;	/* such a page without a number */
};

struct ring_decoder;

/*
 * devices: the known ones, as records hold them (major << 20 | minor), ascending; kept, as is
 * format, in which the type is noted once it is found.
 */
struct ring_decoder *ring_decoder_new(struct ring_format *format, const uint32_t *devices,
				      size_t ndevices);
void ring_decoder_free(struct ring_decoder *decoder);

/*
 * Decodes one page of format->page_size bytes and calls take for each block record, of whatever
 * device. The record's pdu is valid during the call only; cpu is what the record says. A value
 * other than 0 from take ends the page and is returned. What is broken is counted, no error.
 */
int ring_decode_page(struct ring_decoder *decoder, const void *page,
		     int (*take)(void *arg, const struct blk_record *record), void *arg);

const struct ring_counts *ring_decoder_counts(const struct ring_decoder *decoder);

#endif
