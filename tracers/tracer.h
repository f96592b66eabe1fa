// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_TRACER_H
#define BRUNT_TRACERS_TRACER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/keys.h"
#include "machine/target.h"
#include "machine/undo.h"
#include "results/run.h"

/*
 * Something that is attached while work runs. One const struct in a file of its own, and one
 * line in tracers.def. The session calls, for each configuration with this tracer:
 *
 *	check                           plan time; no side effects
 *	open                            once a session, before any run: what takes memory is taken
 *	                                here, so that the untraced runs see the same machine
 *	admit                           for each target that the workloads have made, before any
 *	                                run: may refuse it
 *	  attach, start                 before the work, untimed
 *	  stop                          right after it
 *	  collect                       after the settle: drain, convert, count, losses
 *	  detach                        always, after attach was called, whatever failed
 *	close                           always, after open succeeded
 *
 * Losses, another tracer that came between, a trace that is empty: run_invalid() and return 0.
 * The ledger goes into run_tracer(): backend, cpu_s, events, bytes, lost, attach_s, drain_s.
 */
struct tracer_site {
	const char *session;
	struct undo *undo;
	const char *set_path;
};

struct tracer {
	const char *name, *summary;
	const struct key_spec *keys;
	bool needs_devices; /* traces block devices: refuse a workload that has none */
	const char *(*unavailable)(void); /* NULL when it can run here, else why not */
	int (*check)(const struct keys *keys, struct buf *plan_text, struct err *err);
	int (*open)(const struct keys *keys, const struct tracer_site *site, void **state,
		    struct err *err);
	void (*close)(void *state);
	const char *(*backend)(const void *state); /* "tracefs"; NULL hook: none to tell */
	/*
	 * Plan time, no side effects: the backend that open would choose now. NULL, hook or answer:
	 * not known before.
	 */
	const char *(*planned_backend)(const struct keys *keys);
	const char *(*reason)(const void *state); /* why this backend; NULL, as hook too: none */
	int (*admit)(void *state, const struct target *target, struct err *err); /* may be NULL */
	int (*attach)(void *state, const struct target *target, struct run_context *context,
		      struct err *err);
	int (*start)(void *state, struct err *err);
	int (*stop)(void *state, struct err *err);
	int (*collect)(void *state, struct run_context *context, struct err *err);
	void (*detach)(void *state, struct run_context *context);
};

extern const struct tracer *const tracers[]; /* ended by NULL */
const struct tracer *tracer_find(const char *name);

#endif
