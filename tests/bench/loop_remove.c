// SPDX-License-Identifier: GPL-3.0-or-later
/* loop_remove N...: removes the loop numbers that losetup(8) added for a benchmark. */
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/xalloc.h"

enum { TRIES = 100 }; /* unbinding is lazy while somebody looks at the device */

int main(int argc, char **argv)
{
	auto_close int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int left = 0, tries;

	for (int i = 1; i < argc; i++) {
		for (tries = 0; tries < TRIES; tries++) {
			if (ioctl(control, LOOP_CTL_REMOVE, atoi(argv[i])) >= 0)
				break;
			clock_sleep_ns(20 * NS_PER_MS);
		}
		left += tries == TRIES;
	}
	if (left)
		fprintf(stderr, "loop_remove: %d loop devices are left\n", left);
	return left != 0;
}
