// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_SHA256_H
#define BRUNT_BASE_SHA256_H

#include <nettle/sha2.h>
#include <stddef.h>

/* SHA-256 (FIPS 180-4), by nettle, in the digits that people read. */
enum { SHA256_HEX_SIZE = 2 * SHA256_DIGEST_SIZE + 1 };

/* The digest of what was added by sha256_update(), in lower-case digits; sha begins anew. */
void sha256_finish(struct sha256_ctx *sha, char hex[SHA256_HEX_SIZE]);

#endif
