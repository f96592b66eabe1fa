// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_WORKLOAD_H
#define BRUNT_WORKLOADS_WORKLOAD_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/keys.h"
#include "base/words.h"
#include "machine/guard.h"
#include "machine/target.h"
#include "machine/undo.h"
#include "results/run.h"

/*
 * A kind of work that is timed. One const struct in a file of its own, and one line in
 * workloads.def. The session calls, for each set of keys:
 *
 *	check                           plan time; no side effects
 *	setup                           once a session
 *	  prepare                       untimed; publishes the target
 *	  execute                       the only timed part
 *	  settle                        until the machine has done what the run left it to do
 *	  verify                        was the work what it claims to be
 *	  cleanup                       always, after prepare was called, whatever failed
 *	teardown                        always, after setup succeeded
 *
 * Hooks return 0 or a negative errno with text in err. A hook that finds that the work itself
 * failed says so with run_fail() or run_invalid() and returns 0: the session goes on. An error
 * that is returned from prepare, execute or verify fails the run as well; -EINTR means that the
 * user stopped it.
 */
struct workload_site {
	const char *session;	/* id of the session: a token for what is made */
	struct undo *undo;	/* the session's journal */
	const struct guard_consent *consent; /* what may be destroyed; NULL: nothing */
	const char *set_path;	/* where results go: never to be written by the work */
	void (*tell)(const char *text); /* a line for the user: what takes long; may be NULL */
};

struct workload {
	const char *name, *summary;
	const struct key_spec *keys;
	const struct metric_spec *metrics; /* NULL name ends; what it can give */
	bool finds_metrics;		   /* gives others too, found as it goes */
	/* Where it does: will these keys give this one? May be NULL. */
	bool (*promises)(const struct keys *keys, const char *name);
	bool has_devices;		   /* its target has block devices to trace */

	/* NULL when it can run here; else why not (a missing feature), for list and errors. */
	const char *(*unavailable)(void);

	/*
	 * keys are checked against the table already, consent says what may be destroyed. Says in
	 * *plan_text (appended, may stay empty) what will be made and needed: "10 loop devices of
	 * 1 GiB (tmpfs), 812 MiB"; where it is refused for safety (EXIT_REFUSED), a line for each
	 * reason.
	 */
	int (*check)(const struct keys *keys, const struct guard_consent *consent,
		     struct buf *plan_text, struct err *err);

	int (*setup)(const struct keys *keys, const struct workload_site *site, void **state,
		     struct err *err);
	void (*teardown)(void *state);

	/* What of the target setup has made already: its devices. NULL: nothing. */
	void (*devices)(const void *state, struct target *target);

	int (*prepare)(void *state, struct run_context *context, struct target *target,
		       struct err *err);
	int (*execute)(void *state, struct run_context *context, struct err *err);
	int (*settle)(void *state, struct run_context *context, struct err *err); /* may be NULL */
	int (*verify)(void *state, struct run_context *context, struct err *err);
	void (*cleanup)(void *state, struct run_context *context);

	/*
	 * After a warm-up run of the baseline: sets keys that the warm-up chooses (repeat), which
	 * then hold for every configuration of the point and for the set. May be NULL.
	 */
	int (*calibrate)(void *state, const struct run *warmup, struct keys *chosen,
			 struct err *err);

	/* Facts about what setup made ("backing file system"), for the session; may be NULL. */
	json_t *(*describe)(const void *state);

	/*
	 * What the keys leave open and setup has found: the version of a source, the number that
	 * jobs=cpus comes to. Flat; null is unknown. Sessions of one label have it the same, and
	 * reports tell what differs between others. May be NULL.
	 */
	json_t *(*found)(const void *state);

	/* Folders that the work reads or writes (appended), for the environment; may be NULL. */
	void (*places)(const void *state, struct words *out);

	/*
	 * The work in words that a reader of a report understands, on one line (appended): "10 loop
	 * devices of 1 GiB (tmpfs), ext3, 10 cycles, pipeline, cold". keys are those of setup. May
	 * be NULL.
	 */
	void (*tell)(const void *state, const struct keys *keys, struct buf *out);
};

extern const struct workload *const workloads[]; /* ended by NULL */
const struct workload *workload_find(const char *name);

#endif
