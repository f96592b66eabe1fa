// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_uuid.h"

#include <stdio.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

void storm_uuid_make(char out[STORM_UUID_SIZE], uint64_t run, size_t device)
{
	/* version 4 and variant 1, as random UUIDs have them */
	snprintf(out, STORM_UUID_SIZE, "%08x-%04x-4%03x-8%03x-%04x%08x",
		 (unsigned int)(run >> 32), (unsigned int)(run >> 16) & 0xffff,
		 (unsigned int)(run >> 4) & 0xfff, (unsigned int)(run & 0xf),
		 (unsigned int)device & 0xffff, 0U);
}

void storm_uuid_set_cycle(char *uuid, uint32_t cycle)
{
	for (size_t i = STORM_UUID_SIZE - 2; i > STORM_UUID_SIZE - 10; i--, cycle >>= 4)
		uuid[i] = digits[cycle & 15];
}

void storm_uuid_bytes(const char *uuid, unsigned char out[16])
{
	unsigned int nibble, n = 0;

	for (; *uuid && n < 32; uuid++) {
		if (*uuid == '-')
			continue;
		nibble = (unsigned int)(strchr(digits, *uuid) - digits);
		out[n / 2] = (unsigned char)(n % 2 ? out[n / 2] << 4 | nibble : nibble);
		n++;
	}
}
