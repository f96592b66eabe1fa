// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What brunt's `command` is held against: a bare posix_spawn and wait4 loop.
 * spawn_loop N PAUSE_MS PROGRAM [ARGUMENT]...: the means of real and of user + sys, in
 * microseconds. With a pause between runs the caches are as cold as between brunt's.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"

extern char **environ;

int main(int argc, char **argv)
{
	int64_t real_ns = 0, cpu_ns = 0, start_ns;
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	int n, status;
	pid_t pid;

	if (argc < 4)
		return 2;
	n = atoi(argv[1]);
	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	for (int i = 0; i < n; i++) {
		clock_sleep_ns(atoi(argv[2]) * NS_PER_MS);
		start_ns = clock_mono_ns();
		if (posix_spawnp(&pid, argv[3], &actions, NULL, argv + 3, environ) ||
		    wait4(pid, &status, 0, &usage) < 0 || status != 0)
			return 1;
		real_ns += clock_mono_ns() - start_ns;
		cpu_ns += rusage_user_ns(&usage) + rusage_sys_ns(&usage);
	}
	printf("%.3f %.3f\n", (double)real_ns / n / 1e3, (double)cpu_ns / n / 1e3);
	return 0;
}
