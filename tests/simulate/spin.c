// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * spin N: N turns of a loop that no compiler shortens, and nothing else. Each turn waits for the
 * product of the one before: such a loop takes the same time beside a busy sibling of its core,
 * where a loop that only counts takes twice as long.
 */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t value = n;

	while (n--) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(value));
	}
	return 0;
}
