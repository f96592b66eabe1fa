// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_PATTERN_H
#define BRUNT_WORKLOADS_IO_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "workloads/io_engine.h"

/* Which IO comes next: operation, offset, length. */
struct io_pattern_spec {
	bool random;		/* else sequential, from the start again at the end */
	unsigned int read_pct;	/* 100: reads alone, 0: writes alone */
	uint32_t bs_min, bs_max; /* bytes; lengths are multiples of bs_min, each as likely */
	uint32_t fsync_every;	/* a sync after so many writes; 0: none */
	uint64_t offset, size;	/* the range in bytes: at least bs_max, offset a multiple of bs_min */
};

/*
 * A stream of its own for each job, drawn from seed and number by xoshiro256++ (Blackman and
 * Vigna, "Scrambled linear pseudorandom number generators", 2021; prng.di.unimi.it): the same
 * seed gives the same IO in every run. Random offsets are drawn independently, each block as
 * likely; none is kept from coming again.
 */
struct io_pattern {
	struct io_pattern_spec spec;
	uint64_t random[4];
	uint64_t blocks;	/* of bs_min in the range */
	uint64_t at;		/* sequential: the next offset in the range */
	uint32_t sizes;		/* how many lengths there are */
	uint32_t since_sync;	/* writes */
};

void io_pattern_init(struct io_pattern *pattern, const struct io_pattern_spec *spec, uint64_t seed,
		     uint64_t job);

/* The next one into unit's op, offset and length. */
void io_pattern_next(struct io_pattern *pattern, struct io_unit *unit);

/* 64 random bits. */
uint64_t io_pattern_random(struct io_pattern *pattern);

/*
 * n (a multiple of 8) random bytes, all of them >= 0x80: no file system, RAID or partition table is
 * known by such, so that nobody takes what lies on a disk for one.
 */
void io_pattern_fill(struct io_pattern *pattern, unsigned char *out, size_t n);

#endif
