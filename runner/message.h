// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_MESSAGE_H
#define BRUNT_RUNNER_MESSAGE_H

#include "base/err.h"

/* "brunt: text" on stderr, with what would steer a terminal made visible. */
void message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The error's text as a message, "interrupted" excepted; returns the exit status for it. */
int message_error(const struct err *err);

#endif
