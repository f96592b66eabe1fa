// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A ring of processes over pipes. The token says how many KiB of its own memory each of them sums
 * before it passes the token on, so that one ring of a length does for all sizes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/memory.h"
#include "workloads/micro/partner.h"

enum { RING_MOST = 16, RING_BYTES = 64 << 10, RINGS = 3 };

struct ring {
	int length, users;
	pid_t others[RING_MOST];	/* 1..length-1; we are the first */
	int in[RING_MOST], out[RING_MOST]; /* of each process */
	int self[2];			/* a pipe to ourselves, for what is subtracted */
	int failed;	/* a token may still be on its way: no further round can be trusted */
	uint64_t *memory;
};

struct ring_state {
	struct ring *ring;
	uint32_t kib;
};

/* What a member does with the token: a wrong one ends it. */
static int pass_on(int in, int out, const uint64_t *memory)
{
	uint32_t kib;
	int rc = micro_read_all(in, &kib, sizeof(kib));

	if (rc)
		return rc;
	if (kib * 1024 > RING_BYTES)
		return -EINVAL;
	micro_sum(memory, kib * 1024);
	return micro_write_all(out, &kib, sizeof(kib));
}

struct member {
	int in, out;
};

static void be_member(void *p)
{
	const struct member *member = p;
	uint64_t *memory = micro_memory(RING_BYTES);

	while (memory && !pass_on(member->in, member->out, memory))
		;
}

static void ring_end(struct ring *ring)
{
	for (int i = 0; i < ring->length; i++) {
		micro_partner_end(ring->others[i]);
		close_fd(&ring->in[i]);
		close_fd(&ring->out[i]);
	}
	close_fd(&ring->self[0]);
	close_fd(&ring->self[1]);
	micro_memory_free(ring->memory, RING_BYTES);
	free(ring);
}

/* Pipe i leads from process i to the next. */
static int make_pipes(struct ring *ring, struct err *err)
{
	int ends[2];

	for (int i = 0; i < ring->length; i++) {
		if (pipe2(ends, O_CLOEXEC) < 0)
			return micro_no_descriptor(err, errno, "pipe");
		ring->out[i] = ends[1];
		ring->in[(i + 1) % ring->length] = ends[0];
	}
	if (pipe2(ring->self, O_CLOEXEC) < 0)
		return micro_no_descriptor(err, errno, "pipe");
	return 0;
}

static int start_members(const struct micro_site *site, struct ring *ring, struct err *err)
{
	for (int i = 1; i < ring->length; i++) {
		struct member member = { ring->in[i], ring->out[i] };
		const int keep[] = { member.in, member.out };

		ring->others[i] = micro_partner_start(
			&(struct micro_partner){ be_member, &member,
						 i % 2 ? site->partner_cpu : site->cpu, keep, 2 },
			err);
		if (ring->others[i] < 0)
			return ring->others[i];
	}
	for (int i = 1; i < ring->length; i++) {
		close_fd(&ring->in[i]);
		close_fd(&ring->out[i]);
	}
	return 0;
}

static int ring_start(const struct micro_site *site, int length, struct ring **out,
		      struct err *err)
{
	struct ring *ring = xcalloc(1, sizeof(*ring));
	int rc;

	ring->length = length;
	ring->self[0] = ring->self[1] = -1;
	for (int i = 0; i < RING_MOST; i++)
		ring->in[i] = ring->out[i] = -1;
	ring->memory = micro_memory(RING_BYTES);
	rc = ring->memory ? make_pipes(ring, err) : err_sys(err, ENOMEM, "memory");
	if (!rc)
		rc = start_members(site, ring, err);
	if (rc) {
		ring_end(ring);
		return rc;
	}
	*out = ring;
	return 0;
}

static struct ring *rings[RINGS]; /* those that are open, in this process */

static int find_ring(const struct micro_site *site, int length, struct ring **out,
		     struct err *err)
{
	size_t place = length == 2 ? 0 : length == 8 ? 1 : 2;
	int rc;

	if (!rings[place]) {
		rc = ring_start(site, length, &rings[place], err);
		if (rc)
			return rc;
	}
	rings[place]->users++;
	*out = rings[place];
	return 0;
}

static void ring_close(void *p)
{
	struct ring_state *state = p;

	if (!--state->ring->users) {
		for (size_t i = 0; i < RINGS; i++)
			if (rings[i] == state->ring)
				rings[i] = NULL;
		ring_end(state->ring);
	}
	free(state);
}

static int ring_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct ring *ring;
	struct ring_state *state;
	int rc = find_ring(site, variant >> 8, &ring, err);

	if (rc)
		return rc;
	state = xcalloc(1, sizeof(*state));
	state->ring = ring;
	state->kib = variant & 0xff;
	*ret = state;
	return 0;
}

static int go_round(const struct ring_state *state)
{
	const struct ring *ring = state->ring;
	int rc = micro_write_all(ring->out[0], &state->kib, sizeof(state->kib));
	uint32_t kib;

	if (!rc)
		rc = micro_read_all(ring->in[0], &kib, sizeof(kib));
	if (!rc)
		micro_sum(ring->memory, kib * 1024);
	return rc;
}

/* A switch is an n-th of a round; minus the same work of one process. */
static int time_rounds(const struct ring_state *state, uint64_t n, struct micro_sample *sample)
{
	const struct ring *ring = state->ring;
	uint64_t rounds = (n + (uint64_t)ring->length - 1) / (uint64_t)ring->length;
	int rc;

	sample->n = rounds * (uint64_t)ring->length;
	MICRO_REPEAT(sample->ns, rounds, {
		rc = go_round(state);
		if (rc)
			return rc;
	});
	rc = micro_write_all(ring->self[1], &state->kib, sizeof(state->kib));
	if (rc)
		return rc;
	MICRO_REPEAT(sample->minus_ns, sample->n, {
		rc = pass_on(ring->self[0], ring->self[1], ring->memory);
		if (rc)
			return rc;
	});
	return micro_read_all(ring->self[0], &(uint32_t){ 0 }, sizeof(uint32_t));
}

static int ring_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct ring_state *state = p;
	struct ring *ring = state->ring;

	if (!ring->failed)
		ring->failed = time_rounds(state, n, sample);
	return ring->failed;
}

const struct micro_ops micro_ring = { ring_open, ring_batch, ring_close };
