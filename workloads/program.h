// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_PROGRAM_H
#define BRUNT_WORKLOADS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"
#include "machine/target.h"
#include "workloads/workload.h"

/*
 * A program that is timed, for the workloads that run one. A launcher is forked beforehand, leaves
 * our session and terminal, moves into a cgroup and sleeps at a gate, so that tracers find a
 * process group to attach to. Released, it starts the program by vfork and exec and waits for it:
 * the rusage is the program's alone, without page tables that a fork of brunt would copy and exec
 * throw away, and its peak memory does not start at brunt's own (the kernel hands that on through
 * exec), only at the launcher's, which is 1 to 2 MB. Null in its place would leave the larger ones
 * of a small program's runs.
 */
struct program;

struct program_words {
	const char *path;	    /* of the file that is executed */
	char *const *argv, *const *envp; /* ended by NULL */
	int out_fd, err_fd;	    /* -1: /dev/null */
	bool finish;		    /* is not stopped by an interrupt that came already */
};

/* Metrics of every such workload, the first in its table, in this order. */
#define PROGRAM_METRICS                                                                            \
	{ "real", "s", BETTER_LOWER, true, "from before vfork and exec to the program's end" },    \
	{ "user", "s", BETTER_LOWER, true, "CPU in user mode, with waited-for children" },         \
	{ "sys", "s", BETTER_LOWER, true, "CPU in the kernel, with waited-for children" },         \
	{ "cpu", "s", BETTER_LOWER, true, "user + sys, exact where their split is sampled" },      \
	{ "max_rss", "B", BETTER_LOWER, false,                                                     \
	  "largest resident set of one process; not below that of the launcher, 1 to 2 MB" },      \
	{ "minor_faults", "", BETTER_LOWER, false, "page faults without IO" },                     \
	{ "major_faults", "", BETTER_LOWER, false, "page faults with IO" },                        \
	{ "voluntary_switches", "", BETTER_NONE, false, "context switches by waiting" },           \
	{ "involuntary_switches", "", BETTER_LOWER, false, "context switches by preemption" },     \
	{ "cpu_percent", "%", BETTER_NONE, false, "cpu / real: how many CPUs were busy, times 100" }, \
	{ "input", "B", BETTER_LOWER, false, "read from block devices" },                          \
	{ "output", "B", BETTER_LOWER, false, "written towards block devices" }

/* Once a session; site as the workload got it. program_free() removes its cgroup; NULL is fine. */
int program_new(const struct workload_site *site, struct program **out, struct err *err);
void program_free(struct program *program);
bool program_has_cgroup(const struct program *program);

/* brunt's own environment without the names that extra has, LC_ALL=C, extra. */
void program_environment(const struct words *extra, struct words *out);

/*
 * The launcher waits at the gate then; words must live until program_end(). The process group goes
 * to target where that is not NULL.
 */
int program_prepare(struct program *program, const struct program_words *words,
		    struct target *target, struct err *err);

/* Runs it: the timed part. -EINTR after an interrupt, with all of its processes killed. */
int program_execute(struct program *program, struct err *err);

/* After prepare, whatever failed: kills what is left of it. */
void program_end(struct program *program);

/* The three of them, for what is not timed; *wait_status as of wait(2). */
int program_once(struct program *program, const struct program_words *words, int *wait_status,
		 struct err *err);

/*
 * After execute: how it ended. True when it could be started and ended by itself; then *status is
 * wait(2)'s. Else the run was failed with the reason.
 */
bool program_judge(const struct program *program, struct run *run, int *status);

/* The metrics, whose table begins with PROGRAM_METRICS, and marks. Nothing where it did not run. */
void program_report(const struct program *program, const struct metric_spec *metrics,
		    struct run *run);

#endif
