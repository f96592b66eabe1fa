// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_COMMAND_H
#define BRUNT_RUNNER_COMMAND_H

#include "base/buf.h"
#include "base/err.h"
#include "runner/options.h"

/* A word behind brunt: one const struct in a file of its own, one line in commands.def. */
struct command {
	const char *name, *summary;
	const char *const *usage; /* lines; ended by NULL */
	const struct option_spec *options;
	void (*more_help)(struct buf *out); /* what the tables of modules add; may be NULL */

	/*
	 * What an error exits with, given what it would: scripts such as git bisect read 1 and 2
	 * as an answer. NULL: just that.
	 */
	int (*error_status)(int argc, char **argv, int status);

	/* Returns 0 with the exit status in *status, or a negative errno with err filled. */
	int (*run)(const struct options *options, int *status, struct err *err);
};

extern const struct command *const commands[]; /* ended by NULL */

#endif
