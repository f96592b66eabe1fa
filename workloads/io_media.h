// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_MEDIA_H
#define BRUNT_WORKLOADS_IO_MEDIA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "machine/target.h"
#include "workloads/io_options.h"
#include "workloads/workload.h"

/*
 * The devices of IO storms. All storms of a session with the same devices= share them, since
 * they run one after the other: so a sweep over iodepth makes and fills them once.
 */
struct io_media {
	const struct target_device *devices; /* count of them */
	size_t count;
	bool named;	/* the user's, not made by brunt */
	bool read_only; /* nothing is ever written to them */
	/* implementation's own */
	struct io_media_own *own;
};

/* text is the value of devices=. Errors as media_make() and guard_read_devices(). */
int io_media_take(struct io_media *media, const char *text, const struct io_options *options,
		  const struct workload_site *site, struct err *err);

/* Where the files behind devices lie that brunt made; NULL: memory, or there are none. */
const char *io_media_folder(const struct io_media *media);

/* Are they looked at already by a storm of this session? */
bool io_media_is_held(const char *text, const struct io_options *options);

/*
 * Before each run: the ranges (one a device) hold data where they are to, and no page cache does.
 * *filled tells how many bytes had to be written; 0: it was all there.
 */
int io_media_ready(struct io_media *media, const struct io_options *options,
		   const struct io_pattern_spec *ranges, uint64_t *filled, struct err *err);

/* To one hole (or blank edges), for a file system to be made. */
int io_media_empty(struct io_media *media, struct err *err);

/* Brings what a run wrote to where it belongs. */
int io_media_settle(struct io_media *media, const struct io_options *options, struct err *err);

json_t *io_media_describe(const struct io_media *media);
void io_media_tell(const struct io_media *media, struct buf *out);
void io_media_release(struct io_media *media); /* fine on a zeroed one */

#endif
