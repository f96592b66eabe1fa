// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_COMMAND_KEEPER_H
#define BRUNT_TRACERS_COMMAND_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/words.h"
#include "machine/undo.h"

/*
 * A process that runs lines of sh and keeps all that they start: it leads a process session, is in
 * a cgroup where there is one to be had, and adopts orphans, so that also what forks away into a
 * session of its own stays below it. It dies with us; what is below it then, `brunt clean` finds.
 *
 * One line is asked for at a time and may be waited for later; lines that still run are no reason
 * not to ask for the next one.
 */
struct command_keeper;

enum { COMMAND_LINES = 8 }; /* of a keeper */

struct command_keeping {
	const char *const *lines; /* COMMAND_LINES, NULL: none */
	const struct words *environment;
	int words_fd;  /* what they print; stderr always, stdout too unless told otherwise */
	int answer_fd; /* stdout of the line number `answers` */
	size_t answers;
	const char *cgroup; /* its name, unique on the machine; begins with "brunt-" */
};

/* Starts it; what keeping points to may go afterwards. On failure nothing is left. */
int command_keeper_start(struct command_keeper **out, const struct command_keeping *keeping,
			 struct undo *undo, struct err *err);

/* Has line number `line` started. Its pid becomes BRUNT_TRACER_PID of later ones if it is 0. */
int command_keeper_ask(struct command_keeper *keeper, size_t line, struct err *err);

/*
 * Waits until a line that was asked for has ended, at most until end_ns (CLOCK_MONOTONIC): its
 * status as of wait(2). -ETIMEDOUT; -EINTR after an interrupt unless finish is set, as behind one;
 * -ECHILD: the keeper is gone. err says nothing.
 */
int command_keeper_wait(struct command_keeper *keeper, size_t line, int64_t end_ns, bool finish,
			int *status);

/* How many processes are below it; signal 0 sends none. */
size_t command_keeper_signal(const struct command_keeper *keeper, int signal);

/* Waits until none is; -ETIMEDOUT, -EINTR as above. */
int command_keeper_wait_empty(const struct command_keeper *keeper, int64_t end_ns, bool finish);

/*
 * Kills what is left, ends the keeper, removes its cgroup and frees. *cpu_s, where it is not NULL:
 * CPU time of all that has been below it, NAN where that is not known. -EBUSY: something does not
 * die; its journal entry stays open. NULL is fine.
 */
int command_keeper_end(struct command_keeper *keeper, double *cpu_s, struct err *err);

#endif
