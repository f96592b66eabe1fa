// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_ENGINE_H
#define BRUNT_WORKLOADS_IO_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * How IO gets to the kernel and back: one const struct an engine. A worker opens its own; the
 * calls of the timed part (queue, submit, reap) allocate nothing.
 */
enum io_op { IO_READ, IO_WRITE, IO_SYNC, IO_OPS };

const char *io_op_name(enum io_op op); /* "read", "write", "sync" */

/* One IO in flight: a place of the worker's, used again and again. */
struct io_unit {
	uint64_t offset;
	unsigned char *buffer;
	uint32_t length;
	uint32_t index; /* in the worker's units */
	uint32_t job;	/* of the worker's */
	uint32_t file;	/* of the files given to open */
	enum io_op op;
	int64_t queued_ns, submitted_ns;
};

struct io_done {
	struct io_unit *unit;
	int64_t result; /* bytes, or a negative errno */
};

enum io_want { IO_AUTO, IO_YES, IO_NO };

struct io_engine_setup {
	unsigned int depth; /* units in flight at most; >= 1 */
	const int *files;
	unsigned int nfiles;
	unsigned char *arena; /* all buffers of the units lie in it; page-aligned */
	size_t arena_size;
	enum io_want fixed_buffers, registered_files; /* io_uring: AUTO: where the kernel lets us */
	bool sqpoll, iopoll;			      /* io_uring */
};

struct io_engine {
	const char *name, *summary;
	bool synchronous;   /* submit returns when the IO is done: one in flight */
	bool touches_nothing; /* the devices see no IO at all */

	/* Can it run on this kernel? 0, or status 77 with the reason and the remedy. May be NULL. */
	int (*check)(struct err *err);

	/*
	 * Will depth in flight over all workers be let through? Status 77 with what is needed and
	 * what there is. May be NULL.
	 */
	int (*check_depth)(uint64_t depth, struct err *err);

	int (*open)(const struct io_engine_setup *setup, void **state, struct err *err);
	void (*close)(void *state);

	/* Takes a unit for the next submit; there are never more than depth in flight. */
	void (*queue)(void *state, struct io_unit *unit);

	/*
	 * Hands what is queued to the kernel, in order. Returns how many it took (the rest stays
	 * queued; 0: try again when something has completed) or a negative errno.
	 */
	int (*submit)(void *state);

	/*
	 * Takes completed units: at least min, or fewer when timeout_ns has passed (negative: none),
	 * at most max. Returns their number or a negative errno.
	 */
	int (*reap)(void *state, unsigned int min, int64_t timeout_ns, struct io_done *done,
		    unsigned int max);

	/* "fixed buffers, registered files, defer_taskrun": what came of the wishes; may be NULL. */
	void (*describe)(const void *state, char *out, size_t size);
};

extern const struct io_engine io_engine_uring, io_engine_aio, io_engine_psync, io_engine_nop,
	io_engine_null;

const struct io_engine *io_engine_find(const char *name); /* NULL: there is none */
#define IO_ENGINE_NAMES "io_uring|libaio|psync|nop|null"

#endif
