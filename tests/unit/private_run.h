// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * For tests of what keeps an undo journal: a folder of journals that no other program sees or
 * cleans. Root gets a mount namespace of its own with an empty /run and /var/lib, others a runtime folder.
 * And an owner of a journal that is killed, for tests of what is left then.
 */
#ifndef BRUNT_TESTS_PRIVATE_RUN_H
#define BRUNT_TESTS_PRIVATE_RUN_H

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "machine/undo.h"

static char private_folder[64] = "/tmp/brunt-test-XXXXXX"; /* to put files into */

/* Called by main before any test. propagation: of all mounts in the own namespace. */
static inline int private_run(unsigned long propagation)
{
	if (!mkdtemp(private_folder)) {
		perror(private_folder);
		return -1;
	}
	if (geteuid() != 0)
		return setenv("XDG_RUNTIME_DIR", private_folder, 1);
	/* slave first: what is made shared then has us as its only member */
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | propagation, NULL) < 0 ||
	    mount("test-run", "/run", "tmpfs", 0, "size=4M") < 0 ||
	    mount("test-lib", "/var/lib", "tmpfs", 0, "size=4M") < 0) {
		fprintf(stderr, "no mount namespace for the test: %s\n", strerror(errno));
		return -1;
	}
	return 0;
}

static inline void private_run_end(void)
{
	if (rmdir(private_folder) < 0)
		fprintf(stderr, "%s: %s\n", private_folder, strerror(errno));
}

/*
 * Forks a process that does work(arg) and then holds on to what it has until it is killed. 0 when
 * work() returned anything but 0.
 */
static inline pid_t start_owner(int (*work)(void *arg), void *arg)
{
	int ready[2];
	char byte = 'x';
	pid_t pid;

	if (pipe(ready) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (work(arg) != 0 || write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(ready[0]);
	return pid > 0 ? pid : 0;
}

static inline void kill_owner(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* undo_clean() with what it reports, line by line, in said. Returns left, or -1 for an error. */
static inline void add_report(void *arg, const char *text)
{
	buf_addf(arg, "%s\n", text);
}

static inline int clean_and_listen(bool dry, struct buf *said)
{
	struct err err = { .text = "" };
	size_t left;

	buf_clear(said);
	if (undo_clean(dry, add_report, said, &left, &err)) {
		fprintf(stderr, "undo_clean: %s\n", err.text);
		return -1;
	}
	return (int)left;
}

#endif
