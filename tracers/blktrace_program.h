// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_BLKTRACE_PROGRAM_H
#define BRUNT_TRACERS_BLKTRACE_PROGRAM_H

#include "tracers/blktrace.h"

/*
 * Capture by blktrace(8) itself: one process for all devices, which writes files while the work
 * runs. Nothing that the program says is believed: it traces when the kernel says so, and lost
 * what the kernel says. A device that is traced already is left alone, since the program would
 * tear that trace down.
 */
extern const struct blktrace_backend blktrace_program;

#endif
