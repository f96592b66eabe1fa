// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sha256.h"

#include <stdio.h>

void sha256_finish(struct sha256_ctx *sha, char hex[SHA256_HEX_SIZE])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
