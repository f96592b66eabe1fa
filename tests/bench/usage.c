// SPDX-License-Identifier: GPL-3.0-or-later
/* usage PROGRAM [ARGUMENT]...: runs it without its stdout; its CPU seconds and largest RSS in MB. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || status != 0) {
		fprintf(stderr, "usage: %s failed\n", argv[1]);
		return 1;
	}
	printf("%.2f %.0f\n", (double)(rusage_user_ns(&usage) + rusage_sys_ns(&usage)) / NS_PER_S,
	       (double)usage.ru_maxrss * 1024 / 1e6);
	return 0;
}
