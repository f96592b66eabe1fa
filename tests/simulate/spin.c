// SPDX-License-Identifier: GPL-3.0-or-later
/* spin N: N turns of a loop that no compiler shortens, and nothing else. */
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	while (n--)
		__asm__ volatile("");
	return 0;
}
