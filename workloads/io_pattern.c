// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_pattern.h"

#include <string.h>

static uint64_t rotate(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t io_pattern_random(struct io_pattern *pattern)
{
	uint64_t *s = pattern->random;
	const uint64_t result = rotate(s[0] + s[3], 23) + s[0];
	const uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

/* splitmix64, as the authors of xoshiro would have its state seeded. */
static uint64_t split(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* In 0..n-1: the high half of the product (Lemire); its bias is n / 2^64. */
static uint64_t below(struct io_pattern *pattern, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)io_pattern_random(pattern) * n) >> 64);
}

void io_pattern_init(struct io_pattern *pattern, const struct io_pattern_spec *spec, uint64_t seed,
		     uint64_t job)
{
	uint64_t x = split(&seed) ^ job, state = split(&x);

	*pattern = (struct io_pattern){
		.spec = *spec,
		.blocks = spec->size / spec->bs_min,
		.sizes = spec->bs_max / spec->bs_min,
	};
	for (int i = 0; i < 4; i++)
		pattern->random[i] = split(&state);
}

static enum io_op next_op(struct io_pattern *pattern)
{
	const struct io_pattern_spec *spec = &pattern->spec;

	if (spec->fsync_every && pattern->since_sync >= spec->fsync_every) {
		pattern->since_sync = 0;
		return IO_SYNC;
	}
	if (spec->read_pct == 100 ||
	    (spec->read_pct && below(pattern, 100) < spec->read_pct))
		return IO_READ;
	pattern->since_sync++;
	return IO_WRITE;
}

void io_pattern_next(struct io_pattern *pattern, struct io_unit *unit)
{
	const struct io_pattern_spec *spec = &pattern->spec;
	uint64_t blocks = 1;

	unit->op = next_op(pattern);
	if (unit->op == IO_SYNC) {
		unit->offset = 0;
		unit->length = 0;
		return;
	}
	if (pattern->sizes > 1)
		blocks += below(pattern, pattern->sizes);
	unit->length = (uint32_t)blocks * spec->bs_min;
	if (spec->random) {
		unit->offset = spec->offset +
			       below(pattern, pattern->blocks - blocks + 1) * spec->bs_min;
		return;
	}
	if (pattern->at + unit->length > pattern->blocks * spec->bs_min)
		pattern->at = 0;
	unit->offset = spec->offset + pattern->at;
	pattern->at += unit->length;
}

void io_pattern_fill(struct io_pattern *pattern, unsigned char *out, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i += 8) {
		uint64_t word = io_pattern_random(pattern) | 0x8080808080808080;

		memcpy(out + i, &word, 8);
	}
}
