// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_SHA256_H
#define BRUNT_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 as FIPS 180-4 defines it, piece by piece. */
enum { SHA256_HEX_SIZE = 65 }; /* 64 digits and the end */

struct sha256 {
	uint32_t state[8];
	uint64_t bytes;	   /* added so far */
	uint8_t block[64]; /* the last ones, until there are 64 */
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t n);

/* The digest in lower-case digits; sha has to be initialised again afterwards. */
void sha256_finish(struct sha256 *sha, char hex[SHA256_HEX_SIZE]);

#endif
