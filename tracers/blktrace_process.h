// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_BLKTRACE_PROCESS_H
#define BRUNT_TRACERS_BLKTRACE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "machine/undo.h"

/*
 * The one process of blktrace(8) that a run has: a child that dies with us, leads a process
 * session of its own (a Ctrl-C does not reach it) which stands in the journal, and whose words
 * are kept in memory. Its exit status proves nothing: it is 0 also when nothing was traced.
 */
struct blktrace_process;

struct blktrace_command {
	const char *path;	/* of the program */
	char *const *argv;
	int debugfs;		/* is its descriptor 3; -1: none */
	uint64_t files;		/* descriptors that it needs */
};

/* Belongs to the caller: blktrace_process_free(). */
int blktrace_process_start(struct blktrace_process **out, const struct blktrace_command *command,
			   struct undo *undo, struct err *err);

pid_t blktrace_process_pid(const struct blktrace_process *process);

/* Waits at most ns; true once it has ended, however. */
bool blktrace_process_ended(struct blktrace_process *process, int64_t ns);

/*
 * Asks it to stop (SIGINT, upon which it drains what was recorded and clears its traces) and
 * waits at most ns. -ETIMEDOUT where it did not end, and was killed. *cpu_s is what it used.
 */
int blktrace_process_stop(struct blktrace_process *process, int64_t ns, double *cpu_s,
			  struct err *err);

/* Ends it at once, so that it clears no trace any more. Fine when it has ended. */
void blktrace_process_kill(struct blktrace_process *process, double *cpu_s);

/*
 * What it said so far, as one line: "(no word)" where it said nothing. complaints: only the lines
 * up to its statistics.
 */
void blktrace_process_add_words(const struct blktrace_process *process, bool complaints,
				struct buf *out);

/* "exit status 3", "signal 9 (Killed)", of one that has ended. */
void blktrace_process_add_status(const struct blktrace_process *process, struct buf *out);

/* Records that its statistics say were dropped; 0 without such words. */
uint64_t blktrace_process_dropped(const struct blktrace_process *process);

/* Kills what still runs; NULL is fine. */
void blktrace_process_free(struct blktrace_process *process);

#endif
