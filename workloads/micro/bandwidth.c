// SPDX-License-Identifier: GPL-3.0-or-later
/* How many bytes go through pipes and sockets, out of files and through memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/memory.h"
#include "workloads/micro/partner.h"
#include "workloads/micro/site.h"
#include "workloads/micro/stream.h"

enum { CHUNK = 64 << 10, MEMORY_CHUNK = 256 << 10 };

/* ---- streams ---- */

struct rate_state {
	struct micro_stream *stream; /* the partner sends, its requests go the other way */
	char *buffer;
};

/* Sends as many chunks as it is asked for. */
static void send_chunks(void *p)
{
	const struct micro_stream *stream = p;
	void *buffer = micro_memory(CHUNK);
	uint64_t n;

	while (buffer && !micro_read_all(stream->his_in, &n, sizeof(n)))
		while (n--)
			if (micro_write_all(stream->his_out, buffer, CHUNK))
				return;
}

static void rate_close(void *p)
{
	struct rate_state *state = p;

	if (state->stream)
		micro_stream_end(state->stream);
	micro_memory_free(state->buffer, CHUNK);
	free(state);
}

static int rate_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct rate_state *state = xcalloc(1, sizeof(*state));
	int rc;

	state->buffer = micro_memory(CHUNK);
	rc = state->buffer ? micro_stream_start(site, variant, send_chunks, &state->stream, err) :
			     err_sys(err, ENOMEM, "memory");
	if (rc) {
		rate_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int receive(const struct rate_state *state, uint64_t bytes)
{
	while (bytes) {
		ssize_t got = read(state->stream->in, state->buffer,
				   bytes < CHUNK ? (size_t)bytes : CHUNK);

		if (got <= 0)
			return got < 0 ? -errno : -EPIPE;
		bytes -= (uint64_t)got;
	}
	return 0;
}

/* From the request to the last byte. */
static int rate_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct rate_state *state = p;
	int64_t start_ns = clock_mono_ns();
	int rc = micro_write_all(state->stream->out, &n, sizeof(n));

	if (!rc)
		rc = receive(state, n * CHUNK);
	sample->ns = clock_mono_ns() - start_ns;
	sample->n = n;
	sample->bytes = n * CHUNK;
	return rc;
}

const struct micro_ops micro_stream_rate = { rate_open, rate_batch, rate_close };

/* ---- a file again ---- */

struct reread_state {
	int fd;
	size_t size, at;
	char *map, *buffer;
};

static void reread_close(void *p)
{
	struct reread_state *state = p;

	close_fd(&state->fd);
	micro_memory_free(state->map, state->size);
	micro_memory_free(state->buffer, CHUNK);
	free(state);
}

static int open_file(const struct micro_site *site, struct reread_state *state, struct err *err)
{
	auto_free char *path = NULL;

	if (!site->folder)
		return err_set(err, ENOENT, "%s", site->folder_reason);
	path = files_join(site->folder, MICRO_REREAD_FILE);
	state->fd = open(path, O_RDONLY | O_CLOEXEC);
	state->size = site->memory;
	return state->fd < 0 ? micro_no_descriptor(err, errno, path) : 0;
}

static int reread_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct reread_state *state = xcalloc(1, sizeof(*state));
	int rc;

	(void)variant;
	state->fd = -1;
	rc = open_file(site, state, err);
	state->buffer = micro_memory(CHUNK);
	if (!rc && !state->buffer)
		rc = err_sys(err, ENOMEM, "memory");
	if (rc) {
		reread_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int reread_chunk(struct reread_state *state)
{
	ssize_t got;

	if (state->at + CHUNK > state->size) {
		state->at = 0;
		if (lseek(state->fd, 0, SEEK_SET) < 0)
			return -errno;
	}
	got = read(state->fd, state->buffer, CHUNK);
	if (got != CHUNK)
		return got < 0 ? -errno : -EIO;
	state->at += CHUNK;
	micro_sum(state->buffer, CHUNK);
	return 0;
}

/* Each batch goes on where the one before ended, so that caches do not hold the file. */
static int reread_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	int rc;

	sample->n = n;
	sample->bytes = n * CHUNK;
	MICRO_REPEAT(sample->ns, n, {
		rc = reread_chunk(state);
		if (rc)
			return rc;
	});
	return 0;
}

const struct micro_ops micro_file_reread = { reread_open, reread_batch, reread_close };

static int mapped_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct reread_state *state = xcalloc(1, sizeof(*state));
	void *map;
	int rc;

	(void)variant;
	state->fd = -1;
	rc = open_file(site, state, err);
	if (!rc) {
		map = mmap(NULL, state->size, PROT_READ, MAP_SHARED | MAP_POPULATE, state->fd, 0);
		if (map == MAP_FAILED)
			rc = err_sys(err, errno, "mmap of %s", MICRO_REREAD_FILE);
		else
			state->map = map;
	}
	if (rc) {
		reread_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int mapped_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	struct reread_state *state = p;

	sample->n = n;
	sample->bytes = n * CHUNK;
	MICRO_REPEAT(sample->ns, n, {
		if (state->at + CHUNK > state->size)
			state->at = 0;
		micro_sum(state->map + state->at, CHUNK);
		state->at += CHUNK;
	});
	return 0;
}

const struct micro_ops micro_mmap_reread = { mapped_open, mapped_batch, reread_close };

/* ---- memory ---- */

struct memory_state {
	char *from, *to;
	size_t size, at;
	int variant;
};

static void memory_close(void *p)
{
	struct memory_state *state = p;

	micro_memory_free(state->from, state->size);
	micro_memory_free(state->to, state->size);
	free(state);
}

static int memory_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct memory_state *state = xcalloc(1, sizeof(*state));
	bool copies = variant == RATE_BCOPY_LIBC || variant == RATE_BCOPY_HAND;

	state->variant = variant;
	state->size = copies ? site->memory / 2 : site->memory;
	state->from = micro_memory(state->size);
	state->to = copies ? micro_memory(state->size) : NULL;
	if (!state->from || (copies && !state->to)) {
		memory_close(state);
		return err_sys(err, ENOMEM, "memory");
	}
	*ret = state;
	return 0;
}

static void move_chunk(const struct memory_state *state)
{
	char *from = state->from + state->at;

	switch (state->variant) {
	case RATE_BCOPY_LIBC:
		memcpy(state->to + state->at, from, MEMORY_CHUNK);
		micro_use((uint64_t)(uintptr_t)state->to);
		break;
	case RATE_BCOPY_HAND:
		micro_copy_words(state->to + state->at, from, MEMORY_CHUNK);
		break;
	case RATE_READ:
		micro_sum(from, MEMORY_CHUNK);
		break;
	default:
		micro_write_words(from, MEMORY_CHUNK, 1);
	}
}

static int memory_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	struct memory_state *state = p;

	sample->n = n;
	sample->bytes = n * MEMORY_CHUNK;
	MICRO_REPEAT(sample->ns, n, {
		if (state->at + MEMORY_CHUNK > state->size)
			state->at = 0;
		move_chunk(state);
		state->at += MEMORY_CHUNK;
	});
	return 0;
}

const struct micro_ops micro_memory_rate = { memory_open, memory_batch, memory_close };
