// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_fill.h"

#include <string.h>

#include "base/files.h"
#include "base/xalloc.h"

#define STAMP_SIZE sizeof(struct stamp)

struct stamp {
	uint64_t seed, offset;
};

unsigned char *storm_fill_pattern(void)
{
	unsigned char *pattern = xmalloc(STORM_FILL_CHUNK);
	uint64_t x = 0x9e3779b97f4a7c15;

	for (size_t i = 0; i < STORM_FILL_CHUNK; i += sizeof(x)) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(pattern + i, &x, sizeof(x));
	}
	return pattern;
}

int storm_fill_write(int fd, unsigned char *pattern, uint64_t seed, uint64_t size)
{
	struct stamp stamp = { .seed = seed };
	size_t n;
	int rc;

	for (; stamp.offset < size; stamp.offset += n) {
		n = size - stamp.offset < STORM_FILL_CHUNK ? (size_t)(size - stamp.offset) :
							     STORM_FILL_CHUNK;
		memcpy(pattern, &stamp, STAMP_SIZE);
		rc = files_write_all(fd, pattern, n);
		if (rc)
			return rc;
	}
	return 0;
}

bool storm_fill_same(const unsigned char *pattern, uint64_t seed, uint64_t offset,
		     const void *bytes, size_t n)
{
	const struct stamp stamp = { .seed = seed, .offset = offset };
	size_t head = n < STAMP_SIZE ? n : STAMP_SIZE;

	return !memcmp(bytes, &stamp, head) &&
	       !memcmp((const unsigned char *)bytes + head, pattern + head, n - head);
}
