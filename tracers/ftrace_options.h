// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_FTRACE_OPTIONS_H
#define BRUNT_TRACERS_FTRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/keys.h"

/* The keys of the tracer ftrace. */

enum ftrace_mode { FTRACE_DRAIN, FTRACE_OVERWRITE };
enum ftrace_scope { FTRACE_MACHINE, FTRACE_WORK };

struct ftrace_options {
	char *events;	 /* as given */
	char *clock;
	char *output;	 /* NULL: the run's folder */
	uint64_t buffer; /* bytes a CPU */
	enum ftrace_mode mode;
	enum ftrace_scope scope;
	bool keep;
};

extern const struct key_spec ftrace_keys[];

const char *ftrace_mode_name(enum ftrace_mode mode);
const char *ftrace_scope_name(enum ftrace_scope scope);

/* Why it cannot run here; NULL: it can. */
const char *ftrace_unavailable(void);

/* Of checked keys; status 2 where events= is missing. To be released. */
int ftrace_options_read(const struct keys *keys, struct ftrace_options *options, struct err *err);
void ftrace_options_release(struct ftrace_options *options);

/* Against the machine: the clock, the folder, the memory for buffers. */
int ftrace_options_check(const struct ftrace_options *options, int tracefs, struct err *err);

/* For the plan. */
void ftrace_options_tell(const struct ftrace_options *options, size_t events, struct buf *out);

#endif
