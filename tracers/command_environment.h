// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_COMMAND_ENVIRONMENT_H
#define BRUNT_TRACERS_COMMAND_ENVIRONMENT_H

#include "base/buf.h"
#include "base/words.h"
#include "machine/target.h"
#include "results/run.h"

/*
 * What the lines of the tracer command know: brunt's own environment with LC_ALL=C and
 *
 *	BRUNT_RUN_DIR	 the run's folder in the set, an absolute path
 *	BRUNT_RUN	 its number
 *	BRUNT_SESSION	 the id of the session
 *	BRUNT_DEVICES	 the paths of the work's block devices, with blanks between; may be empty
 *	BRUNT_PGID	 the work's process group; empty where it has none yet
 *	BRUNT_TRACER_PID of what start= started; empty in start= itself
 */
void command_environment(const char *session, const struct target *target,
			 const struct run_context *context, struct words *out);

/* ": " and the last line of a log, where there is one. */
void command_log_add_last_line(int fd, struct buf *out);

#endif
