// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, LENGTH_AT = 56 };

static const uint32_t constants[BLOCK] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
	0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

/* The message schedule of one block. */
static void expand(const uint8_t *block, uint32_t w[BLOCK])
{
	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = 16; i < BLOCK; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

/* One round; the caller turns the names of the eight words instead of moving the words. */
static inline void round_of(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e,
			    uint32_t f, uint32_t g, uint32_t *h, uint32_t added)
{
	uint32_t choice = g ^ (e & (f ^ g)), majority = (a & b) | (c & (a | b));

	*h += (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + added;
	*d += *h;
	*h += (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
}

static void compress(uint32_t state[8], const uint8_t *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	uint32_t w[BLOCK];

	expand(block, w);
	for (size_t i = 0; i < BLOCK; i++)
		w[i] += constants[i];
	for (size_t i = 0; i < BLOCK; i += 8) {
		round_of(a, b, c, &d, e, f, g, &h, w[i]);
		round_of(h, a, b, &c, d, e, f, &g, w[i + 1]);
		round_of(g, h, a, &b, c, d, e, &f, w[i + 2]);
		round_of(f, g, h, &a, b, c, d, &e, w[i + 3]);
		round_of(e, f, g, &h, a, b, c, &d, w[i + 4]);
		round_of(d, e, f, &g, h, a, b, &c, w[i + 5]);
		round_of(c, d, e, &f, g, h, a, &b, w[i + 6]);
		round_of(b, c, d, &e, f, g, h, &a, w[i + 7]);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void sha256_init(struct sha256 *sha)
{
	*sha = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	size_t filled = sha->bytes % BLOCK;

	sha->bytes += n;
	if (filled) {
		size_t part = n < BLOCK - filled ? n : BLOCK - filled;

		memcpy(sha->block + filled, p, part);
		if (filled + part < BLOCK)
			return;
		compress(sha->state, sha->block);
		p += part;
		n -= part;
	}
	for (; n >= BLOCK; n -= BLOCK, p += BLOCK)
		compress(sha->state, p);
	if (n)
		memcpy(sha->block, p, n);
}

void sha256_finish(struct sha256 *sha, char hex[SHA256_HEX_SIZE])
{
	static const uint8_t padding[BLOCK] = { 0x80 };
	uint64_t bits = 8 * sha->bytes;
	size_t filled = sha->bytes % BLOCK;
	uint8_t length[8];

	sha256_add(sha, padding, (filled < LENGTH_AT ? LENGTH_AT : BLOCK + LENGTH_AT) - filled);
	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(sha, length, sizeof(length));
	for (size_t i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", sha->state[i]);
}
