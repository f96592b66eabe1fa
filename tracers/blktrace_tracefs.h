// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_BLKTRACE_TRACEFS_H
#define BRUNT_TRACERS_BLKTRACE_TRACEFS_H

#include "tracers/blktrace.h"

/*
 * Capture by ftrace's `blk` tracer and its ring buffer, which also works where a locked-down
 * kernel refuses blktrace(8) its files. Nobody else can trace at the same time: it is refused
 * when somebody does, and every value is put back.
 */
extern const struct blktrace_backend blktrace_tracefs;

#endif
